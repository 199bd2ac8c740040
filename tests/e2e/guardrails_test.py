#!/usr/bin/env python3
"""Guardrails: what policies of a team keep from going in, coming out and reaching tools, while text streams and over crashes."""
import json
import unittest

from desk import Desk, call

FORBIDDEN = "hunter2"


def policy(action, *rules, kind="content_filter", **more):
    return {"name": "words", "type": kind, "action": action, "severity": "high", "everywhere": True,
            "rules": list(rules) or [{"kind": "keywords", "value": [FORBIDDEN]}], **more}


class Guardrails(Desk):
    def guarded(self, *policies, tools=("calculator",), agent=(), **more):
        self.team(list(tools), guardrail_policies=list(policies), **more)
        team = json.loads((self.folder / "team.json").read_text())
        team["agents"][0].update(agent)
        self.write("team.json", team)

    def go(self, *entries, prompt="Say it.", env=None, words=()):
        return self.cadre("run", "team.json", "--model", self.script(list(entries)), *words, prompt, env=env)

    def violations(self, task):
        return [event for event in self.events(task) if event["type"] == "event_guardrail_violation"]

    def parts(self, task):
        lines = (self.home / "tasks" / task / "history.jsonl").read_text().splitlines()
        return [part for line in lines for part in json.loads(line)["parts"] if part["type"] == "guardrail"]

    def nowhere(self, task, word=FORBIDDEN):
        """Neither in the files of the task nor in its journal."""
        for file in (self.home / "tasks" / task).rglob("*"):
            if file.is_file() and file.name != "team.yaml":  # which has the policy itself
                self.assertNotIn(word, file.read_text(errors="replace"), file.name)
        self.assertNotIn(word, self.succeeds("trace", task, "--json"))

    def test_a_word_that_streams_in_two_pieces_never_leaves(self):  # GUARD-10 E, GUARD-12 F
        """AGENTX 4."""
        self.guarded(policy("block"))
        done = self.go({"text": f"pass: {FORBIDDEN} ok", "chunks": 9}, words=["--json"])
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn(FORBIDDEN, done.stdout + done.stderr)
        task = self.only_task()
        self.assertEqual(self.status(task), "failed")
        found = self.violations(task)
        self.assertEqual([(one["policy_violated"], one["action_taken"], one["severity"], one["agent_name"]) for one in found],
                         [("words", "blocked", "high", "clerk")])
        [part] = self.parts(task)
        self.assertEqual((part["overall_status"], part["checks"][0]["policy_violated"]), ("failed", "words"))
        self.assertIn('the answer of clerk was withheld by policy "words"', self.show(task)["task"]["error"])
        self.nowhere(task)

    def test_warn_and_log_pass_rewrite_masks(self):  # GUARD-10 E, GUARD-08 E
        for action, answer, taken, status in (("warn", f"it is {FORBIDDEN}.", ["warned"], "warning"), ("log", f"it is {FORBIDDEN}.", [], "passed"),
                                              ("rewrite", "it is *******.", ["blocked"], "failed")):
            with self.subTest(action=action):
                self.afresh()
                self.guarded(policy(action))
                done = self.go({"text": f"it is {FORBIDDEN}.", "chunks": 7})
                self.assertEqual(done.returncode, 0, done.stderr)
                task = self.only_task()
                if action == "rewrite":
                    self.assertNotIn(FORBIDDEN, done.stdout)
                    self.nowhere(task)
                else:
                    self.assertEqual(done.stdout, answer + "\n")
                self.assertEqual([one["action_taken"] for one in self.violations(task)], taken)
                self.assertEqual([part["overall_status"] for part in self.parts(task)], [status])

    def test_what_a_person_says_is_not_sent(self):  # GUARD-11 E
        self.guarded(policy("block", {"kind": "keywords", "value": [FORBIDDEN], "on": "input"}))
        sent = self.folder / "sent.json"
        done = self.cadre("run", "team.json", "--model", self.script([{"text": "Never."}]), f"My password is {FORBIDDEN}.")
        self.assertNotEqual(done.returncode, 0)
        task = self.only_task()
        self.assertNotIn("agent_start", self.kinds(task))
        self.assertFalse(sent.exists())
        self.assertEqual([one["action_taken"] for one in self.violations(task)], ["blocked"])
        self.assertEqual([part["overall_status"] for part in self.parts(task)], ["failed"])

    def test_a_masked_prompt_is_what_the_model_hears(self):  # GUARD-11 E
        self.guarded(policy("rewrite", {"kind": "pii", "on": "input"}))
        done = self.go({"when": {"contains": "Write to [EMAIL]"}, "text": "Done."}, prompt="Write to ann@example.com.")
        self.assertEqual((done.returncode, done.stdout), (0, "Done.\n"), done.stderr)

    def test_calls_and_results_of_tools(self):  # GUARD-11 E
        self.guarded(policy("block", {"kind": "regex", "value": "9 ?\\* ?9", "on": "tool"}))
        done = self.go(call("calculator", expression="9 * 9"), {"when": {"contains": "withheld by policy"}, "text": "I may not."})
        self.assertEqual((done.returncode, done.stdout), (0, "I may not.\n"), done.stderr)
        [found] = self.violations(self.only_task())
        self.assertEqual(found["action_taken"], "blocked")

        self.afresh()
        self.guarded(policy("block", {"kind": "keywords", "value": ["81"], "on": "tool"}))
        done = self.go(call("calculator", expression="9 * 9"), {"when": {"contains": "The result of calculator was withheld"}, "text": "No."})
        self.assertEqual((done.returncode, done.stdout), (0, "No.\n"), done.stderr)
        self.nowhere(self.only_task(), '"81"')

    def test_a_word_that_json_escapes_hide_does_not_reach_a_tool(self):
        self.guarded(policy("block", {"kind": "regex", "value": r"\b9 \* 9\b", "on": "tool"}))
        done = self.go(call("calculator", expression="1 +\n9 * 9"), {"when": {"contains": "withheld by policy"}, "text": "I may not."})
        self.assertEqual((done.returncode, done.stdout), (0, "I may not.\n"), done.stderr)

    def test_what_was_masked_in_a_conversation_stays_masked(self):
        self.guarded(policy("rewrite", {"kind": "pii", "on": "input"}))
        script = self.script([{"when": {"contains": "again"}, "text": "Yes."}, {"when": {"contains": "[EMAIL]"}, "text": "Hello."}])
        said = self.cadre("chat", "team.json", "--model", script, stdin="I am ann@example.com\nagain\n")
        self.assertEqual(said.returncode, 0, said.stderr)
        for task in json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]:
            self.assertNotIn("ann@example.com", self.succeeds("show", task["id"], "--requests"))

    def test_calls_are_counted_per_agent(self):  # GUARD-07 E
        self.guarded({"name": "calm", "type": "rate_limit", "action": "block", "everywhere": True,
                      "rules": [{"kind": "max_calls", "value": 2, "window_s": 3600, "on": "tool"}]})
        calls = [{"name": "calculator", "arguments": {"expression": f"{i} + 1"}} for i in range(4)]
        done = self.go({"tool_calls": calls}, {"text": "Enough."})
        self.assertEqual((done.returncode, done.stdout), (0, "Enough.\n"), done.stderr)
        found = self.violations(self.only_task())
        self.assertEqual([(one["check_type"], one["action_taken"]) for one in found], [("rate_limit", "blocked")] * 2)

    def test_each_type_of_policy_takes_effect_and_is_in_the_file(self):  # GUARD-07 E, GUARD-13 F
        self.guarded(policy("warn", {"kind": "max_length", "value": 10, "on": "input"}, kind="input_validation", name="short"),
                     policy("warn", {"kind": "keywords", "value": ["tea"], "on": "output"}, name="no_tea"),
                     policy("warn", {"kind": "max_calls", "value": 0, "window_s": 60, "on": "input"}, kind="rate_limit", name="calm"),
                     policy("warn", {"kind": "min_length", "value": 100, "on": "output"}, kind="compliance", name="long"))
        done = self.go({"text": "Drink tea."}, prompt="What shall I drink today?")
        self.assertEqual((done.returncode, done.stdout), (0, "Drink tea.\n"), done.stderr)
        task = self.only_task()
        kept = json.loads((self.home / "tasks" / task / ".agentx/guardrails.json").read_text())
        self.assertEqual({one["policy_violated"]: one["check_type"] for one in kept["violations"]},
                         {"short": "input_validation", "no_tea": "content_filter", "calm": "rate_limit", "long": "policy"})
        self.assertEqual([one["violation_id"] for one in kept["violations"]], [one["violation_id"] for one in self.violations(task)])

    # AGENT-20 E
    def test_a_policy_holds_for_those_who_name_it(self):
        one = policy("block")
        del one["everywhere"]
        self.guarded(one, agent={"guardrail_policies": ["words"]})
        self.assertNotEqual(self.go({"text": FORBIDDEN}).returncode, 0)
        self.afresh()
        self.guarded(one)
        checked = self.cadre("check", "team.json")
        self.assertIn("guardrail_policies[0]: holds for no agent", checked.stdout + checked.stderr)
        self.assertEqual(self.go({"text": FORBIDDEN}).stdout, FORBIDDEN + "\n")
        self.afresh()
        self.guarded(one, agent={"guardrail_policies": ["wrods"]})
        refused = self.go({"text": "Never said."})
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("wrods", refused.stderr)

    def test_a_verdict_stands_when_the_process_dies_behind_it(self):
        """Recorded, it is never taken again; nothing that was blocked is sent."""
        for point in ("after_intent", "before_dispatch", "after_dispatch", "after_outcome"):
            for nth in range(1, 5):
                with self.subTest(point=point, nth=nth):
                    self.afresh()
                    self.guarded(policy("rewrite"))
                    script = [call("calculator", expression="1 + 1"), {"text": f"{FORBIDDEN} is two.", "chunks": 5}]
                    died = self.go(*script, env={"CADRE_CRASH_AT": f"{point}:{nth}"}, words=["--quiet"])
                    tasks = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]
                    if died.returncode != -9 or not tasks:
                        continue
                    task = self.only_task()
                    done = self.cadre("resume", task)
                    self.assertEqual((done.returncode, self.status(task)), (0, "completed"), done.stderr)
                    self.assertNotIn(FORBIDDEN, done.stdout)
                    self.assertEqual(len(self.violations(task)), 1)
                    self.nowhere(task)
                    self.succeeds("replay", task)

    def test_another_policy_after_a_crash_does_not_change_what_was_decided(self):
        """Tasks are pinned to their team; the file may say something else meanwhile."""
        self.guarded(policy("warn"))
        died = self.go(call("calculator", expression="1 + 1"), {"text": f"{FORBIDDEN} is two."}, env={"CADRE_CRASH_AT": "after_outcome:2"})
        self.assertEqual(died.returncode, -9)
        self.guarded(policy("block"))
        task = self.only_task()
        self.assertEqual(self.cadre("resume", task).stdout, f"{FORBIDDEN} is two.\n")

    def test_a_policy_that_blocks_from_now_on_leaves_what_was_decided_and_counts_for_the_next_answer(self):
        """Case 1 of structure: from warn to block between a crash and the resume."""
        def team(action):
            return {"name": "desk", "description": "x", "default_llm": {}, "tools": [], "guardrail_policies": [policy(action)],
                    "agents": [{"name": name, "role": "x", "prompt": "y"} for name in ("writer", "reviewer")],
                    "handoff_rules": [{"from_agent": "writer", "to_agent": "reviewer"}]}

        self.write("cadre.yaml", "name: desk\n")
        self.write("team.json", team("warn"))
        died = self.go(*({"when": {"agent": name}, "text": f"{FORBIDDEN}, says {name}."} for name in ("writer", "reviewer")),
                       env={"CADRE_CRASH_AT": "after_outcome:1"})
        self.assertEqual(died.returncode, -9)
        task = self.only_task()
        self.succeeds("intervene", task, "--team", self.write("changed.json", team("block")))
        self.assertNotEqual(self.cadre("resume", task).returncode, 0)
        self.assertEqual([(one["agent_name"], one["action_taken"]) for one in self.violations(task)], [("writer", "warned"), ("reviewer", "blocked")])
        self.assertIn('what reviewer was to be told was withheld by policy "words"', self.show(task)["task"]["error"])
        self.assertEqual(self.cadre("replay", task).returncode, 0)

    def test_full_width_and_invisible_letters_make_no_difference(self):
        for text in ("ｈｕｎｔｅｒ２", "hun\u200bter2", "HUNTER2"):
            with self.subTest(text=text):
                self.afresh()
                self.guarded(policy("block"))
                self.assertNotEqual(self.go({"text": f"It is {text}.", "chunks": 4}).returncode, 0)

    def test_a_pattern_of_ten_kilobytes_and_a_line_of_a_megabyte(self):
        long = "|".join(f"w{i}x{i}" for i in range(1200))
        self.guarded(policy("block", {"kind": "regex", "value": long}, {"kind": "regex", "value": "(a*)*b"}))
        done = self.go({"text": "a" * 1_000_000})
        self.assertEqual((done.returncode, len(done.stdout)), (0, 1_000_001), done.stderr[-300:])


if __name__ == "__main__":
    unittest.main(verbosity=1)
