#!/usr/bin/env python3
"""Questions and stops of delegated tasks: told where their root runs, answered from anywhere, and then the whole tree goes on to its end."""
import json
import os
import re
import signal
import unittest

from home import CONFLICT, PAUSED, WAITING
from terminal import TerminalHome

CALCULATE = {"tool_calls": [{"name": "calculator", "arguments": {"expression": "1+1"}}]}
COLOUR = {"tool_calls": [{"name": "ask_human", "arguments": {"question": "Which colour?"}}]}
YES = "[y]es, [n]o REASON"


def delegate(*errands):
    return {"when": {"agent": "lead", "nth": 1},
            "tool_calls": [{"name": "delegate", "arguments": {"to": to, "task": task}} for to, task in errands]}


class AskingBelow(TerminalHome):
    def team(self, **execution):
        self.write("cadre.yaml", "name: desk\n")
        agents = [{"name": name, "role": "Works.", "prompt": f"You are {name}.", "tools": ["calculator", "ask_human"]}
                  for name in ("lead", "scout", "clerk")]
        self.write("team.json", {
            "name": "desk", "description": "Finds out.", "default_llm": {}, "tools": [], "agents": agents,
            "handoff_rules": [{"from_agent": "lead", "to_agent": name, "handoff_type": "hierarchical"} for name in ("scout", "clerk")],
            "execution_config": execution})

    def words(self, wants=CALCULATE, errands=(("scout", "Add one and one."),)):
        """What to type: the lead has others do it, each of whom wants something first."""
        self.script([delegate(*errands), {"when": {"agent": "lead", "nth": 2}, "text": "Merged."},
                     *[{"when": {"agent": name, "after_tool": False}, "times": "any", **wants} for name in ("scout", "clerk")],
                     *[{"when": {"agent": name, "after_tool": True}, "times": "any", "text": f"{name} is done."} for name in ("scout", "clerk")]])
        return "run", "team.json", "--model", f"script:{self.folder}/script.json", "Find it out."

    def tasks(self):
        """Of each agent."""
        return {task["agent"]: task["id"] for task in json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]}

    def all_have_ended(self):
        for agent, task in self.tasks().items():
            self.assertEqual(self.status(task), "completed", agent)

    # ---- without a terminal ----

    def test_the_command_ends_with_what_to_type_and_typing_that_brings_the_whole_tree_to_its_end(self):
        for name, execution, wants, answer in (("a point", {"human_intervention_points": ["calculator"]}, CALCULATE, ("approve",)),
                                               ("a tool as a point", {"human_intervention_points": ["tool:calculator"]}, CALCULATE, ("approve",)),
                                               ("an agent as a point", {"human_intervention_points": ["agent:scout"]}, CALCULATE, ("approve",)),
                                               ("a mode", {"mode": "hitl"}, CALCULATE, ("approve",)),
                                               ("a question", {}, COLOUR, ("answer", "blue"))):
            with self.subTest(name):
                self.setUp()
                self.team(**execution)
                done = self.cadre(*self.words(wants))
                root, child = self.tasks()["lead"], self.tasks()["scout"]
                for said in (done, self.cadre("resume", root)):  # the same as often as it is asked
                    self.assertEqual((said.returncode, said.stdout), (WAITING, ""), said.stderr)
                    self.assertIn(f"cadre: task {root[:8]} waits for a person\n"
                                  f"task {child[:8]}, which scout works on for it (Add one and one.), asks:\nscout ", said.stderr)
                    self.assertIn(f"to answer: cadre {answer[0]} {child[:8]}", said.stderr)
                self.assertEqual(self.succeeds(answer[0], child[:8], *answer[1:]), "Merged.\n")
                self.all_have_ended()

    def test_programs_are_told_the_commands(self):
        self.team(mode="hitl")
        done = self.cadre(*self.words(), "--json")
        child = self.tasks()["scout"]
        error = json.loads(done.stderr)["error"]
        self.assertEqual((done.returncode, error["code"]), (WAITING, "waiting"), done.stderr)
        self.assertEqual(error["task"], self.tasks()["lead"])
        self.assertRegex(" ".join(error["commands"]), f"^cadre approve {child[:8]} --request (\\w+) cadre reject {child[:8]} --request \\1$")
        self.assertEqual(self.cadre("reject", child).stdout, "Merged.\n")

    def test_two_who_ask_are_both_named_and_the_one_that_is_left_is_named_again(self):
        self.team(mode="hitl")
        done = self.cadre(*self.words(errands=(("scout", "Add."), ("clerk", "Add too."))))
        tasks = self.tasks()
        self.assertEqual(done.returncode, WAITING, done.stderr)
        for agent in ("scout", "clerk"):
            self.assertIn(f"cadre approve {tasks[agent][:8]}", done.stderr)
        one = self.cadre("approve", tasks["scout"])
        self.assertEqual(one.returncode, WAITING, one.stderr)
        self.assertIn(f"cadre approve {tasks['clerk'][:8]}", one.stderr)
        self.assertNotIn(f"cadre approve {tasks['scout'][:8]}", one.stderr)
        self.assertEqual(self.succeeds("approve", tasks["clerk"]), "Merged.\n")
        self.all_have_ended()

    def test_everything_that_stands_still_ends_resume_of_all(self):
        self.team(mode="hitl")
        self.cadre(*self.words())
        done = self.cadre("resume", "--all")
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(f"{task[:8]}  waiting" for task in self.tasks().values()), done.stderr)

    def test_an_answer_that_nobody_continues_is_kept_for_the_root(self):
        self.team(mode="hitl")
        self.cadre(*self.words())
        child = self.tasks()["scout"]
        self.assertIn("to resume", self.succeeds("approve", child, "--no-wait"))
        self.assertEqual(self.cadre("approve", child).returncode, CONFLICT)
        self.assertEqual(self.succeeds("resume", self.tasks()["lead"]), "Merged.\n")
        self.all_have_ended()

    def test_a_process_that_dies_while_it_takes_the_answer_in_leaves_a_tree_that_goes_on(self):
        crashes = 0
        for point in ("after_intent", "before_dispatch", "after_dispatch", "after_outcome"):
            self.setUp()
            self.team(mode="hitl")
            self.cadre(*self.words())
            died = self.cadre("approve", self.tasks()["scout"], env={"CADRE_CRASH_AT": f"{point}:1"})
            crashes += died.returncode == -signal.SIGKILL
            done = self.cadre("resume", self.tasks()["lead"])
            self.assertEqual((done.returncode, done.stdout), (0, "Merged.\n"), (point, done.stderr))
            self.all_have_ended()
        self.assertGreater(crashes, 2)

    # ---- on a terminal ----

    def test_the_question_is_asked_in_place_and_then_the_run_goes_on_to_its_end(self):
        self.team(mode="hitl")
        seen, code = self.talk(*self.words(), says=[(YES, "y\r")])
        self.assertEqual(code, 0, seen)
        child = self.tasks()["scout"]
        self.assertIn(f"task {child[:8]}, which scout works on for it (Add one and one.), asks:", seen)
        self.assertIn("scout wants to call calculator", seen)
        self.assertIn("Merged.", seen)
        self.assertNotIn("elsewhere", seen)
        self.all_have_ended()

    def test_questions_of_two_are_asked_one_after_the_other(self):
        self.team(mode="hitl")
        seen, code = self.talk(*self.words(errands=(("scout", "Add."), ("clerk", "Add too."))), says=[(YES, "y\r"), (YES, "y\r")])
        self.assertEqual(code, 0, seen)
        self.assertEqual(seen.count("asks:"), 2)
        self.assertIn("Merged.", seen)
        self.all_have_ended()

    def test_a_question_that_is_left_for_later_is_answered_later(self):
        self.team(mode="hitl")
        seen, code = self.talk(*self.words(), says=[(YES, "\x04")])
        child = self.tasks()["scout"]
        self.assertEqual(code, WAITING, seen)
        self.assertIn(f"cadre approve {child[:8]}", seen)
        self.assertEqual(self.succeeds("approve", child), "Merged.\n")
        self.all_have_ended()

    def test_an_answer_from_elsewhere_reaches_the_root_that_another_process_drives(self):
        self.team(mode="hitl")
        said = []

        def approve(_):
            said.append(self.succeeds("approve", self.tasks()["scout"], "--no-wait"))

        seen, code = self.talk(*self.words(), says=[("decide later: ", approve)])
        self.assertEqual(code, 0, seen)
        self.assertRegex(said[0], r"approved; process \d+ continues it")
        self.assertIn("answered elsewhere", seen)
        self.assertIn("Merged.", seen)
        self.all_have_ended()

    def test_a_process_that_is_killed_while_the_question_stands_there_loses_nothing(self):
        self.team(mode="hitl")

        def kill(terminal):
            os.kill(os.tcgetpgrp(terminal), signal.SIGKILL)

        seen, code = self.talk(*self.words(), says=[("decide later: ", kill)])
        self.assertEqual(code, -signal.SIGKILL, seen)
        again = self.cadre("resume", self.tasks()["lead"])
        self.assertEqual(again.returncode, WAITING, again.stderr)
        self.assertEqual(self.succeeds("approve", self.tasks()["scout"]), "Merged.\n")
        self.all_have_ended()

    # ---- failed ones ----

    def test_a_delegated_task_that_fails_is_a_line_as_it_happens(self):
        self.team()
        words = self.words({"fail": {"status": 400, "message": "no such thing"}})
        done = self.cadre(*words)
        child = self.tasks()["scout"]
        self.assertEqual((done.returncode, done.stdout), (0, "Merged.\n"), done.stderr)
        line = next(line for line in done.stderr.splitlines() if line.startswith("✗ "))
        self.assertRegex(line, f"^✗ scout: task {child} failed: the scripted model")
        error = next(event for event in self.events(self.tasks()["lead"]) if event["type"] == "event_error")
        self.assertEqual((error["context"], error["recoverable"]), ({"agent": "scout"}, True))

    # ---- paused ones ----

    def test_a_paused_task_below_is_named_where_its_root_runs(self):
        self.team(mode="hitl")
        self.cadre(*self.words())
        root, child = self.tasks()["lead"], self.tasks()["scout"]
        self.succeeds("pause", child)
        done = self.cadre("resume", root)
        self.assertEqual((done.returncode, done.stdout), (PAUSED, ""), done.stderr)
        self.assertIn(f"task {root[:8]} waits for a task below it\ntask {child[:8]} is paused (user_request)", done.stderr)
        done = self.cadre("resume", child)  # its question is still open
        self.assertEqual(done.returncode, WAITING, done.stderr)
        self.assertEqual(self.succeeds("approve", child), "Merged.\n")

    # TEAM-28 E
    def test_a_breakpoint_of_the_team_stops_a_delegated_task_and_continuing_it_brings_the_tree_to_its_end(self):
        self.team(breakpoints=["calculator"])
        done = self.cadre(*self.words())
        root, child = self.tasks()["lead"], self.tasks()["scout"]
        self.assertEqual((done.returncode, done.stdout), (PAUSED, ""), done.stderr)
        self.assertIn(f"task {root[:8]} waits for a task below it\n"
                      f"task {child[:8]} is paused (breakpoint): tool:calculator, before use:1.0\n"
                      f"to resume: cadre continue {child[:8]}\n", done.stderr)
        self.assertEqual(self.succeeds("continue", child), "Merged.\n")
        self.all_have_ended()

    def test_a_stop_below_ends_the_command_on_a_terminal_too(self):
        self.team(breakpoints=["agent:scout"])
        seen, code = self.talk(*self.words())
        self.assertEqual(code, PAUSED, seen)
        self.assertIn(f"cadre continue {self.tasks()['scout'][:8]}", seen)
        again = self.cadre("continue", self.tasks()["lead"])  # to the next call of that agent
        self.assertEqual(again.returncode, PAUSED, again.stderr)
        self.assertEqual(self.succeeds("continue", self.tasks()["lead"]), "Merged.\n")

    def test_steps_of_the_root_are_taken_where_the_tree_is_stopped(self):
        self.team()
        done = self.cadre(*self.words(), "--mode", "step")
        root = self.tasks()["lead"]
        stops = []
        while done.returncode == PAUSED and len(stops) < 20:
            stops.append(done.stderr)
            done = self.cadre("step", root)
        self.assertEqual((done.returncode, done.stdout), (0, "Merged.\n"), done.stderr)
        child = self.tasks()["scout"]
        below = [said for said in stops if f"task {child[:8]} is paused (step_mode)" in said]
        self.assertEqual([re.search(r"is paused \(step_mode\): (.*)", said)[1] for said in below],
                         ["before the next model call of scout", "before the call of calculator", "before the next model call of scout"])
        for said in below:
            self.assertIn(f"to resume: cadre step {child[:8]}\nto run without stepping: cadre continue {child[:8]}", said)
        self.all_have_ended()

    def test_continue_of_the_root_ends_step_mode_below(self):
        self.team()
        self.cadre(*self.words(), "--mode", "step")
        root = self.tasks()["lead"]
        for _ in range(20):
            if "scout" in self.tasks():
                break
            self.cadre("step", root)
        self.assertEqual(self.status(self.tasks()["scout"]), "paused")
        self.assertEqual(self.succeeds("continue", root), "Merged.\n")
        self.all_have_ended()


if __name__ == "__main__":
    unittest.main()
