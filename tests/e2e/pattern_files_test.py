#!/usr/bin/env python3
"""A run of every pattern: each event that is told and each file in the folders of its tasks is held against the schema that the
program prints for it, by a judge that is not ours; then the order of the events."""
import json
import os
import re
import subprocess
import unittest

from home import ROOT
from team_scenes import CONSENSUS, HIERARCHICAL, PARALLEL, PLAN, REFLECTION, SCENES, TURNS, WORKERS, WORKFLOW, Stage

NODE = os.environ.get("CADRE_NODE", str(ROOT / "tests/node/node_modules/.bin/node"))
JUDGE = ROOT / "tests/node/schema_judge.mjs"
# files of a task's folder, and the schema of the file, or of each of its lines; None: no promise is made about it
FILES = {r"task\.json": "framework_task", r"history\.jsonl": "task_step", r"trace\.json": "trace_log", r"checkpoint_\d{3}\.json": "framework_checkpoint",
         r"team\.yaml": "team", r"plan\.json": "plan_file", r"sub_agents/[0-9a-f-]{36}\.json": "sub_agent_session",
         r"\.agentx/state\.json": "state_file", r"\.agentx/performance\.json": "performance_file",
         r"\.agentx/logs/(orchestrator|agents|tools|errors)\.log": "event", r"\.agentx/cursor\.json": None,
         r"memory/short_term\.json": "task_step"}  # its steps


