#!/usr/bin/env python3
"""A team that uses many settings at once: what is wrong or not in effect is told, each with its place, and what works is not."""
import unittest

from home import INVALID, PAUSED, UNAUTHORIZED, Home, calls

TEAM = """name: shop
description: Answers customers.
default_llm: {}
tools: []
agents:
  - name: clerk
    role: Answers.
    prompt_template: prompts/clerk.j2
    tools: [calculator, remember, recall]
memory_config: {short_term_limit: 4000, vector_db_config: {url: x}}
guardrail_policies:
  - name: no_password
    type: content_filter
    severity: high
    action: block
    everywhere: true
    rules: [{kind: keywords, value: [hunter2], on: output}]
execution_config:
  breakpoints: ['tool:calculator']
  success_criteria: ["expr: nonsense((("]
"""
CHANNELS = """channels:
- {channel: sms, max_length: 1600, supports_emojis: false}
"""


class MixedTeam(Home):
    def setUp(self):
        super().setUp()
        self.write("cadre.yaml", "name: shop\n")
        self.write("teams/shop.yaml", TEAM)
        self.write("config/channels.yaml", CHANNELS)
        self.write("prompts/clerk.j2", "Help.\n{% if task.input %}Look it up.\n")

    def check(self):
        done = self.cadre("check")
        return [line for line in (done.stdout + done.stderr).splitlines() if ": error: " in line or ": warning: " in line], done.returncode

    def go(self, answer, *words):
        script = self.script([calls("calculator", expression="1+1"), {"text": answer, "when": {"after_tool": True}}])
        return self.cadre("run", "teams/shop.yaml", "--model", script, *words, "Go.")

    def test_each_thing_that_is_wrong_or_not_in_effect_is_told_with_its_place_and_nothing_else(self):
        told, code = self.check()
        self.assertEqual(code, INVALID)
        places = {line.split(": ")[0] for line in told}
        self.assertEqual(len(told), 3, told)
        self.assertEqual(places, {"prompts/clerk.j2:2:31", "teams/shop.yaml:10:41", "teams/shop.yaml:20:40"}, told)
        for line, says in ((line, says) for line in told for place, says in (
                ("prompts/", "error: "), ("teams/shop.yaml:10", "warning: memory_config.vector_db_config: is not in effect"),
                ("teams/shop.yaml:20", "error: execution_config.success_criteria[0]: ")) if line.startswith(place)):
            self.assertIn(says, line)
        refused = self.go("Fine.")
        self.assertEqual(refused.returncode, INVALID)
        for line in told:
            if ": error: " in line:
                self.assertIn(line.replace(": error: ", ": "), refused.stderr)
        self.assertEqual(self.succeeds("tasks", "--all"), "")

    def test_what_two_agents_share_is_told_once_and_an_error_is_one_all_the_same(self):
        """A warning that was found twice must not hide the error after it."""
        self.write("teams/shop.yaml", TEAM.replace("nonsense(((", "'Fine' in answer"))
        told, code = self.check()
        self.assertEqual(([line.split(": ")[:2] for line in told], code),
                         ([["teams/shop.yaml:10:41", "warning"], ["prompts/clerk.j2:2:31", "error"]], INVALID))

    def test_without_them_all_of_it_works(self):
        self.write("teams/shop.yaml", TEAM.replace("nonsense(((", "'Fine' in answer"))
        self.write("prompts/clerk.j2", "Help.\n{% if task.input %}Look it up.\n{% endif %}")
        told, code = self.check()
        self.assertEqual((len(told), code), (1, 0), told)
        for answer, ends, says in (("Fine.", 0, "Fine."), ("It is hunter2.", UNAUTHORIZED, 'withheld by policy "no_password"')):
            stopped = self.go(answer)
            self.assertEqual(stopped.returncode, PAUSED, stopped.stderr)
            task = next(line.split()[0] for line in self.succeeds("tasks").splitlines() if "paused" in line)
            done = self.cadre("continue", task)
            self.assertEqual(done.returncode, ends, done.stderr)
            self.assertIn(says, done.stdout + done.stderr)
            self.assertNotIn("hunter2", done.stdout)


if __name__ == "__main__":
    unittest.main()
