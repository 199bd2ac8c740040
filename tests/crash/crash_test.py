#!/usr/bin/env python3
"""Kills a process that runs durable tasks, starts it again on the same folder, and compares three witnesses: the journal, read by
journal_reader.py; the files that the tools wrote; what the process said before it died. $CADRE_BIN's folder has
the program; else the one that was built last."""
import collections
import itertools
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import journal_reader

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from lib import build  # noqa: E402

BUILD = pathlib.Path(os.environ["CADRE_BIN"]).parent if "CADRE_BIN" in os.environ else build.chosen()
STORM = BUILD / "tests/crash/storm"
LONG = bool(os.environ.get("CADRE_LONG"))
ONCE = ("prepared", "once_0", "once_1", "once_2", "published")
POINTS = ("after_intent", "before_dispatch", "before_effect", "after_effect", "after_dispatch", "after_outcome")
INTENT, OUTCOME, ANSWER, TERMINAL = 3, 4, 7, (15, 16, 17)
DEADLINE_S = 60


class Storm:
    """One folder, one ledger, and the process that works on them again and again."""

    def __init__(self, folder, tasks=1):
        self.home, self.ledger, self.tasks = folder / "home", folder / "ledger", tasks
        self.kills = 0
        self.accepted, self.answered, self.events = set(), set(), collections.defaultdict(int)
        self.resting, self.questions = {}, []

    def run(self, *answer, crash_at=None, after=None, strace=None):
        """Runs the process until it ends by itself (0) or dies (-9)."""
        words = [str(STORM), str(self.home), str(self.ledger), str(self.tasks), *answer]
        environment = dict(os.environ)
        if crash_at:
            environment["CADRE_CRASH_AT"] = crash_at
        if strace:
            words = ["strace", "-f", "-o", "/dev/null", "-e", "trace=fdatasync,fsync",
                     "-e", f"inject={strace}", *words]
        process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if after is not None:
            try:
                process.wait(after)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
        said, complaint = process.communicate(timeout=DEADLINE_S)
        self.hear(said)
        died = process.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)
        if not died and process.returncode != 0:
            raise AssertionError(f"storm ended with {process.returncode}: {complaint}")
        self.kills += died
        return not died

    def hear(self, said):
        self.resting, self.questions = {}, []
        for line in said.splitlines(keepends=True):
            if not line.endswith("\n"):
                continue  # died in the middle of a word
            kind, *words = line.split(" ", 3 if line.startswith("rest") else -1)
            words = [word.strip() for word in words]
            if kind == "accepted":
                self.accepted.add(words[0])
            elif kind == "answered":
                self.answered.add((words[0], words[1]))
            elif kind == "event":
                self.events[words[0]] = max(self.events[words[0]], int(words[1]))
            elif kind == "question":
                self.questions.append(words)
            elif kind == "rest":
                self.resting[words[0]] = (words[1].strip('"'), words[2] if len(words) > 2 else "")

    def finish(self, answering=False, **how):
        """Answers whatever is asked, as a person who looks at the ledger would, until every task has ended. `how` it dies: in
        the first run, or in the first one that answers."""
        first, answers = ({}, how) if answering else (how, {})
        while True:
            ended = self.run(**first)
            first = {}
            while ended and self.questions:
                ended = self.run(*self.answer(), **answers)
                answers = {}
            if ended and len(self.resting) == self.tasks:
                return

    def answer(self):
        """The words that answer the first question; none when nothing is asked."""
        if not self.questions:
            return []
        task, request, kind, key = self.questions[0]
        verb = "approve" if kind == '"approval"' else "happened" if self.happened(key) else "not_happened"
        return ["answer", task, request, verb]

    def happened(self, key):
        return any(key in file.read_text().split() for file in self.ledger.iterdir())

    def check(self, case):
        """What must hold at any moment at which nobody runs."""
        if not self.accepted and not (self.ledger.exists() and any(self.ledger.iterdir())):
            return collections.Counter()  # killed before there was anything to lose; there may be no journal yet
        with journal_reader.Journal(self.home) as journal:
            case.assertEqual(journal.problems(), [])
            tasks = journal.tasks()
            intents = set()
            for task in tasks:
                records = journal.records(task)
                ends = [record for record in records if record.kind in TERMINAL]
                case.assertLessEqual(len(ends), 1)
                case.assertGreaterEqual(records[-1].event_seq, self.events[task], "an event was told and is gone")
                for record in records:
                    if record.kind == INTENT and b'"effect":"use"' in record.body:
                        intents.add(record.body.split(b'"key":"')[1].split(b'"')[0].decode())
            case.assertLessEqual(self.accepted, set(tasks), "a task was accepted and is gone")
            for task, request in self.answered:
                case.assertTrue(any(record.kind == ANSWER and request.encode() in record.body
                                    for record in journal.records(task)), "an answer was accepted and is gone")
        dispatched = collections.Counter()
        if self.ledger.exists():
            for file in self.ledger.iterdir():
                keys = file.read_text().split()
                case.assertLessEqual(set(keys), intents, "a dispatch without intent")
                dispatched[file.name] = len(keys)
                if file.name in ONCE:
                    case.assertEqual(len(keys), len(set(keys)), f"{file.name}: dispatched twice with one key")
        return dispatched

    def check_end(self, case, expected):
        dispatched = self.check(case)
        for name in ONCE:
            case.assertEqual(dispatched[name], self.tasks, f"{name} happened {dispatched[name]} times")
        for number in range(self.tasks):
            status, text = self.resting[f"00000000-0000-4000-8000-{number:012x}"]
            case.assertEqual((status, text), ("completed", expected.replace("storm 0", f"storm {number}")))


