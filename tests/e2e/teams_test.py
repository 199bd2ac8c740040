#!/usr/bin/env python3
"""Teams: agents hand over, are refused, die and come back, and end when their criteria say so."""
import json
import unittest

from desk import Desk, mcp
from home import NOT_FOUND

LIMIT_CODE = 5  # a bound of the run was reached
COUNT = {"description": "Counts.", "input_schema": {"type": "object"}, "answers": [{"text": "counted", "count": True, "times": "any"}]}
POINTS = ("after_intent", "before_dispatch", "after_dispatch", "after_outcome")


def rule(a, b, **more):
    return {"from_agent": a, "to_agent": b, **more}


CIRCLE = [rule("writer", "reviewer"), rule("reviewer", "writer")]


def says(agent, text, times=1, **when):
    return {"when": {"agent": agent, **when}, "text": text, "times": times}


def hands_over(agent, to, reason="It is your turn.", text="", **more):
    return {"when": {"agent": agent, **more.pop("when", {})}, "text": text,
            "tool_calls": [{"name": "handoff", "arguments": {"to": to, "reason": reason, **more.pop("arguments", {})}}], **more}


class Teams(Desk):
    def team(self, rules=(), agents=("writer", "reviewer", "tester"), tools=(), granted=(), patterns=(), **execution):
        self.write("cadre.yaml", "name: desk\n")
        self.write("team.json", {
            "name": "desk", "description": "Writes.", "default_llm": {}, "tools": list(tools), "handoff_rules": list(rules),
            "collaboration_patterns": list(patterns), "execution_config": execution,
            "agents": [{"name": name, "role": "Works.", "prompt": f"You are {name}.", "tools": list(granted)} for name in agents]})

    def go(self, entries, *words, env=None):
        return self.cadre("run", "team.json", "--model", self.script(entries), *words, "Write about tea.", env=env)

    def handoffs(self, task):
        return [f"{e['from_agent']}>{e['to_agent']} {e['handoff_type']}" for e in self.events(task) if e["type"] == "event_agent_handoff"]

    def history(self, task):
        return [json.loads(line) for line in (self.home / "tasks" / task / "history.jsonl").read_text().splitlines()]

    def every_call_has_one_result(self, task):
        calls, results = [], []
        for step in self.history(task):
            for part in step["parts"]:
                if part["type"] == "tool_call":
                    calls.append(part["tool_call"]["id"] if "id" in part["tool_call"] else part["tool_call"]["tool_call_id"])
                if part["type"] == "tool_result":
                    results.append(part["tool_result"]["tool_call_id"])
        self.assertEqual(sorted(calls), sorted(results))
        self.assertTrue(calls)


