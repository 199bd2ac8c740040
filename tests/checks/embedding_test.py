#!/usr/bin/env python3
"""Shows that the tree is a part of somebody else's project, and of builds that are not made with Ninja."""
import pathlib
import subprocess
import tempfile
import unittest

import mini_tree


class Embedding(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        mini_tree.plant(self.folder / "cadre")

    def build(self, source, generator):
        build = self.folder / "build"
        subprocess.run(["cmake", "-S", source, "-B", build, "-G", generator, "-DCMAKE_CXX_COMPILER=clang++-19"], check=True,
                       capture_output=True)
        done = subprocess.run(["cmake", "--build", build, "--target", "cadre_base"], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(list(build.rglob("libcadre_base.a")))

    def test_it_is_a_folder_of_another_project(self):
        mini_tree.write(self.folder / "CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES CXX)\n"
                                                        "add_subdirectory(cadre)\n")
        self.build(self.folder, "Ninja")

    def test_it_is_built_with_makefiles(self):
        self.build(self.folder / "cadre", "Unix Makefiles")


if __name__ == "__main__":
    unittest.main()
