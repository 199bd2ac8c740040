#!/usr/bin/env python3
"""Shows that ./test and scripts/check notice what they promise to notice, in a small tree with the real scripts."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from lib import cpp, ledger, links, requirements, suites  # noqa: E402

REAL = ["run", "test", "scripts", "cmake", "CMakeLists.txt", "CMakePresets.json", ".clang-format", ".gitignore",
        "src/CMakeLists.txt", "tests/support"]
MINI = {
    "src/precompiled.cpp": "// owns the precompiled header\n",
    "src/precompiled.hpp": "#pragma once\n#include <string>\n",
    "src/base/CMakeLists.txt": "cadre_room(base LINKS fmt::fmt Boost::headers)\n"
                               "target_include_directories(base PUBLIC ${CMAKE_SOURCE_DIR}/src)\n",
    "src/base/README.md": "# base\n",
    "docs/requirements.md": "| ID | Requirement | Source | Check |\n|---|---|---|---|\n| TASK-01 | one | 000 | U |\n",
    "docs/open-requirements.md": "| Row | Room | Missing |\n|---|---|---|\n| TASK-01 | server | a door |\n",
    "src/base/sum.hpp": "#pragma once\n\nint sum(int a, int b);\n",
    "src/base/sum.cpp": '#include "base/sum.hpp"\n\nint sum(int a, int b)\n{\n    return a + b;\n}\n',
    "src/base/sum_test.cpp": """\
#include "base/sum.hpp"

#include <doctest/doctest.h>

TEST_CASE("a sum is the sum")
{
    CHECK(sum(1, 2) == 3);
}
""",
    "tests/CMakeLists.txt": "add_subdirectory(support)\n",
    "tests/mini_test.py": """\
import unittest


class Mini(unittest.TestCase):
    def test_python_runs(self):
        pass
