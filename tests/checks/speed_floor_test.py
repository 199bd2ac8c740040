#!/usr/bin/env python3
"""Shows that scripts/speed-floor notices more work than the floor allows, and compares like with like."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load():
    loader = importlib.machinery.SourceFileLoader("speed_floor", str(ROOT / "scripts/speed-floor"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("speed_floor", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


floor = load()
CALLGRIND = """\
version: 1
ob=(1) /build/engine_bench
fn=(1) perform
12 100
+3 20
cob=(2) /usr/lib/libcrypto.so.3
cfn=(2) EVP_DigestUpdate
calls=7 0
* 5000
+1 3

ob=(2)
fn=(2)
0 5000
"""


class Comparison(unittest.TestCase):
    FLOORS = {"engine_bench chain": {"callgrind": 1000, "perf": 700, "hashing": 400, "allocations": 20}}

    def compare(self, instructions, allocations=20, kind="callgrind", floors=None, hashing=400):
        counts = {"engine_bench chain": floor.Count(instructions, hashing, allocations)}
        return floor.compare(floors or self.FLOORS, counts, kind)

    def test_five_per_cent_more_passes_and_six_fail_with_the_piece_the_number_and_the_floor(self):
        self.assertEqual(self.compare(1050), [])
        (problem,) = self.compare(1060)
        for part in ("engine_bench chain", "1,060 instructions (callgrind)", "6 % more", "floor of 1,000", "take back"):
            self.assertIn(part, problem)

    def test_hashing_has_a_floor_of_its_own_where_it_is_counted(self):
        (problem,) = self.compare(1000, hashing=500)
        self.assertIn("500 instructions of hashing, 25 % more than the floor of 400", problem)
        self.assertEqual(self.compare(700, kind="perf", hashing=0), [])

    def test_one_allocation_too_many_fails_where_the_floor_is_low(self):
        (problem,) = self.compare(1000, allocations=22)
        self.assertIn("22 allocations, 10 % more than the floor of 20", problem)
        none = {"engine_bench chain": {"callgrind": 1000, "hashing": 400, "allocations": 0}}
        self.assertEqual(len(self.compare(1000, allocations=1, floors=none)), 1)

    def test_far_less_fails_so_that_no_floor_becomes_stale(self):
        (problem,) = self.compare(940)
        self.assertIn("6 % less than the floor of 1,000. If it still does its work, run scripts/speed-floor --lower", problem)
        self.assertEqual(self.compare(960), [])
        self.assertEqual(len(self.compare(0, allocations=0, hashing=0)), 3)

    def test_each_counter_has_its_own_floor(self):
        self.assertEqual(len(self.compare(1000, kind="perf")), 1)
        self.assertEqual(self.compare(700, kind="perf"), [])

    def test_a_piece_without_a_floor_is_a_problem(self):
        problems = self.compare(1000, floors={"engine_bench chain": {}})
        self.assertEqual(len(problems), 3)
        self.assertIn("--lower --counter callgrind", problems[0])

    def test_lowering_only_lowers_and_keeps_the_floors_of_other_counters(self):
        counts = {"engine_bench chain": floor.Count(900, 500, 18)}
        lowered = floor.lowered(self.FLOORS, counts, "callgrind")
        self.assertEqual(lowered, {"engine_bench chain": {"callgrind": 900, "perf": 700, "hashing": 400, "allocations": 18}})
        self.assertEqual(json.loads(floor.as_text(lowered, ["why"])), {**lowered, "reasons": ["why"]})

    def test_raising_changes_only_what_is_too_much(self):
        counts = {"engine_bench chain": floor.Count(1040, 500, 18)}
        raised = floor.raised(self.FLOORS, counts, "callgrind")
        self.assertEqual(raised, {"engine_bench chain": {"callgrind": 1000, "perf": 700, "hashing": 500, "allocations": 20}})


class Counting(unittest.TestCase):
    def test_the_counter_is_one_that_the_machine_and_the_file_have(self):
        floors = {"a": {"callgrind": 1}}
        self.assertEqual(floor.choose(floors, ["perf", "callgrind"]), "callgrind")
        self.assertEqual(floor.choose({"a": {"perf": 1, "callgrind": 1}}, ["perf", "callgrind"]), "perf")
        self.assertIsNone(floor.choose(floors, ["perf"]))

    def test_what_is_done_only_once_is_not_counted(self):
        once = floor.Count(1_000_000, 500, 7)
        few = floor.Count(*(one + each * floor.FEW for one, each in zip(once, (300, 20, 2))))
        many = floor.Count(*(one + each * floor.MANY for one, each in zip(once, (300, 20, 2))))
        self.assertEqual(floor.per_piece(few, many), floor.Count(300, 20, 2))

    def test_hashing_is_told_apart_and_callees_are_counted_once(self):
        self.assertEqual(floor.by_library(CALLGRIND), {"other": 123, "libcrypto": 5000})

    def test_perf_without_counters_counts_nothing(self):
        self.assertIsNone(floor.perf_count("<not supported>,,instructions:u,0,100.00,,\n"))
        self.assertEqual(floor.perf_count("1234567,,instructions:u,400,100.00,,\n"), 1234567)


class Script(unittest.TestCase):
    """The whole script, with counts that are made up."""

    def run_script(self, *arguments, instructions):
        with tempfile.TemporaryDirectory() as name:
            file = pathlib.Path(name, "floor.json")
            file.write_text(floor.as_text({"engine_bench chain": {"callgrind": 1000, "hashing": 0, "allocations": 20}}, ["old"]))
            said = io.StringIO()
            counts = {"engine_bench chain": floor.Count(instructions, 0, 20)}
            with unittest.mock.patch.multiple(floor, FLOOR=file, countable=lambda: ["callgrind"],
                                              count_all=lambda *_: counts), \
                    unittest.mock.patch.object(sys, "argv", ["speed-floor", *arguments]), \
                    contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
                code = floor.main()
            return code, said.getvalue().splitlines(), json.loads(file.read_text())

    def test_a_slowdown_of_ten_per_cent_fails_with_one_line(self):
        code, lines, _ = self.run_script(instructions=1100)
        self.assertEqual(code, 1)
        self.assertEqual(len(lines), 1)

    def test_as_fast_as_before_says_nothing(self):
        code, lines, _ = self.run_script(instructions=1000)
        self.assertEqual((code, lines), (0, []))

    def test_lower_rewrites_the_file_and_does_not_raise(self):
        for counted, written in ((800, 800), (2000, 1000)):
            code, _, floors = self.run_script("--lower", instructions=counted)
            self.assertEqual(code, 0)
            self.assertEqual(floors, {"engine_bench chain": {"callgrind": written, "hashing": 0, "allocations": 20},
                                      "reasons": ["old"]})

    def test_raise_takes_a_reason_with_its_date(self):
        code, _, floors = self.run_script("--raise", "2026-11-17: it also checks", instructions=2000)
        self.assertEqual((code, floors["engine_bench chain"]["callgrind"]), (0, 2000))
        self.assertEqual(floors["reasons"], ["old", "2026-11-17: it also checks"])
        with self.assertRaises(SystemExit):
            self.run_script("--raise", "because", instructions=2000)


class File(unittest.TestCase):
    def test_every_piece_has_all_floors_and_a_benchmark(self):
        floors = json.loads((ROOT / "bench/floor.json").read_text())
        self.assertIsInstance(floors.pop("reasons"), list)
        self.assertGreaterEqual({floor.program_of(piece) for piece in floors},
                                {"engine_bench", "model_run_bench", "mcp_bench", "projection_bench", "schema_bench"})
        for piece, counts in floors.items():
            with self.subTest(piece):
                self.assertLessEqual({"callgrind", "hashing", "allocations"}, set(counts))
                self.assertTrue((ROOT / "bench" / f"{floor.program_of(piece)}.cpp").exists())


if __name__ == "__main__":
    unittest.main()
