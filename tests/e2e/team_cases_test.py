#!/usr/bin/env python3
"""Hard cases of teams, by their numbers, on the real program; those that stand elsewhere are not here again."""
import json
import signal
import time
import unittest

from home import WAITING
from team_scenes import Scene, Stage, pattern, says as speaks, vote
from teams_test import CIRCLE, LIMIT_CODE, Teams, rule, says

NAMES = ["writer", "reviewer", "tester"]
NEVER = 600_000  # milliseconds
ILL = {"when": {"agent": "reviewer"}, "fail": {"status": 400, "message": "the reviewer is ill"}, "times": "any"}
PROPOSAL = json.dumps({"decision": "Tea.", "reasoning": "It is good."})


def votes(agent, word, **more):
    return {**says(agent, json.dumps({"vote": word, "reasoning": "So."}), "any", contains="This is proposed:"), **more}


class Told(Teams):
    def told(self, task, kind):
        return [event for event in self.events(task) if event["type"] == f"event_{kind}"]

    def error(self, task):
        return self.show(task)["task"]["error"]


class Cases(Told):
    def test_case_4_an_agent_that_fails_before_the_first_sync_point_keeps_no_other_waiting(self):
        self.team(patterns=[{"name": "all", "type": "parallel", "agents": NAMES, "config": {"sync_points": ["draft", "end"]}}])
        done = self.go([ILL, *(says(name, text) for text in ("Draft.", "Done.") for name in ("writer", "tester"))])
        self.assertEqual((done.returncode, done.stdout), (0, "[writer] Done.\n\n[tester] Done.\n"), done.stderr)
        task = self.only_task()
        meetings = self.told(task, "parallel_sync")
        self.assertEqual([event["sync_point"] for event in meetings], ["draft"] * 3 + ["end"] * 2)
        self.assertEqual(sorted(meetings[2]["completed_agents"]), sorted(NAMES))
        (ill,) = [event for event in self.told(task, "error") if event["context"].get("agent") == "reviewer"]
        self.assertIn("the reviewer is ill", ill["error_message"])
        self.assertEqual(self.cadre("replay", task).returncode, 0)

    def ballot(self, words, agents=NAMES, leader=None, **config):
        self.team(agents=(*NAMES, "chief"), patterns=[{"name": "vote", "type": "consensus", "agents": list(agents), "config": config,
                                                       **({"coordination_agent": leader} if leader else {})}])
        tie = [{**votes(name, word), "when": {"agent": name, "contains": "That is a tie"}} for name, word in words.items() if name == leader]
        return self.go([*tie, *(votes(name, word) for name, word in words.items() if name != leader), says(leader or agents[0], PROPOSAL)])

    def test_case_5_where_the_weight_abstains_there_is_no_quorum(self):
        done = self.ballot({"writer": "abstain", "reviewer": "approve", "tester": "approve"}, rule="weighted", weights={"writer": 2})
        self.assertNotEqual(done.returncode, 0)
        task = self.only_task()
        self.assertIn("too few votes for a quorum; writer: abstain", self.error(task))
        self.assertEqual((len(self.told(task, "consensus_vote")), self.told(task, "consensus_reached")), (3, []))

    def test_case_5_with_its_weight_one_agent_decides_against_two(self):
        done = self.ballot({"writer": "approve", "reviewer": "reject", "tester": "reject"}, rule="weighted", weights={"writer": 3})
        self.assertEqual((done.returncode, done.stdout), (0, "Tea.\n"), done.stderr)

    def test_case_5_one_to_one_the_coordinator_decides(self):
        """AGENTX 5."""
        for word, code in (("approve", 0), ("reject", 1)):
            with self.subTest(word):
                self.afresh()
                done = self.ballot({"writer": "approve", "reviewer": "reject", "chief": word}, agents=NAMES[:2], leader="chief")
                self.assertEqual(done.returncode == 0, code == 0, done.stderr)
                self.assertEqual(len(self.told(self.only_task(), "consensus_reached")), 1 - code)

    def test_case_6_the_time_of_a_vote_passes_while_the_process_is_down(self):
        seconds = 2
        self.team(patterns=[{"name": "vote", "type": "consensus", "agents": NAMES, "config": {"timeout": seconds}}])
        script = self.script([votes("writer", "approve"), votes("reviewer", "approve"), votes("tester", "reject", delay_ms=NEVER),
                              says("writer", PROPOSAL)])
        process = self.start("run", "team.json", "--model", script, "--json", "Write about tea.")
        task = self.next_event(process, "event_task_start")["task_id"]
        for _ in range(2):
            self.next_event(process, "event_consensus_vote")
        process.send_signal(signal.SIGKILL)
        self.end(process)
        over = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > over, "the end of the time for a vote")
        began = time.monotonic()
        done = self.cadre("resume", task)
        self.assertEqual((done.returncode, done.stdout), (0, "Tea.\n"), done.stderr)
        self.assertLess(time.monotonic() - began, seconds)  # it is not given its time again
        cast = {event["voter_agent"]: event["vote"] for event in self.told(task, "consensus_vote")}
        self.assertEqual((cast, len(self.told(task, "consensus_vote"))), ({"writer": "approve", "reviewer": "approve", "tester": "abstain"}, 3))
        self.assertEqual(self.cadre("replay", task).returncode, 0)

    def test_case_7_of_three_children_one_fails_and_one_asks_and_a_cancel_ends_all(self):
        self.team(granted=["ask_human"], patterns=[{"name": "desk", "type": "hierarchical", "agents": ["reviewer", "tester", "chief"],
                                                    "coordination_agent": "writer"}], agents=(*NAMES, "chief"))
        delegate = [{"name": "delegate", "arguments": {"to": name, "task": f"Work, {name}."}} for name in ("reviewer", "tester", "chief")]
        done = self.go([{"when": {"agent": "writer"}, "tool_calls": delegate}, ILL, says("tester", "Tested."),
                        {"when": {"agent": "chief"}, "tool_calls": [{"name": "ask_human", "arguments": {"question": "Which?"}}]}])
        self.assertEqual(done.returncode, WAITING, done.stderr)
        tasks = {task["agent"]: task for task in json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]}
        self.assertEqual({agent: self.status(task["id"]) for agent, task in tasks.items()},
                         {"writer": "interrupted", "reviewer": "failed", "tester": "completed", "chief": "waiting"})
        self.succeeds("cancel", tasks["writer"]["id"])
        self.assertEqual({agent: self.status(task["id"]) for agent, task in tasks.items()},
                         {"writer": "cancelled", "reviewer": "failed", "tester": "completed", "chief": "cancelled"})
        self.assertEqual((self.waiting(), self.cadre("resume", "--all").returncode), ([], 0))

    def test_case_8_success_by_the_model_and_failure_by_an_expression_at_once_is_a_failure(self):
        self.team(CIRCLE, success_criteria=["It is about something."], failure_criteria=["expr: 'coffee' in answer"])
        self.assertNotEqual(self.go([says("writer", "About coffee.")]).returncode, 0)  # no judge is asked: the script has none
        self.assertEqual(self.error(self.only_task()), "failure criterion met: expr: 'coffee' in answer")

    def test_case_9_of_two_next_agents_the_last_counts_and_both_are_on_record(self):
        self.team(CIRCLE, granted=["calculator"])
        sum_ = {"when": {"agent": "writer"}, "tool_calls": [{"name": "calculator", "arguments": {"expression": "1+1"}}]}
        script = self.script([sum_, says("writer", "Written.", after_tool=True), says("tester", "Tested.")])
        self.cadre("run", "team.json", "--model", script, "--mode", "step", "Write about tea.")
        task = self.only_task()
        self.cadre("step", task, 2)  # the writer has called its tool, and will be asked again
        for name in ("reviewer", "tester"):
            self.succeeds("intervene", task, "--next-agent", name)
        done = self.cadre("continue", task)
        self.assertEqual((done.returncode, done.stdout), (0, "Tested.\n"), done.stderr)
        self.assertEqual([event["details"]["next_agent"] for event in self.told(task, "user_intervention")], ["reviewer", "tester"])
        self.assertEqual(self.handoffs(task), ["writer>tester sequential"])
        self.assertEqual(self.cadre("replay", task).returncode, 0)


