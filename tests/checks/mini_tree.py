"""A small tree with the real scripts, in which tests break one thing at a time."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REAL = ["run", "test", "scripts", "cmake", "CMakeLists.txt", "CMakePresets.json", ".clang-format", ".gitignore",
        "src/CMakeLists.txt", "include/cadre/export.hpp", "include/cadre/version.hpp", "tests/support"]
MINI = {
    "src/precompiled.hpp": "#pragma once\n#include <string>\n",
    "src/base/CMakeLists.txt": "cadre_room(base LINKS fmt::fmt Boost::headers)\n",
    "src/base/README.md": "# base\n",
    "docs/requirements.md": "| ID | Requirement | Source | Check |\n|---|---|---|---|\n| TASK-01 | one | 000 | U |\n",
    "src/base/sum.hpp": "#pragma once\n\nint sum(int a, int b);\n",
    "src/base/sum.cpp": '#include "base/sum.hpp"\n\nint sum(int a, int b)\n{\n    return a + b;\n}\n',
    "src/base/sum_test.cpp": """\
#include "base/sum.hpp"

#include <doctest/doctest.h>

TEST_CASE("a sum is the sum")  // TASK-01 U
{
    CHECK(sum(1, 2) == 3);
}
""",
    "tests/CMakeLists.txt": "add_subdirectory(support)\n",
    "tests/mini_test.py": """\
import unittest


class Mini(unittest.TestCase):
    def test_python_runs(self):
        self.assertEqual(1 + 2, 3)
""",
    "tests/mini_test.mjs": "import assert from 'node:assert/strict';\nimport test from 'node:test';\n"
                           "test('Node runs', () => assert.equal(1 + 2, 3));\n",
    "tests/floor.json": '{"passed": {"release": 3, "checks": 1, "asan": 1, "tsan": 1, "fuzz": 1, "speed": 1},\n'
                        ' "requirements": {"covered": 1, "partly": 0}}\n',
    "README.md": "# Mini\n\n[the sum](src/base/sum.hpp), [itself](#mini)\n",
}


def plant(root):
    """The tree, without anything built."""
    for name in REAL:
        source, target = ROOT / name, root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    for name, text in MINI.items():
        write(root / name, text)
    (root / "tests/node").symlink_to(ROOT / "tests/node")  # it is large, and not what is tested here
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "mini")


def git(root, *words):
    subprocess.run(["git", "-c", "user.name=mini", "-c", "user.email=mini@localhost", *words], cwd=root, check=True)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


class MiniTree(unittest.TestCase):
    """One tree, built once; each test breaks one thing in it and puts it back."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        plant(cls.root)
        cls.clean = cls.run_command("./test")  # also builds what the tests need

    @classmethod
    def write(cls, name, text):
        write(cls.root / name, text)

    @classmethod
    def run_command(cls, *command, **environment):
        ours = {name: value for name, value in os.environ.items() if not name.startswith("CADRE_") and name != "CI"}
        return subprocess.run(command, cwd=cls.root, env={**ours, "COLUMNS": "80", **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def broken(self, name, text, *command, **environment):
        """What the command says, which must fail, while a file has another text."""
        before = (self.root / name).read_text() if (self.root / name).exists() else None
        self.write(name, text)
        try:
            done = self.run_command(*command, **environment)
        finally:
            (self.root / name).unlink() if before is None else self.write(name, before)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stdout

    def assert_says(self, text, said):
        if text not in said:
            self.fail(f"“{text}” is not said by:\n{said}")  # assertIn would put it all on one line
