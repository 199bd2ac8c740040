#!/usr/bin/env python3
"""Whoever decides sees what is decided on, and everybody sees who decided what; a person's word is not shown as a tool's."""
import hashlib
import json
import unittest

from home import AGENT, Home, WAITING, calls

REFUND = {"question": "Refund 10?", "amount": 10000, "account": "attacker", "key": "k", "why": "w", "policy": "p"}
DIGEST = hashlib.sha256(("refund" + json.dumps(REFUND, sort_keys=True, separators=(",", ":"))).encode()).hexdigest()


class Approvals(Home):
    def team(self, tools, **agent):
        self.write("team.yaml", {"name": "desk", "description": "Works.", "default_llm": {}, "tools": tools, "agents": [
            {"name": "billing", "role": "Bills.", "prompt": "You bill.", "tools": [tool["name"] for tool in tools], **agent}]})

    def go(self, entries, *words, env=None):
        return self.cadre("run", "team.yaml", "--model", self.script(entries), *words, "Go.", env=env)

    def asking(self):
        self.team([{"name": "refund", "type": "hitl", "description": "Gives money back.", "config": {"request": "approval"}}])
        done = self.go([calls("refund", **REFUND), {"text": "Well."}])
        self.assertEqual(done.returncode, WAITING, done.stderr)
        return self.only_task(), done

    def test_all_arguments_are_shown_before_the_models_words_and_the_digest_with_them(self):
        task, done = self.asking()
        for name, page in (("run", done.stderr), ("inbox", self.succeeds("inbox")), ("show", self.succeeds("show", task))):
            with self.subTest(name):
                text = " ".join(page.split())
                for said in ('"amount":10000', '"account":"attacker"', '"key":"k"', '"why":"w"', '"policy":"p"', DIGEST):
                    self.assertIn(said, text)
                words = text.index("in the model's words: Refund 10?")
                self.assertLess(text.index('"account":"attacker"'), words)
        request = json.loads(self.succeeds("inbox", "--json"))["waiting"][0]["request"]
        self.assertEqual((request["context"]["arguments"], request["context"]["sha256"]), (REFUND, DIGEST))

    def test_who_answered_when_and_what_is_in_the_event_in_show_and_in_the_trace(self):
        task, _ = self.asking()
        self.succeeds("approve", task, "--message", "fine by me")
        who = self.show(task)["task"]["created_by"]
        event, = [event for event in self.events(task) if event["type"] == "event_hitl_response"]
        self.assertEqual(event["response_data"], {"message": "fine by me", "answer": "approve", "by": who})
        self.assertRegex(event["timestamp"], r"^\d{4}-")
        self.assertIn(f"approved by {who}: fine by me", " ".join(self.succeeds("show", task).split()))
        spans = json.loads(self.succeeds("trace", task, "--json"))["spans"]
        self.assertIn(f"approved by {who}: fine by me", [span["output"] for span in spans])
        self.assertIn(f"approved ({who}): fine by me", self.succeeds("tail", task))

    def test_what_a_person_says_of_a_call_is_told_as_theirs(self):
        self.team([{"name": "shell", "type": "builtin", "permission": "allow"}])  # a call that must not be made twice
        entries = [calls("shell", command="true"), {"text": "Fine."}]
        self.assertEqual(self.go(entries, env={"CADRE_CRASH_AT": "before_dispatch:2"}).returncode, -9)
        task = self.only_task()
        self.assertEqual(self.cadre("resume", task).returncode, WAITING)
        self.succeeds("answer", task, "--happened", "43")
        event, = [event for event in self.events(task) if event["type"] == "event_tool_result"]
        self.assertEqual((event["tool_result"]["result"], event["tool_result"]["resource_usage"]), ("43", {"said_by_person": True}))
        self.assertIn("gave 43, a person said", self.succeeds("tail", task))
        self.assertIn("it happened, a person says", self.succeeds("tail", task))
        for page in (self.succeeds("show", task), self.succeeds("trace", task, "--json")):
            self.assertIn("a person said: 43", page)

    def test_a_denied_call_names_the_rule_and_its_arguments(self):
        self.write("agents/researcher.json", {**AGENT, "max_iterations": 3})
        self.write("team.yaml", {"name": "desk", "description": "Works.", "default_llm": {}, "tools": [], "agents": [AGENT],
                                 "permissions": {"deny": ["write_file:path=secret*"]}})
        done = self.go([calls("write_file", path="secret.txt", content="x"), {"text": "No."}])
        self.assertEqual(done.returncode, 0, done.stderr)
        result, = [event["tool_result"] for event in self.events(self.only_task()) if event["type"] == "event_tool_result"]
        for said in ('"path":"secret.txt"', '"write_file:path=secret*"', "permissions.deny"):
            self.assertIn(said, result["error"])


class Truth(Home):
    def test_recovery_names_the_error_and_says_what_came_of_it(self):
        self.write("agents/researcher.json", {**AGENT, "llm_config": {"retry_policy": {"max_retries": 2, "delay": 0}}})
        done = self.run_agent([{"fail": {"status": 503, "message": "Busy."}}, {"fail": {"status": 503, "message": "Busy."}},
                               {"text": "At last."}])
        self.assertEqual((done.returncode, done.stdout), (0, "At last.\n"), done.stderr)
        events = self.events(self.only_task())
        errors = [event["error_id"] for event in events if event["type"] == "event_error"]
        told = [(event["error_id"], event["success"]) for event in events if event["type"] == "event_recovery"]
        self.assertEqual(len(set(errors)), 2)
        self.assertEqual(told, [(errors[0], False), (errors[1], False), (errors[1], True)])
        self.assertEqual([event["type"] for event in events][-3:], ["event_recovery", "event_agent_complete", "event_task_complete"])
        numbers = [json.loads(line)["seq"] for line in self.succeeds("tail", "--json", self.only_task()).splitlines()]
        self.assertEqual(numbers, list(range(1, len(events) + 1)))

    def test_the_pinned_team_names_the_model_that_ran(self):
        self.run_agent([{"text": "Fine."}])
        text = (self.home / "tasks" / self.only_task() / "team.yaml").read_text()
        self.assertIn("provider: script\n", text)
        self.assertNotIn("deepseek", text)


if __name__ == "__main__":
    unittest.main()
