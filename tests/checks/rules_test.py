#!/usr/bin/env python3
"""What the checks are made of: C++ without comments, links, requirements and their marks, the floor."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from lib import cpp, floor, ledger, links, requirements, settings, suites, test_files, tree  # noqa: E402


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


class Settings(unittest.TestCase):
    PAGE = "# team\n\nYou write it, in `team.yaml`.\n\n| Field | Type | Default | What it is |\n|---|---|---|---|\n"
    FILES = {
        settings.PAGES + "team.md": PAGE + "| `size` | whole number | `1` | How many. |\n"
                                           "| `boss` | [person](person.md) | **required** | Who leads. |\n"
                                           "| `mood` | text | `\"\"` | How it is. **Not in effect yet**: nobody asks. |\n",
        settings.PAGES + "person.md": "# person\n\nA part of [team](team.md).\n\n| Field | Type | Default | What it is |\n"
                                      "|---|---|---|---|\n| `stars` | whole number | `0` | How many it has. |\n",
        settings.PAGES + "alien.md": "# alien\n\n| Field | Type | Default | What it is |\n|---|---|---|---|\n| `ears` | text | | |\n",
        "src/engine/a.cpp": "int f(const Team& team) { return team.size + team.boss.count; }\n",
        "src/engine/b.cpp": "int g(const Person& boss) { return boss.stars; }\n",
    }

    def unread(self, **changed):
        files = {**self.FILES, **{name.replace("__", "/") + ".cpp": text for name, text in changed.items()}}
        select = lambda *endings, under="": [name for name in files if name.startswith(under) and name.endswith(endings)]  # noqa: E731
        with unittest.mock.patch.multiple(tree, select=select, read=files.__getitem__), \
                unittest.mock.patch.multiple(settings, READ={}, NEEDS_NONE={}, NAMES={}):
            return [what.split()[0] for _, _, what in settings.unread()]

    def test_fields_that_code_reads_or_that_are_listed_are_fine(self):
        self.assertEqual(self.unread(), [])

    def test_a_field_is_not_read_by_who_sets_it_checks_it_draws_it_tests_it_or_means_another_thing(self):
        for name, text in [("src__engine__b", "void g(Person& boss) { boss.stars = 2; }"), ("src__engine__b", "int g(Sky& sky) { return sky.stars; }"),
                           ("src__engine__b", "// boss.stars"), ("src__engine__b", "int g(Person& boss) { return boss.stars(); }")]:
            with self.subTest(text):
                self.assertEqual(self.unread(**{name: text}), ["person.stars"])
        for place in ("src__config__b", "src__engine__b_test", "src__cli__graph__b", "src__testing__b"):
            with self.subTest(place):
                self.assertEqual(self.unread(src__engine__b="", **{place: "int g(const Person& boss) { return boss.stars; }"}), ["person.stars"])

    def test_no_setting_of_the_real_program_is_without_a_reader(self):
        self.assertEqual(list(settings.unread()), [])

    def test_a_reader_that_is_gone_is_found(self):
        with unittest.mock.patch.dict(settings.READ, {"permissions.deny": ("src/model/call_pattern.cpp", "rules.denied")}):
            self.assertIn("no longer stands", [what for _, _, what in settings.unread()][0])


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
        self.assertEqual(wrong([], ("TASK-01", "attic")), ["attic is not a room"])
        self.assertEqual(wrong([], ("TASK-01", "interop"), ("TASK-01", "interop")), ["TASK-01 is here twice"])
        for id in ("TASK-02", "TASK-77"):  # asks for more than a unit test; does not exist
            self.assertEqual(wrong([("TASK-01", "U")], (id, "interop")),
                             [f"{id} is not a row of docs/requirements.md that asks for a unit test alone"])

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


class Floor(unittest.TestCase):
    BEFORE = {"passed": {"release": 9, "tsan": 3}, "skips": {}, "requirements": {"covered": 4, "partly": 2}, "reasons": []}

    def test_whatever_became_less_needs_a_new_reason(self):
        for change, says in [({"passed": {"release": 8, "tsan": 3}}, "passed in release was 9"),
                             ({"passed": {"release": 9}}, "passed in tsan was 3"),
                             ({"skips": {"a": ["why"]}}, "“a” may be skipped now (why)"),
                             ({"requirements": {"covered": 3, "partly": 3}}, "covered requirements were 4"),
                             ({"requirements": {"covered": 5, "partly": 0}}, "covered or partly requirements were 6")]:
            now = {**self.BEFORE, **change}
            self.assertEqual(list(floor.unexplained(now, [self.BEFORE])), [says])
            self.assertEqual(list(floor.unexplained({**now, "reasons": ["2026-11-17: why"]}, [self.BEFORE])), [])
            for reason in ("why", "2026-11-17:", "2026-11-17: ", ""):
                self.assertEqual(list(floor.unexplained({**now, "reasons": [reason]}, [self.BEFORE])), [says])
            told = {**self.BEFORE, "reasons": ["2026-11-17: why"]}
            self.assertEqual(list(floor.unexplained({**now, "reasons": told["reasons"]}, [told])), [says])
        more = {"passed": {"release": 10, "tsan": 3, "fuzz": 1}, "requirements": {"covered": 5, "partly": 1}}
        self.assertEqual(list(floor.unexplained({**self.BEFORE, **more}, [self.BEFORE])), [])

    def test_what_costs_more_or_is_not_counted_any_more_needs_a_new_reason(self):
        before = {"run": {"callgrind": 9, "allocations": 2}}
        for now, says in [({"run": {"callgrind": 10, "allocations": 2}}, ["callgrind of run was 9"]),
                          ({"run": {"callgrind": 8}}, ["allocations of run was 2"]),
                          ({}, ["callgrind of run was 9", "allocations of run was 2"])]:
            self.assertEqual(list(floor.unexplained(now, [before], floor.slower)), says)
            self.assertEqual(list(floor.unexplained({**now, "reasons": ["2026-11-17: why"]}, [before], floor.slower)), [])
        self.assertEqual(list(floor.unexplained({"run": {"callgrind": 8, "allocations": 2}}, [before], floor.slower)), [])

    def test_a_floor_names_every_stage_and_what_each_skip_says(self):
        full = {stage: 1 for stage in floor.FULL}
        self.assertEqual(list(floor.incomplete({"passed": full, "skips": {"bomb: *": ["bubblewrap "]}})), [])
        self.assertEqual(list(floor.incomplete({"passed": {}, "skips": {}})), [])
        (wide,) = floor.incomplete({"passed": full, "skips": {"*": ["bubblewrap "]}})
        self.assertIn("the skip “*” excuses too much. Fix: ", wide)
        for says in ([], [""], "bubblewrap "):
            self.assertEqual(len(list(floor.incomplete({"passed": full, "skips": {"a": says}}))), 1)
        del full["asan"]
        (missing,) = floor.incomplete({"passed": full, "skips": {}})
        self.assertIn("no number for the stage asan. Fix: ", missing)

    def test_a_listed_skip_excuses_only_its_own_reasons(self):
        def listed(name, reason, skips):
            return floor.is_skipped_as_listed(ledger.Entry("skipped", "", 0, name, reason, 0, "release", "x"), skips)
        for name in ("bomb: *", "bomb: a"):
            self.assertTrue(listed("bomb: a", "bubblewrap is not installed", {name: ["no cgroups", "bubblewrap "]}))
            self.assertFalse(listed("bomb: a", "later", {name: ["no cgroups", "bubblewrap "]}))
        self.assertFalse(listed("bomb: a", "bubblewrap is not installed", {"bomb: b": ["bubblewrap "]}))

    def test_skips_of_the_real_floor_are_in_the_sources(self):
        texts = "".join(tree.read(name) for name in tree.select(".cpp", ".hpp", ".py"))
        for says in {one for says in floor.load()["skips"].values() for one in says}:
            self.assertIn(f'"{says}', texts)


class Sleeping(unittest.TestCase):
    def test_python_code_is_seen_without_strings_and_comments(self):
        text = 'a = "time.sleep"  # time.sleep\nb = """\ntime.sleep\n"""\n'
        self.assertEqual(test_files.python_code(text).split(), ["a", "=", "b", "="])
        self.assertEqual(test_files.python_code(text).count("\n"), 4)

    def test_sleeping_is_found_under_its_other_names_and_waiting_is_fine(self):
        def sleeps(name, code):
            return bool(list(test_files.found(name, code, test_files.SLEEPS)))
        for code in ("sleep(1)", "from time import sleep as nap", "await asyncio.sleep(0)"):
            self.assertTrue(sleeps("x_test.py", code), code)
        for code in ("sleep_for(1ms);", "if (late) sleep_until(due);", "{ sleep_for(1ms); }", "poll(nullptr, 0, 10);",
                     "std::this_thread :: sleep_for(1s);"):
            self.assertTrue(sleeps("x_test.cpp", code), code)
        for name, code in (("x_test.py", "box.sleep(1)"), ("x_test.py", "def sleep(self):"),
                           ("x_test.cpp", "co_await sleep_for(1h);"), ("x_test.cpp", "if (late) co_await sleep_for(1h);"),
                           ("x_test.cpp", "world.wait(sleep_for(1s));"), ("x_test.cpp", "poll(&one, 1, -1);")):
            self.assertFalse(sleeps(name, code), code)


class Unrun(unittest.TestCase):
    """Tests that never run."""

    def ledger_of(self, command, name, text):
        """The lines about a file of tests, which a runner runs, without their times and places."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, name)
            file.write_text(text)
            done = subprocess.run([*command, str(file)], env={**os.environ, "CADRE_RESULTS": folder}, cwd=folder,
                                  stdout=subprocess.PIPE, text=True)
            results = next(pathlib.Path(folder).glob("*.tsv"), None)
            lines = results.read_text() if results else done.stdout
        return [line.split("\t") for line in lines.splitlines() if not line.startswith("#")], done.returncode

    def test_a_python_test_that_unittest_does_not_load_failed(self):
        text = "import unittest\n\ndef test_beside(): pass\n\nclass Lost:\n    async def test_lost(self): pass\n\n" \
               "class A(unittest.TestCase):\n    def test_twice(self): self.fail('never')\n" \
               "    @unittest.skipIf(False, '')\n    def test_twice(self): self.assertTrue(True)\n"
        lines, code = self.ledger_of([sys.executable, str(ROOT / "scripts/lib/run_unittest.py")], "x_test.py", text)
        self.assertEqual(code, 1)
        self.assertEqual([(line[0], line[2]) for line in lines],
                         [("failed", "test_beside"), ("failed", "test_lost"), ("failed", "test_twice"), ("passed", "A: twice")])
        self.assertIn("unittest does not load it. Fix: ", lines[0][3])

    def test_a_skipped_suite_of_node_is_written_down_with_its_reason(self):
        node = suites.NODE if suites.NODE.exists() else shutil.which("node")
        command = [str(node), "--test", f"--test-reporter={ROOT / 'scripts/lib/node_ledger.mjs'}",
                   "--test-reporter-destination=stdout"]
        text = "import { describe, it } from 'node:test';\ndescribe('left', { skip: 'later' }, () => it('a', () => {}));\n" \
               "describe('run', () => it('b', () => {}));\n"
        lines, code = self.ledger_of(command, "x_test.mjs", text)
        self.assertEqual([(line[0], line[2], line[3]) for line in lines], [("skipped", "left", "later"), ("passed", "b", "")])

    def test_files_of_which_no_case_ran_are_named(self):
        names = ["src/a_test.cpp", "tests/b_test.py", "tests/c_test.mjs", "src/a.cpp"]
        entries = [ledger.Entry("passed", "src/a_test.cpp", 1, "a", "", 0, "release", "x")]
        with unittest.mock.patch.object(test_files.tree, "files", lambda: names):
            self.assertEqual(test_files.without_cases(entries), names[1:3])

    def test_an_async_test_is_seen_in_a_file_that_no_runner_looks_for(self):
        self.assertTrue(list(test_files.found("x.py", "    async def test_a(self):", test_files.HOLDS)))


if __name__ == "__main__":
    unittest.main()
