#!/usr/bin/env python3
"""Servers that break every rule cost at most their own call: the run goes on, and nothing of them is left."""
import pathlib
import sys
import time
import unittest

from desk import Desk, call, is_alive, mcp
from home import CADRE, NOT_FOUND

BAD_SERVER = pathlib.Path(__file__).with_name("bad_server.py")


class Bad(Desk):
    def bad(self, *ways, **ext):
        """The project has a bad server and a calm one."""
        self.servers(bad={"command": sys.executable, "args": [str(BAD_SERVER), ways[0], str(self.folder), *ways[1:]], "ext": ext},
                     calm={"command": str(CADRE), "args": ["mock-mcp"]})


class Calls(Bad):
    def survives(self, way, says, timeout=10, starts=1):
        """A bad call, then a good one of the same server and one of another."""
        self.afresh()
        self.bad(way)
        self.team(["bad", "good", "calm.echo"], [mcp("bad", "bad", effect="pure", timeout=timeout), mcp("good", "bad", effect="pure")])
        begun = time.monotonic()
        done = self.go(call("bad"), call("good"), call("echo", message="calm"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(time.monotonic() - begun, 40)
        bad, good, calm = self.said()
        self.assertIn(says, bad)
        self.assertLess(len(bad), 1000)
        self.assertEqual((good, calm), ("well", "calm"))
        self.assertEqual(len(self.started()), starts)
        self.leaves_nothing()

    def test_answers_that_are_not_asked_for_are_dropped(self):
        for way, says in (("wrong_ids", "! tool bad timed out after 1 s"), ("late", "! tool bad timed out after 1 s"), ("twice", "well")):
            with self.subTest(way):
                self.survives(way, says, timeout=1 if "!" in says else 10)

    def test_noise_is_passed_over(self):
        for way in ("noise", "flood"):
            with self.subTest(way):
                self.survives(way, "well")

    def test_answers_that_make_no_sense_are_errors_of_their_call(self):
        for way in ("nonsense", "no_content"):
            with self.subTest(way):
                self.survives(way, "! MCP server bad")

    def test_a_line_without_an_end_costs_the_server_its_life(self):
        for way in ("long_line", "endless_line"):
            with self.subTest(way):
                self.survives(way, "! MCP server bad: sent a line of more than 16777216 bytes", starts=2)

    def test_a_server_that_breaks_off_is_started_again(self):
        for way, says in (("half", "ended with exit code 0"), ("closed_output", "closed its output")):
            with self.subTest(way):
                self.survives(way, says, starts=2)

    def test_progress_for_ever_does_not_hold_a_call_for_ever(self):
        self.survives("progress_for_ever", "! tool bad timed out after 1 s", timeout=1)

    def test_what_a_server_has_started_ends_with_it(self):
        self.bad("children")
        self.team(["bad.bad"])
        self.assertEqual(self.go(call("bad")).returncode, 0)
        self.assertEqual(self.said(), ["well"])
        self.assertEqual(len(self.started()), 3)
        self.leaves_nothing()

    def test_22_what_a_server_has_started_ends_when_we_are_killed(self):
        self.bad("children")
        self.team(["bad.bad"])
        process = self.start("run", "team.json", "--model", self.told(call("bad"), last={"text": "Late.", "delay_ms": 60_000}), "Go.")
        self.until(lambda: len(self.started()) == 3 and all(map(is_alive, self.started())), "all that the server starts")
        process.kill()
        process.communicate()
        self.assertEqual(process.returncode, -9)
        self.leaves_nothing()

    def test_a_server_that_does_not_want_to_end_is_ended(self):
        self.bad("stubborn")
        self.team(["bad.good"])
        self.assertEqual(self.go(call("good")).returncode, 0)
        self.leaves_nothing()


class Lists(Bad):
    def test_a_list_that_cannot_be_read_fails_who_wants_it_and_nobody_else(self):
        for way, says in (("same_page", "has no end of tools"), ("endless_pages", "has no end of tools"),
                          ("no_list", "answered tools/list without `tools`"), ("bottomless", "MCP server bad")):
            with self.subTest(way):
                self.afresh()
                self.bad(way, timeout_seconds=5)
                self.team(["bad.good"])
                done = self.go(call("good"))
                self.assertNotIn(done.returncode, (0, 1), done.stderr)
                self.assertIn(says, done.stderr)
                self.assertLess(len(done.stderr), 1000)
                self.leaves_nothing()
                self.team(["calm.echo"])
                self.assertEqual(self.go(call("echo", message="calm")).returncode, 0)
                self.assertEqual(self.said(), ["calm"])

    def test_a_list_that_becomes_so_in_the_middle_of_a_run_costs_the_call(self):
        """Nothing has reached the tool, so nobody is asked whether it happened."""
        self.bad("half", "endless_pages")
        self.team(["bad", "good", "calm.echo"], [mcp("bad", "bad", effect="pure"), mcp("good", "bad")])
        done = self.go(call("bad"), call("good"), call("echo", message="calm"))
        self.assertEqual(done.returncode, 0, done.stderr)
        bad, good, calm = self.said()
        self.assertIn("ended with exit code 0", bad)
        self.assertIn("MCP server bad has no end of tools", good)
        self.assertEqual(calm, "calm")
        self.leaves_nothing()

    def test_schemas_that_explode_do_not(self):
        self.bad("bombs")
        self.team(["bad.*", "calm.echo"])
        begun = time.monotonic()
        nested = {}
        for _ in range(25):
            nested = {"a": nested}
        done = self.go(call("bad", x=1), call("slow", a="a" * 50 + "!"), call("nested", **nested), call("good"), call("echo", message="calm"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(time.monotonic() - begun, 30)
        self.assertEqual(self.said()[-2:], ["well", "calm"])
        self.assertTrue(self.said()[1].startswith("! "), self.said())
        for unusable in ("far", "wide"):  # one leads to the network, one is too large
            self.team([f"bad.{unusable}"])
            self.assertEqual(self.go(call(unusable)).returncode, NOT_FOUND)
        self.leaves_nothing()

    def test_a_mute_server_is_named(self):
        self.bad("mute", start_seconds=1)
        self.team(["bad.good"])
        done = self.go(call("good"))
        self.assertIn("the greeting of MCP server bad timed out after 1 s", done.stderr)
        self.leaves_nothing()


if __name__ == "__main__":
    unittest.main()