class Records(Stage):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.schemas = self.folder / "schemas"
        self.succeeds("schema", "--all", self.schemas)
        self.of_event = {}
        for file in self.schemas.iterdir():
            kind = json.loads(file.read_text()).get("properties", {}).get("type", {}).get("const", "")
            if kind.startswith("event_"):
                self.of_event[kind] = file.name.removesuffix(".schema.json")

    def judge(self, values):
        """What is wrong with them: each is (schema, where, value)."""
        done = subprocess.run([NODE, str(JUDGE), str(self.schemas)], input="\n".join(map(json.dumps, values)), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def of_line(self, where, line):
        """An event with its number, as `tail` tells it and logs keep it."""
        self.assertEqual(sorted(line), ["event", "seq"], where)
        self.assertIn(line["event"]["type"], self.of_event, where)
        return self.of_event[line["event"]["type"]], f"{where} {line['event']['type']}", line["event"]

    def of_file(self, file, name):
        schemas = [schema for pattern, schema in FILES.items() if re.fullmatch(pattern, name)]
        self.assertEqual(len(schemas), 1, f"nobody says what {name} is")
        text, schema = file.read_text(), schemas[0]
        if name.endswith(".yaml"):
            return [(schema, name, {"yaml": text})]
        lines = [json.loads(line) for line in (text.splitlines() if name.endswith((".jsonl", ".log")) else [text])]
        if schema == "event":
            return [self.of_line(name, line) for line in lines]
        if name == "memory/short_term.json":
            lines = lines[0]["steps"]
        return [(schema, name, line) for line in lines] if schema else []

    def values(self, task):
        values = [self.of_line("tail", line) for line in self.lines(task)]
        folder = self.home / "tasks" / task
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            values += self.of_file(file, str(file.relative_to(folder)))
        return values


class Schemas(Records):
    def test_whatever_a_run_of_any_pattern_tells_or_writes_is_as_its_schema_says(self):
        seen, values = set(), []
        for scene in SCENES:
            with self.subTest(scene.name):
                self.afresh()
                self.open_scene(scene)
                ended, _ = self.play()
                self.assertTrue(ended)
                values = [value for task in self.tasks() for value in self.values(task)]
                self.assertEqual(self.judge(values), [])
                seen |= {schema for schema, _, _ in values}
        wanted = {"agent_handoff_event", "parallel_execution_start_event", "parallel_execution_sync_event", "consensus_proposal_event",
                  "consensus_vote_event", "consensus_reached_event", "tool_call_event", "tool_result_event", "sub_agent_session", "plan_file",
                  "framework_checkpoint"}
        self.assertEqual(wanted - seen, set())

    def test_the_judge_can_see(self):
        vote = {"type": "event_consensus_vote", "proposal_id": "p", "voter_agent": "writer", "vote": "approve", "reasoning": "So.",
                "timestamp": "2026-11-18T10:00:00.000Z"}
        self.assertEqual(self.judge([("consensus_vote_event", "right", vote)]), [])
        for name, value in (("missing", {key: vote[key] for key in vote if key != "voter_agent"}), ("more", {**vote, "mood": "good"}),
                            ("wrong", {**vote, "vote": 1}), ("time", {**vote, "timestamp": "today"})):
            self.assertEqual(len(self.judge([("consensus_vote_event", name, value)])), 1, name)


class Orders(Records):
    """In which order things are told."""

    def told(self, scene):
        self.open_scene(scene)
        ended, _ = self.play()
        self.assertTrue(ended)
        self.task = self.tasks()[0]
        events = self.events(self.task)
        self.turns_are_told_in_order(events)
        return events

    def turns_are_told_in_order(self, events):
        """Of each agent: start, complete, its tools, its handoffs, and only then the next start."""
        order = ["event_agent_start", "event_agent_complete", "event_tool_call", "event_agent_handoff"]
        last, calls = {"flow": 1}, {}  # tools of a workflow's nodes are called by itself, without a turn
        self.assertEqual((events[0]["type"], events[-1]["type"]), ("event_task_start", "event_task_complete"))
        for event in events:
            if event["type"] == "event_tool_call":
                calls[event["tool_call"]["id"]] = event["agent_name"]
            if event["type"] == "event_tool_result":
                calls.pop(event["tool_result"]["tool_call_id"])  # fails where there was no call
            if event["type"] not in order:
                continue
            who, place = event.get("agent_name", event.get("from_agent")), order.index(event["type"])
            if place == 0:
                self.assertNotEqual(last.get(who), 0, f"{who} starts again before it has ended")
                self.assertNotIn(who, calls.values(), f"{who} thinks before its tools are back")
            elif place == 1:
                self.assertEqual(last.get(who), 0, f"{who} ends a turn that it has not begun")
            else:
                self.assertIn(last.get(who), range(1, place + 1), f"{event['type']} of {who} is not where it belongs")
            last[who] = place
        self.assertEqual(calls, {})

    def of(self, events, *kinds):
        return [event for event in events if event["type"].removeprefix("event_") in kinds]

    # EVT-13 W
    def test_a_handoff_is_told_between_the_turns_of_those_two(self):
        events = self.told(TURNS)
        for place, event in enumerate(events):
            if event["type"] == "event_agent_handoff" and event["handoff_type"] != "hierarchical":
                after = [e["agent_name"] for e in events[place:] if e["type"] == "event_agent_start"]
                self.assertIn(event["to_agent"], after)
        self.assertEqual([(e["from_agent"], e["to_agent"], e["handoff_type"]) for e in self.of(events, "agent_handoff")],
                         [("boss", "writer", "sequential"), ("writer", "tester", "hierarchical"), ("writer", "reviewer", "parallel"),
                          ("writer", "boss", "sequential")])

    # TEAM-20 E, EVT-14 W, EVT-15 W
    def test_agents_at_the_same_time_are_told_as_they_arrive_and_the_coordinator_sees_all_results(self):
        events = self.told(PARALLEL)
        first = [e["type"].removeprefix("event_") for e in events[:5]]
        self.assertEqual(first, ["task_start", "parallel_start", *["agent_start"] * 3])
        meetings = self.of(events, "parallel_sync")
        self.assertEqual([(e["sync_point"], len(e["completed_agents"])) for e in meetings],
                         [(point, there) for point in ("draft", "end") for there in (1, 2, 3)])
        for event in meetings:
            self.assertEqual(sorted(event["completed_agents"] + event["waiting_agents"]), sorted(WORKERS))
            place, arrived = events.index(event), set()
            for earlier in events[:place]:
                if earlier["type"] == "event_agent_complete":
                    arrived.add(earlier["agent_name"])
            self.assertLessEqual(set(event["completed_agents"]), arrived)
        (merge,) = [request for request in self.asked() if request["model"] == "boss"]
        heard = json.dumps(merge["messages"])
        for name in WORKERS:
            self.assertIn(f"[{name}] End of the {name}.", heard)

    # TEAM-22 E
    def test_three_agents_of_a_second_each_take_less_than_two(self):
        slow = PARALLEL._replace(says=[{**entry, "delay_ms": 1000} if "End of" in entry.get("text", "") else entry for entry in PARALLEL.says])
        events = self.told(slow)
        self.assertGreaterEqual(events[-1]["total_duration_ms"], 1000)
        self.assertLess(events[-1]["total_duration_ms"], 2000)
        self.assertEqual(len(self.of(events, "parallel_sync")), 6)

    # TEAM-24 E, EVT-16 W, EVT-17 W, EVT-18 W
    def test_a_consensus_tells_its_proposal_then_each_vote_once_then_what_was_reached(self):
        events = self.of(self.told(CONSENSUS), "consensus_proposal", "consensus_vote", "consensus_reached")
        self.assertEqual([e["type"].removeprefix("event_consensus_") for e in events],
                         ["proposal", "vote", "vote", "vote", "proposal", "vote", "vote", "vote", "reached"])
        for proposal, votes in ((events[0], events[1:4]), (events[4], events[5:8])):
            self.assertEqual((proposal["proposer_agent"], proposal["stakeholders"]), ("boss", list(WORKERS)))
            self.assertEqual(sorted(vote["voter_agent"] for vote in votes), sorted(WORKERS))
            self.assertEqual({vote["proposal_id"] for vote in votes}, {proposal["proposal_id"]})
            self.assertTrue(all(vote["reasoning"] for vote in votes))
        reached = events[8]
        self.assertEqual((reached["proposal_id"], reached["final_decision"]), (events[4]["proposal_id"], "Tea."))
        self.assertEqual(reached["votes"], {vote["voter_agent"]: vote["vote"] for vote in events[5:8]})

    # TEAM-23 E
    def test_delegated_work_has_a_stream_of_its_own_and_its_steps_hang_on_who_delegated_it(self):
        events = self.told(HIERARCHICAL)
        self.assertEqual({e["agent_name"] for e in self.of(events, "agent_start")}, {"boss"})
        steps = {e["step_id"] for e in self.of(events, "agent_start")}
        children = self.tasks()[1:]
        self.assertEqual(len(children), 2)
        for child in children:
            self.turns_are_told_in_order(self.events(child))
            for line in (self.home / "tasks" / child / "history.jsonl").read_text().splitlines():
                step = json.loads(line)
                if step["agent_name"] in WORKERS and not any(part["type"] == "tool_result" for part in step["parts"]):
                    self.assertIn(step["parent_step_id"], steps)

    def test_items_of_a_plan_and_nodes_of_workflows_begin_when_what_they_need_has_ended(self):
        for scene, first, then in ((PLAN, ("writer", "tester"), "reviewer"), (WORKFLOW, ("writer",), "tester"), (REFLECTION, ("writer",), "reviewer")):
            with self.subTest(scene.name):
                self.afresh()
                events = self.told(scene)
                begun = next(place for place, e in enumerate(events) if e["type"] == "event_agent_start" and e["agent_name"] == then)
                ended = {e["agent_name"] for e in events[:begun] if e["type"] == "event_agent_complete"}
                self.assertLessEqual(set(first), ended)


if __name__ == "__main__":
    unittest.main()
