#!/usr/bin/env python3
"""Shows what ./run and scripts/setup say and do."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Setup(unittest.TestCase):
    """./run and scripts/setup, with a cmake and a program that only speak."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.root.chmod(0o755)
        for name in ("run", "scripts/setup", "scripts/packages"):
            (self.root / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.script("bin/cmake", "")
        self.script("build/release/build.ninja", "")
        self.script("build/release/cadre", 'echo "$CADRE_PROGRAM $*"')

    def script(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.root / name).chmod(0o755)

    def run_command(self, *command, **options):
        path = f"{self.root}/bin:{os.environ['PATH']}"
        return subprocess.run(command, env=dict(os.environ, PATH=path), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, **options)

    def test_the_program_is_told_what_was_typed(self):
        self.assertEqual(self.run_command("./run", "a", "b", cwd=self.root).stdout, "./run a b\n")
        self.assertEqual(self.run_command("../run", cwd=self.root / "bin").stdout, "../run demo\n")

    def test_a_build_says_how_far_it_is_in_few_lines(self):
        self.script("bin/cmake", 'for i in $(seq 200); do echo "[$i/200] Building $i"; done')
        lines = self.run_command("./run", cwd=self.root).stdout.splitlines()
        self.assertEqual(lines[0], "built 10 % (20 of 200 steps)")
        self.assertEqual(lines[-2:], ["built 100 % (200 of 200 steps)", "./run demo"])
        self.assertEqual(len(lines), 11)

    def test_a_build_on_a_terminal_says_how_far_it_is_in_one_line(self):
        self.script("bin/cmake", 'echo "[1/2] Building 1"; echo "FAILED: x.o"; echo "clang++"; echo "error: no"; exit 1')
        done = self.run_command("script", "-qec", "./run", "/dev/null", cwd=self.root)
        self.assertIn("[1/2] Building 1\x1b[K\n\x1b[KFAILED: x.o\n", done.stdout)  # Python makes each \r a \n
        self.assertIn("error: no\n", done.stdout)

    def test_a_failed_build_shows_the_message_and_how_to_build_again_from_anywhere(self):
        self.script("bin/cmake", "cat <<END\n[0/2] Re-checking globbed directories...\nFAILED: x.o\nclang++ -o x.o\n"
                                 "../../src/base/x.cpp:3:1: error: no\nEND\nexit 1")
        done = self.run_command("../run", cwd=self.root / "bin")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines()[:2], ["FAILED: x.o", "src/base/x.cpp:3:1: error: no"])
        self.assertIn(f"cmake --build {self.root}/build/release --target cadre", done.stdout)

    @unittest.skipIf(os.geteuid(), "only root can be someone else")
    def test_a_folder_that_cannot_be_written_says_why_and_what_to_do(self):
        def said():
            nobody = {"user": 65534, "group": 65534, "extra_groups": []}
            return self.run_command("scripts/setup", "build", cwd=self.root, **nobody).stdout

        for says in (f"{self.root}/build belongs to root", "a clone of your own", f"as root: rm -rf {self.root}/build"):
            self.assertIn(says, said())
        self.assertEqual("sudo" in said(), shutil.which("sudo") is not None)
        self.script("bin/sudo", "")
        self.assertIn("or: sudo chown -R nobody", said())

        for path in (self.root / "build", *(self.root / "build").rglob("*")):
            os.chown(path, 65534, 65534)
        (self.root / "build/release").chmod(0o555)
        self.assertEqual(said(), f"{self.root}/build/release is yours, but its mode forbids writing. "
                                 f"Fix: chmod -R u+w {self.root}/build/release\n")
        shutil.rmtree(self.root / "build")
        self.assertIn(f"{self.root} belongs to root", said())
        self.assertNotIn("rm -rf", said())


if __name__ == "__main__":
    unittest.main()
