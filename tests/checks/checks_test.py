#!/usr/bin/env python3
"""Shows that ./test and scripts/check notice what they promise to notice, in a small tree with the real scripts."""
import re
import shutil
import sys
import unittest

import mini_tree
from mini_tree import MINI, ROOT

sys.path.insert(0, str(ROOT / "scripts"))
from lib import suites  # noqa: E402


class MiniTree(mini_tree.MiniTree):
    def test_a_clean_tree_passes(self):
        self.assertEqual(self.clean.returncode, 0, self.clean.stdout)
        for program in ("base_test", "tests/mini_test.py", "tests/mini_test.mjs"):
            self.assertRegex(self.clean.stdout, rf"(?m)^  {program} +1 passed ")
        self.assertRegex(self.clean.stdout.splitlines()[-1], r"^[1-9]\d* passed, 0 failed, 0 skipped$")
        self.assert_says("\n  building release…\n  built release in", self.clean.stdout)

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
        self.write("src/model/task.cpp", "int task() { return a; }\n")
        said = self.broken("src/model/CMakeLists.txt", "cadre_room(model LINKS base)\n", "./test", "--only", "release")
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
        named = set(re.findall(r"(?<![\w/])[a-z]+/\w+\.[ch]pp\b", (ROOT / "scripts/check").read_text()))
        self.assertIn("base/loop.hpp", named)
        self.assertEqual([name for name in named if not (ROOT / "src" / name).exists()], [])

    def test_a_clock_read_in_a_comment_a_string_or_base_is_fine(self):
        self.write("src/engine/run.cpp", '// steady_clock::now\nauto a = R"x(steady_clock::now)x";\n')
        self.write("src/base/time.cpp", "auto now = std::chrono::steady_clock::now();\n")
        self.addCleanup(shutil.rmtree, self.root / "src/engine")
        self.addCleanup((self.root / "src/base/time.cpp").unlink)
        self.assertEqual(self.run_command("scripts/check", "banned").returncode, 0)

    def test_only_cli_says_what_to_type(self):
        said = self.broken("src/base/more.cpp", 'auto a = "see: cadre tasks --all";\n', "scripts/check", "commands")
        self.assert_says("src/base/more.cpp:1: “cadre tasks” is for cli to say. Fix: a Hint (base/error.hpp)", said)
        self.addCleanup(shutil.rmtree, self.root / "src/cli")
        self.write("src/cli/run.cpp", 'auto a = "see: cadre tasks --all";\n// cadre tasks\n')
        self.write("src/base/more.cpp", '// cadre tasks\nauto a = "see: `tasks`";\n')
        self.addCleanup((self.root / "src/base/more.cpp").unlink)
        self.assertEqual(self.run_command("scripts/check", "commands").returncode, 0)

    def test_translated_english_is_named_with_the_word_to_use(self):
        said = self.broken("src/base/sum.cpp", 'const char* a = "it goes on";  // goes on\nconst char* b = "there is no task";\n',
                           "scripts/check", "words")
        self.assert_says("src/base/sum.cpp:1: “goes on” sounds translated. Fix: resume, continue", said)
        self.assertNotIn("sum.cpp:2", said)

    def test_an_unformatted_file_names_the_formatter(self):
        said = self.broken("src/base/sum.hpp", "#pragma once\nint  sum(int a,int b);\n",
                           "./test", "--only", "checks", "format")
        self.assert_says("src/base/sum.hpp:2: not formatted. Fix: scripts/format", said)

    def test_a_header_that_does_not_stand_alone_is_named(self):
        said = self.broken("src/base/sum.hpp", "#pragma once\n\nstd::string sum(int a, int b);\n",
                           "./test", "--only", "checks", "headers")
        self.assertRegex(said, r"src/base/sum\.hpp:3: does not compile alone: .*std.*\. Fix: include what it uses")

    def test_a_name_that_two_files_of_a_room_use_for_two_things_is_named_with_both(self):
        self.write("src/base/less.cpp", "namespace {\nconstexpr int kMost = 1;\n}\nint least()\n{\n    return kMost;\n}\n")
        self.addCleanup((self.root / "src/base/less.cpp").unlink)
        self.assertEqual(self.run_command("scripts/check", "batches").returncode, 0)
        said = self.broken("src/base/more.cpp", "namespace {\nconstexpr int kMost = 2;\n}\nint most()\n{\n    return kMost;\n}\n",
                           "scripts/check", "batches")
        self.assert_says("src/base/more.cpp:2: redefinition of 'kMost' (src/base/less.cpp:2 has another), when base is compiled as "
                         "one. Fix: share it if it is the same, else give it a name of its own", said)

    def test_a_dead_link_is_named(self):
        said = self.broken("README.md", "# Mini\n\n[gone](gone.md)\n", "scripts/check", "links")
        self.assert_says("README.md:3: the link gone.md leads to no file", said)

    def test_a_golden_file_that_no_test_reads_is_named(self):
        said = self.broken("tests/golden/a/lost.json", "{}\n", "scripts/check", "goldens")
        self.assert_says('tests/golden/a/lost.json:1: no test reads it. Fix: golden("a/lost.json")', said)

    def test_a_row_without_test_and_room_is_named(self):
        unmarked = MINI["src/base/sum_test.cpp"].replace("  // TASK-01 U", "")
        said = self.broken("src/base/sum_test.cpp", unmarked, "scripts/check", "waiting")
        self.assert_says("docs/open-requirements.md:1: TASK-01 has no test and is not listed. Fix:", said)

    def test_a_failing_test_is_named_with_how_to_run_it_again(self):
        wrong = MINI["src/base/sum_test.cpp"].replace("== 3", "== 4")
        said = self.broken("src/base/sum_test.cpp", wrong, "./test")
        self.assert_says("release: a sum is the sum (src/base/sum_test.cpp:5)", said)
        self.assert_says("again: ./test --only release 'a sum is the sum'", said)
        self.assertRegex(said.splitlines()[-1], r"^\d+ passed, 1 failed, 0 skipped$")

    def test_a_crash_counts_although_no_test_case_wrote_it_down(self):
        crash = MINI["src/base/sum_test.cpp"].replace("CHECK(sum(1, 2) == 3)", "_exit(0 * sum(1, 2) + 7)")
        said = self.broken("src/base/sum_test.cpp", "#include <unistd.h>\n" + crash,
                           "./test", "--only", "release", "base_test")
        self.assert_says("exit code 7", said)
        self.assertEqual(said.splitlines()[-1], "0 passed, 1 failed, 0 skipped")

    def test_a_program_that_leaves_early_with_0_did_not_pass(self):
        leaves = MINI["src/base/sum_test.cpp"].replace("CHECK(sum(1, 2) == 3)", "_exit(0 * sum(1, 2))")
        said = self.broken("src/base/sum_test.cpp", "#include <unistd.h>\n" + leaves,
                           "./test", "--only", "release", "base_test")
        self.assert_says('left before its last test, in the case "a sum is the sum"', said)
        self.assertEqual(said.splitlines()[-1], "0 passed, 1 failed, 0 skipped")

    def test_a_file_that_does_not_compile_stops_the_run(self):
        said = self.broken("src/base/sum.cpp", "int sum(int a) { return b; }\n", "./test")
        self.assertRegex(said, r"(?m)^FAILED: .*\n(In file .*\n)?src/base/sum\.cpp:")  # no compiler command between
        self.assert_says("left out, because release did not build", said)
        self.assertEqual(said.splitlines()[-1], "0 passed, 1 failed, 0 skipped")

    def test_a_pattern_that_fits_nothing_is_no_success(self):
        said = self.broken("unused", "", "./test", "no such thing")
        self.assert_says("  no check has “no such thing” in its name", said)
        self.assertNotRegex(said, r"(?m)^checks +\d")
        self.assert_says("Nothing has “no such thing” in its name", said)

    def test_coverage_is_reported_by_whole_runs_only(self):
        self.assertEqual(self.clean.stdout.splitlines()[-2], "requirements: 1 covered, 0 partly, 0 open of 1")
        for words in (["links"], ["--only", "fuzz"]):
            self.assertNotIn("requirements:", self.run_command("./test", *words).stdout)


if __name__ == "__main__":
    unittest.main()