""",
    "tests/mini_test.mjs": "import test from 'node:test';\ntest('Node runs', () => {});\n",
    "README.md": "# Mini\n\n[the sum](src/base/sum.hpp), [itself](#mini)\n",
}


class MiniTree(unittest.TestCase):
    """One tree, built once; each test breaks one thing in it and puts it back."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)
        for name in REAL:
            source, target = ROOT / name, cls.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
        for name, text in MINI.items():
            cls.write(name, text)
        (cls.root / "tests/node").symlink_to(ROOT / "tests/node")  # it is large, and not what is tested here
        subprocess.run(["git", "init", "--quiet"], cwd=cls.root, check=True)
        cls.clean = cls.run_command("./test", "--quick")  # also builds what the tests below need

    @classmethod
    def write(cls, name, text):
        (cls.root / name).parent.mkdir(parents=True, exist_ok=True)
        (cls.root / name).write_text(text)

    @classmethod
    def run_command(cls, *command):
        ours = {name: value for name, value in os.environ.items() if not name.startswith("CADRE_")}
        return subprocess.run(command, cwd=cls.root, env={**ours, "COLUMNS": "80"}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)

    def broken(self, name, text, *command):
        """What the command says, which must fail, while a file has another text."""
        before = (self.root / name).read_text() if (self.root / name).exists() else None
        self.write(name, text)
        try:
            done = self.run_command(*command)
        finally:
            (self.root / name).unlink() if before is None else self.write(name, before)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stdout

    def assert_says(self, text, said):
        if text not in said:
            self.fail(f"“{text}” is not said by:\n{said}")  # assertIn would put it all on one line

    def test_a_clean_tree_passes(self):
        self.assertEqual(self.clean.returncode, 0, self.clean.stdout)
        for program in ("base_test", "tests/mini_test.py", "tests/mini_test.mjs"):
            self.assertRegex(self.clean.stdout, rf"(?m)^  {program} +1 passed ")
        self.assertRegex(self.clean.stdout.splitlines()[-1], r"^[1-9]\d* passed, 0 failed, 0 skipped$")
        self.assert_says("\n  building dev…\n  built dev in", self.clean.stdout)

    def test_help_and_results_fit_into_80_columns(self):
        help = "".join(self.run_command(*words, "--help").stdout
                       for words in (["./test"], ["scripts/check"], ["scripts/requirements"]))
        longest = suites.result_line("tests/conformance/json_judge_test.mjs",
                                     {"passed": 123, "failed": 1, "skipped": 2}, "", 123.45)
        for line in [*self.clean.stdout.splitlines(), *help.splitlines(), longest]:
            self.assertLess(len(line), 80, line)

    def test_help_and_list_install_nothing_and_a_run_without_setup_is_none(self):
        said = self.broken("scripts/setup", "#!/bin/sh\necho installing\nexit 1\n", "./test")
        self.assertEqual(said, "installing\n")
        self.write("scripts/setup", "#!/bin/sh\necho installing\n")
        self.addCleanup(shutil.copy, ROOT / "scripts/setup", self.root / "scripts/setup")
        for flag, says in (("--help", "usage: ./test"), ("-h", "usage: ./test"), ("--list", "base_test")):
            said = self.run_command("./test", flag).stdout
            self.assert_says(says, said)
            self.assertNotIn("installing", said)

    def test_an_include_of_a_higher_shelf_names_both_rooms(self):
        said = self.broken("src/base/sum.cpp", '#include "base/sum.hpp"\n#include "engine/run.hpp"\n',
                           "./test", "--only", "checks", "shelves")
        self.assert_says('sum.cpp:2: #include "engine/run.hpp": engine stands above base', said)
        self.assert_says("Fix: declare the interface in base", said)
        self.assertEqual(said.splitlines()[-1], "0 passed, 1 failed, 0 skipped")

    def test_rooms_on_one_shelf_do_not_know_each_other_but_model_knows_base(self):
        self.assert_says("model stands beside base",
                         self.broken("src/base/more.hpp", '#include "model/task.hpp"\n', "scripts/check", "shelves"))
        self.write("src/model/task.hpp", '#include "base/sum.hpp"\n')
        self.write("src/model/CMakeLists.txt", "cadre_room(model LINKS base)\n")
        self.write("src/model/README.md", "# model\n")
        self.addCleanup(shutil.rmtree, self.root / "src/model")
        self.assertEqual(self.run_command("scripts/check", "shelves").returncode, 0)

    def test_a_folder_without_shelf_cmake_file_or_readme_is_no_room(self):
        self.addCleanup(shutil.rmtree, self.root / "src/attic")
        said = self.broken("src/attic/deep/box.hpp", "", "scripts/check", "shelves")
        self.assert_says("the room attic stands on no shelf. Fix: add it to a line of set(shelves …)", said)
        self.assert_says("src/attic/CMakeLists.txt:1: is missing. Fix: write it: cadre_room(attic LINKS base)", said)
        self.assert_says("src/attic/README.md:1: is missing. Fix: write it", said)

    def test_a_room_of_the_list_is_built_as_soon_as_its_folder_is_there(self):
        self.addCleanup(shutil.rmtree, self.root / "src/model")
        self.write("src/model/task.cpp", "int task()\n")
        said = self.broken("src/model/CMakeLists.txt", "cadre_room(model LINKS base)\n", "./test", "--only", "dev")
        self.assert_says("src/model/task.cpp:", said)

    def test_a_clock_read_in_the_engine_says_what_to_use(self):
        said = self.broken("src/engine/run.cpp", "auto now = std::chrono::steady_clock::now();\n",
                           "./test", "--only", "checks", "banned")
        self.assert_says("src/engine/run.cpp:1: steady_clock: only the loop knows the time", said)
        self.assert_says("Fix: take it from the Loop (base/loop.hpp: loop.now(), loop.clock())", said)

    def test_what_is_banned_is_found_under_its_other_names_too(self):
        lines = ["using Ticker = std::chrono::steady_clock;", "auto a = utc_clock::now();", "time_t t; time(&t);",
                 "auto b = std::clock();", "thread->detach();", "std::default_random_engine r;", "auto c = ::random();",
                 "using namespace std; unordered_map<int, int> m;"]
        said = self.broken("src/engine/run.cpp", "\n".join(lines) + "\n", "scripts/check", "banned")
        for number in range(1, len(lines) + 1):
            self.assert_says(f"src/engine/run.cpp:{number}: ", said)

    def test_an_include_in_angle_brackets_a_roomless_file_and_a_strange_ending_are_seen(self):
        self.assert_says("engine stands above base",
                         self.broken("src/base/more.cpp", "#include <engine/run.hpp>\n", "scripts/check", "shelves"))
        self.assert_says("lies in no room", self.broken("src/bridge.hpp", "", "scripts/check", "shelves"))
        self.assert_says("no check looks at such files", self.broken("src/base/old.h", "", "scripts/check", "shelves"))

    def test_files_that_a_fix_names_exist(self):
        named = set(re.findall(r"\b[a-z]+/\w+\.[ch]pp\b", (ROOT / "scripts/check").read_text()))
        self.assertIn("base/loop.hpp", named)
        self.assertEqual([name for name in named if not (ROOT / "src" / name).exists()], [])

    def test_a_clock_read_in_a_comment_a_string_or_base_is_fine(self):
        self.write("src/engine/run.cpp", '// steady_clock::now\nauto a = R"x(steady_clock::now)x";\n')
        self.write("src/base/time.cpp", "auto now = std::chrono::steady_clock::now();\n")
        self.addCleanup(shutil.rmtree, self.root / "src/engine")
        self.addCleanup((self.root / "src/base/time.cpp").unlink)
        self.assertEqual(self.run_command("scripts/check", "banned").returncode, 0)

    def test_an_unformatted_file_names_the_formatter(self):
        said = self.broken("src/base/sum.hpp", "#pragma once\nint  sum(int a,int b);\n",
                           "./test", "--only", "checks", "format")
        self.assert_says("src/base/sum.hpp:2: not formatted. Fix: scripts/format", said)

    def test_a_header_that_does_not_stand_alone_is_named(self):
        said = self.broken("src/base/sum.hpp", "#pragma once\n\nstd::string sum(int a, int b);\n",
                           "./test", "--only", "checks", "headers")
        self.assertRegex(said, r"src/base/sum\.hpp:3: does not compile alone: .*std.*\. Fix: include what it uses")

    def test_a_dead_link_is_named(self):
        said = self.broken("README.md", "# Mini\n\n[gone](gone.md)\n", "scripts/check", "links")
        self.assert_says("README.md:3: the link gone.md leads to no file", said)

    def test_a_golden_file_that_no_test_reads_is_named(self):
        said = self.broken("tests/golden/a/lost.json", "{}\n", "scripts/check", "goldens")
        self.assert_says('tests/golden/a/lost.json:1: no test reads it. Fix: golden("a/lost.json")', said)

    def test_a_row_without_test_and_room_is_named(self):
        said = self.broken("docs/open-requirements.md", "", "scripts/check", "waiting")
        self.assert_says("docs/open-requirements.md:1: TASK-01 has no test and is not listed. Fix:", said)

    def test_a_failing_test_is_named_with_how_to_run_it_again(self):
        wrong = MINI["src/base/sum_test.cpp"].replace("== 3", "== 4")
        said = self.broken("src/base/sum_test.cpp", wrong, "./test", "--quick")
        self.assert_says("dev: a sum is the sum (src/base/sum_test.cpp:5)", said)
        self.assert_says("again: ./test --only dev 'a sum is the sum'", said)
        self.assertRegex(said.splitlines()[-1], r"^\d+ passed, 1 failed, 0 skipped$")

    def test_a_crash_counts_although_no_test_case_wrote_it_down(self):
        crash = MINI["src/base/sum_test.cpp"].replace("CHECK(sum(1, 2) == 3)", "_exit(0 * sum(1, 2) + 7)")
        said = self.broken("src/base/sum_test.cpp", "#include <unistd.h>\n" + crash,
                           "./test", "--only", "dev", "base_test")
        self.assert_says("exit code 7", said)
        self.assertEqual(said.splitlines()[-1], "0 passed, 1 failed, 0 skipped")

    def test_a_program_that_leaves_early_with_0_did_not_pass(self):
        leaves = MINI["src/base/sum_test.cpp"].replace("CHECK(sum(1, 2) == 3)", "_exit(0 * sum(1, 2))")
        said = self.broken("src/base/sum_test.cpp", "#include <unistd.h>\n" + leaves,
                           "./test", "--only", "dev", "base_test")
        self.assert_says('left before its last test, in the case "a sum is the sum"', said)
        self.assertEqual(said.splitlines()[-1], "0 passed, 1 failed, 0 skipped")

    def test_a_file_that_does_not_compile_stops_the_run(self):
        said = self.broken("src/base/sum.cpp", "int sum(int a)\n", "./test", "--quick")
        self.assertRegex(said, r"(?m)^FAILED: .*\n(In file .*\n)?src/base/sum\.cpp:")  # no compiler command between
        self.assert_says("left out, because dev did not build", said)
        self.assertEqual(said.splitlines()[-1], "0 passed, 1 failed, 0 skipped")

    def test_a_pattern_that_fits_nothing_is_no_success(self):
        said = self.broken("unused", "", "./test", "--quick", "no such thing")
        self.assert_says("  no check has “no such thing” in its name", said)
        self.assertNotRegex(said, r"(?m)^checks +\d")
        self.assert_says("Nothing has “no such thing” in its name", said)

    def test_coverage_is_reported_by_whole_runs_only(self):
        self.assertEqual(self.clean.stdout.splitlines()[-2], "requirements: 0 covered, 0 partly, 1 open of 1")
        for words in (["--quick", "links"], ["--only", "fuzz"]):
            self.assertNotIn("requirements:", self.run_command("./test", *words).stdout)


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


