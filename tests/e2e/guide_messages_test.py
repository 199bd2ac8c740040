#!/usr/bin/env python3
"""The guide's page about messages, typed by a reader."""
import json
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Page(Reader):
    def test_a_newcomer_comes_from_nothing_to_answers_on_three_channels(self):
        place = self.folder / "reader"
        place.mkdir()
        said, told = [], []
        for block in blocks_of(ROOT / "docs/guide/messages.md"):
            said.append(self.type(block, place))
            told.append(self.told)
            place = self.folder / "reader/desk"
        hours = "You've logged 32/40 hours this week. Great progress!\n"
        self.assertEqual(said[0], hours)
        for phase in ("planning (planner)", "extracting (timesheet)", "composing (planner)", "validating (quality)"):
            self.assertIn(phase, told[0])
        whatsapp, card = said[1].split("\n", 1)
        self.assertEqual(whatsapp, "Hi Ann, You've logged *32/40* hours this week. Great progress!")
        self.assertEqual(json.loads(card)["version"], "1.5")
        self.assertIn("Sorry, I can't give you a reliable answer right now", said[2])
        self.assertIn("exit code", said[2])
        self.assertIn("no problems found", said[3])
        self.assertIn("(1/2)\n", said[3])
        self.assertIn("teams/conversation.yaml", said[4])
        self.assertEqual(said[5], "('sms', 'user', 'Check my timesheet')\n")


if __name__ == "__main__":
    unittest.main()
