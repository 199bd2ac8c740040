#!/usr/bin/env python3
"""Shows that what was compiled in one clone is not compiled again in another."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import mini_tree

sys.path.insert(0, str(mini_tree.ROOT / "scripts"))
from lib import cost  # noqa: E402


class CompilerCache(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def build(self, clone, preset):
        """(units that the cache knew, units)"""
        log = self.folder / f"{clone}-{preset}.log"
        environment = {**os.environ, "CCACHE_DIR": str(self.folder / "cache"), "CCACHE_STATSLOG": str(log)}
        for command in (["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset]):
            done = subprocess.run(command, cwd=self.folder / clone, env=environment, text=True, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return cost.cache_hits(log)

    def test_a_second_clone_finds_everything_in_the_cache(self):
        for preset in ("release", "dev"):  # batches; single files with a precompiled header
            with self.subTest(preset):
                one, another = (f"{preset}-{name}" for name in ("one", "another"))
                mini_tree.plant(self.folder / one)
                self.assertEqual(self.build(one, preset)[0], 0)
                shutil.rmtree(self.folder / one)
                mini_tree.plant(self.folder / another)
                hits, units = self.build(another, preset)
                self.assertGreaterEqual(units, 4)
                self.assertGreaterEqual(hits, 0.95 * units)

                # what came from the cache does not lean on the clone that it was compiled in
                changed = mini_tree.MINI["src/base/sum_test.cpp"].replace("sum(1, 2) == 3", "sum(2, 2) == 4")
                mini_tree.write(self.folder / another / "src/base/sum_test.cpp", changed)
                self.assertEqual(self.build(another, preset)[0], hits)


if __name__ == "__main__":
    unittest.main()
