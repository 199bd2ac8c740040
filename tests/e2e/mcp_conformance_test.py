"""@modelcontextprotocol/conformance judges the client. What is left out, and why: docs/reference/mcp.md."""
import re
import subprocess
import tempfile
import unittest

from mcp_peer import CLIENT, LOOPBACK, MODULES, NODE

STABLE = MODULES / "@modelcontextprotocol/conformance/dist/index.js"
NEXT = MODULES / "mcp-conformance-next/dist/index.js"
LEGACY = ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"]
BOTH = ["json-schema-2020-12-preservation"]
MODERN = ["tools_call", "request-metadata", "sep-2322-client-request-state", "http-standard-headers", "http-custom-headers",
          "http-invalid-tool-headers", "json-schema-ref-no-deref"]
SIGNED_IN = ["auth/client-credentials-basic", "auth/client-credentials-jwt"]
REGISTERED = ["auth/pre-registration"]
DECEIVED = ["auth/resource-mismatch", "auth/metadata-issuer-mismatch"]  # nothing is sent to the wrong place


class Conformance(unittest.TestCase):
    def judge(self, program, scenarios, *more):
        for scenario in scenarios:
            with self.subTest(scenario), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([NODE, *LOOPBACK, str(program), "client", "--command", CLIENT, "--scenario", scenario, *more], cwd=folder,
                                      capture_output=True, text=True, timeout=60)
                said = done.stdout + done.stderr
                self.assertEqual(done.returncode, 0, said)
                self.assertIn("OVERALL: PASSED", said)
                passed = re.search(r"Passed: (\d+)/(\d+), 0 failed, 0 warnings", said)
                self.assertTrue(passed and passed[1] == passed[2] != "0", said)

    def test_stable(self):
        self.judge(STABLE, LEGACY + SIGNED_IN + REGISTERED + DECEIVED[:1])

    def test_2025_11_25(self):
        self.judge(NEXT, LEGACY + BOTH + SIGNED_IN + REGISTERED, "--force", "--spec-version", "2025-11-25")

    def test_2026_07_28(self):
        self.judge(NEXT, MODERN + BOTH + SIGNED_IN + REGISTERED + DECEIVED, "--force", "--spec-version", "2026-07-28")

    def test_no_scenario_is_forgotten(self):
        """Every scenario that a revision requires runs above or needs somebody who signs in."""
        for revision, run in (("2025-11-25", LEGACY + BOTH), ("2026-07-28", MODERN + BOTH)):
            required = (MODULES / f"mcp-conformance-next/requirements/{revision}.yaml").read_text()
            client = re.search(r"^client:\n((?:[ #-].*\n|\n)*)", required, re.M)[1]
            names = set(re.findall(r"^\s*-\s*([\w/.-]+)", client, re.M))
            self.assertTrue(names)
            self.assertEqual({name for name in names if not name.startswith("auth/")} - set(run), set())


if __name__ == "__main__":
    unittest.main()