class Stripper(unittest.TestCase):
    def test_comments_and_literals_become_spaces_and_everything_stays_in_place(self):
        for text, code in [
            ("a // b\nc", "a     \nc"),
            ("a // b \\\n b\nc", "a       \n  \nc"),
            ("a /* b\n// */ c", "a     \n      c"),
            (r'f("a\"b // c"); d', "f(" + " " * 11 + "); d"),
            ('R"(a " ) b)" c', " " * 12 + " c"),
            ('R"x(a )" b)x" c', " " * 13 + " c"),
            ('u8R"(\n")" c', "     \n" + "   " + " c"),
            ("'\"' a '\\''", "    a     "),
            ("1'000'000 a", "1'000'000 a"),
            ("0x1'F 'x'", "0x1'F    "),
            ('FOUR"(" a', "FOUR    a"),
        ]:
            with self.subTest(text):
                self.assertEqual(cpp.strip(text), code)

    def test_includes_are_found_with_their_lines_and_not_in_comments(self):
        text = '// #include "a.hpp"\n#include "b/c.hpp"  // why\n/*\n#include "d.hpp"\n*/\n' \
               '#  include "e.hpp"\n#include <f>\n'
        self.assertEqual(list(cpp.includes(text)), [(2, "b/c.hpp"), (6, "e.hpp")])


