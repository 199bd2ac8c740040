#!/usr/bin/env python3
"""The guide's page about files and their versions, typed by a reader."""
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Page(Reader):
    def test_a_reader_of_the_guide_types_its_commands(self):
        place = self.folder / "reader"
        place.mkdir()
        page = ROOT / "docs/guide/artifacts.md"
        ran, looked, restored = blocks_of(page)
        self.assertEqual(self.type(ran, place), "I made it shorter.\n")
        place = place / "letters"
        said = self.type(looked, place)
        self.assertRegex(said, r"(?m)^letter.md +version 2 ")
        self.assertIn(page.read_text().split("```diff\n")[1].split("```")[0], said)
        self.assertEqual(self.type(restored, place), "letter.md is version 3: what version 1 was\n")
        self.assertEqual((place / "first.md").read_text(), "Dear Ann,\nthank you for the tea.\n")
        (file,) = self.home.glob("tasks/*/artifacts/letter.md")
        self.assertEqual(file.read_text(), "Dear Ann,\nthank you for the tea.\n")


if __name__ == "__main__":
    unittest.main()