class Crashes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        calm = Storm(pathlib.Path(cls.scratch.name) / "calm")
        calm.finish()
        cls.expected = calm.resting["00000000-0000-4000-8000-000000000000"][1]
        with journal_reader.Journal(calm.home) as journal:
            cls.records = len(journal.records("00000000-0000-4000-8000-000000000000"))

    def folder(self, name):
        folder = pathlib.Path(self.scratch.name) / name
        self.addCleanup(shutil.rmtree, folder, True)
        return folder

    def test_kill_storm_at_every_named_point_gives_the_same_answer_and_every_effect_once(self):  # FRAME 7
        kills = 0
        for answering, point in itertools.product((False, True), POINTS):
            for nth in range(1, 40):
                storm = Storm(self.folder(f"{point}-{nth}-{answering}"))
                storm.finish(answering, crash_at=f"{point}:{nth}")
                storm.check_end(self, self.expected)
                kills += storm.kills
                if not storm.kills:
                    break
        print(f"{kills} kills at named points")
        self.assertGreater(kills, 60)

    def test_killed_at_every_fdatasync_nothing_that_was_told_is_lost(self):  # P1
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        kills = 0
        for answering in (False, True):
            for nth in range(1, 200):
                storm = Storm(self.folder(f"sync-{nth}-{answering}"))
                storm.finish(answering, strace=f"fdatasync:signal=SIGKILL:when={nth}")
                storm.check_end(self, self.expected)
                kills += storm.kills
                if not storm.kills:
                    break
        print(f"{kills} kills at fdatasync")
        self.assertGreater(kills, 5)

    def test_killed_at_random_again_and_again_on_the_same_folder(self):  # P1, P2
        goal = 5000 if LONG else 230
        chance = random.Random(20261116)
        kills = 0
        rounds = 0
        while kills < goal:
            rounds += 1
            storm = Storm(self.folder(f"random-{rounds}"), tasks=8)
            for _ in range(25):
                storm.run(*storm.answer(), after=chance.uniform(0.005, 0.12))
                storm.check(self)
            storm.finish()
            storm.check_end(self, self.expected)
            kills += storm.kills
        print(f"{kills} kills in {rounds} rounds")

    def test_the_harness_can_see(self):
        """A ledger line too many, a journal byte too few: the witnesses disagree."""
        storm = Storm(self.folder("seeing"))
        storm.finish()
        storm.check_end(self, self.expected)
        with open(storm.ledger / "published", "a") as ledger:
            ledger.write("nobody-asked-for-this\n")
        with self.assertRaisesRegex(AssertionError, "a dispatch without intent"):
            storm.check(self)


if __name__ == "__main__":
    unittest.main()