class Links(unittest.TestCase):
    FILES = {"docs/a.md": "# One two\n## Two — three & `four`\n## One two\n<a id='five'></a>\n", "docs/b c.txt": ""}

    def broken(self, text):
        return [line for line, _ in links.broken("docs/x.md", text, self.FILES.__contains__, self.FILES.__getitem__)]

    def test_links_to_files_and_headings_that_exist_are_fine(self):
        for good in ["(a.md)", "(../docs/a.md#one-two)", "(a.md#one-two-1)", "(a.md#two--three--four)", "(a.md#five)",
                     "(/docs/a.md)", "(<b c.txt>)", "(b%20c.txt)", "(https://x.y/z)", "(mailto:a@b)", '(a.md "title")']:
            with self.subTest(good):
                self.assertEqual(self.broken(f"[x]{good}\n"), [])

    def test_links_to_nothing_are_found_with_their_line(self):
        text = "[x](a.md)\n\n[x](b.md) ![y](a.md#six)\n\n[ref]: gone.md\n[x](../../y)\n"
        self.assertEqual(self.broken(text), [3, 3, 5, 6])

    def test_what_looks_like_a_link_in_code_is_none(self):
        self.assertEqual(self.broken("`[x](b.md)`\n```\n[x](b.md)\n```\n``[x](`b.md)``\n[`code`](a.md)\n"), [])


