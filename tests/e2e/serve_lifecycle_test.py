#!/usr/bin/env python3
"""A task's life over HTTP, as documents 000 and 004 tell it: each transition that may be, those that may not, and what is told of them."""
import json
import time
import unittest
import uuid

from home import ASK, SUM, calls, wait_until
from serve import Serve

SLOW = [{"text": "A long answer, word by word.", "chunks": 28, "pace_ms": 300, "times": "any"}]
THREE = [calls("calculator", expression="1+1"), calls("write_file", path="a.txt", content="x"), {"text": "Done.", "when": {"contains": "x"}}]
UNTIL = {"Prefer": "wait=30"}


class Lifecycle(Serve):
    maxDiff = None

    def ask(self, *words, **options):
        """Whoever polls comes too often now and then."""
        while (answer := super().ask(*words, **options)).status == 429:
            time.sleep(int(answer.headers["Retry-After"]))  # sleeps: as the server asks
        return answer

    def view(self, task):
        return self.get(f"/tasks/{task}").json

    def does(self, task, verb, body=None, wait=True):
        answer = self.post(f"/tasks/{task}/{verb}", body, headers=UNTIL if wait else {})
        self.assertLess(answer.status, 300, answer.text)
        return answer.json

    def told(self, task, *kinds):
        """Events of these kinds, in order."""
        lines = self.get(f"/tasks/{task}/events").json["events"]
        return [line["event"] for line in lines if line["event"]["type"].removeprefix("event_") in kinds]

    def refused(self, answer, status, reason):
        self.assertEqual((answer.status, answer.json.get("reason")), (status, reason), answer.text)

    # TASK-09 E, TASK-13 A
    def test_a_pending_task_starts_and_says_when(self):
        self.serve(SLOW)
        task = self.post("/tasks", {"description": "Go."}).json["id"]
        self.assertEqual((self.view(task)["status"], self.view(task).get("started_at")), ("pending", None))
        self.assertEqual(self.post(f"/tasks/{task}/start").status, 200)
        wait_until(lambda: self.view(task)["status"] == "running", "it runs")
        view = self.view(task)
        self.assertLessEqual(view["created_at"], view["started_at"])

    # TASK-02 A
    def test_no_task_is_made_twice_and_no_client_chooses_its_id(self):
        self.serve(SUM)
        key, body = {"Idempotency-Key": "one"}, {"description": "Go."}
        first, second = (self.post("/tasks", body, headers=key) for _ in range(2))
        self.assertEqual((first.status, second.status, first.json["id"]), (201, 200, second.json["id"]))
        self.assertEqual(uuid.UUID(first.json["id"]).version, 4)
        chosen = self.post("/tasks", {**body, "id": first.json["id"]})
        self.assertEqual((chosen.status, chosen.json["errors"][0]["pointer"]), (422, "/id"))
        self.assertEqual(len(self.get("/tasks").json["tasks"]), 1)

    # TASK-12 E
    def test_only_who_delegates_names_the_task_above(self):
        agents = [{"name": name, "role": "Works.", "prompt": f"You are {name}.", "tools": []} for name in ("lead", "scout")]
        rule = {"from_agent": "lead", "to_agent": "scout", "handoff_type": "hierarchical"}
        self.serve([{"when": {"agent": "lead", "nth": 1}, **calls("delegate", to="scout", task="Look.")},
                    {"when": {"agent": "lead", "nth": 2}, "text": "Merged."}, {"when": {"agent": "scout"}, "text": "Seen."}],
                   team={**self.TEAM, "agents": agents, "handoff_rules": [rule]})
        root = self.made()
        self.assertEqual(self.at_rest(root)["status"], "completed")
        [child] = self.get(f"/tasks?parent_task_id={root}").json["tasks"]
        self.assertEqual((self.view(child["id"])["parent_task_id"], self.view(root).get("parent_task_id")), (root, None))
        refused = self.ask("DELETE", f"/tasks/{child['id']}")
        self.refused(refused, 409, "part_of")
        self.assertEqual(refused.json["task"], root)
        for parent in (root, str(uuid.uuid4())):
            answer = self.post("/tasks", {"description": "Go.", "parent_task_id": parent})
            self.assertEqual((answer.status, answer.json["errors"][0]["pointer"]), (422, "/parent_task_id"))
        self.assertEqual(self.ask("DELETE", f"/tasks/{root}").status, 204)
        self.assertEqual([self.get(f"/tasks/{one}").status for one in (root, child["id"])], [404, 404])

    # TASK-16 A
    def test_what_has_ended_stays_as_it_is(self):
        self.serve([{"text": "Done.", "times": "any"}, {"when": {"contains": "Fail."}, "fail": {"status": 400}}])
        task = self.made()
        ended = self.at_rest(task)
        self.assertEqual(ended["status"], "completed")
        self.refused(self.post(f"/tasks/{task}/start"), 409, "already_started")
        for verb, body in (("pause", None), ("resume", None), ("step", {"steps": 1}), ("continue", None),
                           ("intervene", {"intervention_type": "instruction", "instruction": "More."})):
            self.refused(self.post(f"/tasks/{task}/{verb}", body), 409, "ended")
        self.assertEqual(self.view(task), ended)

    # TASK-20 A, CKPT-22 A
    def test_a_paused_task_makes_no_step_until_it_is_resumed(self):
        self.serve([{**calls("calculator", expression="1+1"), "delay_ms": 300, "times": 30}, {"text": "Done."}])
        task = self.made()
        wait_until(lambda: self.view(task)["ext"]["usage"]["model_calls"] > 0, "it works")
        paused = self.does(task, "pause")
        self.assertEqual((paused["status"], paused["pause_reason"]), ("paused", "user_request"))
        steps = self.get(f"/tasks/{task}/history").json["steps"]
        other = self.made()  # while another one makes several
        wait_until(lambda: self.view(other)["ext"]["usage"]["model_calls"] > 2, "the other one works")
        self.assertEqual(self.get(f"/tasks/{task}/history").json["steps"], steps)
        self.does(task, "resume", wait=False)
        wait_until(lambda: len(self.get(f"/tasks/{task}/history").json["steps"]) > len(steps), "it goes on")
        self.assertEqual([event["reason"] for event in self.told(task, "task_paused", "task_resumed")], ["user_request"] * 2)
        asking = self.made(model=None, execution_mode="hitl")
        self.assertEqual(self.at_rest(asking)["status"], "waiting")
        self.assertEqual([event["reason"] for event in self.told(asking, "task_paused")], ["hitl_intervention"])

    # TASK-22 A
    def test_a_cancelled_task_makes_no_further_step(self):
        self.serve(SLOW)
        task = self.made()
        wait_until(lambda: self.told(task, "agent_start"), "its model writes")
        began = time.monotonic()
        cancelled = self.ask("DELETE", f"/tasks/{task}")
        self.assertEqual((cancelled.status, cancelled.json["status"]), (202, "cancelled"))
        self.assertEqual(self.at_rest(task)["status"], "cancelled")
        self.assertLess(time.monotonic() - began, 4)  # it would have taken eight seconds
        steps = self.get(f"/tasks/{task}/history").json["steps"]
        self.assertNotIn("by word", json.dumps(steps))
        self.assertEqual(self.told(task, "task_complete")[-1]["final_status"], "cancelled")
        self.refused(self.post(f"/tasks/{task}/resume"), 409, "ended")

    # CKPT-15 A
    def test_a_question_has_its_fields(self):
        self.serve(ASK)
        task = self.made()
        self.at_rest(task)
        [request] = self.get(f"/tasks/{task}/hitl/requests").json["requests"]
        [event] = self.told(task, "hitl_request")
        self.assertEqual((request["request_type"], request["agent_name"], request["context"]["question"]), ("feedback", "researcher", "Which colour?"))
        for name in ("request_id", "request_type", "agent_name", "context"):
            self.assertEqual(request[name], event[name], name)
        self.assertEqual(request.get("timeout"), event.get("timeout"))

    # CKPT-19 A
    def test_a_step_is_one_step_and_then_a_pause(self):
        self.serve(THREE)
        task = self.made(execution_mode="step")
        self.at_rest(task)
        seen = []
        for _ in range(2):
            before = len(self.get(f"/tasks/{task}/history").json["steps"])
            view = self.does(task, "step", {"steps": 1})
            self.assertEqual((view["status"], view["pause_reason"]), ("paused", "step_mode"))
            seen.append(len(self.get(f"/tasks/{task}/history").json["steps"]) - before)
        self.assertEqual(seen, [1, 1])

    # CKPT-20 A
    def test_continuing_leads_to_the_next_breakpoint(self):
        self.serve(THREE)
        task = self.made(execution_mode="step")
        self.at_rest(task)
        self.assertLess(self.ask("PUT", f"/tasks/{task}/breakpoints", {"breakpoints": ["tool:write_file"]}).status, 300)
        view = self.does(task, "continue")
        self.assertEqual((view["status"], view["pause_reason"]), ("paused", "breakpoint"))
        self.assertEqual([call["tool_call"]["tool_name"] for call in self.told(task, "tool_call")], ["calculator"])
        self.assertEqual(self.told(task, "breakpoint_hit")[-1]["breakpoint_type"], "tool")
        self.assertEqual(self.does(task, "continue")["status"], "completed")

    # CKPT-23 A
    def test_each_intervention_changes_the_run(self):
        agents = [{"name": name, "role": "Works.", "prompt": f"You are {name}.", "tools": ["calculator"]} for name in ("writer", "reviewer")]
        rules = [{"from_agent": a, "to_agent": b} for a, b in (("writer", "reviewer"), ("reviewer", "writer"))]
        team = {**self.TEAM, "agents": agents, "handoff_rules": rules}
        vendor = self.start("mock-llm", "--json", "--script", self.write("other.json", [{"text": "Coffee."}]))
        self.env |= {"OPENAI_BASE_URL": json.loads(vendor.stdout.readline())["url"] + "/v1", "OPENAI_API_KEY": "mock"}
        self.serve([{"when": {"agent": "writer", "contains": "in French"}, "text": "Thé."},
                    {"when": {"agent": "reviewer"}, "text": "Fine."}], team=team)

        def after(kind, **body):
            task = self.made(execution_mode="step")
            self.at_rest(task)
            answer = self.post(f"/tasks/{task}/intervene", {"intervention_type": kind, **body})
            self.assertEqual(answer.status, 202, answer.text)
            self.assertEqual([event["intervention_type"] for event in self.told(task, "user_intervention")], [kind])
            return self.does(task, "continue")["result"]

        self.assertEqual(after("instruction", instruction="Answer in French."), "Thé.")
        self.assertEqual(after("agent_override", details={"next_agent": "reviewer"}), "Fine.")
        changed = {**team, "default_llm": {"provider": "openai", "model": "other"}}
        self.assertEqual(after("team_modification", details={"team": changed}), "Coffee.")

    # FLOW-21 A, CKPT-23 A, API-21 A, API-22 A
    def test_a_plan_is_read_changed_and_then_followed(self):
        agents = [{"name": name, "role": "Works.", "prompt": f"You are {name}.", "tools": []} for name in ("boss", "writer")]
        item = {"id": "read", "agent": "writer", "action": "Read it"}
        self.serve([{"when": {"agent": "boss", "contains": "First make a plan"}, "json": {"goal": "A text", "tasks": [item]}},
                    {"when": {"agent": "boss", "contains": "Noted."}, "text": "It was noted."},
                    {"when": {"agent": "writer", "contains": "Note it"}, "text": "Noted."}],
                   team={**self.TEAM, "agents": agents, "execution_config": {"pattern": "plan"}})
        task = self.made(execution_mode="step")
        self.at_rest(task)
        self.does(task, "step", {"steps": 1})
        plan = self.get(f"/tasks/{task}/plan").json
        self.assertEqual([one["id"] for one in plan["tasks"]], ["read"])
        other = {"goal": plan["goal"], "tasks": [{"id": "note", "agent": "writer", "action": "Note it"}]}
        wrong = self.post(f"/tasks/{task}/plan", {"goal": plan["goal"], "tasks": [{**other["tasks"][0], "agent": "stranger"}]})
        self.assertEqual(wrong.status, 422, wrong.text)
        changed = self.post(f"/tasks/{task}/plan", other)
        self.assertEqual(changed.status, 200, changed.text)
        self.assertEqual(self.does(task, "continue")["result"], "It was noted.")
        self.assertEqual([(one["id"], one["status"]) for one in self.get(f"/tasks/{task}/plan").json["tasks"]], [("note", "completed")])
        file = self.home / "tasks" / task / "plan.json"
        self.until(lambda: json.loads(file.read_text()) == self.get(f"/tasks/{task}/plan").json, "plan.json says the same")


if __name__ == "__main__":
    unittest.main()
