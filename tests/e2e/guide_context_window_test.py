#!/usr/bin/env python3
"""The guide's page about the context window, typed by a reader."""
import json
import re
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Page(Reader):
    def test_a_reader_of_the_guide_types_its_commands(self):
        place = self.folder / "reader"
        place.mkdir()
        page = ROOT / "docs/guide/context-window.md"
        written, talked, looked = blocks_of(page)
        self.assertIn("no problems found", self.type(written, place))
        place = place / "notes"
        self.type(talked, place)
        tasks = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]
        self.assertEqual(len(tasks), 15)
        shortened = [task["id"] for task in tasks if "event_memory_consolidate" in [event["type"] for event in self.events(task["id"])]]
        self.assertTrue(shortened)
        said = self.type(looked.replace("ID", shortened[-1]), place)
        line = re.search(r"the conversation was shortened from \d+ to \d+ tokens, \d+ messages summed up", " ".join(said.split()))
        self.assertIsNotNone(line, said)
        self.assertIn(line[0], page.read_text())


if __name__ == "__main__":
    unittest.main()