class Handoffs(Teams):
    def test_a_circle_of_handoffs_ends_with_the_writers_second_text(self):
        self.team(CIRCLE)
        done = self.go([hands_over("writer", "reviewer", text="Tea."), hands_over("reviewer", "writer", "Too short."),
                        says("writer", "Tea is good.", contains="Too short.")])
        self.assertEqual((done.returncode, done.stdout), (0, "Tea is good.\n"), done.stderr)
        self.assertNotIn("only agent", done.stderr)
        task = self.only_task()
        self.assertEqual(self.kinds(task), ["task_start", "agent_start", "agent_complete", "agent_handoff", "agent_start", "agent_complete",
                                            "agent_handoff", "agent_start", "agent_complete", "task_complete"])
        self.assertEqual(self.handoffs(task), ["writer>reviewer sequential", "reviewer>writer sequential"])
        self.every_call_has_one_result(task)

    # TEAM-16 E
    def test_a_handoff_without_a_rule_is_refused(self):
        self.team([rule("writer", "reviewer")])
        done = self.go([hands_over("writer", "tester"), says("writer", "Alone.", after_tool=True), says("reviewer", "Fine.")])
        self.assertEqual((done.returncode, done.stdout), (0, "Fine.\n"), done.stderr)
        task = self.only_task()
        self.assertEqual(self.handoffs(task), ["writer>reviewer sequential"])
        self.assertEqual(self.said(task), ['! No rule of the team lets you ask "tester"; now you may call handoff for: reviewer.'])
        self.every_call_has_one_result(task)

    # TEAM-14 E
    def test_a_condition_decides_whether_there_is_a_handoff(self):
        for text, speaker in (("A draft, ready.", "reviewer"), ("A draft.", "writer")):
            self.afresh()
            self.team([rule("writer", "reviewer", condition="'ready' in answer")])
            done = self.go([says("writer", text), *([says("reviewer", "Fine.")] if speaker == "reviewer" else [])])
            self.assertEqual((done.returncode, done.stdout), (0, "Fine.\n" if speaker == "reviewer" else f"{text}\n"), done.stderr)

    # TEAM-15 E
    def test_each_type_of_handoff(self):
        self.team([rule("writer", "reviewer", handoff_type="parallel"), rule("writer", "tester", handoff_type="hierarchical")])
        done = self.go([
            {"when": {"agent": "writer"}, "tool_calls": [
                {"name": "handoff", "arguments": {"to": "reviewer", "reason": "Look."}},
                {"name": "delegate", "arguments": {"to": "tester", "task": "Test tea."}}]},
            says("tester", "Tested.", "any", contains="Test tea."), says("reviewer", "Looked."), says("writer", "Written.", contains="Tested.")])
        self.assertEqual((done.returncode, done.stdout), (0, "[writer] Written.\n\n[reviewer] Looked.\n"), done.stderr)
        tasks = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]
        parent = next(task["id"] for task in tasks if task["agent"] == "writer")
        self.assertEqual(sorted(self.handoffs(parent)), ["writer>reviewer parallel", "writer>tester hierarchical"])
        self.every_call_has_one_result(parent)

    def test_two_who_hand_over_for_ever_are_stopped_and_named(self):
        self.team(CIRCLE, max_steps=50)
        done = self.go([hands_over("writer", "reviewer", times="any"), hands_over("reviewer", "writer", times="any")])
        self.assertEqual(done.returncode, LIMIT_CODE, done.stderr)
        task = self.only_task()
        self.assertIn("20 handoffs, and writer would hand over to reviewer again", self.show(task)["task"]["error"])
        self.assertEqual(len(self.handoffs(task)), 20)

    def test_max_steps_ends_a_circle(self):
        self.team(CIRCLE, max_steps=3)
        done = self.go([hands_over("writer", "reviewer", times="any"), hands_over("reviewer", "writer", times="any")])
        self.assertEqual(done.returncode, LIMIT_CODE, done.stderr)
        self.assertEqual(self.kinds(self.only_task()).count("agent_start"), 3)


class Crashes(Teams):
    def test_a_team_that_is_killed_anywhere_goes_on_where_it_was(self):
        entries = [{"when": {"agent": "writer"}, "text": "Tea.", "tool_calls": [{"name": "pub", "arguments": {}}]},
                   hands_over("writer", "reviewer", when={"after_tool": True}),
                   {"when": {"agent": "reviewer"}, "tool_calls": [{"name": "pub", "arguments": {}}]},
                   hands_over("reviewer", "writer", "Too short.", when={"after_tool": True}),
                   says("writer", "Tea is good.", contains="Too short.")]
        crashes = 0
        for point in POINTS:
            for nth in range(1, 8):
                self.afresh()
                self.serve([{"name": "pub", **COUNT}])
                self.team(CIRCLE, granted=["pub"], tools=[mcp("pub", effect="idempotent")])
                done = self.go(entries, env={"CADRE_CRASH_AT": f"{point}:{nth}"})
                if done.returncode == 0:
                    break
                if not json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]:
                    continue  # it died before the task was accepted
                crashes += 1
                done = self.cadre("resume", self.only_task())
                self.assertEqual((done.returncode, done.stdout), (0, "Tea is good.\n"), (point, nth, done.stderr))
                task = self.only_task()
                self.assertEqual(len(self.handoffs(task)), 2)
                self.assertEqual(len(set(self.counted())), 2)
                self.every_call_has_one_result(task)
        self.assertGreater(crashes, 10)