class Bounds(Told):
    MANY = [f"a{number}" for number in range(1000)]

    def test_a_thousand_agents_in_a_file_who_hand_over_to_each_other(self):
        self.team([rule(a, b) for a, b in zip(self.MANY, self.MANY[1:])], agents=self.MANY, max_steps=3)
        self.assertIn("no problems found", self.succeeds("check"))
        done = self.go([says(name, "So.", "any") for name in self.MANY[:4]])
        self.assertEqual(done.returncode, LIMIT_CODE, done.stderr)
        task = self.only_task()
        self.assertEqual(self.error(task), "max_steps (3) reached")
        self.assertEqual(self.handoffs(task), [f"a{i}>a{i + 1} sequential" for i in range(3)])
        self.assertIn("team desk, 1000 agents", self.succeeds("graph", task))

    def test_a_thousand_agents_at_the_same_time(self):
        self.team(agents=self.MANY, patterns=[{"name": "all", "type": "parallel", "agents": self.MANY}], max_steps=1500)
        done = self.go([{"text": "So.", "times": "any"}], "--quiet")
        self.assertEqual((done.returncode, done.stdout), (0, "\n\n".join(f"[{name}] So." for name in self.MANY) + "\n"), done.stderr)
        self.assertEqual(len({event["agent_name"] for event in self.told(self.only_task(), "agent_complete")}), 1000)


class Stalled(Stage):
    def test_a_voter_whose_vendor_never_answers_abstains_in_time(self):
        """AGENTX 5."""
        scene = Scene("stalled", {"collaboration_patterns": [pattern("vote", "consensus", "boss", timeout=1)]},
                      [speaks("boss", PROPOSAL, contains="others will vote on it"), speaks("writer", vote("approve")), speaks("reviewer", vote("approve")),
                       speaks("tester", vote("reject"), delay_ms=NEVER)], "Tea.")
        self.open_scene(scene)
        began = time.monotonic()
        ended, lines = self.play()
        self.assertTrue(ended)
        self.assertLess(time.monotonic() - began, 20)
        cast = {line["event"]["voter_agent"]: line["event"] for line in lines if line["event"]["type"] == "event_consensus_vote"}
        self.assertEqual({name: event["vote"] for name, event in cast.items()}, {"writer": "approve", "reviewer": "approve", "tester": "abstain"})
        self.assertIn("no answer within 1 s", cast["tester"]["reasoning"])
        self.assertEqual(lines[-1]["event"]["summary"], "Tea.")


if __name__ == "__main__":
    unittest.main()
