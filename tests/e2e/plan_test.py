#!/usr/bin/env python3
"""Tasks that are planned first: their plan is read and changed while they run, and survives a kill. The guide's page about it."""
import json
import os
import pathlib
import re
import signal
import subprocess
import unittest

from home import CADRE, CONFLICT, INVALID, LIMIT, ROOT, Home, wait_until

AGENTS = [{"name": name, "role": role, "prompt": role}
          for name, role in (("planner", "Plans."), ("reader", "Reads."), ("writer", "Writes."))]
ITEMS = [{"id": "read", "agent": "reader", "action": "Read it"},
         {"id": "look", "agent": "writer", "action": "Look at it"},
         {"id": "write", "agent": "writer", "action": "Write it", "depends_on": ["read", "look"]}]


def done(item, text, delay=0):
    return {"when": {"contains": f'part of it, "{item}"'}, "text": text, "delay_ms": delay}


def script(items, *entries):
    return [{"when": {"contains": "First make a plan"}, "json": {"goal": "A text", "tasks": items}}, *entries,
            {"when": {"agent": "planner", "contains": "came of the plan"}, "text": "All is well."}]


class Plans(Home):
    def team(self, entries, **execution):
        self.write("script.json", entries)
        return self.write("team.json", {"name": "desk", "description": "", "agents": AGENTS, "tools": [],
                                        "default_llm": {"provider": "script", "model": "script.json"},
                                        "execution_config": {"pattern": "plan", **execution}})

    def begin(self, entries):
        process = self.start("run", "--json", self.team(entries), "Write a text.")
        return process, self.next_event(process, "event_task_start")["task_id"]

    def file(self, task):
        return self.home / "tasks" / task / "plan.json"

    def progress(self, task):
        try:
            return {item["id"]: item["status"] for item in json.loads(self.file(task).read_text())["tasks"]}
        except (FileNotFoundError, json.JSONDecodeError):
            return {}

    def until(self, task, **items):
        wait_until(lambda: self.progress(task).items() >= items.items(), f"{items} in {self.file(task)}")

    # FLOW-20 F, STEP-05 F
    def test_the_plan_is_a_file_that_can_be_read_while_it_is_worked_through(self):
        process, task = self.begin(script(ITEMS, done("read", "It is long."), done("look", "It is red.", 1500),
                                          done("write", "Long and red.")))
        self.until(task, read="completed", look="running", write="pending")
        _, err, code = self.end(process)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.progress(task), {"read": "completed", "look": "completed", "write": "completed"})
        plan = json.loads(self.file(task).read_text())
        self.assertEqual(plan["goal"], "A text")
        self.assertEqual([item["agent"] for item in plan["tasks"]], ["reader", "writer", "writer"])
        steps = [json.loads(line) for line in (self.file(task).parent / "history.jsonl").read_text().splitlines()]
        items = [step["task_id"] for step in steps if step.get("task_id")]
        self.assertEqual(sorted(items), ["look", "read", "write"])
        self.assertIn("All is well.", json.dumps(self.show(task)))

    # AGENT-22 E
    def test_an_agent_works_on_as_many_items_at_a_time_as_it_may(self):
        items = [{"id": name, "agent": "writer", "action": name} for name in ("one", "two")]
        for seats, order in ((1, ["start", "complete"] * 2), (2, ["start"] * 2 + ["complete"] * 2)):
            with self.subTest(seats):
                file = self.team(script(items, *(done(name, "Done.", 400) for name in ("one", "two"))))
                team = json.loads(file.read_text())
                team["agents"] = [{**agent, "max_parallel_tasks": seats} for agent in AGENTS]
                file.write_text(json.dumps(team))
                told = [json.loads(line)["event"] for line in self.succeeds("run", "--json", file, "Write a text.").splitlines()]
                turns = [event["type"].removeprefix("event_agent_") for event in told if event.get("agent_name") == "writer"]
                self.assertEqual(turns, order)

    def test_another_process_changes_what_has_not_begun(self):
        process, task = self.begin(script(ITEMS, done("read", "It is long."), done("look", "It is red.", 2500),
                                          done("print", "Printed.")))
        self.until(task, look="running")
        plan = json.loads(self.file(task).read_text())
        needs = {"id": "print", "agent": "reader", "action": "Print it", "depends_on": ["look"]}
        lost = self.write("lost.json", {**plan, "tasks": [needs]})
        refused = self.cadre("intervene", task, "--plan", lost)
        self.assertEqual(refused.returncode, INVALID)
        self.assertIn('"print" depends on "look", which the plan leaves out although it is running; keep "look" in the plan',
                      refused.stderr)
        stranger = self.write("stranger.json", {**plan, "tasks": [{**ITEMS[0], "agent": "raeder"}]})
        self.assertIn('the team has no agent "raeder"; it has: planner, reader, writer',
                      self.cadre("intervene", task, "--plan", stranger).stderr)
        changed = self.write("changed.json", {**plan, "tasks": [item for item in plan["tasks"] if item["id"] != "write"] + [needs]})
        self.succeeds("intervene", task, "--plan", changed)
        out, err, code = self.end(process)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.progress(task), {"read": "completed", "look": "completed", "print": "completed"})
        self.assertEqual(self.cadre("intervene", task, "--plan", changed).returncode, CONFLICT)

    def test_a_killed_plan_goes_on_and_does_nothing_twice(self):
        process, task = self.begin(script(ITEMS, done("read", "It is long."), done("look", "It is red.", 1500),
                                          done("write", "Long and red.")))
        self.until(task, read="completed", look="running")
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertEqual(self.progress(task)["write"], "pending")
        changed = self.write("changed.json", {"goal": "A text", "tasks": ITEMS[:2]})
        self.assertIn("All is well.", self.succeeds("resume", task))
        self.assertEqual(self.progress(task), {"read": "completed", "look": "completed", "write": "completed"})
        self.assertEqual(self.kinds(task).count("agent_complete"), 5)
        self.assertEqual(self.cadre("intervene", task, "--plan", changed).returncode, CONFLICT)

    def test_a_failed_item_is_told(self):
        run = self.cadre("run", self.team(script(
            ITEMS, {"when": {"contains": 'it, "read"'}, "fail": {"status": 400, "message": "eyes closed"}}, done("look", "Red."))),
            "Write a text.")
        self.assertEqual((run.returncode, run.stdout), (0, "All is well.\n"), run.stderr)
        self.assertEqual(self.progress(self.only_task()), {"read": "failed", "look": "completed", "write": "skipped"})

    def test_a_plan_that_cannot_be_fails_the_task_and_names_what_is_wrong(self):
        circle = [{**ITEMS[0], "depends_on": ["look"]}, {**ITEMS[1], "depends_on": ["read"]}]
        plan = {"when": {"agent": "planner"}, "json": {"tasks": circle}, "times": 2}
        run = self.cadre("run", self.team([plan]), "Write a text.")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("wait for each other: read → look → read", run.stderr)

    def test_the_guide_is_typed_by_a_reader(self):
        (self.folder / "bin").mkdir()
        (self.folder / "bin/cadre").symlink_to(pathlib.Path(CADRE).resolve())
        env = {**self.env, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        place, said = self.folder, []
        page = (ROOT / "docs/guide/plans.md").read_text()
        for block in re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S):
            block = block.replace("cadre step ID", "\0cadre step ID")  # ID is known once the command before it has ended
            for part in block.split("\0"):
                part = re.sub(r"^(cadre (?:run|step) .*)$", r"\1 || [ $? = 12 ]", part, flags=re.M)
                if re.search(r"\bID\b", part):
                    part = re.sub(r"\bID\b", self.only_task(), part)
                typed = subprocess.run(["bash", "-euo", "pipefail", "-c", part], cwd=place, env=env, capture_output=True,
                                       text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
                self.assertEqual(typed.returncode, 0, f"{part}\n{typed.stdout}\n{typed.stderr}")
                said.append(typed.stdout)
                place = self.folder / "picnic"
        self.assertRegex("".join(said), r'(?s)"id": "place".*"completed".*"id": "food".*"pending"')
        self.assertRegex(said[-1], r"(?m)^At the lake, with twelve sandwiches\.$")
        self.assertEqual(self.progress(self.only_task()), {"place": "completed", "food": "completed", "drinks": "completed"})


if __name__ == "__main__":
    unittest.main()
