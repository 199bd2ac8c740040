#!/usr/bin/env python3
"""Guardrails and files over HTTP: the cases of both designs by number, the operator's own policies, and scenario 4 of document 004."""
import json
import unittest

from home import LIMIT, calls, wait_until
from listener import Listener

AFTER = {"when": {"after_tool": True}}
ANY = {"times": "any"}


def policy(action, *rules, name="words", **more):
    return {"name": name, "type": "content_filter", "action": action, "severity": "high", "everywhere": True,
            "rules": list(rules) or [{"kind": "keywords", "value": ["hunter2"]}], **more}


def keywords(*words, **more):
    return {"kind": "keywords", "value": list(words), **more}


class Guarded(Listener):
    def guard(self, entries, *policies, env=None, words=(), **team):
        return self.serve(entries, *words, env=env, team={**self.TEAM, "guardrail_policies": list(policies), **team})

    def operator(self, *policies):
        self.write("home/config/guardrails.json", {"policies": list(policies)})

    def said(self, task):
        return [part["text"] for step in self.get(f"/tasks/{task}/history").json["steps"] for part in step["parts"] if part["type"] == "text"]

    def events(self, task, kind=None):
        events = [line["event"] for line in self.get(f"/tasks/{task}/events?limit=256").json["events"]]
        return [event for event in events if kind is None or event["type"] == "event_" + kind]

    def taken(self, task):
        return [event["action_taken"] for event in self.events(task, "guardrail_violation")]

    def go(self, prompt="Go.", **fields):
        task = self.made(prompt, **fields)
        return task, self.at_rest(task)

    def answered(self, task):
        return self.said(task)[-1]

    def asked(self, task):
        return self.get(f"/tasks/{task}/hitl/requests").json["requests"][-1]

    def respond(self, task, how):
        request = self.asked(task)["request_id"]
        return self.post(f"/tasks/{task}/hitl/{request}/respond", {"response_type": how}, headers={"Prefer": "wait=30"})


