#!/usr/bin/env python3
"""The sandbox of tools from outside: who may switch it off, and what is said where there is none."""
import json
import subprocess
import unittest

from home import CADRE, CONFLICT, LIMIT, NO_SANDBOX, Home


@unittest.skipIf(NO_SANDBOX, NO_SANDBOX)
class Sandbox(Home):
    OUTSIDE = "test -d /root && echo out || echo locked in"

    def team(self, **more):
        self.write("cadre.yaml", "name: desk\n")
        self.write("team.json", {"name": "desk", "description": "x", "default_llm": {}, "tools": [], "permissions": {"allow": ["shell"]}, **more,
                                 "agents": [{"name": "clerk", "role": "x", "prompt": "y", "tools": ["shell"]}]})

    def go(self, command, *before):
        script = self.script([{"tool_calls": [{"name": "shell", "arguments": {"command": command}}]},
                              {"when": {"after_tool": True}, "text": "Done."}])
        return subprocess.run([*before, CADRE, "run", "team.json", "--model", script, "Go."], cwd=self.folder, env=self.env,
                              capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)

    def results(self):
        return [e["tool_result"] for task in self.home.glob("tasks/[!.]*") for e in self.events(task.name)
                if e["type"] == "event_tool_result"]

    def test_no_file_of_a_project_lets_programs_out(self):
        self.team()
        self.write("cadre.yaml", "name: desk\nsandbox: none\n")
        for done in (self.cadre("check"), self.go(self.OUTSIDE)):
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("cannot be set by a project, only by the person who runs it: leave it out, and set CADRE_SANDBOX=none",
                          done.stderr + done.stdout)
        self.team()
        self.write(".env", "CADRE_SANDBOX=none\n")
        self.assertNotIn("sandbox: none", self.go(self.OUTSIDE).stderr)
        (self.folder / ".env").unlink()
        self.team(sandbox="none")
        self.assertNotIn("sandbox: none", self.go(self.OUTSIDE).stderr)
        self.team()
        self.assertEqual(self.go(self.OUTSIDE).returncode, 0)
        self.assertEqual({r["result"] for r in self.results()}, {"locked in"})

    def test_whoever_runs_it_does_and_hears_of_it_each_time(self):
        self.team()
        self.env["CADRE_SANDBOX"] = "none"
        for _ in range(2):
            done = self.go("pwd")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("sandbox: none: programs that tools run can read, change and send whatever you can"), 1)
        self.assertEqual({r["result"].split("/")[-1] for r in self.results()}, {"artifacts"})

    def test_nobody_joins_a_process_without_a_sandbox_unawares(self):
        self.team()
        script = self.script([{"text": "Done.", "delay_ms": 60_000}])
        owner = self.start("run", "team.json", "--model", script, "Go.", env={**self.env, "CADRE_SANDBOX": "none"})
        self.until(lambda: list(self.home.glob("tasks/[!.]*")), "the owner's task")
        done = self.go(self.OUTSIDE)
        self.assertEqual(done.returncode, CONFLICT, done.stderr)
        self.assertIn(f"process {owner.pid} runs the tasks of this home, and runs programs of tools without a sandbox", done.stderr)
        self.succeeds("cancel", self.only_task())
        self.end(owner)

    def test_in_a_container_without_user_namespaces_the_reason_and_the_fix_are_named(self):
        self.team()
        box = ["bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns"]
        if subprocess.run([*box, "true"], capture_output=True).returncode != 0:
            self.skipTest("bubblewrap cannot make user namespaces here")
        done = self.go("touch ran", *box)
        told = done.stderr + json.dumps(self.results())
        self.assertIn("Programs of tools run only in a sandbox, and there is none here: bwrap: ", told)
        self.assertIn("sysctl user.max_user_namespaces=10000", told)
        self.assertEqual(list(self.home.glob("tasks/*/artifacts/ran")), [])


if __name__ == "__main__":
    unittest.main()
