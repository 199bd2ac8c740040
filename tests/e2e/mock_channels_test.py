#!/usr/bin/env python3
"""mock-channels: Twilio's own client judges whether it is true, then wrong words."""
import json
import os
import subprocess
import unittest

from home import INVALID, NOT_FOUND, ROOT
from mock_vendors import PUBLIC, SECRETS, Vendors

NODE = os.environ.get("CADRE_NODE", str(ROOT / "tests/node/node_modules/.bin/node"))
JUDGE = ROOT / "tests/node/mock_channels_judge.mjs"


class Judged(Vendors):
    def test_twilios_own_client_is_content_with_it_and_with_its_signatures(self):
        self.mock()
        done = subprocess.run([NODE, str(JUDGE), f"http://127.0.0.1:{self.mock_port}", str(self.port), "AC0001",
                               SECRETS["TWILIO_TOKEN"], PUBLIC], capture_output=True, text=True, timeout=60,
                              env={"PATH": os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        sent = seen["sent"]
        self.assertEqual((sent["status"], sent["body"], sent["to"], sent["from"], sent["direction"]),
                         ("queued", 'Hällo & "wörld" ', "+14155550100", "+14155550199", "outbound-api"))
        self.assertLess(sent["age"], 60_000)
        self.assertEqual((seen["listed"], seen["others"]), ([sent["sid"]], 0))
        self.assertEqual((seen["refused"]["status"], seen["refused"]["code"]), (400, 21604))
        self.assertEqual((seen["stranger"]["status"], seen["stranger"]["code"]), (401, 20003))
        self.assertEqual([(seen[name]["status"], seen[name]["code"]) for name in ("later", "error")], [(429, 20429), (500, 20500)])
        self.assertEqual(seen["said"]["answers"], [200, 200])
        self.assertTrue(all(hook["good"] for hook in seen["hooks"]), seen["hooks"])
        self.assertEqual([hook["status"] for hook in seen["hooks"] if hook["sid"] == sent["sid"]], ["sent", "delivered"])
        self.assertEqual([hook["text"] for hook in seen["hooks"] if hook["text"]], ['Check my "timesheet" & café  '] * 2)

    def test_wrong_words_say_what_is_right(self):
        for words, says in ((("--faults", "ok,broken"), '"broken" is none of ok, refuse'),
                            (("--statuses", "seen"), '"seen" is none of accepted, sent')):
            done = self.cadre("mock-channels", *words)
            self.assertEqual(done.returncode, INVALID)
            self.assertIn(says, done.stderr)
        (self.folder / "config/accounts.yaml").unlink()
        done = self.cadre("mock-channels")
        self.assertEqual(done.returncode, NOT_FOUND)
        self.assertIn("config/accounts.yaml", done.stderr)


if __name__ == "__main__":
    unittest.main()
