#!/usr/bin/env python3
"""Mixed work on one home, from several terminals that are killed again and again, under clocks that are set, while the home lies still
for longer than any limit: parallel calls of tools over HTTP and pipes, programs in the sandbox that a person approves, questions, turns of
sessions, and a model over HTTP. Four witnesses: the journal, read by tests/crash/journal_reader.py; the servers' own counters; the files that
programs wrote; what was printed before the kill."""
import collections
import json
import os
import pathlib
import random
import sys
import threading
import unittest
import uuid

from desk import Desk
from home import CADRE, NO_SANDBOX, ROOT, calls

sys.path.insert(0, str(ROOT / "tests/crash"))
import journal_reader  # noqa: E402

LONG = bool(os.environ.get("CADRE_LONG"))
KILLS = 1000 if LONG else 300
OPEN = 8  # tasks at a time
FAKE_TIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"  # Debian's faketime
CLOCKS = ("+0", "+1h", "-1h", "+3d", "-3d", "+400d", "-400d", "+0")
HOURS = "10m"  # what a task may work: less than the clock jumps
COUNT = {"description": "Counts.", "input_schema": {"type": "object"}, "answers": [{"text": "counted", "count": True, "delay_ms": 60, "times": "any"}]}
PARALLEL = {"tool_calls": [{"name": "one", "arguments": {}}, {"name": "two", "arguments": {}}, {"name": "three", "arguments": {}}]}
SCRIPT = [{"when": {"after_tool": True}, "text": "All done.", "chunks": 4, "pace_ms": 30, "times": "any"},
          {"when": {"contains": "parallel"}, **PARALLEL, "delay_ms": 80, "times": "any"},
          {"when": {"contains": "shell"}, **calls("shell", command="echo ran >> ran.txt"), "times": "any"},
          {"when": {"contains": "question"}, **calls("ask_human", question="Which colour?"), "times": "any"},
          {"when": {"contains": "turn"}, "text": "Said and done.", "chunks": 4, "pace_ms": 40, "times": "any"}]
KINDS = ("parallel", "question", "turn") if NO_SANDBOX else ("parallel", "question", "turn", "shell")
CALLS = 3  # of one task `parallel`


