#!/usr/bin/env python3
"""A team of eight is cancelled while all of them work: with programs, tools of a server and models. It ends at once, and whole."""
import os
import pathlib
import time
import unittest

from desk import Desk, mcp
from home import CANCELLED, NO_SANDBOX
from mock_server import Mock
from team_scenes import agent, pattern, says

SECONDS = 2  # from the cancel until nothing is left
PROGRAMS = ("ann", "bob", "cid")  # of these agents a program runs, and another one that it has started
CALLERS = ("dan", "eve")          # these wait for a tool of a server
THINKERS = ("fay", "gus")         # these for their model
WORKERS = (*PROGRAMS, *CALLERS, *THINKERS)
LONG_MS = 600_000


class Cancels(Desk, Mock):
    def setUp(self):
        super().setUp()
        self.requests = self.folder / "requests"
        self.mark = f"600.{os.getpid():07}{time.monotonic_ns() % 10_000_000:07}"  # a time to sleep that nobody else sleeps
        if NO_SANDBOX:
            self.env["CADRE_SANDBOX"] = "none"

    def marked(self):
        """Processes that were started for this team: sandboxes, what runs in them, and the server of the tools."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words, variables = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
            except OSError:
                continue  # it has ended, or belongs to somebody else
            if self.mark.encode() in words + variables:
                found.append(words.replace(b"\0", b" ").decode())
        return found

    def begin(self, **team):
        """All of them are at work when this returns."""
        self.server("--counter", self.counter, "--script", self.write("slow.json", {"tools": [
            {"name": "slow", "description": "Takes long.", "input_schema": {"type": "object"},
             "answers": [{"text": "done", "count": True, "times": "any", "delay_ms": LONG_MS}]}]}))
        servers = self.folder / "config/mcp_servers.yaml"
        servers.write_text(servers.read_text().replace('"args"', f'"env": {{"MARK": "{self.mark}"}}, "args"'))
        program = ("shell", {"command": f"sleep {self.mark} & sleep {self.mark}; wait"})
        self.vendor = Mock.serve(self, [
            says("boss", "", *(("delegate", {"to": name, "task": "Work."}) for name in WORKERS)),
            *(says(name, "", program) for name in PROGRAMS), *(says(name, "", ("slow", {})) for name in CALLERS),
            *(says(name, "Thought.", delay_ms=LONG_MS) for name in THINKERS)], "--requests", self.requests, name="says.json")
        self.env |= {"OPENAI_BASE_URL": self.url + "/v1", "OPENAI_API_KEY": "mock"}
        self.write("cadre.yaml", "name: desk\n")
        self.write("team.json", {"name": "desk", "description": "x", "default_llm": {}, "permissions": {"allow": ["shell"]},
                                 "tools": [mcp("slow", effect="once")], **team,
                                 "agents": [{**agent(name), "tools": ["shell", "slow"]} for name in ("boss", *WORKERS)]})
        process = self.start("run", "team.json", "--json", "Work.")
        task = self.next_event(process, "event_task_start")["task_id"]
        self.until(lambda: len(self.counted()) == len(CALLERS), "calls of the server's tool")
        self.until(lambda: sum(words.startswith("sleep ") for words in self.marked()) == 2 * len(PROGRAMS), "programs")
        self.assertEqual(sum("mock-mcp" in words for words in self.marked()), 1)
        return process, task

    def ends_whole(self, asked, **team):
        process, task = self.begin(**team)
        self.until(lambda: len(self.requests.read_text().splitlines()) == asked, "requests to the models")
        began = time.monotonic()
        self.succeeds("cancel", task)
        _, err, code = self.end(process)
        took = time.monotonic() - began
        self.assertEqual((code, self.marked()), (CANCELLED, []), err)
        self.assertLess(took, SECONDS)
        gone = [line["request"]["gone"] for line in self.stop(self.vendor) if "request" in line]
        self.assertEqual(gone.count(True), len(THINKERS))
        return task

    def test_agents_at_the_same_time_end_with_all_that_they_began(self):
        task = self.ends_whole(len(WORKERS), collaboration_patterns=[pattern("all", "parallel", agents=WORKERS)])
        self.assertEqual(self.events(task)[-1]["final_status"], "cancelled")

    def test_tasks_that_were_delegated_end_with_the_one_above(self):
        self.ends_whole(1 + len(WORKERS), collaboration_patterns=[pattern("all", "hierarchical", "boss", agents=WORKERS)])
        tasks = self.tasks()
        self.assertEqual(len(tasks), 1 + len(WORKERS))
        self.assertEqual({self.events(task)[-1]["final_status"] for task in tasks}, {"cancelled"})

    def tasks(self):
        return [file.name for file in (self.home / "tasks").iterdir() if not file.name.startswith(".")]


if __name__ == "__main__":
    unittest.main()
