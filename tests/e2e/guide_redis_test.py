#!/usr/bin/env python3
"""The guide's page about copies in Redis, typed by a reader."""
import json
import os
import signal
import unittest

from home import ROOT
from reader import Reader, blocks_of
from redis_server import NO_REDIS


@unittest.skipIf(NO_REDIS, NO_REDIS or "")
class Page(Reader):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.end_server)

    def end_server(self):
        """Should the page have stopped half-way."""
        for file in self.folder.glob("**/redis.pid"):
            try:
                os.kill(int(file.read_text()), signal.SIGKILL)
            except (ProcessLookupError, ValueError):
                pass

    def test_a_newcomer_finds_tasks_in_redis_and_does_without_it(self):
        place = self.folder / "reader"
        place.mkdir()
        said = []
        for block in blocks_of(ROOT / "docs/guide/redis.md"):
            said.append(self.type(block, place).splitlines())
            place = self.folder / "reader/lamps"
        answer, copy, left = said[0]
        self.assertEqual(answer, "The lamp is on.")
        self.assertEqual(json.loads(copy)["status"]["message"]["content"], answer)
        self.assertIn(int(left), range(86_000, 86_401))
        self.assertEqual(said[1][0], answer)
        self.assertEqual((said[1][1], said[1][-1]), ("0", "4"))  # two tasks


if __name__ == "__main__":
    unittest.main()
