#!/usr/bin/env python3
"""The guide's page about routing, typed by a reader."""
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Page(Reader):
    def test_a_newcomer_comes_from_nothing_to_requests_that_find_their_agent(self):
        place = self.folder / "reader"
        place.mkdir()
        said, told = [], []
        for block in blocks_of(ROOT / "docs/guide/routing.md"):
            parts = [block] if "ID" not in block else block.partition("cadre answer")
            text = self.type(parts[0], place)
            told.append(self.told)
            if len(parts) > 1:
                text += self.type("".join(parts[1:]), place)
            said.append(text)
            place = self.folder / "reader/house"
        self.assertIn("no problems found", said[1])
        self.assertEqual(said[1].partition("\n")[2].lstrip(), "light-agent, 0.95 sure (threshold 0.70)\nwhy: The request names lights.\n"
                                  "The kitchen is lit.\n")
        self.assertIn("Is it for climate-agent or light-agent?", told[2])
        self.assertIn("It is 22 degrees there.", said[2])


if __name__ == "__main__":
    unittest.main()
