#!/usr/bin/env python3
"""What events say of files and sandboxes is so: `artifacts_created`, `sandbox_id`, and `sandbox/workspace.yaml`."""
import json
import re
import signal
import unittest

from home import AGENT, Home, NO_SANDBOX, calls

WRITE = calls("write_file", path="notes/a.txt", content="x")


class Written(Home):
    def end_of(self, task):
        return self.events(task)[-1]

    # EVT-08 E
    def test_the_end_of_a_task_names_the_files_that_it_wrote_once_each(self):
        done = self.run_agent([WRITE, calls("write_file", path="b.txt", content="x"), WRITE, {"text": "Done."}])
        self.assertEqual(done.returncode, 0, done.stderr)
        end = self.end_of(self.only_task())
        self.assertEqual((end["final_status"], end["artifacts_created"]), ("success", ["artifacts/b.txt", "artifacts/notes/a.txt"]))
        for file in end["artifacts_created"]:
            self.assertTrue((self.home / "tasks" / self.only_task() / file).is_file(), file)

    def test_a_task_that_wrote_nothing_names_nothing(self):
        self.run_agent([{"text": "Done."}])
        self.assertEqual(self.end_of(self.only_task())["artifacts_created"], [])

    def test_what_was_written_before_a_crash_counts_and_so_it_does_for_a_task_that_fails(self):
        self.write("agents/researcher.json", {**AGENT, "max_iterations": 2})
        entries = [WRITE, calls("write_file", path="b.txt", content="x")]
        done = self.run_agent(entries, env={"CADRE_CRASH_AT": "before_dispatch:3"})
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.cadre("resume", self.only_task())
        end = self.end_of(self.only_task())
        self.assertEqual((end["final_status"], end["artifacts_created"]), ("error", ["artifacts/b.txt", "artifacts/notes/a.txt"]))

    def test_and_for_one_that_is_cancelled(self):
        self.run_agent([WRITE, calls("ask_human", question="Go on?")])
        self.succeeds("cancel", self.only_task())
        end = self.end_of(self.only_task())
        self.assertEqual((end["final_status"], end["artifacts_created"]), ("cancelled", ["artifacts/notes/a.txt"]))

    def test_a_tool_that_runs_no_program_is_in_no_sandbox(self):
        self.run_agent([WRITE, {"text": "Done."}])
        task = self.only_task()
        self.assertEqual({event["sandbox_id"] for event in self.events(task) if "sandbox_id" in event}, {None})
        self.assertFalse((self.home / "tasks" / task / "sandbox" / "workspace.yaml").exists())


@unittest.skipIf(NO_SANDBOX, NO_SANDBOX)
class Sandboxed(Home):
    def setUp(self):
        super().setUp()
        shell = {"name": "shell", "type": "builtin", "config": {"memory_mb": 300}, "timeout": 20, "permission": "allow", "description": "Runs a command."}
        self.write("team.yaml", {"name": "desk", "description": "Works.", "default_llm": {}, "tools": [shell], "agents": [
            {**AGENT, "tools": ["shell", "calculator"]}]})
        self.model = self.script([calls("shell", command="pwd; echo x > made.txt; echo y > /task/sandbox/shared/s.txt; ls /"),
                                  calls("calculator", expression="1+1"), {"text": "Done."}])

    def go(self, **env):
        done = self.cadre("run", "team.yaml", "--model", self.model, "Go.", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        task = self.only_task()
        found = [(event["type"], event["sandbox_id"]) for event in self.events(task) if "sandbox_id" in event]
        return task, found, self.home / "tasks" / task / "sandbox"

    # EVT-19 E, EVT-20 E, STORE-14 E
    def test_events_and_the_task_s_folder_name_the_sandbox_that_a_program_ran_in(self):
        task, found, folder = self.go()
        sandbox = found[0][1]
        self.assertRegex(sandbox, r"^sbx_[0-9a-f]{32}$")
        self.assertEqual(found, [("event_tool_call", sandbox), ("event_tool_result", sandbox), ("event_tool_call", None),
                                 ("event_tool_result", None)])
        text = (folder / "workspace.yaml").read_text()
        for line in (f"id: {sandbox}", "kind: bubblewrap", 'workspace: "/task/artifacts"', 'shared: "/task/sandbox/shared"', "shell:",
                     "memory_mb: 300", "timeout: 20", "network: false"):
            self.assertRegex(text, rf"(?m)^\s*{re.escape(line)}$")
        self.assertNotIn("calculator", text)
        self.assertEqual((folder / "shared" / "s.txt").read_text(), "y\n")
        result = next(event for event in self.events(task) if event["type"] == "event_tool_result")["tool_result"]["result"]
        self.assertEqual(result.splitlines()[0], "/task/artifacts")
        self.assertNotIn("home", result.splitlines())
        self.assertEqual(self.events(task)[-1]["artifacts_created"], ["artifacts/made.txt"])
        (folder / "workspace.yaml").unlink()
        self.succeeds("rebuild", task)
        self.assertEqual((folder / "workspace.yaml").read_text(), text)
        self.assertTrue((folder / "shared" / "s.txt").exists())

    def test_without_a_sandbox_none_is_named(self):
        self.model = self.script([calls("shell", command="echo hello"), calls("calculator", expression="1+1"), {"text": "Done."}])
        _, found, folder = self.go(CADRE_SANDBOX="none")
        self.assertEqual({sandbox for _, sandbox in found}, {None})
        self.assertFalse((folder / "workspace.yaml").exists())


if __name__ == "__main__":
    unittest.main()
