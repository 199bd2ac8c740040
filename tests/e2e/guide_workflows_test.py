#!/usr/bin/env python3
"""The guide's page about workflows, typed by a reader."""
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Pages(Reader):
    def test_a_newcomer_comes_from_nothing_to_an_approved_article(self):
        place = self.folder / "reader"
        place.mkdir()
        said = []
        for block in blocks_of(ROOT / "docs/guide/workflows.md"):
            said.append(self.type(block, place))
            place = self.folder / "reader/desk"
        self.assertIn('workflows/article.yaml:6:31: error: nodes.write.agent: unknown agent "wirter", did you mean "writer"?', said[1])
        self.assertIn("no problems found", said[2])
        self.assertIn("Publish this? Tea, a plant from China, is drunk hot.", " ".join(said[4].split()))
        articles = [file.read_text() for file in self.home.glob("tasks/*/artifacts/article.md")]
        self.assertEqual(set(articles), {"Tea, a plant from China, is drunk hot."})  # a fork has the files too
        self.assertRegex(said[5], r"2  edit +\S+ +done +text")


if __name__ == "__main__":
    unittest.main()
