#!/usr/bin/env python3
"""\"Always\" as an answer to an approval: a rule in the project's cadre.yaml, which later tasks heed."""
import json
import unittest

from desk import Desk, call, mcp
from home import INVALID, WAITING

WORK = {"name": "work", "description": "Works.", "input_schema": {"type": "object", "properties": {"what": {"type": "string"}}},
        "answers": [{"text": "well", "count": True, "times": "any"}]}
SETTINGS = "# ours\nname: desk  # the desk\nbudget: {max_steps: 20}\n"


class Always(Desk):
    def setUp(self):
        super().setUp()
        self.serve([WORK])
        self.team(["work", "ask_human"], [mcp("work", permission="ask")])
        self.write("cadre.yaml", SETTINGS)

    def settings(self):
        return (self.folder / "cadre.yaml").read_text()

    def newest(self):
        return json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"][0]["id"]

    def test_a_later_task_is_not_asked_again_and_this_one_neither(self):
        self.assertEqual(self.go(call("work", what="a"), call("work", what="b")).returncode, WAITING)
        task = self.only_task()
        done = self.cadre("approve", task, "--always")
        self.assertEqual(done.returncode, WAITING, done.stderr)  # without a terminal, the second call still asks
        rule = "permissions:\n  allow:\n    - \"mock.work\"\n"
        self.assertEqual(self.settings(), SETTINGS + "\n" + rule)
        self.assertIn(f"mock.work is allowed from the project's next task on: permissions.allow in {self.folder / 'cadre.yaml'}", done.stderr)
        answers = [event["response_data"] for event in self.events(task) if event["type"] == "event_hitl_response"]
        self.assertEqual([answer["message"] for answer in answers], ["always"])
        self.assertEqual(self.cadre("approve", task, "--always", *self.now_asked(task)).returncode, 0)
        self.assertEqual(self.settings(), SETTINGS + "\n" + rule)  # once is enough
        self.assertNotIn("permissions", self.cadre("check").stdout)
        done = self.go(call("work", what="c"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.counted()), 3)

    def test_at_a_terminal_it_holds_for_the_rest_of_the_run(self):
        script = self.script([call("work", what="a"), call("work", what="b"), {"text": "Done."}])
        seen, code = self.talk("run", "team.json", "--model", script, "Go.", says=[("[a]lways allow mock.work", "always\r")])
        self.assertEqual(code, 0, seen)
        self.assertEqual(seen.count("[a]lways allow mock.work"), 1)
        self.assertIn("allowed: you said always", seen)
        self.assertIn("permissions.allow in", seen.replace("\r\n", " "))
        self.assertIn('- "mock.work"', self.settings())
        self.assertEqual(len(self.counted()), 2)

    def test_what_is_refused_stays_refused(self):
        self.write("cadre.yaml", "permissions:\n  deny: [\"work:what=*evil*\"]\n  allow: [work]\n")
        self.assertEqual(self.go(call("work", what="an evil one"), call("work", what="b")).returncode, 0)
        self.assertEqual(len(self.counted()), 1)

    def test_a_file_of_another_form_is_left_alone_and_the_rule_is_told(self):
        own = "permissions: {deny: [other]}\n"
        self.write("cadre.yaml", own)
        self.assertEqual(self.go(call("work", what="a")).returncode, WAITING)
        done = self.cadre("approve", self.only_task(), "--always")
        self.assertEqual((done.returncode, self.settings()), (INVALID, own))
        self.assertIn('permissions:\n  allow: ["mock.work"]', done.stderr)

    def test_a_question_that_no_rule_can_answer_has_no_always(self):
        self.assertEqual(self.go(call("ask_human", question="Which?")).returncode, WAITING)
        done = self.cadre("approve", self.only_task(), "--always")
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("--always is for a call that a permission asks about", done.stderr)
        self.assertEqual(self.settings(), SETTINGS)
        self.assertEqual(self.status(self.only_task()), "waiting")
        script = self.script([call("work", what="a"), {"text": "Done."}])
        done = self.cadre("run", "team.json", "--mode", "hitl", "--model", script, "Go.")
        self.assertEqual(done.returncode, WAITING)  # every call is to be asked about, whatever rules say
        self.assertEqual(self.cadre("approve", self.newest(), "--always").returncode, INVALID)

    def test_a_rule_that_can_mean_nothing_is_an_error_with_its_place(self):
        self.write("cadre.yaml", "permissions:\n  allow: [\"shell:git\"]\n")
        done = self.cadre("check")
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("cadre.yaml:2:11: error: permissions.allow[0]", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