class Requirements(unittest.TestCase):
    ROWS = "| ID | Requirement | Source | Check |\n|---|---|---|---|\n" \
           "| TASK-01 | one | 000 | U round-trip |\n" \
           "| TASK-02 | two | 000 | U reject non-v4; 100k ids; A second create refused |\n" \
           "| CKPT-09 | three | 000 | W/A both |\n"

    def setUp(self):
        self.known = requirements.parse(self.ROWS)

    def test_kinds_stand_at_the_start_of_clauses(self):
        for check, kinds in [("U round-trip", "U"), ("U a; A b", "UA"), ("W/A both", "AW"), ("E", "E"),
                             ("E no A here", "E"), ("F x — C y", "CF"), ("U (see A); E 1 s", "UE"), ("no kind", "")]:
            with self.subTest(check):
                self.assertEqual("".join(requirements.kinds(check)), kinds)

    def test_every_row_of_the_real_list_has_a_kind(self):
        rows = requirements.load()
        self.assertEqual(len(rows), 667)
        self.assertEqual([row.id for row in rows.values() if not row.kinds], [])

    def test_marks_are_found_on_above_and_at_the_end_of_a_heading(self):
        text = 'TEST_CASE("a")  // TASK-01 U\n{\n}\n// why\n// TASK-02 U/A\nTEST_CASE("b")\n' \
               '{\n}\nTEST_CASE("c" *\n          doctest::timeout(3))  // CKPT-09 W, TASK-01 U\n'
        tests, problems = requirements.tests_of("x_test.cpp", text, self.known)
        self.assertEqual(problems, [])
        self.assertEqual([(test.first, test.last, test.marks) for test in tests],
                         [(1, 1, [("TASK-01", "U")]), (6, 6, [("TASK-02", "U"), ("TASK-02", "A")]),
                          (9, 10, [("CKPT-09", "W"), ("TASK-01", "U")])])

    def test_python_and_node_tests_carry_marks_too(self):
        python = "class A:\n    # TASK-01 U\n    @skip\n    def test_a(self):  # TASK-02 A\n        pass\n"
        node = "// TASK-01 U\ntest('a', () => {\n});\nawait test('b', () => {});  // TASK-02 A\n"
        for name, text in (("x_test.py", python), ("x_test.mjs", node)):
            tests, problems = requirements.tests_of(name, text, self.known)
            self.assertEqual([mark for test in tests for mark in test.marks], [("TASK-01", "U"), ("TASK-02", "A")])
            self.assertEqual(problems, [])

    def test_wrong_marks_are_problems_with_their_line(self):
        for mark, says in [("// TASK-99 U", "TASK-99 is not in"), ("// NONE-01 U", "NONE-01 is not in"),
                           ("// TASK-01", "names no kind"), ("// TASK-01 U\n", "stands at no test"),
                           ('TEST_CASE("b") { f(); }  // TASK-01 U', "at the end of its heading with the { on a line below"),
                           ('TEST_CASE("b") {  // TASK-01 U', "stands at no test")]:
            with self.subTest(mark):
                _, problems = requirements.tests_of("x_test.cpp", f'{mark}\nTEST_CASE("a")\n', self.known)
                self.assertEqual([problem.line for problem in problems], [1])
                self.assertIn(says, problems[0].text)
        self.assertEqual(requirements.tests_of("x_test.cpp", '// UTF-8 is fine\nTEST_CASE("a")\n', self.known)[1], [])

    def test_the_list_of_waiting_rows_holds_exactly_the_unit_rows_without_a_test(self):
        def wrong(marks, *entries):
            tests = [requirements.Test("x_test.cpp", 1, 1, marks)]
            entries = [requirements.Entry(*entry, "", 9) for entry in entries]
            return [problem.text.split(". Fix")[0]
                    for problem in requirements.wrong_waiting(self.known, tests, entries, {"interop"})]
        self.assertEqual(wrong([], ("TASK-01", "interop")), [])
        self.assertEqual(wrong([("TASK-01", "U")]), [])
        self.assertEqual(wrong([]), ["TASK-01 has no test and is not listed"])
        self.assertEqual(wrong([("TASK-01", "U")], ("TASK-01", "interop")), ["TASK-01 has a test"])
        self.assertEqual(wrong([], ("TASK-01", "attic")), ["attic is no room"])
        self.assertEqual(wrong([], ("TASK-01", "interop"), ("TASK-01", "interop")), ["TASK-01 is here twice"])
        for id in ("TASK-02", "TASK-77"):  # asks for more than a unit test; does not exist
            self.assertEqual(wrong([("TASK-01", "U")], (id, "interop")),
                             [f"{id} is no row of docs/requirements.md that asks for a unit test alone"])

    def test_only_tests_that_passed_wherever_they_ran_count(self):
        text = "".join(f'TEST_CASE("{name}")  // {mark}\n' for name, mark in
                       [("a", "TASK-01 U"), ("b", "TASK-02 U"), ("c", "TASK-02 A"), ("d", "CKPT-09 W/A")])
        tests, _ = requirements.tests_of("src/x_test.cpp", text, self.known)
        with tempfile.TemporaryDirectory() as folder:
            for stage, lines in {"dev": ["passed 1", "passed 2", "skipped 3", "passed 4"],
                                 "asan": ["failed 4"]}.items():
                os.mkdir(f"{folder}/{stage}")
                for line in lines:
                    status, number = line.split()
                    ledger.add(f"{folder}/{stage}/x.tsv", status, f"../../src/x_test.cpp:{number}", "name")
            proofs = requirements.proved(tests, ledger.read(folder))
        states = [requirements.state(row, proofs.get(row.id, {})) for row in self.known.values()]
        self.assertEqual(states, ["covered", "partly", "open"])


if __name__ == "__main__":
    unittest.main()
