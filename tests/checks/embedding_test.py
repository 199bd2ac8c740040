#!/usr/bin/env python3
"""Shows that Cadre is a part of somebody else's project: as a folder of it, and installed. What is installed is the build that
$CADRE_BUILD names, else the one that was built last."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import mini_tree

sys.path.insert(0, str(mini_tree.ROOT / "scripts"))
from lib import build  # noqa: E402

COMPILER = "clang++-19"
EXAMPLE = mini_tree.ROOT / "examples" / "01_hello.cpp"
EXPECTED = EXAMPLE.with_suffix(".out")
OUR_NAMES = ["base", "engine", "home", "library", "model", "net", "precompiled", "storage", "tools"]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)
    if done.returncode:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def configure(source, folder, generator="Ninja", *more):
    run("cmake", "-S", source, "-B", folder, "-G", generator, f"-DCMAKE_CXX_COMPILER={COMPILER}",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *more)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def project(self, *lines):
        mini_tree.write(self.folder / "CMakeLists.txt",
                        "\n".join(["cmake_minimum_required(VERSION 3.25)", "project(other LANGUAGES CXX)", *lines, ""]))


class AsFolder(Folder):
    def build(self, source, generator):
        configure(source, self.folder / "build", generator)
        run("cmake", "--build", self.folder / "build", "--target", "cadre_base")
        self.assertTrue(list((self.folder / "build").rglob("libcadre_base.a")))

    def test_it_is_a_folder_of_another_project(self):
        mini_tree.plant(self.folder / "cadre")
        self.project("add_subdirectory(cadre)")
        self.build(self.folder, "Ninja")

    def test_it_is_built_with_makefiles(self):
        mini_tree.plant(self.folder / "cadre")
        self.build(self.folder / "cadre", "Unix Makefiles")

    def test_a_project_may_have_targets_that_are_called_as_our_rooms_are(self):
        self.project(*(f"add_custom_target({name})" for name in OUR_NAMES),
                     f"add_subdirectory({mini_tree.ROOT} cadre EXCLUDE_FROM_ALL)",
                     f"add_executable(mine {EXAMPLE})", "target_link_libraries(mine PRIVATE cadre::cadre)")
        configure(self.folder, self.folder / "build", "Ninja", "-DCADRE_VOCABULARIES=OFF")
        commands = json.loads((self.folder / "build/compile_commands.json").read_text())
        mine = [shlex.split(c["command"]) for c in commands if c["file"] == str(EXAMPLE)]
        self.assertEqual(len(mine), 1)
        ours = str(mini_tree.ROOT)
        self.assertEqual([w for w in mine[0] if w.startswith(f"-I{ours}") or w.startswith(f"-isystem{ours}")], [f"-I{ours}/include"])
        self.assertFalse([c["file"] for c in commands if "-Werror" in c["command"]])


class Guide(unittest.TestCase):
    def test_it_quotes_examples_that_run(self):
        def plain(text):
            return "\n".join(line.strip() for line in text.strip().splitlines())

        examples = [plain(path.read_text()) for path in (mini_tree.ROOT / "examples").glob("*.cpp")]
        blocks = re.findall(r"```cpp\n(.*?)```", (mini_tree.ROOT / "docs/guide/embedding.md").read_text(), re.S)
        self.assertGreater(len(blocks), 5)
        for block in blocks:
            self.assertTrue(any(plain(block) in example for example in examples), block)


class Installed(Folder):
    """One installation for all tests; they look at it."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = pathlib.Path(folder.name)
        run("cmake", "--install", build.chosen(), "--prefix", cls.prefix)
        [cls.config] = cls.prefix.rglob("cadreConfig.cmake")
        cls.lib = cls.config.parents[2]

    def example(self, program):
        self.assertEqual(run(program), EXPECTED.read_text())

    def pkg_config(self, *words):
        return run("pkg-config", *words, "cadre", env={**os.environ, "PKG_CONFIG_PATH": str(self.lib / "pkgconfig")}).split()

    def test_find_package_gives_it_linked_statically_and_shared(self):
        self.project("find_package(cadre 0.1 REQUIRED)", f"add_library(mine OBJECT {EXAMPLE})",
                     "target_link_libraries(mine PRIVATE cadre::cadre)", "foreach(kind cadre static shared)",
                     "    add_executable(with_${kind} $<TARGET_OBJECTS:mine>)",
                     "    target_link_libraries(with_${kind} PRIVATE cadre::${kind})", "endforeach()")
        configure(self.folder, self.folder / "build", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", self.folder / "build")
        for kind, is_shared in (("cadre", False), ("static", False), ("shared", True)):
            program = self.folder / "build" / f"with_{kind}"
            self.assertEqual("libcadre.so" in run("readelf", "-d", program), is_shared, kind)
            self.example(program)

    def test_a_shared_library_needs_nothing_of_what_it_is_made_of(self):
        self.project("set(BUILD_SHARED_LIBS ON)", "find_package(cadre REQUIRED)",
                     "get_target_property(links cadre::cadre INTERFACE_LINK_LIBRARIES)", 'message(STATUS "links ${links}")',
                     "foreach(other fmt::fmt OpenSSL::SSL SQLite::SQLite3)", "    if(TARGET ${other})",
                     '        file(APPEND ${CMAKE_BINARY_DIR}/looked_for "${other} ")', "    endif()", "endforeach()")
        configure(self.folder, self.folder / "build", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertFalse((self.folder / "build/looked_for").exists())

    def test_another_version_is_not_found(self):
        self.project("find_package(cadre 9.0 REQUIRED)")
        with self.assertRaises(AssertionError):
            configure(self.folder, self.folder / "build", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_pkg_config_gives_it_linked_statically_and_shared(self):
        run(COMPILER, *self.pkg_config("--cflags"), "-c", EXAMPLE, "-o", self.folder / "main.o")
        run(COMPILER, self.folder / "main.o", *self.pkg_config("--libs"), f"-Wl,-rpath,{self.lib}", "-o", self.folder / "shared")
        self.example(self.folder / "shared")
        others = [word for word in self.pkg_config("--static", "--libs-only-l") if word != "-lcadre"]
        run(COMPILER, self.folder / "main.o", self.lib / "libcadre.a", *others, "-o", self.folder / "static")
        self.example(self.folder / "static")

    def test_the_shared_library_shows_our_public_names_and_no_others(self):
        shown = [line.split(maxsplit=2)[2] for line in run("nm", "-D", "-C", "--defined-only", self.lib / "libcadre.so").splitlines()]
        self.assertGreater(len(shown), 50)
        self.assertIn("cadre::version()", shown)
        rooms = "|".join(path.parent.name for path in (mini_tree.ROOT / "src").glob("*/CMakeLists.txt"))
        for name in shown:
            self.assertRegex(name, r"^((vtable|typeinfo|typeinfo name) for )?cadre::")
            self.assertIsNone(re.match(rf"(\w+ )*cadre::({rooms})::", name), name)

    def test_headers_and_program_are_those_of_this_version(self):
        headers = {str(path.relative_to(self.prefix / "include")) for path in (self.prefix / "include").rglob("*.hpp")}
        ours = {str(path.relative_to(mini_tree.ROOT / "include")) for path in (mini_tree.ROOT / "include").rglob("*.hpp")}
        self.assertEqual(headers, ours)
        [version] = self.pkg_config("--modversion")
        self.assertIn(version, run(self.prefix / "bin/cadre", "version"))


if __name__ == "__main__":
    unittest.main()
