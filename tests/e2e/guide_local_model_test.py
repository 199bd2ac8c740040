#!/usr/bin/env python3
"""The guide's page about the local model and knowledge, typed by a reader who has no key."""
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Page(Reader):
    def test_a_newcomer_without_a_key_asks_files_and_gets_their_words(self):
        place = self.folder / "reader"
        place.mkdir()
        said, told = [], []
        page = ROOT / "docs/guide/local-model.md"
        for block in blocks_of(page):
            said.append(self.type(block, place))
            told.append(self.told)
            place = self.folder / "reader/hello" if "empty" not in block else self.folder / "reader/empty"
        shown = page.read_text().partition("```\n> ")[2].partition("```")[0]
        self.assertIn("> " + shown, said[0])
        self.assertIn("\n12\nSource: calculator(expression: (15 / 100) * 80)\n", said[0])
        self.assertIn("58.5\n", said[1])
        self.assertIn("with local (no provider's key is set", told[1])
        self.assertIn("no key needed", said[1])
        self.assertIn("no problems found", said[2])
        returns, opened, bicycles = said[2].partition("no problems found")[2].split("generated: false")[:3]
        self.assertIn("> A parcel can be returned within 30 days.", returns)
        self.assertIn("docs/shop.md:9 (Shop > Returns)", returns)
        self.assertIn("> We are open from Monday to Friday, nine to six.\ndocs/shop.md:5 (Shop > Opening hours)", opened)
        self.assertIn("Nothing was found about that in docs/", bicycles)


if __name__ == "__main__":
    unittest.main()
