#!/usr/bin/env python3
"""The guide's page about memory, typed by a reader."""
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Page(Reader):
    def test_a_reader_of_the_guide_types_its_commands(self):
        place = self.folder / "reader"
        place.mkdir()
        written, ran, looked, happened, forgot = blocks_of(ROOT / "docs/guide/memory.md")
        self.assertIn("no problems found", self.type(written, place))
        place = place / "office"
        self.assertEqual(self.type(ran, place), "I will know it.\nAnn gets them.\n")
        said = self.type(looked, place)
        self.assertIn("Invoices go to Ann.", said)
        self.assertIn("The office is closed on 24 December", said)
        self.assertIn("it contradicts mem_", self.told)
        self.assertIn("both are kept", self.told)
        self.type(happened, place)
        self.assertIn("summed up 2 items: ", self.told)
        said = self.type(forgot, place)
        self.assertIn("forgot 7 items", said)
        self.assertIn("still hold what was said", self.told)
        self.assertEqual(self.succeeds("memory", "list"), "")


if __name__ == "__main__":
    unittest.main()
