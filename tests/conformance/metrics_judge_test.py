#!/usr/bin/env python3
"""Our metrics against their judges: Prometheus' own promtool, and the strict parser of its Python client for OpenMetrics."""
import json
import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / os.environ.get("CADRE_BUILD", "build/dev") / "tests/conformance/server_tool"


PYTHON = "/usr/bin/python3"  # Debian's own, for which Debian packages the client
PARSE = """
import json, sys
from prometheus_client{}.parser import text_string_to_metric_families as parse
json.dump([[sample.name, sorted(sample.labels.items()), sample.value]
           for family in parse(sys.stdin.read()) for sample in family.samples], sys.stdout)
"""


def parsed(text, module):
    done = subprocess.run([PYTHON, "-c", PARSE.format(module)], input=text, check=True, capture_output=True, text=True)
    return {(name, tuple(map(tuple, labels))): value for name, labels, value in json.loads(done.stdout)}


def written(form):
    return subprocess.run([TOOL, "metrics", form], check=True, capture_output=True, text=True).stdout


def judged(text):
    return subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)


class MetricsJudges(unittest.TestCase):
    def test_promtool_finds_nothing_to_say(self):
        verdict = judged(written("prometheus"))
        self.assertEqual((verdict.returncode, verdict.stdout + verdict.stderr), (0, ""))
        self.assertNotEqual(judged("cadre_a 1\ncadre_a 2\n").returncode, 0)

    def test_both_forms_say_the_same_to_their_parsers(self):
        for form, module in (("prometheus", ""), ("open_metrics", ".openmetrics")):
            samples = parsed(written(form), module)
            self.assertEqual(samples["cadre_http_requests_total", (("route", "list_tasks"), ("status", "200"))], 3)
            self.assertEqual(samples["cadre_http_requests_total", (("route", 'odd \\ "name"\n'), ("status", "500"))], 0.25)
            self.assertEqual(samples["cadre_http_requests_total", (("route", "_other"), ("status", "_other"))], 102)
            self.assertEqual(samples["cadre_http_request_duration_seconds_count", (("route", "list_tasks"),)], 4)
            self.assertEqual(samples["cadre_http_request_duration_seconds_bucket",
                                     (("le", "1.0"), ("route", "list_tasks"))], 3)
            self.assertEqual(samples["cadre_build_info", (("version", "0.1.0"),)], 1)


if __name__ == "__main__":
    unittest.main()
