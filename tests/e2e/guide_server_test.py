#!/usr/bin/env python3
"""The guide's page about the server, typed by a reader."""
import os
import signal
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Page(Reader):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.end_server)

    def end_server(self):
        """Should the page have stopped half-way."""
        file = self.folder / "reader/shop/server.pid"
        try:
            os.kill(int(file.read_text()), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass

    def test_a_newcomer_comes_from_nothing_to_a_task_that_asks_a_person(self):
        place = self.folder / "reader"
        place.mkdir()
        said = []
        for block in blocks_of(ROOT / "docs/guide/server.md"):
            said.append(self.type(block, place))
            place = self.folder / "reader/shop"
        self.assertIn("no problems found", said[0])
        self.assertEqual(said[1], '{"status":"healthy"}')
        self.assertEqual(said[2], "waiting\n")
        self.assertEqual(said[3], "clerk asks: Refund 10 dollars?\n")
        self.assertTrue(said[4].startswith("The refund is on its way.\n"), said[4])
        self.assertIn('"reason":"already_answered"', said[4])
        self.assertIn("completed", said[5])


if __name__ == "__main__":
    unittest.main()
