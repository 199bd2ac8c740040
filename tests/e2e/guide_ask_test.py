#!/usr/bin/env python3
"""The guide's page about questions to data domains, typed by a reader."""
import json
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Page(Reader):
    def test_a_newcomer_comes_from_nothing_to_answers_from_two_domains(self):
        place = self.folder / "reader"
        place.mkdir()
        said, told = [], []
        for block in blocks_of(ROOT / "docs/guide/ask.md"):
            said.append(self.type(block, place))
            told.append(self.told)
            place = self.folder / "reader/shop"
        self.assertIn("no problems found", said[0])
        self.assertEqual(said[1], "Twelve kettles are left.\n\nSources: inventory.genie (confidence: high)\n\n"
                                  "You could ask next:\n- Shall I compare their price?\n")
        self.assertIn("asking Inventory\n", told[1])
        self.assertIn("Inventory answered", told[1])
        self.assertIn("ask --session 550e8400", told[1])
        self.assertIn("Last week there were eighty.", said[2])
        self.assertEqual(said[3], '"partial_results":true\n'
                                  "Missing from this answer: Pricing (there is no price list for cups)\n")
        answer = json.loads((place / "answer.json").read_text())
        self.assertEqual(answer["sources"], ["inventory.genie"])
        self.assertEqual([call["status"] for call in answer["tool_calls_made"]], ["completed", "failed"])


if __name__ == "__main__":
    unittest.main()
