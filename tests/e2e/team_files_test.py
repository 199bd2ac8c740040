#!/usr/bin/env python3
"""What a team file says holds when it is run: alone in its folder, with its limits, its people, and a copy in the task's folder."""
import json
import unittest

from home import Home, NOT_FOUND, WAITING, calls

LIMIT_CODE = 5  # a bound of the run was reached
AGENT = {"name": "clerk", "role": "Works.", "prompt": "You work.", "tools": ["calculator", "write_file"]}
SUM = calls("calculator", expression="1+1")


class Teams(Home):
    def team(self, agents=(AGENT,), **execution):
        self.write("team.yaml", {"name": "desk", "description": "Works.", "default_llm": {}, "agents": list(agents), "tools": [],
                                 "execution_config": execution})  # JSON is YAML too

    def go(self, entries, *words, team="team.yaml"):
        return self.cadre("run", team, "--model", self.script(entries), *words, "Go.")

    def tasks(self):
        return {task["id"] for task in json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]}


class Files(Teams):
    # TEAM-01 C
    def test_a_team_file_is_all_that_a_run_needs(self):
        alone = self.write("alone/team.yaml", "\n".join([
            "name: desk", "description: Works.", "default_llm: {provider: script, model: ../script.json}", "tools: []",
            "agents:", "  - name: clerk", "    role: Works.", "    prompt: You work.", "    tools: [calculator]"])).parent
        self.script([calls("calculator", expression="6*7"), {"text": "It is 42.", "when": {"contains": "42"}}])
        done = self.cadre("run", "team.yaml", "What is 6*7?", cwd=alone)
        self.assertEqual((done.returncode, done.stdout), (0, "It is 42.\n"), done.stderr)
        self.assertEqual([file.name for file in alone.iterdir()], ["team.yaml"])

    # TEAM-31 F
    def test_the_copy_in_the_tasks_folder_is_the_team_that_was_run(self):
        self.team(max_steps=7, human_intervention_points=["write_file"])
        self.assertEqual(self.go([{"text": "Done."}]).returncode, 0)
        first = self.only_task()
        whole = (self.home / "tasks" / first / "team.yaml").read_text()  # with all defaults, and what is known of its tools
        for words in ("name: desk", "name: clerk", "prompt: You work.", "max_steps: 7", "human_intervention_points: [write_file]"):
            self.assertIn(words, whole)
        self.write("whole.yaml", whole)
        self.assertEqual(self.go([{"text": "Done."}], team="whole.yaml").returncode, 0)
        (second,) = self.tasks() - {first}
        self.assertEqual((self.home / "tasks" / second / "team.yaml").read_text(), whole)


    # AGENT-13 F
    def test_each_agent_is_a_file_of_its_name_and_a_task_has_it_as_it_was_written(self):
        self.succeeds("init", "new")
        self.assertEqual({file.stem for file in (self.folder / "new/agents").iterdir()}, {"summarizer"})
        written = {**AGENT, "temperature": 0.3, "max_iterations": 4, "max_parallel_tasks": 2,
                   "memory_config": {"short_term_limit": 5000, "long_term_enabled": False, "semantic_search_enabled": True,
                                     "consolidation_interval": 60, "vector_db_config": {}}}
        self.write("agents/clerk.json", written)
        self.assertEqual(self.cadre("run", "--agent", "clerk", "--model", self.script([{"text": "Done."}]), "Go.").returncode, 0)
        (self.folder / "agents/clerk.json").unlink()
        self.assertEqual(self.cadre("run", "--agent", "clerk", "--model", self.script([{"text": "Done."}]), "Go.").returncode, NOT_FOUND)
        self.succeeds("export", self.only_task(), "-o", "task.jsonl")
        documents = [json.loads(line).get("document", {}) for line in (self.folder / "task.jsonl").read_text().splitlines()]
        (agent,) = [agent for one in documents if one.get("kind") == "team" for agent in json.loads(one["text"])["agents"]]
        self.assertEqual({name: agent[name] for name in written}, written)
        self.write("agents/clerk.json", {name: agent[name] for name in written})
        self.assertEqual(self.cadre("run", "--agent", "clerk", "--model", self.script([{"text": "Again."}]), "Go.").stdout, "Again.\n")


class Limits(Teams):
    def fails(self, entries, error):
        done = self.go(entries)
        self.assertEqual((done.returncode, done.stdout), (LIMIT_CODE, ""), done.stderr)
        task = self.only_task()
        shown = self.show(task)
        self.assertEqual((shown["task"]["status"], shown["task"]["error"]), ("failed", error))
        self.assertEqual(self.events(task)[-1]["final_status"], "error")
        return shown["usage"]

    # TEAM-26 E
    def test_a_task_that_takes_longer_than_its_timeout_ends_with_an_error(self):
        self.team(timeout=1)
        self.fails([SUM, {"text": "Too late.", "delay_ms": 600_000}], "time (1 s) is used up")

    # TEAM-27 E
    def test_a_task_stops_after_as_many_steps_as_it_may_take(self):
        self.team(max_steps=2)
        usage = self.fails([{**SUM, "times": "any"}], "max_steps (2) reached")
        self.assertEqual(usage["model_calls"], 2)


class People(Teams):
    # TEAM-29 E
    def test_a_person_is_asked_at_the_points_that_the_team_names_and_nowhere_else(self):
        self.team(human_intervention_points=["write_file"])
        done = self.go([SUM, calls("write_file", path="a.txt", content="x"), {"text": "Done."}])
        self.assertEqual(done.returncode, WAITING, done.stderr)
        task = self.only_task()
        (waiting,) = json.loads(self.succeeds("inbox", "--json"))["waiting"]
        self.assertEqual(waiting["request"]["context"]["tool"], "write_file")
        self.assertFalse((self.home / "tasks" / task / "artifacts/a.txt").exists())
        self.assertEqual(self.succeeds("approve", task), "Done.\n")
        self.assertEqual(self.kinds(task).count("hitl_request"), 1)
        self.assertEqual((self.home / "tasks" / task / "artifacts/a.txt").read_text(), "x")

    def test_an_agent_can_be_such_a_point_for_all_that_it_calls(self):
        self.team(agents=[AGENT, {**AGENT, "name": "other"}], human_intervention_points=["other"])
        for agent, code in (("clerk", 0), ("other", WAITING)):
            self.assertEqual(self.go([SUM, {"text": "Done."}], "--agent", agent).returncode, code, agent)


if __name__ == "__main__":
    unittest.main()
