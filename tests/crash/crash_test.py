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
# by pattern, how often each tool that must run once has run at the end of a task; None: once or never, depending on who was first
ONCE = {
    "storm@1": dict.fromkeys(("prepared", "once_0", "once_1", "once_2", "published"), 1),
    "structure@1": {"part_0": None, "part_1": None, "part_2": None, "voted": 1, "bid_0": None, "bid_1": None, "bid_2": None,
                    "bid_3": None, "chosen": 1, "collected": 3, "seated": 4, "met": 2, "tried": 1, "doomed": 1, "sibling": None,
                    "errand": 4, "published": 1},
    "family@1": {"errand": 64},
}
BUDGET = {"storm@1": None, "structure@1": 200, "family@1": 2000}  # tokens; None: as many as a task likes
POINTS = ("after_intent", "before_dispatch", "before_effect", "after_effect", "after_dispatch", "after_outcome")
INTENT, OUTCOME, ANSWER, TERMINAL = 3, 4, 7, (15, 16, 17)
FIRST = "00000000-0000-4000-8000-000000000000"
DEADLINE_S = 60


class Storm:
    """One folder, one ledger, and the process that works on them again and again."""

    def __init__(self, folder, tasks=1, pattern="storm@1"):
        self.home, self.ledger, self.tasks, self.pattern = folder / "home", folder / "ledger", tasks, pattern
        self.billed = folder / "billed"
        self.budgets = {root(number): BUDGET[pattern] for number in range(tasks)}
        self.kills = self.raised = 0
        self.accepted, self.answered, self.events = set(), set(), collections.defaultdict(int)
        self.resting, self.questions = {}, []

    def run(self, *answer, crash_at=None, after=None, strace=None):
        """Runs the process until it ends by itself (0) or dies (-9)."""
        words = [str(STORM), self.pattern, str(self.home), str(self.ledger), str(self.tasks),
                 self.budget(BUDGET[self.pattern]), *answer]
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

    def budget(self, tokens):
        """As the program reads it: that of families in dollars."""
        if tokens is None:
            return "none"
        return f"${tokens / 20_000:.4f}" if self.pattern == "family@1" else f"{tokens}tokens"

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
            elif kind == "question" and words[2] != '"feedback"':  # that one nobody answers
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
            while ended and (words := self.answer()):
                ended = self.run(*words, **answers)
                answers = {}
            if ended and all(self.resting.get(task, ("", ""))[0] in ("completed", "failed") for task in self.budgets):
                return

    def answer(self):
        """The words that answer the first question, or give a task that has used up its budget more; none when no help is needed."""
        if not self.questions:
            for task, (status, _) in self.resting.items():
                if status == "paused":
                    self.budgets[task] += 80  # from here on it may be that much, whether or not the process lives to take it
                    self.raised += 1
                    return ["raise", task, self.budget(self.budgets[task])]
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
        for number, task in enumerate(self.budgets):
            file = self.billed / str(number)
            spent = sum(map(int, file.read_text().split())) if file.exists() else 0
            if self.budgets[task]:
                case.assertLessEqual(spent, self.budgets[task], f"storm {number} and all below it have spent too much")
        dispatched = collections.Counter()
        if self.ledger.exists():
            for file in self.ledger.iterdir():
                keys = file.read_text().split()
                case.assertLessEqual(set(keys), intents, "a dispatch without intent")
                dispatched[file.name] = len(keys)
                if file.name in ONCE[self.pattern]:
                    case.assertEqual(len(keys), len(set(keys)), f"{file.name}: dispatched twice with one key")
        return dispatched

    def check_end(self, case, expected):
        dispatched = self.check(case)
        for name, times in ONCE[self.pattern].items():
            if times is None:
                case.assertLessEqual(dispatched[name], self.tasks, f"{name} happened {dispatched[name]} times")
            else:
                case.assertEqual(dispatched[name], times * self.tasks, f"{name} happened {dispatched[name]} times")
        for number in range(self.tasks):
            status, text = self.resting[root(number)]
            case.assertEqual((status, text), ("completed", expected.replace("storm 0", f"storm {number}")))


def root(number):
    return FIRST[:-12] + f"{number:012x}"


class Crashes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.answers = {}
        for pattern in ONCE:
            calm = Storm(pathlib.Path(cls.scratch.name) / f"calm {pattern}", pattern=pattern)
            calm.finish()
            cls.answers[pattern] = calm.resting[FIRST][1]
        cls.expected = cls.answers["storm@1"]

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

    def test_structure_killed_at_named_points_gives_the_same_answer_every_effect_once_and_no_budget_exceeded(self):  # P16
        # every one of them in a long run, else every ninth; each point comes later in the run than the one before it
        kills = raised = 0
        for (place, point), answering in itertools.product(enumerate(POINTS), (False, True)):
            for nth in range(1 if LONG else 1 + place, 400, 1 if LONG else 9):
                storm = Storm(self.folder(f"structure-{point}-{nth}-{answering}"), pattern="structure@1")
                storm.finish(answering, crash_at=f"{point}:{nth}")
                storm.check_end(self, self.answers["structure@1"])
                kills += storm.kills
                raised += storm.raised
                if not storm.kills:
                    break
        print(f"{kills} kills of structure at named points, {raised} budgets raised")
        self.assertGreater(kills, 25)

    def test_structure_killed_at_random_again_and_again_on_the_same_folder(self):  # P16
        goal = 5000 if LONG else 60
        chance = random.Random(20261118)
        kills = rounds = raised = 0
        while kills < goal:
            rounds += 1
            storm = Storm(self.folder(f"structure-{rounds}"), tasks=3, pattern="structure@1")
            for _ in range(20):
                storm.run(*storm.answer(), after=chance.uniform(0.003, 0.1))
                storm.check(self)
            storm.finish()
            storm.check_end(self, self.answers["structure@1"])
            kills += storm.kills
            raised += storm.raised
        print(f"{kills} kills of structure in {rounds} rounds, {raised} budgets raised")

    def test_64_children_at_10_cents_never_cost_more_over_two_restarts_and_none_waits_for_ever(self):  # P16
        chance = random.Random(64)
        for number in range(60 if LONG else 4):
            storm = Storm(self.folder(f"family-{number}"), pattern="family@1")
            while storm.kills < 2:
                storm.run(*storm.answer(), after=chance.uniform(0.05, 0.6))
                storm.check(self)
                if storm.resting.get(FIRST, ("",))[0] == "completed":
                    break
            storm.finish()
            storm.check_end(self, self.answers["family@1"])

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

    def test_the_harness_can_see_money(self):
        storm = Storm(self.folder("seeing-money"), pattern="structure@1")
        storm.finish()
        storm.check_end(self, self.answers["structure@1"])
        with open(storm.billed / "0", "a") as billed:
            billed.write(f"{BUDGET['structure@1']}\n")
        with self.assertRaisesRegex(AssertionError, "have spent too much"):
            storm.check(self)


if __name__ == "__main__":
    unittest.main()
