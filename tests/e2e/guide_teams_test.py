#!/usr/bin/env python3
"""The guide's page about teams, typed by a reader."""
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Page(Reader):
    def test_a_newcomer_comes_from_nothing_to_handoffs_a_vote_and_parallel_work(self):
        place = self.folder / "reader"
        place.mkdir()
        said, told = [], []
        for block in blocks_of(ROOT / "docs/guide/teams.md"):
            said.append(self.type(block, place))
            told.append(self.told)
            place = self.folder / "reader/desk"
        self.assertIn("team desk, 3 agents", said[0])
        self.assertIn("no problems found", said[1])
        self.assertTrue(said[1].endswith("\nTea, a plant from China, is drunk hot.\n"), said[1])
        handoffs = [line for line in told[1].splitlines() if "hands over" in line]
        self.assertEqual([line.split(":")[0] for line in handoffs],
                         ["researcher hands over to writer", "writer hands over to reviewer",
                          "reviewer hands over to writer", "writer hands over to reviewer"])
        self.assertIn("→ writer hands over to reviewer: The draft is ready.", said[2])
        self.assertIn("team desk, 3 agents: 3 done", said[2])

        self.assertEqual(said[3], "Publish it with its source.\n")
        for line in ("reviewer proposes: Publish it today.", "researcher rejects: No source is named.",
                     "decided, 2 of 2 votes for it: Publish it with its source."):
            self.assertIn(line, told[3])

        self.assertEqual(said[4], "Tea and coffee come from far away: a journey in a cup.\n")
        self.assertIn("2 agents at the same time: researcher, writer", told[4])
        self.assertIn("facts: all 2 are there", told[4])
        self.assertIn("text: all 2 are there", told[4])


if __name__ == "__main__":
    unittest.main()
