#!/usr/bin/env python3
"""Ways in which a green run could mean less than it says: each is tried once, and fails with a message that says what to do."""
import json
import tempfile
import unittest

import mini_tree
from mini_tree import MINI

SUM, PYTHON, NODE = (MINI[f"{name}"] for name in ("src/base/sum_test.cpp", "tests/mini_test.py", "tests/mini_test.mjs"))
SKIPPING = PYTHON.replace("self.assertEqual(1 + 2, 3)", 'self.skipTest("bubblewrap is not installed")')


class Faults(mini_tree.MiniTree):
    def floor(self, release=3, **changes):
        """Another floor until the end of the test."""
        self.addCleanup(self.write, "tests/floor.json", MINI["tests/floor.json"])
        usual = json.loads(MINI["tests/floor.json"])
        self.write("tests/floor.json", json.dumps({**usual, "passed": {**usual["passed"], "release": release}, **changes}))

    def floor_of_release(self):
        return json.loads((self.root / "tests/floor.json").read_text())["passed"]["release"]

    def test_a_skip_that_is_not_listed_fails(self):
        said = self.broken("tests/mini_test.py", SKIPPING, "./test", "--only", "release")
        self.assert_says("was skipped (bubblewrap is not installed), which tests/floor.json does not list. Fix: make it run", said)

    def test_without_a_sandbox_tests_are_skipped_at_home_and_fail_in_ci(self):
        self.floor(skips={"Mini: python runs": ["bubblewrap "]})
        for variable in ({"CI": "true"}, {"CADRE_REQUIRE_SANDBOX": "1"}):
            said = self.broken("tests/mini_test.py", SKIPPING, "./test", "--only", "release", **variable)
            self.assert_says("in CI that is a failure. Fix: install bubblewrap and allow user namespaces", said)
        self.addCleanup(self.write, "tests/mini_test.py", PYTHON)
        self.write("tests/mini_test.py", SKIPPING)
        done = self.run_command("./test", "--only", "release")
        self.assertEqual(done.stdout.splitlines()[-1], "2 passed, 0 failed, 1 skipped")

    def test_a_listed_skip_that_no_test_has_is_named(self):
        self.floor(skips={"no such test": ["why"]})
        said = self.broken("unused", "", "./test", "--only", "release")
        self.assert_says("no such test (tests/floor.json:1)", said)

    def test_a_stage_without_tests_fails(self):
        said = self.broken("unused", "", "./test", "--only", "fuzz")
        self.assert_says("the stage fuzz found nothing to run. Fix: ./test --list says what it looks for", said)

    def test_a_program_that_tsan_leaves_out_must_exist(self):
        said = self.broken("unused", "", "./test", "--only", "tsan")
        self.assert_says("is left out of tsan by UNTHREADED, but no such program exists. Fix: correct its name", said)

    def test_a_test_file_that_no_runner_looks_for_is_named(self):
        for name, text in (("src/base/sum_tests.cpp", SUM), ("tests/test_mini.py", PYTHON), ("tests/mini.test.mjs", NODE)):
            said = self.broken(name, text, "./test", "--only", "checks", "tests")
            self.assert_says("holds tests that no runner looks for. Fix: call it *_test.cpp, *_test.py or *_test.mjs", said)

    def test_a_file_that_no_cmakelists_compiles_is_named(self):
        self.addCleanup((self.root / "tests/newdir").rmdir)
        said = self.broken("tests/newdir/z_test.cpp", SUM, "./test", "--only", "release")
        self.assert_says("tests/newdir/z_test.cpp (tests/newdir/z_test.cpp:1)\n      no case of it ran. Fix: ", said)

    def test_a_decorator_that_keeps_a_test_from_failing_is_named(self):
        case = '"a sum is the sum"'
        skipped = SUM.replace(case, f"{case} * doctest::skip()").replace("== 3", "== 4")
        said = self.broken("src/base/sum_test.cpp", skipped, "./test", "--only", "release")
        self.assert_says("a decorator keeps it from failing. Fix: remove it; what cannot run here returns test::skip", said)
        for name, text in (
                *(("src/base/sum_test.cpp", SUM.replace(case, f"{case} * doctest::{decorator}"))
                  for decorator in ("skip()", "may_fail()", "should_fail()", "expected_failures(1)")),
                ("tests/mini_test.py", PYTHON.replace("    def", "    @unittest.skip('later')\n    def")),
                ("tests/mini_test.py", PYTHON.replace("    def", "    @unittest.expectedFailure\n    def")),
                ("tests/mini_test.mjs", NODE.replace("() =>", "{ skip: true }, () =>")),
                ("tests/mini_test.mjs", NODE.replace("test('", "test.todo('"))):
            with self.subTest(text):
                said = self.broken(name, text, "scripts/check", "tests")
                self.assert_says("a test that cannot fail proves nothing. Fix: ", said)

    def test_a_test_that_asserts_nothing_fails(self):
        leaves = SUM.replace("    CHECK", "    if (sum(1, 1) == 2) return;\n    CHECK")
        said = self.broken("src/base/sum_test.cpp", leaves, "./test", "--only", "release", "base_test")
        self.assert_says("made no assertion. Fix: CHECK what must be true; or return test::skip(reason)", said)
        said = self.broken("tests/mini_test.py", PYTHON.replace("self.assertEqual(1 + 2, 3)", "return"),
                           "./test", "--only", "release", "mini_test.py")
        self.assert_says("made no assertion. Fix: assert what must be true; or self.skipTest(reason)", said)
        said = self.broken("tests/mini_test.mjs", "import test from 'node:test';\ntest('a', () => {});\n",
                           "scripts/check", "tests")
        self.assert_says("imports no assert, so its tests cannot fail. Fix: import assert", said)

    def test_fewer_tests_than_before_fail(self):
        self.floor(release=4)
        said = self.broken("unused", "", "./test", "--only", "release")
        self.assert_says("3 passed, 4 are the floor. Fix: find the tests that no longer run", said)

    def test_a_mark_that_goes_takes_coverage_with_it(self):
        said = self.broken("src/base/sum_test.cpp", SUM.replace("  // TASK-01 U", ""), "./test", "--only", "release")
        self.assert_says("fewer requirements are proved: 1 covered, now 0", said)
        self.assert_says("Fix: git diff shows which mark went", said)

    def test_an_error_that_only_the_optimised_program_has_is_seen(self):
        wrong = "\n#ifdef __OPTIMIZE__\n#error only when optimised\n#endif\n"
        said = self.broken("src/base/sum.cpp", MINI["src/base/sum.cpp"] + wrong, "./test")
        self.assert_says("only when optimised", said)

    def test_our_variables_in_the_environment_do_not_reach_the_tests(self):
        self.addCleanup(self.write, "tests/mini_test.py", PYTHON)
        self.write("tests/mini_test.py", "import os\n" + PYTHON.replace(
            "self.assertEqual(1 + 2, 3)", 'self.assertFalse({"CADRE_SEED", "CADRE_APPROVE"} & set(os.environ))'))
        done = self.run_command("./test", "--only", "release", "mini_test.py", CADRE_SEED="5", CADRE_APPROVE="1")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assert_says("Not passed on to tests: CADRE_APPROVE, CADRE_SEED. ./test --help names", done.stdout)
        done = self.run_command("scripts/check", "--approve", "mini_test.py")  # the way to have it
        self.assert_says("{'CADRE_APPROVE'} is not false", done.stdout)

    def test_a_fuzz_target_without_corpus_is_named(self):
        said = self.broken("tests/fuzz/json_fuzz.cpp", "", "./test", "--only", "fuzz")
        self.assert_says("tests/fuzz/corpus/json holds no input. Fix: git restore it", said)

    def test_a_test_that_leaves_a_file_in_the_tree_is_seen(self):
        self.addCleanup((self.root / "left.txt").unlink)
        leaves = PYTHON.replace("self.assertEqual", 'open("left.txt", "w").close(); self.assertEqual')
        said = self.broken("tests/mini_test.py", leaves, "./test", "--only", "release", "mini_test.py")
        self.assert_says("left.txt\n      was written into the tree during the run. Fix: let the test", said)

    def test_checks_that_leave_early_did_not_pass(self):
        check = (self.root / "scripts/check").read_text()
        said = self.broken("scripts/check", check.replace("    ledger.end(results)", "    os._exit(0)"),
                           "./test", "--only", "checks", "links")
        self.assert_says("left before its last test", said)

    def test_a_floor_that_falls_needs_a_reason(self):
        self.floor(release=2)
        said = self.broken("unused", "", "scripts/check", "floor")
        self.assert_says("passed in release was 3. Fix: put it back; or add “YYYY-MM-DD: why” to its reasons", said)
        self.floor(release=2, reasons=["2026-11-17: two tests became one"])
        self.assertEqual(self.run_command("scripts/check", "floor").returncode, 0)

    def test_a_shallow_clone_does_not_know_what_the_floor_was(self):
        with tempfile.TemporaryDirectory() as folder:
            for words, says in ((["--no-local"], "ok     floor"), (["--depth=1"], "this clone is shallow")):
                copy = f"{folder}/{len(words[0])}"
                mini_tree.git(self.root, "clone", "--quiet", *words, f"file://{self.root}", copy)
                self.assert_says(says, self.run_command(f"{copy}/scripts/check", "floor").stdout)

    def test_the_floor_is_raised_by_hand_only(self):
        self.floor(release=1, reasons=["2026-11-17: for the test"])
        done = self.run_command("./test", "--only", "release")
        self.assert_says("Raise the floor: scripts/check --fix floor", done.stdout)
        self.assertEqual(self.floor_of_release(), 1)
        self.assertEqual(self.run_command("scripts/check", "--fix", "floor").returncode, 0)
        self.assertEqual(self.floor_of_release(), 3)

    def test_a_test_that_sleeps_is_named(self):
        sleeps = "import time\n" + PYTHON.replace("self.assert", "time.sleep(0.1); self.assert")
        said = self.broken("tests/mini_test.py", sleeps, "scripts/check", "sleeps")
        self.assert_says("time.sleep hopes that the time is enough. Fix: await what must happen", said)


if __name__ == "__main__":
    unittest.main()