class Criteria(Teams):
    # TEAM-30 E
    def test_a_criterion_that_is_met_ends_the_task(self):
        judge = {"when": {"agent": "judge"}, "text": json.dumps({"met": [1], "reason": ""})}
        for name, execution, entries, code, error in (
                ("success", {"success_criteria": ["expr: 'tea' in answer"]}, [hands_over("writer", "reviewer", text="About tea.")], 0, None),
                ("judged", {"success_criteria": ["It is about tea."]}, [says("writer", "About tea."), judge], 0, None),
                ("failure", {"failure_criteria": ["expr: 'coffee' in answer"]}, [says("writer", "About coffee.")], 1,
                 "failure criterion met: expr: 'coffee' in answer"),
                ("judged failure", {"failure_criteria": ["It is about tea."]}, [says("writer", "About tea."), judge], 1,
                 "failure criterion met: It is about tea.")):
            with self.subTest(name):
                self.afresh()
                self.team(CIRCLE, **execution)
                done = self.go(entries)
                task = self.only_task()
                self.assertEqual(self.show(task)["task"].get("error"), error, done.stderr)
                self.assertEqual(done.returncode == 0, code == 0, done.stderr)
                self.assertEqual(self.events(task)[-1]["final_status"], "error" if error else "success")


class Patterns(Teams):
    BOSS = {"name": "boss", "type": "hierarchical", "agents": ["reviewer", "tester"], "coordination_agent": "writer"}

    # TEAM-23 E
    def test_a_coordinator_delegates_and_its_step_is_the_workers_parent(self):
        self.team(patterns=[self.BOSS])
        done = self.go([{"when": {"agent": "writer"}, "tool_calls": [{"name": "delegate", "arguments": {"to": "tester", "task": "Test tea."}}]},
                        says("tester", "Tested.", "any"), says("writer", "Merged.", contains="Tested.")])
        self.assertEqual((done.returncode, done.stdout), (0, "Merged.\n"), done.stderr)
        tasks = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]
        self.assertEqual(len(tasks), 2)
        histories = [self.history(task["id"]) for task in tasks]
        steps = {step["step_id"] for history in histories for step in history if step["agent_name"] == "writer"}
        workers = [step for history in histories for step in history if step["agent_name"] == "tester"]
        self.assertTrue(workers)
        for step in workers:
            self.assertIn(step["parent_step_id"], steps)

    def test_a_pattern_can_be_named_and_a_wrong_name_is_refused(self):
        self.team(CIRCLE, patterns=[self.BOSS])
        done = self.go([says("writer", "Alone.")], "--pattern", "bos")
        self.assertEqual(done.returncode, NOT_FOUND, done.stderr)
        self.assertIn('the team desk has no collaboration pattern called "bos"; did you mean boss?', done.stderr)
        done = self.go([says("writer", "Alone.")], "--pattern", "boss")
        self.assertEqual((done.returncode, done.stdout), (0, "Alone.\n"), done.stderr)
        self.assertEqual(self.kinds(self.only_task())[-1], "task_complete")

    def test_every_agent_that_may_speak_needs_its_key(self):
        self.team([rule("writer", "reviewer")])
        file = self.folder / "team.json"
        team = json.loads(file.read_text())
        team["default_llm"] = {"provider": "script", "model": str(self.write("s.json", [says("writer", "x")]))}
        team["agents"][1]["llm_config"] = {"provider": "openai", "model": "gpt-5-mini"}
        team["agents"][2]["llm_config"] = {"provider": "anthropic", "model": "claude-sonnet-4-5"}
        file.write_text(json.dumps(team))
        done = self.cadre("run", "team.json", "Go.")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("OPENAI_API_KEY", done.stderr)
        self.assertNotIn("ANTHROPIC_API_KEY", done.stderr)


if __name__ == "__main__":
    unittest.main()
