#!/usr/bin/env python3
"""Tools that hang, die or fail, and we ourselves killed in the middle: what happened is counted by the server."""
import json
import pathlib
import signal
import sys
import time
import unittest

from desk import Desk, call, mcp
from home import CADRE, WAITING

BAD_SERVER = pathlib.Path(__file__).with_name("bad_server.py")
SILENT = {"name": "work", "description": "Works.", "answers": [{"stall": True, "count": True, "times": "any"}]}
WELL = {"name": "work", "description": "Works.", "answers": [{"text": "well", "count": True, "times": "any"}]}
HARMLESS = ("pure", "idempotent", "keyed")
UNKNOWN = "it is not known whether the call happened"
KILLED = -signal.SIGKILL


class Silence(Desk):
    # TOOL-07 E, TOOL-08 E
    def test_a_timeout_is_followed_by_the_stand_in_once(self):
        for effect in ("once", "pure"):
            with self.subTest(effect):
                self.afresh()
                self.servers(mock=self.watched([SILENT]))
                self.team(["work"], [mcp("work", timeout=1, effect=effect, fallback_tools=["counter"]), mcp("counter")])
                done = self.go(call("work"), last={"text": "Done.", "when": {"contains": "work failed: tool work timed out after 1 s"}})
                self.assertEqual((done.returncode, done.stdout), (0, "Done.\n"), done.stderr)
                first, second = self.said()
                self.assertIn("tool work timed out after 1 s", first)
                self.assertEqual(UNKNOWN in first, effect == "once")
                self.assertEqual(second, '{"count":2}')
                self.assertEqual(len(set(self.counted())), 2)  # two calls, each under a key of its own
                calls = [e["tool_call"]["tool_name"] for e in self.events(self.only_task()) if e["type"] == "event_tool_call"]
                self.assertEqual(calls, ["work", "counter"])
                spans = json.loads(self.succeeds("trace", self.only_task(), "--json"))["spans"]
                self.assertEqual([span["name"] for span in spans if span["kind"] == "call"], ["work", "counter"])
                self.succeeds("replay", self.only_task())
                self.assertEqual(len(self.counted()), 2)
                self.leaves_nothing()

    # TOOL-07 E
    def test_a_silent_server_holds_nobody_past_the_deadline(self):
        self.servers(mock=self.watched([SILENT]))
        self.team(["work", "mock.echo"], [mcp("work", timeout=1, effect="pure")])
        begun = time.monotonic()
        done = self.go(call("work"), call("echo", message="on"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(time.monotonic() - begun, 30)  # a server has 300 s, were it not for the tool's own
        self.assertEqual(self.said(), ["! tool work timed out after 1 s", "on"])
        self.assertEqual((len(self.counted()), len(self.started())), (1, 1))
        self.leaves_nothing()

    def test_of_a_call_that_must_not_be_made_twice_a_person_is_asked(self):
        self.servers(mock=self.watched([SILENT]))
        self.team(["work"], [mcp("work", timeout=1)])
        self.assertEqual(self.go(call("work")).returncode, WAITING)
        task = self.only_task()
        self.assertEqual([w["request"]["type"] for w in self.waiting()], ["outcome_unknown"])
        self.assertEqual(self.cadre("answer", task, "--happened", " ").returncode, 2)  # a variable of a script that is not set
        self.assertEqual(self.succeeds("answer", task, "--happened", "It is there."), "Done.\n")
        self.assertEqual((self.said(), len(self.counted())), (["It is there."], 1))
        self.leaves_nothing()

    def test_a_server_that_is_never_ready_fails_the_run_before_it_is_a_task(self):
        self.servers(mock=self.watched(otherwise="exec sleep 600", ext={"start_seconds": 1}))
        self.team(["mock.echo"])
        done = self.go(call("echo", message="x"))
        self.assertIn("the greeting of MCP server mock timed out after 1 s", done.stderr)
        self.assertEqual(json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"], [])
        self.leaves_nothing()

    def test_a_call_that_waited_for_a_server_in_vain_has_not_happened(self):
        """Nobody has to be asked, though the tool is one that must not be called twice."""
        self.servers(mock=self.watched([WELL, {"name": "end", "description": "Ends.", "answers": [{"crash": True}]}],
                                       otherwise="exec sleep 600"))
        self.team(["work", "end"], [mcp("work", timeout=2), mcp("end", effect="pure")])
        done = self.go(call("end"), call("work"))
        self.assertEqual(done.returncode, 0, done.stderr)
        end, work = self.said()
        self.assertIn("ended with exit code 1", end)
        self.assertIn("MCP server mock was not ready in the time that work has", work)
        self.assertEqual((self.counted(), len(self.started())), ([], 2))
        self.leaves_nothing()


class Killed(Desk):
    """The server is killed in the middle of a call."""

    def strike(self, effect, **settings):
        """The process that runs the task, its server gone."""
        self.servers(mock=self.watched([SILENT], [WELL]))
        self.team(["work"], [mcp("work", effect=effect, **settings)])
        process = self.start("run", "team.json", "--model", self.told(call("work")), "Go.")
        self.until(lambda: len(self.counted()) == 1, "the call")
        self.kill(self.started()[0])
        return process

    # TOOL-28 E
    def test_what_does_no_harm_is_repeated_under_the_same_key_as_the_policy_says(self):
        for effect in HARMLESS:
            with self.subTest(effect):
                self.afresh()
                out, err, code = self.end(self.strike(effect, retry_policy={"max_retries": 1, "delay": 0}))
                self.assertEqual((out, code), ("Done.\n", 0), err)
                self.assertEqual(self.said(), ["well"])
                self.assertEqual((len(self.counted()), len(set(self.counted())), len(self.started())), (2, 1, 2))
                self.leaves_nothing()

    def test_over_http_it_is_the_same(self):
        for effect, code, times in (("pure", 0, 2), ("once", WAITING, 1)):
            with self.subTest(effect):
                self.afresh()
                server = self.serve([SILENT])
                self.team(["work"], [mcp("work", effect=effect, retry_policy={"max_retries": 9, "delay": 0.2})])
                process = self.start("run", "team.json", "--model", self.told(call("work")), "Go.")
                self.until(self.counted, "the call")
                server.kill()
                self.end(server)
                self.serve([WELL], "--port", self.port)
                out, err, ended = self.end(process)
                self.assertEqual(ended, code, err)
                self.assertEqual((len(self.counted()), len(set(self.counted()))), (times, 1))

    def test_without_a_policy_the_model_hears_of_it(self):
        out, err, code = self.end(self.strike("pure"))
        self.assertEqual((out, code), ("Done.\n", 0), err)
        self.assertEqual(self.said(), ["! MCP server mock: was ended by signal 9 before tools/call was answered"])
        self.assertEqual(len(self.counted()), 1)

    def test_what_must_not_happen_twice_waits_for_a_person_who_knows(self):
        for words, result, times in ((("--happened", "sent"), "sent", 1), (("--not-happened",), "well", 2)):
            with self.subTest(words):
                self.afresh()
                # a policy changes nothing about it
                process = self.strike("once", retry_policy={"max_retries": 3, "delay": 0})
                self.assertEqual(self.end(process)[2], WAITING)
                self.assertEqual(len(self.counted()), 1)
                self.assertEqual(self.succeeds("answer", self.only_task(), *words), "Done.\n")
                self.assertEqual((self.said(), len(self.counted())), ([result], times))
                self.assertEqual(len(set(self.counted())), times)  # no repetition: another key
                self.succeeds("replay", self.only_task())
                self.leaves_nothing()


class OurCrash(Desk):
    """We are killed between the intent and the result; the server lives on and counts."""

    def crash(self, effect, point, tools=(WELL,)):
        self.serve(list(tools))
        self.team(["work"], [mcp("work", effect=effect)])
        done = self.go(call("work"), env={"CADRE_CRASH_AT": point})
        self.assertEqual(done.returncode, KILLED, done.stderr)
        return self.only_task()

    def test_what_does_no_harm_is_sent_again_under_the_same_key(self):
        for effect in HARMLESS:
            # the first effect is the model's; the call has left, its result is nowhere
            for point, before, after in (("before_dispatch:2", 0, 1), ("after_dispatch:2", 1, 2)):
                with self.subTest(f"{effect} {point}"):
                    self.afresh()
                    task = self.crash(effect, point)
                    self.assertEqual(len(self.counted()), before)
                    self.assertEqual(self.succeeds("resume", task), "Done.\n")
                    self.assertEqual((len(self.counted()), len(set(self.counted()))), (after, 1))
                    self.assertEqual(self.said(), ["well"])

    def test_what_must_not_happen_twice_is_not_sent_again(self):
        for point, happened in (("before_dispatch:2", 0), ("after_dispatch:2", 1)):
            for words in (["--happened", "sent"], ["--not-happened"]):
                with self.subTest(f"{point} {words[0]}"):
                    self.afresh()
                    task = self.crash("once", point)
                    for _ in range(2):  # however often somebody tries
                        self.assertEqual(self.cadre("resume", task).returncode, WAITING)
                    self.assertEqual([w["request"]["type"] for w in self.waiting()], ["outcome_unknown"])
                    self.assertEqual(len(self.counted()), happened)
                    self.assertEqual(self.succeeds("answer", task, *words), "Done.\n")
                    again = 0 if len(words) > 1 else 1
                    self.assertEqual(len(set(self.counted())), happened + again)
                    self.assertEqual(len(self.counted()), happened + again)

    def test_a_result_that_is_on_record_is_not_asked_for_again(self):
        for effect in (*HARMLESS, "once"):
            with self.subTest(effect):
                self.afresh()
                task = self.crash(effect, "before_dispatch:3")  # of the model call that follows
                self.assertEqual(self.succeeds("resume", task), "Done.\n")
                self.assertEqual((self.said(), len(self.counted())), (["well"], 1))

    def test_killed_from_outside_while_the_server_works(self):
        """What was done with before that is not done again."""
        tool = {**SILENT, "answers": [{"when": {"nth": 1}, **SILENT["answers"][0], "times": 1}, *WELL["answers"]]}
        for effect, code, times in (("keyed", 0, 2), ("once", WAITING, 1)):
            with self.subTest(effect):
                self.afresh()
                self.serve([tool])
                self.team(["work", "mock.echo"], [mcp("work", effect=effect)])
                process = self.start("run", "--json", "team.json", "--model", self.told(call("echo", message="x"), call("work")), "Go.")
                self.until(self.counted, "the call")
                process.kill()
                self.end(process)
                done = self.cadre("resume", self.only_task())
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual((len(self.counted()), len(set(self.counted()))), (times, 1))
                self.assertEqual(self.said(), ["x", "well"][:1 if code else 2])

    def test_of_a_stand_in_s_precursor_nobody_is_asked(self):
        self.serve([SILENT])
        self.team(["work"], [mcp("work", fallback_tools=["echo"]), mcp("echo", effect="pure")])
        process = self.start("run", "team.json", "--model", self.told(call("work", message="x")), "Go.")
        self.until(self.counted, "the call")
        process.kill()
        self.end(process)
        self.assertEqual(self.succeeds("resume", self.only_task()), "Done.\n")
        first, second = self.said()
        self.assertIn(UNKNOWN, first)
        self.assertEqual((second, len(self.counted())), ("x", 1))


class Limits(Desk):
    def test_a_server_that_always_crashes_is_left_alone_and_others_go_on(self):
        crashing = [{"name": "work", "description": "x", "answers": [{"crash": True, "count": True}]}]
        self.servers(mock=self.watched(*[crashing] * 9), calm={"command": CADRE, "args": ["mock-mcp"]})
        self.team(["work", "calm.echo"], [mcp("work", effect="pure")])
        done = self.go(*[call("work")] * 7, call("echo", message="calm"))
        self.assertEqual(done.returncode, 0, done.stderr)
        *failed, calm = self.said()
        self.assertEqual(calm, "calm")
        self.assertTrue(all(text.startswith("! ") for text in failed), failed)
        self.assertEqual(["circuit_open" in text for text in failed], [False] * 5 + [True] * 2, failed)
        self.assertEqual(len(self.counted()), len(self.started()))
        self.assertLess(len(self.started()), 5)  # pauses between starts grow, and calls do not wait for them
        self.leaves_nothing()

    def busy(self, **settings):
        """The most calls of five that were under way at once; the server waits for as many as there may be."""
        self.afresh()
        log = self.folder / "log"
        self.servers(mock={"command": sys.executable, "args": [str(BAD_SERVER), "busy", str(self.folder)],
                           "env": {"AT_ONCE": str(settings.get("max_parallel", 5))}})
        self.team(["bad"], [mcp("bad", effect="pure", **settings)])
        done = self.go({"tool_calls": call("bad")["tool_calls"] * 5})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.said(), ["well"] * 5)
        depth = most = 0
        for sign in log.read_text().split():
            depth += 1 if sign == "+" else -1
            most = max(most, depth)
        return most

    def test_no_more_calls_are_under_way_than_a_tool_bears(self):
        self.assertEqual((self.busy(), self.busy(max_parallel=2), self.busy(max_parallel=1)), (5, 2, 1))

    def test_a_long_answer_is_paged_through(self):
        text = "".join(f"line {number}\n" for number in range(20_000)) + "THE END"
        self.serve([{"name": "work", "description": "x", "answers": [{"text": text, "count": True}]}])
        self.team(["work", "read_file", "ask_human"], [mcp("work", config={"max_output": 1000})])
        # a script cannot know the name of the file, so somebody reads it to the model
        self.assertEqual(self.go(call("work"), call("ask_human", question="Which file?")).returncode, WAITING)
        (first,) = self.results()
        (file,) = first["artifacts"]
        self.assertEqual(first["result"], f"{text[:1000]}\n[the first 1000 of {len(text)} bytes; to continue, read_file {file} with offset 1000]")
        self.script([{"when": {"nth": 3}, **call("read_file", path=file, offset=1000)},
                     {"when": {"nth": 4}, **call("read_file", path=file, offset=len(text) - 7)}, {"when": {"nth": 5}, "text": "Done."}])
        self.assertEqual(self.succeeds("answer", self.only_task(), file), "Done.\n")
        _, second, third = self.said()
        self.assertTrue(second.startswith(text[1000:1100]), second[:200])
        self.assertTrue(third.startswith("THE END"), third)
        self.assertEqual((self.home / "tasks" / self.only_task() / "artifacts" / file).read_text(), text)
        self.assertEqual(len(self.counted()), 1)


if __name__ == "__main__":
    unittest.main()
