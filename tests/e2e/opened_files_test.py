#!/usr/bin/env python3
"""What the program opens of a project, counted by strace: its files are read once, and calls read none of them."""
import re
import shutil
import subprocess
import unittest

from desk import Desk, call, mcp
from home import CADRE, LIMIT


class Opened(Desk):
    def traced(self, calls, *words):
        """What strace says of these system calls of a command and all its threads."""
        self.assertTrue(shutil.which("strace"), "strace is not installed. Fix: scripts/setup test")
        trace = self.folder.parent / f"{self.folder.name}.strace"
        self.addCleanup(trace.unlink, missing_ok=True)
        command = ["strace", "--quiet=all", "--follow-forks", f"--trace={calls}", f"--output={trace}", CADRE,
                   *map(str, words)]
        done = subprocess.run(command, cwd=self.folder, env=self.env, text=True, capture_output=True, timeout=LIMIT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return trace.read_text()

    def opened(self, *words):
        """The project's files and folders in the order in which a command opens them."""
        paths = re.findall(r'"(/[^"]*)", O_', self.traced("open,openat", *words))
        return [path for path in paths if path.startswith(f"{self.folder}/") and not path.startswith(str(self.home))]

    def test_a_run_reads_the_files_of_its_project_once(self):
        self.server()
        self.team(["calculator"])
        self.write(".env", "OPENAI_API_KEY=x\n")
        paths = self.opened("run", "--model", self.script([call("calculator", expression="2+3"), {"text": "done"}]), "Go.")
        for name in ("cadre.yaml", ".env", "config/mcp_servers.yaml", "team.json"):
            self.assertEqual(paths.count(str(self.folder / name)), 1, f"{name}: {paths}")

    def test_a_run_with_a_servers_tool_reads_them_once_too(self):
        self.server()
        self.write(".env", "OPENAI_API_KEY=x\n")
        files = ("cadre.yaml", ".env", "config/mcp_servers.yaml", "config/providers.yaml", "team.json")
        self.write("config/providers.yaml", "providers: {mine: {base_url: https://a.example/v1}}\n")
        for granted, tools in ((["mock.echo"], []), (["mock.*"], []), (["echo"], [mcp("echo")])):
            with self.subTest(granted):
                self.team(granted, tools)
                paths = self.opened("run", "--model", self.script([call("echo", message="x"), {"text": "done"}]), "Go.")
                self.assertEqual({name: paths.count(str(self.folder / name)) for name in files}, dict.fromkeys(files, 1), paths)

    def test_calls_of_a_server_open_nothing_of_the_project(self):
        self.server()
        self.team(["mock.echo"])
        counts = [len(self.opened("run", "--model", self.script([call("echo", message="x")] * calls + [{"text": "done"}]), "Go."))
                  for calls in (1, 6)]
        self.assertEqual(counts[0], counts[1])

    def test_a_resume_reads_the_journal_of_its_task_once(self):
        self.team(["calculator"])
        long = {"text": "x" * 40_000, **call("calculator", expression="2+3")}  # a file of its own, which shows who reads it
        died = self.cadre("run", "--model", self.script([long, {"text": "done"}]), "Go.", env={"CADRE_CRASH_AT": "before_dispatch:2"})
        self.assertEqual(died.returncode, -9)
        seen = self.traced("openat", "resume", self.only_task())
        self.assertEqual(len(re.findall(r"/blobs/[^ ]*, O_RDONLY", seen)), 1, seen)

    def test_looking_at_a_task_opens_the_database_once_and_starts_no_thread(self):
        self.team(["calculator"])
        self.succeeds("run", "--model", self.script([call("calculator", expression="2+3"), {"text": "done"}]), "Go.")
        for words in (["show", self.only_task()], ["tasks"], ["trace", self.only_task()], ["inbox"]):
            with self.subTest(words=words[0]):
                seen = self.traced("openat,clone,clone3", *words)
                self.assertEqual(len(re.findall(r'cadre\.db", O_RDONLY\|O_NOFOLLOW', seen)), 1, seen)
                self.assertNotRegex(seen, r"clone3?\(")


if __name__ == "__main__":
    unittest.main()
