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


class Folder(unittest.TestCase):
    """A folder of its own for each test, and the program in it."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def cadre(self, *words, cwd=None, env=None):
        environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(self.folder), **(env or {})}
        return subprocess.run([CADRE, *map(str, words)], cwd=cwd or self.folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def copy(self, name="project"):
        copy = self.folder / name
        shutil.copytree(PROJECT, copy)
        return copy

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def findings(self, *words, cwd=None, env=None):
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
