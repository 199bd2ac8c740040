#!/usr/bin/env python3
"""Shows that what was compiled in one clone is not compiled again in another."""
import os
import pathlib
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
        for clone in ("one", "another"):
            mini_tree.plant(self.folder / clone)

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
                self.assertEqual(self.build("one", preset)[0], 0)
                hits, units = self.build("another", preset)
                self.assertGreaterEqual(units, 4)
                self.assertGreaterEqual(hits, 0.95 * units)


if __name__ == "__main__":
    unittest.main()
