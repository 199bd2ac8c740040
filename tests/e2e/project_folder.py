"""A folder in which tests use the program as people do. home.py says which binary."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from home import CADRE

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = ROOT / "examples/project"
INVALID, NOT_FOUND, CONFLICT, UNAVAILABLE = 2, 4, 5, 9  # as `cadre help exit-codes` has them


# What the example leaves out, because such a task is not run yet.
POLICY = """guardrail_policies:
  - name: no_card_numbers
    type: content_filter
    severity: high
    action: block
    rules:
      - {kind: pii, on: output}
"""


class Folder(unittest.TestCase):
    """A folder of its own for each test, and the program in it."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def cadre(self, *words, cwd=None, env=None):
        environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(self.folder), "CADRE_TRUST": "1", **(env or {})}
        return subprocess.run([CADRE, *map(str, words)], cwd=cwd or self.folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def copy(self, name="project"):
        copy = self.folder / name
        shutil.copytree(PROJECT, copy)
        return copy

    def copy_with_more(self, name="project"):
        copy = self.copy(name)
        team = copy / "teams/support.yaml"
        text = team.read_text().replace("  - name: accountant",
                                        "    guardrail_policies: [no_card_numbers]\n  - name: accountant", 1)
        text = text.replace("execution_config:", POLICY + "execution_config:", 1)
        team.write_text(text.replace("  max_steps: 20\n", "  max_steps: 20\n  breakpoints: [accountant]\n", 1))
        return copy

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def findings(self, *words, cwd=None, env=None):
        """All but those about settings that are not in effect yet, which not_in_effect_test.cpp is about."""
        return [line for line in self.all_findings(*words, cwd=cwd, env=env) if "is not in effect: " not in line]

    def all_findings(self, *words, cwd=None, env=None):
        """Lines of `check --quiet`; what is printed must agree with --json and the exit code."""
        done = self.cadre("check", "--quiet", *words, cwd=cwd, env=env)
        self.assertEqual(done.stderr, "")
        told = json.loads(self.cadre("check", "--json", *words, cwd=cwd, env=env).stdout)
        lines = [("{file}:{line}:{column}: " if "line" in finding else "{file}: ").format(**finding) +
                 "{severity}: {text}".format(**finding) for finding in told["findings"]]
        self.assertEqual(done.stdout.splitlines(), lines)
        self.assertEqual(done.returncode, INVALID if told["errors"] else 0)
        self.assertEqual((told["ok"], told["errors"] + told["warnings"] + told["notes"]), (not told["errors"], len(lines)))
        return lines
