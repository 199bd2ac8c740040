#!/usr/bin/env python3
"""The guide's page about guardrails, typed by a reader."""
import json
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Page(Reader):
    def test_a_reader_of_the_guide_types_its_commands(self):
        place = self.folder / "reader"
        place.mkdir()
        written, ran, looked, tried, operated = blocks_of(ROOT / "docs/guide/guardrails.md")
        self.assertIn("no problems found", self.type(written, place))
        place = place / "vault"
        first, second = ran.strip().splitlines()
        self.assertEqual(self.type(first, place), "Write to [EMAIL].\n")
        done = self.cadre(*second.replace('"', "").split(None, 3)[1:3], "What is the password?", cwd=place)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('the answer of clerk was withheld by policy "no_password"', done.stderr.replace("\n", " "))
        self.assertNotIn("hunter2", done.stdout + done.stderr)
        tasks = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]
        failed = next(task["id"] for task in tasks if task["status"] == "failed")
        said = self.type(looked.replace("ID", failed), place)
        self.assertIn('"policy_violated": "no_password"', said)
        self.assertNotIn("hunter2", said)
        said = self.type(tried, place)
        self.assertIn("rewrite\n", said)
        self.assertIn("Write to [EMAIL].\nblock\n", said)
        self.assertIn("no_password", said)
        self.assertTrue(said.endswith("It would not pass.\n"), said)
        said = self.type(operated, place)
        self.assertIn("operator/no_keys", said)
        self.assertTrue(said.endswith("Nor would this.\n"), said)


if __name__ == "__main__":
    unittest.main()
