#!/usr/bin/env python3
"""The guide's page about channels, typed by a reader."""
import os
import signal
import unittest

from home import ROOT
from reader import Reader, blocks_of
from serve import free_port


class Page(Reader):
    def end_servers(self):
        """Should the page have stopped half-way."""
        for file in self.folder.glob("**/*.pid"):
            try:
                os.kill(int(file.read_text()), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def test_a_newcomer_comes_from_nothing_to_a_message_that_is_delivered(self):
        self.addCleanup(self.end_servers)
        server, vendors = str(free_port()), str(free_port())
        place = self.folder / "reader"
        place.mkdir()
        said = []
        for block in blocks_of(ROOT / "docs/guide/channels.md"):
            said.append(self.type(block.replace("8080", server).replace("4030", vendors), place))
            place = self.folder / "reader/support"
        self.assertIn("no problems found", said[0])
        self.assertIn(f"support-wa  whatsapp by meta  http://127.0.0.1:{server}/channels/support-wa/webhook", said[0])
        self.assertIn(f"http://127.0.0.1:{server}/channels/support-sms/webhook takes webhooks of twilio", said[1])
        self.assertTrue(said[2].endswith("support-sms: We are open from nine to five.\n"
                                         "support-wa: Hi Ann, We are open from *nine to five*.\n"), said[2])
        self.assertEqual(said[3], '"completed"\n"delivered"\n')
        self.assertIn("You will get no more messages", said[4])


if __name__ == "__main__":
    unittest.main()
