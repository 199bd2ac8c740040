#!/usr/bin/env python3
"""Nothing that a model says is lost: the text of every turn is on the screen, in events and in `tail`, however it came."""
import json
import unittest

from home import INVALID, UPSTREAM
from terminal import TerminalHome, picture

ASIDE = "Let me see\nwhether the tools work."
CALL = [{"name": "calculator", "arguments": {"expression": "6*7"}}]
AT_ONCE = [{"text": ASIDE, "tool_calls": CALL}, {"text": "It is 42."}]
IN_PIECES = [{"text": ASIDE, "tool_calls": CALL, "chunks": 5}, {"text": "It is 42.", "chunks": 3}]
BREAKS = [{"text": "Half of an answer", "truncate_after": 7}, {"text": "The whole answer."}]


class Said(TerminalHome):
    def said(self, lines):
        return [event.get("text") for event in (json.loads(line).get("event", {}) for line in lines.splitlines())
                if event.get("type") == "event_agent_complete"]

    def chunks(self, lines):
        return [line["chunk"] for line in map(json.loads, lines.splitlines()) if "chunk" in line]

    def words(self, entries, *more):
        return ["run", "--agent", "researcher", "--model", self.script(entries), *more, "Go."]

    def test_every_turn_s_text_is_in_the_events_of_run_and_tail(self):
        for entries in (AT_ONCE, IN_PIECES):
            with self.subTest(entries=entries):
                done = self.cadre(*self.words(entries, "--json"))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.said(done.stdout), [ASIDE, "It is 42."])
                task = json.loads(done.stdout.splitlines()[0])["event"]["task_id"]
                self.assertEqual(self.succeeds("tail", "--json", task), done.stdout)
                lines = [line.strip() for line in self.succeeds("tail", task).splitlines()]
                self.assertIn("whether the tools work.", lines)

    def test_a_turn_without_text_has_none(self):
        done = self.cadre(*self.words([{"tool_calls": CALL}, {"text": "It is 42."}], "--json"))
        self.assertEqual(self.said(done.stdout), [None, "It is 42."])

    def test_every_turn_s_text_is_on_the_screen_once(self):
        for env in ({}, {"TERM": "dumb"}):
            for entries in (AT_ONCE, IN_PIECES):
                with self.subTest(env=env, entries=entries):
                    seen, code = self.talk(*self.words(entries), env=env)
                    self.assertEqual(code, 0, seen)
                    lines = picture(seen, 80)
                    for line in [*ASIDE.splitlines(), "It is 42."]:
                        self.assertEqual(lines.count(line), 1, lines)
                    call = next(i for i, line in enumerate(lines) if "calculator" in line)
                    self.assertLess(lines.index("whether the tools work."), call)

    def test_where_the_answer_goes_elsewhere_the_rest_is_told_beside_it(self):
        done = self.cadre(*self.words(AT_ONCE))
        self.assertEqual(done.stdout, "It is 42.\n")
        self.assertIn("researcher: Let me see\nresearcher: whether the tools work.\n", done.stderr)
        self.assertNotIn("It is 42.", done.stderr)
        self.assertEqual(self.cadre(*self.words(AT_ONCE, "--quiet")).stderr, "")

    def test_pieces_are_told_on_request_and_make_the_text(self):
        done = self.cadre(*self.words(IN_PIECES, "--json", "--deltas"))
        self.assertEqual(done.returncode, 0, done.stderr)
        steps = {}
        for chunk in self.chunks(done.stdout):
            steps.setdefault(chunk["step_id"], []).append(chunk)
        self.assertEqual(["".join(chunk["text"] for chunk in pieces) for pieces in steps.values()], [ASIDE, "It is 42."])
        for pieces in steps.values():
            self.assertEqual([chunk["is_final"] for chunk in pieces], [False] * (len(pieces) - 1) + [True])
        self.assertEqual(self.chunks(self.cadre(*self.words(IN_PIECES, "--json")).stdout), [])

    def test_pieces_of_a_task_that_another_process_runs_are_told(self):
        slow = [{"text": "one two three four", "chunks": ["one ", "two ", "three ", "four"], "pace_ms": 100, "delay_ms": 1500}]
        process, task = self.start_agent(slow)
        seen = self.succeeds("tail", "-f", "--json", "--deltas", task)
        self.end(process)
        pieces = self.chunks(seen)
        self.assertEqual("".join(chunk["text"] for chunk in pieces), "one two three four")
        self.assertGreater(len(pieces), 2)
        events = "".join(line + "\n" for line in seen.splitlines() if "seq" in json.loads(line))
        self.assertEqual(events, self.succeeds("tail", "--json", task))
        self.assertEqual(self.succeeds("tail", "-f", "--json", "--deltas", task), events)  # and nobody owns the home now

    def test_pieces_are_for_programs_and_not_stored(self):
        for words in (self.words(AT_ONCE, "--deltas"), ["tail", "-f", "--deltas", "00"]):
            done = self.cadre(*words)
            self.assertEqual((done.returncode, done.stdout), (INVALID, ""))
            self.assertIn("--deltas is for --json", done.stderr)
        done = self.cadre("tail", "--json", "--deltas", "00")
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("--deltas needs --follow", done.stderr)

    def test_an_answer_that_breaks_off_says_so(self):
        for env in ({}, {"TERM": "dumb"}):
            with self.subTest(env=env):
                seen, code = self.talk(*self.words(BREAKS), env=env)
                self.assertEqual(code, 0, seen)
                lines = [line.strip(" !") for line in picture(seen, 80)]
                order = [lines.index(line) for line in ("Half of", "researcher's answer broke off here", "The whole answer.")]
                self.assertEqual(order, sorted(order))
        done = self.cadre(*self.words(BREAKS, "--json", "--deltas"))
        self.assertEqual([chunk["step_id"] for chunk in self.chunks(done.stdout) if chunk.get("aborted")],
                         [json.loads(line)["event"]["step_id"] for line in done.stdout.splitlines()
                          if '"event_agent_start"' in line])
        self.assertEqual(self.said(done.stdout), ["The whole answer."])

    def test_an_answer_that_breaks_off_for_good_is_not_taken_for_one(self):
        seen, code = self.talk(*self.words([{"text": "Half of an answer", "truncate_after": 7, "times": 3}]))
        self.assertEqual(code, UPSTREAM, seen)
        self.assertEqual("\n".join(picture(seen, 80)).count("answer broke off here"), 3)


if __name__ == "__main__":
    unittest.main()