class Cases(Guarded):
    def test_guardrails_case_1_a_zero_width_space_in_the_word(self):
        self.guard([{"text": "my hun\u200bter2!", "chunks": 9, **ANY}], policy("rewrite"))
        task, ended = self.go()
        self.assertEqual((ended["status"], self.answered(task)), ("completed", "my [redacted]!"))

    def test_guardrails_case_2_full_width_letters(self):
        self.guard([{"text": "It is ｈｕｎｔｅｒ２.", "chunks": 5, **ANY}], policy("block"))
        task, ended = self.go()
        self.assertEqual((ended["status"], self.taken(task)), ("failed", ["blocked"]))

    def test_guardrails_case_3_a_pattern_that_is_alive_at_the_end(self):
        self.guard([{"when": {"contains": "long"}, "text": "use key-12ab", "chunks": 6, **ANY}, {"text": "use key-12", "chunks": 6, **ANY}],
                   policy("rewrite", {"kind": "regex", "value": r"\bkey-[0-9a-f]{4,8}\b"}))
        self.assertNotIn("12ab", self.answered(self.go("long")[0]))
        self.assertEqual(self.answered(self.go("short")[0]), "use key-12")

    def test_guardrails_case_5_what_was_approved_is_sent_after_a_kill(self):
        entries = [calls("write_file", path="a.txt", content="to ann@example.com"), {"text": "Done.", **AFTER}]
        process = self.guard(entries, policy("rewrite", {"kind": "pii", "on": "tool_call"}), permissions={"ask": ["write_file"]})
        task, rest = self.go()
        self.assertEqual(rest["status"], "waiting")
        self.assertEqual(self.asked(task)["context"]["arguments"]["content"], "to [EMAIL]")
        process.kill()
        process.wait()
        self.serve()
        self.assertEqual(self.respond(task, "approved").status, 200)
        self.assertEqual(self.at_rest(task)["status"], "completed")
        self.assertEqual(self.get(f"/tasks/{task}/artifacts/a.txt").text, b"to [EMAIL]")

    # GUARD-07 W
    def test_guardrails_case_6_of_eight_calls_at_once_five_are_made(self):
        several = {"tool_calls": [{"name": "calculator", "arguments": {"expression": f"{i} + 1"}} for i in range(8)]}
        self.guard([several, {"text": "Enough.", **AFTER}],
                   {"name": "calm", "type": "rate_limit", "action": "block", "everywhere": True,
                    "rules": [{"kind": "max_calls", "value": 5, "window_s": 3600, "on": "tool_call"}]})
        task, _ = self.go()
        made = [event["tool_result"]["error"] for event in self.events(task, "tool_result")]
        self.assertEqual((len(made), sum(error is None for error in made)), (8, 5), made)
        self.assertEqual(self.taken(task), ["blocked"] * 3)

    def test_guardrails_case_7_of_a_blocked_result_the_model_hears_why_and_not_what(self):
        self.guard([calls("calculator", expression="9 * 9"), {"when": {"contains": "The result of calculator was withheld by policy"}, "text": "I may not.", **ANY}],
                   policy("block", keywords("81", on="tool_result")))
        task, ended = self.go()
        self.assertEqual((ended["status"], self.answered(task)), ("completed", "I may not."))
        self.assertNotIn('"81"', self.get(f"/tasks/{task}/history").text.decode())

    def test_guardrails_case_8_a_question_outlives_the_server(self):
        for verb, status in (("approved", "completed"), ("rejected", "failed")):
            with self.subTest(verb):
                process = self.guard([{"text": "Paid.", **ANY}], policy("ask", keywords("refund", on="input")))
                task, rest = self.go("Please refund me.")
                self.assertEqual(rest["status"], "waiting", rest)
                self.assertIn('policy "words"', self.asked(task)["context"]["question"])
                self.assertEqual(self.asked(task)["context"]["text"], "Please refund me.")
                self.stop(process)
                process = self.serve()
                self.respond(task, verb)
                ended = self.at_rest(task)
                self.assertEqual((ended["status"], self.taken(task)), (status, ["warned"]))
                self.stop(process)

    def test_guardrails_case_9_a_team_cannot_switch_the_operators_policy_off(self):
        self.operator(policy("block", name="no_password"))
        self.guard([{"text": "It is hunter2.", **ANY}], policy("log", name="no_password"), policy("log", name="other"))
        task, ended = self.go()
        self.assertEqual(ended["status"], "failed")
        self.assertIn('policy "operator/no_password"', ended["error"])
        known = self.get("/teams/desk/guardrails").json
        self.assertEqual(known["agents"][0]["policies"], ["no_password", "other", "operator/no_password"])

    def test_guardrails_case_10_a_pattern_of_ten_kilobytes_and_a_line_of_a_megabyte(self):
        long = "|".join(f"w{i}x{i}" for i in range(1200))
        self.assertGreater(len(long), 10_000)
        self.guard([{"text": "a" * 1_000_000, **ANY}], policy("block", {"kind": "regex", "value": long}, {"kind": "regex", "value": "(a*)*b"}))
        task, ended = self.go()
        self.assertEqual((ended["status"], self.taken(task)), ("completed", []))

    def test_artifacts_case_6_a_file_for_a_task_that_has_ended_is_told(self):
        self.guard([{"text": "Done.", **ANY}])
        task, _ = self.go()
        sent = self.ask("PUT", f"/tasks/{task}/artifacts/late.txt", raw=b"late", headers={"Content-Type": "text/plain"})
        self.assertIn(sent.status, (200, 201), sent.text)
        told = self.heard(self.follow(task, "artifacts"))["artifacts"]
        self.assertEqual([event["type"] for event in told], ["event_artifact_created"])

    def test_artifacts_case_8_a_file_called_versions(self):
        self.guard([calls("write_file", path="versions", content="x"), {**calls("write_file", path="versions", content="y"), **AFTER}, {"text": "Done.", **AFTER}])
        task, _ = self.go()
        self.assertEqual(self.get(f"/tasks/{task}/artifacts/versions").text, b"y")
        self.assertEqual([one["version"] for one in self.get(f"/tasks/{task}/artifacts/versions/versions").json["versions"]], ["1", "2"])

    def test_artifacts_case_9_killed_between_content_and_record(self):
        writes = [calls("write_file", path="a.txt", content="one"), {"text": "Done.", **AFTER}]
        process = self.guard(writes, env={"CADRE_CRASH_AT": "artifact_kept:1"})
        task = self.post("/tasks", {"description": "Go."}).json["id"]
        try:
            self.post(f"/tasks/{task}/start")
        except OSError:
            pass  # it is gone before it answers
        process.wait(timeout=LIMIT)
        self.serve()
        self.assertEqual(self.at_rest(task)["status"], "completed")
        (entry,) = self.get(f"/tasks/{task}/artifacts").json["artifacts"]
        self.assertEqual(self.get(f"/tasks/{task}/artifacts/{entry['path']}").text, b"one")


