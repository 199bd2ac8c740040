#!/usr/bin/env python3
"""`cadre mcp add` and `cadre mcp remove` change one entry of config/mcp_servers.yaml, and nothing else of it."""
import sys
import unittest

from home import CADRE, CONFLICT, INVALID, NOT_FOUND, Home

FILE = """# ours
mcpServers:
  # the calm one
  calm:
    command: "sh"
    args: ["-c",
      "exit"]

  other: {command: sh}   # stays
"""


class Entries(Home):
    def setUp(self):
        super().setUp()
        self.write("cadre.yaml", "name: here\n")
        self.file = self.folder / "config/mcp_servers.yaml"

    def names(self):
        return [line.split()[0] for line in self.succeeds("mcp", "list", "-q").splitlines() if line.strip()]

    def test_what_was_added_can_be_removed(self):
        self.succeeds("mcp", "add", "one", str(CADRE), "mock-mcp")
        before = self.file.read_text()
        self.succeeds("mcp", "add", "two", "https://tools.example.org/mcp")
        self.assertEqual(self.cadre("mcp", "add", "two", "sh").returncode, CONFLICT)
        self.assertIn("removed from", self.cadre("mcp", "remove", "two").stderr)
        self.assertEqual(self.file.read_text(), before)
        self.succeeds("mcp", "remove", "one")
        self.assertNotIn("one", self.succeeds("mcp", "list"))
        self.succeeds("check")
        self.succeeds("mcp", "add", "again", "sh")
        self.assertIn("again", self.succeeds("mcp", "list"))

    def test_the_rest_of_a_file_stays(self):
        self.write("config/mcp_servers.yaml", FILE)
        self.succeeds("mcp", "remove", "calm")
        left = self.file.read_text()
        self.assertIn("# ours\n", left)
        self.assertIn("  other: {command: sh}   # stays\n", left)
        self.assertNotIn("exit", left)
        self.succeeds("check")

    def test_what_is_of_another_form_is_for_a_person(self):
        one_line = "mcpServers: {calm: {command: sh}, other: {command: sh}}\n"
        self.write("config/mcp_servers.yaml", one_line)
        done = self.cadre("mcp", "remove", "calm")
        self.assertEqual(done.returncode, INVALID, done.stderr)
        self.assertIn("mcp_servers.yaml, line 1; remove it there", done.stderr)
        self.assertEqual(self.file.read_text(), one_line)
        self.assertEqual([file.name for file in self.file.parent.iterdir()], [self.file.name])

    def test_what_is_not_there_is_neither_added_nor_removed(self):
        self.assertEqual(self.cadre("mcp", "remove", "none").returncode, NOT_FOUND)
        for program, code, says in (("no-such-program", NOT_FOUND, 'there is no program "no-such-program" in PATH'),
                                    ("./server.py", NOT_FOUND, "there is no program"), ("config", NOT_FOUND, "there is no program"),
                                    ("./plain.py", INVALID, "is not executable; make it so: chmod +x")):
            self.write("plain.py", "")
            done = self.cadre("mcp", "add", "new", program)
            self.assertEqual(done.returncode, code, (program, done.stderr))
            self.assertIn(says, done.stderr)
            self.assertFalse(self.file.exists())
        self.succeeds("mcp", "add", "new", sys.executable, "server.py")


if __name__ == "__main__":
    unittest.main()
