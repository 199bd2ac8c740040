#!/usr/bin/env python3
"""The guide's page about security, typed by a reader whom nobody vouches for."""
import unittest

from home import ROOT
from reader import Reader, blocks_of


class Page(Reader):
    def test_what_it_types_works(self):
        del self.env["CADRE_TRUST"]
        place = self.folder / "reader"
        place.mkdir()
        said = [self.type(block, place) for block in blocks_of(ROOT / "docs/guide/security.md")]
        self.assertIn("note: it starts mcp-server-filesystem . (MCP server files), and you have not trusted it with that", said[0])
        self.assertIn("wants this:\n  - starts mcp-server-filesystem . (MCP server files)", said[0])
        self.assertIn("trusted; what it comes to want later is asked about again", said[0])
        self.assertIn("is not trusted any more", said[0])
        self.assertEqual(said[1], "")
        self.assertIn("bubblewrap", said[2])


if __name__ == "__main__":
    unittest.main()