class Scenario4(Guarded):
    # GUARD-10 W, GUARD-12 W, GUARD-14 W, EVT-26 W, EVT-27 W
    def test_agentx_4_guardrails(self):
        self.guard([{"when": {"contains": "secret"}, "text": "pass: hunter2 ok", "chunks": 9, **ANY}, {"text": "Nothing.", **ANY}])
        self.assertEqual(self.post("/teams", {**self.TEAM, "name": "sent", "guardrail_policies": [policy("block")]}).status, 201)
        task = self.post("/tasks", {"description": "Tell the secret.", "team": "sent"}).json["id"]
        client = self.follow(task, "content", "guardrails", "events")
        self.post(f"/tasks/{task}/start")
        told = self.heard(client)
        text = "".join(chunk["text"] for chunk in told["content"])
        self.assertTrue("pass: ".startswith(text), text)
        [violation] = told["guardrails"]
        self.assertEqual((violation["action_taken"], violation["severity"], violation["policy_violated"]), ("blocked", "high", "words"))
        parts = [part for step in self.get(f"/tasks/{task}/history").json["steps"] for part in step["parts"] if part["type"] == "guardrail"]
        self.assertEqual([part["overall_status"] for part in parts], ["failed"])

        # with warn the text passes; who watches a task of the tenant hears of the change
        waiting = self.post("/tasks", {"description": "Another one.", "team": "sent"}).json["id"]
        watcher = self.follow(waiting, "guardrails")
        changed = self.ask("PUT", "/teams/sent/guardrails", {"policies": [policy("warn"), policy("log", name="more")]})
        self.assertEqual(changed.status, 200, changed.text)
        self.post(f"/tasks/{waiting}/start")
        self.assertEqual([(event["type"], event["policy_name"], event["update_type"], event["updated_by"]) for event in self.heard(watcher)["guardrails"]],
                         [("event_guardrail_policy_update", "words", "modified", "admin"), ("event_guardrail_policy_update", "more", "created", "admin")])
        task, ended = self.go("Tell the secret.", team="sent")
        self.assertEqual((ended["status"], self.answered(task), self.taken(task)), ("completed", "pass: hunter2 ok", ["warned"]))

        # a rate is counted for each agent
        calm = {"name": "calm", "type": "rate_limit", "action": "block", "everywhere": True,
                "rules": [{"kind": "max_calls", "value": 1, "window_s": 3600, "on": "input"}]}
        two = [{**self.TEAM["agents"][0], "name": name} for name in ("first", "second")]
        self.assertEqual(self.post("/teams", {**self.TEAM, "name": "two", "agents": two, "guardrail_policies": [calm]}).status, 201)
        self.assertEqual([self.go(team="two", agent=name)[1]["status"] for name in ("first", "first", "second")], ["completed", "failed", "completed"])

    def test_the_operators_policies_hold_for_what_is_being_written(self):  # guardrails case 4
        """A task that began without any: the word that would have come after the change does not."""
        self.guard([{"text": " ".join(["word"] * 11) + " hunter2 end", "chunks": 13, "pace_ms": 400, **ANY}])
        task = self.post("/tasks", {"description": "Go."}).json["id"]
        client = self.follow(task, "content", "guardrails")
        self.post(f"/tasks/{task}/start")
        self.operator(policy("block"))
        told = self.heard(client)
        self.assertNotIn("hunter2", "".join(chunk["text"] for chunk in told["content"]))
        self.assertEqual([(event["type"], event.get("policy_name") or event.get("policy_violated")) for event in told["guardrails"]],
                         [("event_guardrail_policy_update", "operator/words"), ("event_guardrail_violation", "operator/words")])
        self.assertEqual(self.at_rest(task)["status"], "failed")

    def test_a_faulty_file_of_the_operator(self):
        self.write("home/config/guardrails.yaml", "policies: [{name: x, type: compliance, action: block, rules: [{kind: regex, value: '('}]}]\n")
        self.write("cadre.yaml", "version: 1.0.0\nteam: desk\n")
        self.write("teams/desk.json", self.TEAM)
        done = self.cadre("serve", "--listen", "127.0.0.1:0")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("guardrails.yaml", done.stderr)
        (self.home / "config/guardrails.yaml").write_text("policies: []\n")
        self.guard([{"text": "It is hunter2.", **ANY}])
        self.assertEqual(self.go()[1]["status"], "completed")
        self.write("home/config/guardrails.yaml", json.dumps({"policies": [policy("block")]}))
        wait_until(lambda: self.go()[1]["status"] == "failed", "the new policies hold")
        self.write("home/config/guardrails.yaml", "policies: [{\n")
        self.assertEqual(self.go()[1]["status"], "failed")  # what was there stays


if __name__ == "__main__":
    unittest.main()