class Storm(Desk):
    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("CADRE_SEED", random.randrange(1 << 32)))
        print(f"CADRE_SEED={self.seed}", file=sys.stderr)
        self.chance = random.Random(self.seed)
        self.sent, self.told, self.unknown = collections.Counter(), {}, 0
        self.sessions = [str(uuid.UUID(int=self.chance.getrandbits(128), version=4)) for _ in range(3)]
        self.clock = self.write("clock", "+0")
        model = self.start("mock-llm", "--json", "--script", self.write("says.json", SCRIPT), "--quiet")
        self.env |= {"OPENAI_BASE_URL": json.loads(model.stdout.readline())["url"] + "/v1", "OPENAI_API_KEY": "mock"}
        self.serve([{"name": "one", **COUNT}, {"name": "two", **COUNT}])
        http = json.loads((self.folder / "config/mcp_servers.yaml").read_text())["servers"][0]["config"]["url"]
        self.servers(mock={"url": http}, pipe=self.watched(otherwise=f"exec '{CADRE}' mock-mcp --counter '{self.counter}' --script "
                                                                     f"'{self.write('pipe.json', {'tools': [{'name': 'three', **COUNT}]})}'"))
        self.team(["mock.one", "mock.two", "pipe.three", "ask_human", *([] if NO_SANDBOX else ["shell"])])
        self.servers_of_the_test = list(self.processes)

    def faked(self):
        """Set while it runs, too; what time passes is not the clock's to say."""
        return {"LD_PRELOAD": FAKE_TIME, "FAKETIME_TIMESTAMP_FILE": str(self.clock), "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def set_clock(self):
        draft = self.write("clock.new", self.chance.choice(CLOCKS))
        draft.replace(self.clock)

    def terminal(self, *words):
        return self.start(*words, env=self.faked())

    def begin(self):
        kind = self.chance.choice(KINDS)
        self.sent[kind] += 1
        session = ("--session", self.chance.choice(self.sessions)) if kind == "turn" else ()
        return self.terminal("run", "team.json", "--model", "openai/m", "--json", "--budget", HOURS, "--retention-days", "36500", *session,
                             f"{kind} {self.sent[kind]}")

    def unfinished(self):
        return [task for task in self.all_tasks() if task["status"] not in ("completed", "failed", "cancelled")]

    def all_tasks(self):
        if not (self.home / "cadre.db").exists():
            return []
        return json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]

    def answers(self):
        """The words that answer what is asked, as a person would who looks at what has happened."""
        for waiting in self.waiting() if (self.home / "cadre.db").exists() else []:
            task, request = waiting["task"], waiting["request"]
            kind, key = request["type"], request["context"].get("key", "")
            if kind == "approval":
                yield "approve", task, "--request", request["id"]
            elif kind == "outcome_unknown":
                self.unknown += 1
                program = self.home / "tasks" / task / "artifacts/ran.txt"
                happened = key in self.counted() or (program.exists() and program.stat().st_size > 0)
                yield "answer", task, "--request", request["id"], *(["--happened", "counted"] if happened else ["--not-happened"])
            else:
                yield "answer", task, "--request", request["id"], "blue"

    def life(self):
        """Some terminals at once, and the end of them all."""
        self.set_clock()
        work = [lambda words=words: self.terminal(*words) for words in list(self.answers())[:2]]
        work += [lambda: self.terminal("resume", "--all")] + [self.begin] * (1 + 2 * (len(self.unfinished()) < OPEN))
        self.chance.shuffle(work)
        terminals = [one() for one in work[:5]]
        threading.Event().wait(0.03 + self.chance.expovariate(1 / 0.15))  # sleeps: when they die is the experiment
        self.set_clock()
        threading.Event().wait(self.chance.expovariate(1 / 0.05))  # sleeps: as above
        kills = 0
        for terminal in terminals:
            kills += terminal.poll() is None
            terminal.kill()
            self.hear(terminal.communicate()[0])
            self.processes.remove(terminal)
        return kills

    def hear(self, said):
        """What `run --json` printed: it must stay so."""
        lines = [json.loads(line) for line in said.splitlines(keepends=True) if line.endswith("\n") and '"seq"' in line]
        if lines and lines[0]["event"]["type"] == "event_task_start":
            self.told.setdefault(lines[0]["event"]["task_id"], []).extend(lines)

    def settle(self):
        self.clock.write_text("+0")
        for _ in range(60):
            for words in list(self.answers()):
                self.cadre(*words)
            self.cadre("resume", "--all")
            if not self.unfinished():
                return
        self.fail(f"bricked: {self.unfinished()}, {self.waiting()}")

    def test_nothing_is_lost_or_doubled_or_bricked(self):
        self.assertTrue(pathlib.Path(FAKE_TIME).exists(), "faketime is not installed")
        kills = lives = 0
        while kills < KILLS:
            lives += 1
            kills += self.life()
            if lives % 20 == 0:
                self.read_journal()
        self.settle()
        print(f"{kills} kills in {lives} lives, {dict(self.sent)}, {self.unknown} outcomes that were not known", file=sys.stderr)
        self.compare()

    def read_journal(self):
        with journal_reader.Journal(self.home) as journal:
            self.assertEqual(list(journal.problems()), [])
            return {str(task) for task in journal.tasks()}

    def compare(self):
        kept, tasks = self.read_journal(), self.all_tasks()
        self.assertEqual(kept, {task["id"] for task in tasks})
        self.assertLessEqual(set(self.told), kept, "a task was accepted and is gone")
        self.assertEqual([task for task in tasks if task["status"] != "completed"], [])
        counted = self.counted()
        kinds = collections.Counter(task["title"].split()[0] for task in tasks)
        self.assertLessEqual(max(collections.Counter(counted).values(), default=0), 1, "a call was made twice")
        self.assertEqual(len(counted), CALLS * kinds["parallel"])
        ran = [file.read_text() for file in self.home.glob("tasks/*/artifacts/ran.txt")]
        self.assertEqual(ran, ["ran\n"] * kinds["shell"])
        for task, lines in self.told.items():
            now = {line["seq"]: line for line in map(json.loads, self.succeeds("tail", "--json", task).splitlines())}
            for line in lines:
                self.assertEqual(line, now.get(line["seq"]), "an event was told, and is another one or gone")
        self.succeeds("verify")
        for task in tasks if LONG else self.chance.sample(tasks, min(10, len(tasks))):
            self.succeeds("replay", task["id"])
        self.leaves_nothing()  # of the servers that it started

    def test_the_harness_can_see(self):
        """A call too many, another event, a task that is gone: a witness disagrees."""
        while not self.told:
            self.hear(self.begin().communicate()[0])
        self.settle()
        self.compare()
        lines = next(iter(self.told.values()))
        for spoil, complaint in ((lambda: self.told.update({"nobody": []}), "is gone"),
                                 (lambda: (self.told.pop("nobody"), lines[-1].update(seq=10**6)), "another one or gone"),
                                 (lambda: self.counter.write_text("a\na\n"), "made twice")):
            spoil()
            with self.assertRaisesRegex(AssertionError, complaint):
                self.compare()


if __name__ == "__main__":
    unittest.main()
