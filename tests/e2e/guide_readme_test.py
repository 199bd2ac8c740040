#!/usr/bin/env python3
"""The README's blocks about using the program, typed by a reader."""
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Readme(Reader):
    def test_a_newcomer_types_the_readme_from_the_first_project_to_a_team(self):
        place = self.folder / "reader"
        place.mkdir()
        said = []
        for block in blocks_of(ROOT / "README.md"):
            if "./run" in block or "cmake" in block:
                continue
            block = block.replace('export PATH="$PWD/build/release:$PATH"\n', "")
            said.append(self.type(block, place))
            place = self.folder / "reader/hello"
        self.assertIn("no problems found", said[0])
        self.assertIn("The sum is 5.\n", said[1])
        self.assertTrue(said[2].endswith("Tea is leaves in hot water.\n"), said[2])


if __name__ == "__main__":
    unittest.main()
