#!/usr/bin/env python3
"""Stepping through a task: pause, step, continue, breakpoints, intervene; each from another process and after a crash too."""
import json
import signal
import unittest

from home import CONFLICT, Home, INVALID, NOT_FOUND, PAUSED, SUM, WAITING, calls

SLOW = [{**calls("calculator", expression="1+1"), "delay_ms": 400}, {**calls("calculator", expression="2+2"), "delay_ms": 400},
        {"text": "Slow and done.", "delay_ms": 400}]
THREE = [calls("calculator", expression="1+1"), calls("write_file", path="a.txt", content="x"), {"text": "Done."}]


class Stepping(Home):
    def paused(self, entries, *words, **options):
        done = self.run_agent(entries, *words, **options)
        self.assertEqual((done.returncode, done.stdout), (PAUSED, ""), done.stderr)
        return self.only_task(), done.stderr

    def last_pause(self, task):
        return next(event for event in reversed(self.events(task)) if event["type"] == "event_task_paused")

    def waiting(self, status):
        [task] = [one["id"] for one in json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"] if one["status"] == status]
        return task

    # CKPT-18 E
    def test_one_task_in_three_modes(self):
        self.assertEqual(self.run_agent(THREE, "--mode", "autonomous").stdout, "Done.\n")
        by_steps = self.run_agent(THREE, "--mode", "step", name="step.json")
        self.assertEqual(by_steps.returncode, PAUSED, by_steps.stderr)
        self.assertEqual(self.succeeds("continue", self.waiting("paused")), "Done.\n")
        asking = self.run_agent(THREE, "--mode", "hitl", name="hitl.json")
        task = self.waiting("waiting")
        for tool in ("calculator", "write_file"):
            self.assertEqual(asking.returncode, WAITING, asking.stderr)
            self.assertIn(tool, asking.stderr)
            self.assertEqual(self.last_pause(task)["reason"], "hitl_intervention")
            asking = self.cadre("approve", task, *self.now_asked(task))
        self.assertEqual((asking.returncode, asking.stdout), (0, "Done.\n"), asking.stderr)
        self.assertEqual(self.run_agent(THREE, "--mode", "by-hand").returncode, INVALID)

    # CKPT-19 E
    def test_step_mode_takes_as_many_steps_as_it_is_told_to(self):
        task, said = self.paused(THREE, "--mode", "step")
        self.assertIn(f"cadre step {task[:8]}", said)
        self.assertIn(f"cadre continue {task[:8]}", said)
        self.assertEqual(self.last_pause(task)["reason"], "step_mode")
        for thoughts, results in ((1, 0), (1, 1), (2, 1)):  # a tool call is a step of its own
            done = self.cadre("step", task[:8])
            self.assertEqual(done.returncode, PAUSED, done.stderr)
            self.assertEqual(self.kinds(task).count("agent_complete"), thoughts)
            self.assertEqual(self.kinds(task).count("tool_result"), results)
        self.assertEqual(self.succeeds("step", task, 3), "Done.\n")
        done = self.cadre("step", task)
        self.assertEqual(done.returncode, CONFLICT)
        self.assertIn(f"cadre fork {task}", done.stderr)
        self.assertEqual(self.cadre("step", task, "none").returncode, INVALID)

    # CKPT-20 E
    def test_continue_leaves_step_mode(self):
        task, _ = self.paused(THREE, "--mode", "step")
        self.cadre("step", task)
        self.assertEqual(self.succeeds("continue", task), "Done.\n")
        resumed = [event["reason"] for event in self.events(task) if event["type"] == "event_task_resumed"]
        self.assertEqual(resumed, ["step", "continue"])
        self.assertEqual(self.cadre("replay", task).returncode, 0)

    # CKPT-22 E
    def test_a_task_that_runs_elsewhere_is_paused_and_goes_on_here(self):
        runs, task = self.start_agent(SLOW)
        self.assertIn("paused\nto continue: cadre continue", self.succeeds("pause", task))
        _, err, code = self.end(runs)
        self.assertEqual(code, PAUSED, err)
        self.assertEqual(json.loads(err)["error"]["code"], "paused")
        self.assertEqual(self.last_pause(task)["reason"], "user_request")
        done = self.cadre("pause", task)
        self.assertEqual(done.returncode, CONFLICT)
        self.assertIn(f"paused already; to continue: cadre continue {task}", done.stderr)
        self.assertEqual(self.cadre("step", task).returncode, PAUSED)  # it had run by itself before
        self.assertEqual(self.last_pause(task)["reason"], "step_mode")
        self.assertEqual(self.succeeds("continue", task), "Slow and done.\n")
        self.assertEqual(self.cadre("pause", task).returncode, CONFLICT)

    def test_a_pause_is_said_when_the_call_under_way_is_done(self):
        runs, task = self.start_agent([{**calls("calculator", expression="1+1"), "delay_ms": 3000}, {"text": "Done."}])
        self.next_event(runs, "event_agent_start")
        pauses = self.start("pause", task)
        self.assertIn(f"task {task[:8]} pauses when the current call is done", pauses.stderr.readline())
        self.assertNotIn("agent_complete", self.kinds(task))
        out, err, code = self.end(pauses)
        self.assertEqual((code, out.splitlines()[0]), (0, f"task {task[:8]}: paused"), err)
        self.assertIn("agent_complete", self.kinds(task))
        self.assertEqual(self.end(runs)[2], PAUSED)

    def test_a_pause_and_breakpoints_of_a_task_whose_process_was_killed_are_kept_and_start_nothing(self):
        done = self.run_agent(THREE, env={"CADRE_CRASH_AT": "after_dispatch:1"})
        self.assertEqual(done.returncode, -signal.SIGKILL)
        task = self.only_task()
        before = self.kinds(task)
        said = self.succeeds("breakpoints", task, "--add", "tool:write_file")
        self.assertEqual(said, "tool:write_file\n")
        self.assertIn("to continue", self.succeeds("pause", task))
        self.assertEqual(self.kinds(task), before + ["task_paused"])
        self.assertEqual(self.cadre("continue", task).returncode, PAUSED)
        self.assertEqual(self.last_pause(task)["reason"], "breakpoint")
        self.assertEqual(self.succeeds("continue", task), "Done.\n")

    # CKPT-21 E
    def test_breakpoints_stop_at_agents_tools_and_conditions(self):
        task, _ = self.paused(THREE, "--mode", "step")
        self.assertEqual(self.succeeds("breakpoints", task), "")
        added = self.succeeds("breakpoints", task, "--add", "tool:write_file", "--add", "condition:steps>=3")
        self.assertEqual(added, "tool:write_file\ncondition:steps >= 3\n")
        done = self.cadre("continue", task)
        self.assertEqual(done.returncode, PAUSED)
        self.assertIn("tool:write_file", done.stderr)
        hits = [event for event in self.events(task) if event["type"] == "event_breakpoint_hit"]
        self.assertEqual([(hit["breakpoint_id"], hit["breakpoint_type"]) for hit in hits], [("tool:write_file", "tool")])
        self.assertEqual(self.succeeds("breakpoints", task, "--remove", "condition: steps >=3", "--add", "agent:researcher"),
                         "tool:write_file\nagent:researcher\n")
        self.assertEqual(self.cadre("continue", task).returncode, PAUSED)
        hits = [event for event in self.events(task) if event["type"] == "event_breakpoint_hit"]
        self.assertEqual((hits[-1]["breakpoint_type"], hits[-1]["agent_name"]), ("agent", "researcher"))
        told = json.loads(self.succeeds("breakpoints", task, "--clear", "--json"))
        self.assertEqual(told, {"task": task, "breakpoints": []})
        self.assertEqual(self.succeeds("continue", task), "Done.\n")

    def test_breakpoints_that_cannot_be_are_refused_with_what_can(self):
        task, _ = self.paused(THREE, "--mode", "step")
        for text, code, says in (("writer", INVALID, "is not a breakpoint; there are agent:NAME"),
                                 ("agent:reseacher", INVALID, "it has: researcher"),
                                 ("tool:mail", INVALID, "it has: ask_human, calculator"),
                                 ("condition:mood > 3", INVALID, "over tokens, steps, calls and cost")):
            done = self.cadre("breakpoints", task, "--add", text)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(says, done.stderr)
        done = self.cadre("breakpoints", task, "--remove", "tool:calculator")
        self.assertEqual(done.returncode, NOT_FOUND)
        self.assertIn("there is no breakpoint tool:calculator", done.stderr)

    # CKPT-24 E
    def test_an_instruction_is_heard_by_the_next_model_call_after_a_restart_too(self):
        entries = [calls("calculator", expression="1+1"), {"when": {"contains": "in French"}, "text": "Deux."}]
        task, _ = self.paused(entries, "--mode", "step")
        self.cadre("step", task)
        said = self.succeeds("intervene", task, "Answer in French.")
        self.assertIn("will hear that\nto continue: cadre continue", said)
        event = next(event for event in self.events(task) if event["type"] == "event_user_intervention")
        self.assertEqual((event["intervention_type"], event["details"]["instruction"]), ("instruction", "Answer in French."))
        self.assertEqual(self.succeeds("continue", task), "Deux.\n")
        self.assertEqual(self.cadre("intervene", task, "Too late.").returncode, CONFLICT)

    def test_plan_and_agent_are_changed_while_the_task_rests(self):
        task, _ = self.paused(THREE, "--mode", "step")
        plan = self.home.parent / "plan.json"
        plan.write_text('{"tasks": ["first", "second"]}')
        for words, kind in ((["--plan", plan], "plan_update"), (["--next-agent", "researcher"], "agent_override"),
                            (["Be brief."], "instruction")):
            self.assertIn("to ", self.succeeds("intervene", task, *words))
            told = [event for event in self.events(task) if event["type"] == "event_user_intervention"]
            self.assertEqual(told[-1]["intervention_type"], kind)
        page = self.succeeds("show", task)
        for says in ("plan changed", "next agent: researcher", "told: Be brief."):
            self.assertRegex(page, rf"Changed +.*{says}")
        for words in (["--next-agent", "nobody"], [], ["x", "--next-agent", "researcher"]):
            self.assertEqual(self.cadre("intervene", task, *words).returncode, INVALID, words)
        self.assertEqual(self.succeeds("continue", task), "Done.\n")
        self.assertEqual(self.cadre("replay", task).returncode, 0)

    def test_a_team_is_changed_while_its_task_rests_and_whoever_is_next_is_as_it_says(self):
        team = {"name": "desk", "description": "Writes.", "default_llm": {}, "tools": [],
                "agents": [{"name": name, "role": "Works.", "prompt": f"You are {name}."} for name in ("writer", "reviewer")],
                "handoff_rules": [{"from_agent": "writer", "to_agent": "reviewer"}]}
        script = self.script([{"when": {"agent": name}, "text": f"{name} is done."} for name in ("writer", "reviewer")])
        self.cadre("run", self.write("team.json", team), "--mode", "step", "--model", script, "Go.")
        task = self.only_task()
        changed = {**team, "agents": [team["agents"][0], {**team["agents"][1], "prompt": "Answer in French."}]}
        wrong = self.cadre("intervene", task, "--team", self.write("wrong.json", {**changed, "agents": []}))
        self.assertEqual(wrong.returncode, INVALID, wrong.stdout)
        self.succeeds("intervene", task, "--team", self.write("changed.json", changed))
        told = [event for event in self.events(task) if event["type"] == "event_user_intervention"]
        self.assertEqual([event["intervention_type"] for event in told], ["team_modification"])
        self.assertEqual(self.succeeds("continue", task), "reviewer is done.\n")
        sent = json.loads(self.succeeds("show", task, "--requests", "--json"))["requests"]
        prompts = [json.dumps(request) for request in sent]
        self.assertEqual(["Answer in French." in prompt for prompt in prompts], [False, True])
        self.assertIn("You are writer.", prompts[0])
        self.assertEqual(self.cadre("replay", task).returncode, 0)

    def test_an_instruction_reaches_a_task_that_runs_in_another_process(self):
        entries = [{**calls("calculator", expression="1+1"), "delay_ms": 600}, {"when": {"contains": "in French"}, "text": "Deux."}]
        runs, task = self.start_agent(entries)
        self.assertIn(f"process {runs.pid} continues it", self.succeeds("intervene", task, "Answer in French."))
        out, err, code = self.end(runs)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.show(task)["task"]["reply"]["text"], "Deux.")

    def test_what_is_unknown_is_said_clearly(self):
        for verb in (["pause", "abc"], ["step", "abc"], ["continue", "abc"], ["breakpoints", "abc"], ["intervene", "abc", "x"]):
            done = self.cadre(*verb)
            self.assertEqual(done.returncode, NOT_FOUND, done.stderr)
            self.assertIn("no tasks", done.stderr)
        self.run_agent(SUM)
        self.assertIn("no task begins with", self.cadre("pause", "zzz").stderr)


if __name__ == "__main__":
    unittest.main()
