#!/usr/bin/env python3
"""What clients hear over WebSockets of `cadre serve` while tasks run: words and events, each as its schema says and in its order."""
import json
import unittest

from home import ASK, SUM, calls
from listener import Listener
from pattern_files_test import Records
from team_scenes import CONSENSUS, PARALLEL, TURNS, WORKERS, team_of

TALK = [{"text": "one two three four five six", "chunks": 6, "pace_ms": 200, "usage": {"input": 9, "output": 6}}]
STREAMS = ("content", "events", "hitl")


class Told(Listener, Records):
    def project(self, scene):
        self.open_scene(scene)
        self.write("cadre.yaml", "version: 1.0.0\nteam: desk\n")
        (self.folder / "team.json").unlink()
        self.write("teams/desk.json", team_of(scene))
        self.serve()

    def watched(self, act=lambda task: None, streams=STREAMS, **fields):
        """A task from its beginning to its end, as its clients hear it; `act` is what somebody does meanwhile."""
        task = self.post("/tasks", {"description": "Go.", **fields}).json["id"]
        client = self.follow(task, *streams)
        self.assertEqual(self.post(f"/tasks/{task}/start").status, 200)
        act(task)
        heard = self.heard(client)
        self.task = task
        for events in (heard.get("events", []), heard.get("hitl", [])):
            self.assertEqual(self.judge([(self.of_event[event["type"]], event["type"], event) for event in events]), [])
        return heard

    def of(self, heard, *kinds):
        return [event for event in heard["events"] if event["type"].removeprefix("event_") in kinds]

    # EVT-01 W, EVT-02 W, EVT-03 W, EVT-04 W, EVT-05 E, AGENT-31 W, API-33 W, API-34 W, API-35 W
    def test_words_and_events_are_told_apart_and_words_as_they_come(self):
        self.serve(TALK)
        heard = self.watched(streams=("stream", *STREAMS))
        both = [one for one in heard["stream"] if one["type"] != "content_chunk"]
        self.assertEqual(both, heard["events"])
        self.assertEqual([one for one in heard["stream"] if one["type"] == "content_chunk"], heard["content"])
        self.assertEqual({chunk["type"] for chunk in heard["content"]}, {"content_chunk"})
        self.assertTrue(all(event["type"].startswith("event_") for event in heard["events"]))
        for chunk in heard["content"]:
            self.assertEqual(set(chunk) - {"token_count"}, {"type", "step_id", "agent_name", "text", "is_final", "timestamp"})
        said = self.get(f"/tasks/{self.task}/history").json["steps"][-1]
        self.assertEqual("".join(chunk["text"] for chunk in heard["content"]), said["parts"][-1]["text"])
        self.assertEqual({chunk["step_id"] for chunk in heard["content"]}, {said["step_id"]})
        self.assertEqual([chunk["is_final"] for chunk in heard["content"]], [False] * (len(heard["content"]) - 1) + [True])
        # five pauses of 0.2 s lie between the words; whoever kept them back would tell them all at once
        times = self.arrivals["content"]
        self.assertGreaterEqual(times[-1] - times[0], 700)
        self.assertGreater(len({time // 100 for time in times}), 3)

    # EVT-06 W, EVT-07 W, EVT-08 W, EVT-11 W, EVT-12 W, EVT-19 W, EVT-20 W
    def test_a_run_is_told_as_it_acts(self):
        self.serve(SUM)
        heard = self.watched()
        self.assertEqual([event["type"].removeprefix("event_") for event in heard["events"]],
                         ["task_start", "agent_start", "agent_complete", "tool_call", "tool_result", "agent_start", "agent_complete", "task_complete"])
        start, *_, end = heard["events"]
        self.assertEqual((start["task_id"], start["initial_prompt"], start["execution_mode"]), (self.task, "Go.", "autonomous"))
        self.assertEqual(start["team_config"]["name"], "desk")
        self.assertEqual((end["final_status"], end["total_steps"]), ("success", len(self.of(heard, "agent_complete"))))
        [call], [result] = self.of(heard, "tool_call"), self.of(heard, "tool_result")
        self.assertEqual(call["tool_call"]["id"], result["tool_result"]["tool_call_id"])
        turns = [(event["step_id"], event["agent_name"]) for event in self.of(heard, "agent_start", "agent_complete")]
        self.assertEqual(turns[0::2], turns[1::2])
        # what is told is enough to know how the task is
        states = {"task_start": "running", "task_paused": "paused", "task_resumed": "running", "task_complete": "completed"}
        known = [states[event["type"][6:]] for event in heard["events"] if event["type"][6:] in states]
        self.assertEqual(known[-1], self.get(f"/tasks/{self.task}").json["status"])

    # EVT-09 W, EVT-10 W, EVT-33 W, EVT-34 W, TASK-20 W
    def test_pauses_steps_breakpoints_and_interventions_are_told(self):
        self.serve([calls("calculator", expression="1+1"), calls("write_file", path="a.txt", content="x"),
                    {"text": "Done.", "when": {"contains": "Be brief."}}])

        def act(task):
            self.at_rest(task)
            self.post(f"/tasks/{task}/step", {"steps": 1}, headers={"Prefer": "wait=30"})
            self.ask("PUT", f"/tasks/{task}/breakpoints", {"breakpoints": ["tool:write_file"]})
            self.post(f"/tasks/{task}/continue", headers={"Prefer": "wait=30"})
            self.post(f"/tasks/{task}/intervene", {"intervention_type": "instruction", "instruction": "Be brief."})
            self.post(f"/tasks/{task}/continue")

        heard = self.watched(act, execution_mode="step")
        self.assertEqual([event["reason"] for event in self.of(heard, "task_paused")], ["step_mode", "step_mode", "breakpoint"])
        self.assertEqual([event["reason"] for event in self.of(heard, "task_resumed")], ["step", "continue", "continue"])
        [hit], [change] = self.of(heard, "breakpoint_hit"), self.of(heard, "user_intervention")
        self.assertEqual(hit["breakpoint_type"], "tool")
        self.assertEqual((change["intervention_type"], change["details"]["instruction"]), ("instruction", "Be brief."))
        self.assertEqual(change["user_id"], self.get("/whoami").json["subject"])

    # EVT-24 W, EVT-25 W, API-39 W
    def test_questions_and_answers_have_a_stream_of_their_own(self):
        self.serve(ASK)

        def act(task):
            [request] = self.at_rest(task)["ext"]["questions"]
            self.post(f"/tasks/{task}/hitl/{request['request_id']}/respond", {"response_type": "approved", "message": "blue"})

        heard = self.watched(act)
        request, response = heard["hitl"]
        self.assertEqual((request["type"], request["request_type"], request["agent_name"]), ("event_hitl_request", "feedback", "researcher"))
        self.assertEqual(request["context"]["question"], "Which colour?")
        self.assertEqual((response["type"], response["request_id"], response["response_type"]),
                         ("event_hitl_response", request["request_id"], "approved"))
        self.assertGreaterEqual(response["response_time_ms"], 0)
        self.assertEqual(self.of(heard, "hitl_request", "hitl_response"), heard["hitl"])

    def test_case_17_a_task_and_all_below_it_are_one_stream_that_can_be_cut_anywhere(self):
        many = 12
        agents = [{"name": name, "role": "Works.", "prompt": f"You are {name}.", "tools": []} for name in ("lead", "scout")]
        rule = {"from_agent": "lead", "to_agent": "scout", "handoff_type": "hierarchical"}
        orders = [{"name": "delegate", "arguments": {"to": "scout", "task": f"Look at {n}."}} for n in range(many)]
        model = self.script([{"when": {"agent": "lead", "nth": 1}, "tool_calls": orders}, {"when": {"agent": "lead", "nth": 2}, "text": "Merged."},
                             {"when": {"agent": "scout"}, "text": "Seen this, and that.", "chunks": 4, "pace_ms": 20, "times": "any"}])
        rates = {name: {"requests": 10_000, "seconds": 1} for name in ("read", "stream")}
        self.write("cadre.yaml", json.dumps({"version": "1.0.0", "model": model, "team": "desk", "server": {"rates": rates}}))
        self.write("teams/desk.json", {**self.TEAM, "agents": agents, "handoff_rules": [rule]})
        self.serve()
        told = self.watched(streams=("stream?tree=1",))["stream?tree=1"]
        tasks = [one["id"] for one in self.get(f"/tasks?parent_task_id={self.task}&limit=100").json["tasks"]]
        self.assertEqual(len(tasks), many)
        self.assertEqual({one["path"] for one in told}, {"lead", "lead/scout"})

        def per_task(things):
            """Of each task its events, and the text of its steps."""
            all_of = {task: ([], {}) for task in (self.task, *tasks)}
            for one in things:
                events, texts = all_of[one["task"]]
                if "event" in one:
                    events.append(one["seq"])
                else:
                    step = one["chunk"]["step_id"]
                    self.assertEqual(len(texts.get(step, "").encode()), one["offset"])
                    texts[step] = texts.get(step, "") + one["chunk"]["text"]
            return all_of

        whole = per_task(told)
        for task, (events, texts) in whole.items():
            self.assertEqual(events, [line["seq"] for line in self.get(f"/tasks/{task}/events").json["events"]])
            if task != self.task:
                self.assertEqual(list(texts.values()), ["Seen this, and that."])
        for cut in range(0, len(told) - 1, max(1, len(told) // 5)):
            rest = self.get(f"/tasks/{self.task}/stream?tree=1&since={told[cut]['place']}", headers={"Accept": "text/event-stream"})
            lines = [line[6:] for line in rest.text.decode().splitlines() if line.startswith("data: {")]
            again = [one for one in map(json.loads, lines) if "task" in one]
            self.assertEqual(per_task(told[:cut + 1] + again), whole, cut)
        self.assertEqual(self.get(f"/tasks/{self.task}/events?tree=1").status, 422)

    # EVT-26 W, API-37 W
    def test_what_checks_find_has_a_stream_of_its_own(self):
        policy = {"name": "words", "type": "content_filter", "severity": "high", "action": "warn", "everywhere": True,
                  "rules": [{"kind": "keywords", "value": ["hunter2"], "on": "output"}]}
        self.serve([{"text": "It is hunter2.", "times": "any"}], team={**self.TEAM, "guardrail_policies": [policy]})
        heard = self.watched(streams=("guardrails", "events"))
        [found] = heard["guardrails"]
        self.assertEqual((found["type"], found["check_type"], found["severity"], found["policy_violated"], found["agent_name"], found["action_taken"]),
                         ("event_guardrail_violation", "content_filter", "high", "words", "researcher", "warned"))
        self.assertNotIn("hunter2", found.get("content_sample") or "")
        self.assertEqual(self.of(heard, "guardrail_violation"), [found])
        self.assertEqual(self.judge([(self.of_event[found["type"]], found["type"], found)]), [])

    # EVT-28 W, EVT-29 W, EVT-30 W, API-38 W
    def test_files_have_a_stream_of_their_own(self):
        self.serve([calls("write_file", path="report.md", content="one\ntwo\n"),
                    {**calls("write_file", path="report.md", content="one\nthree\n"), "when": {"after_tool": True}},
                    {"text": "Written.", "when": {"after_tool": True}, "times": "any"}])
        told = self.watched(streams=("artifacts", "events"))
        self.assertEqual(told["artifacts"], [event for event in told["events"] if event["type"].startswith("event_artifact_")])
        created, modified, versioned = told["artifacts"]
        self.assertEqual((created["type"], created["created_by"], created["artifact"]["uri"]), ("event_artifact_created", "write_file", "file://artifacts/report.md"))
        self.assertEqual((modified["type"], modified["modified_by"], modified["version"]), ("event_artifact_modified", "write_file", "2"))
        self.assertEqual((modified["changes"]["size_before"], modified["changes"]["size_after"]), (8, 10), modified)
        self.assertEqual((versioned["type"], versioned["old_version"], versioned["new_version"], versioned["reason"]),
                         ("event_artifact_versioned", "1", "2", "tool"))
        restored = self.post(f"/tasks/{self.task}/artifacts/report.md/restore/1")
        self.assertEqual(restored.status, 201, restored.text)
        later = self.heard(self.follow(self.task, "artifacts"))["artifacts"][3:]
        self.assertEqual([(event["type"], event.get("reason"), event.get("new_version")) for event in later][-1], ("event_artifact_versioned", "restore", "3"))
        for event in told["artifacts"] + later:
            self.assertEqual(self.judge([(self.of_event[event["type"]], event["type"], event)]), [])

    # EVT-31 W, EVT-32 W, PROD-11 W
    def test_what_fails_and_how_it_is_mended_are_told(self):
        self.serve([{"when": {"contains": "Fail."}, "fail": {"status": 400}}, {"fail": {"status": 503}}, {"text": "Done."}])
        lost = self.watched(description="Fail.")
        self.assertEqual(({one["recoverable"] for one in self.of(lost, "error")}, self.of(lost, "recovery")), ({False}, []))
        heard = self.watched()
        [error], recoveries = self.of(heard, "error"), self.of(heard, "recovery")
        self.assertTrue(error["recoverable"])
        self.assertEqual([(one["error_id"], one["success"]) for one in recoveries], [(error["error_id"], False), (error["error_id"], True)])

    # EVT-13 W
    def test_handoffs_of_each_type_are_told(self):
        self.project(TURNS)
        heard = self.watched(description="Write about tea.")
        self.assertEqual([(e["from_agent"], e["to_agent"], e["handoff_type"]) for e in self.of(heard, "agent_handoff")],
                         [("boss", "writer", "sequential"), ("writer", "tester", "hierarchical"), ("writer", "reviewer", "parallel"),
                          ("writer", "boss", "sequential")])

    # EVT-14 W, EVT-15 W
    def test_work_at_the_same_time_is_told(self):
        self.project(PARALLEL)
        heard = self.watched(description="Write about tea.")
        [start] = self.of(heard, "parallel_start")
        self.assertEqual((start["agents"], start["coordination_agent"], start["sync_points"]), (list(WORKERS), "boss", ["draft", "end"]))
        meetings = self.of(heard, "parallel_sync")
        self.assertEqual([event["sync_point"] for event in meetings], ["draft"] * 3 + ["end"] * 3)
        for event in meetings:
            self.assertEqual(sorted(event["completed_agents"] + event["waiting_agents"]), sorted(WORKERS))

    # EVT-16 W, EVT-17 W, EVT-18 W
    def test_proposals_votes_and_decisions_are_told(self):
        self.project(CONSENSUS)
        heard = self.watched(description="Write about tea.")
        votes = self.of(heard, "consensus_vote")
        last = self.of(heard, "consensus_proposal")[-1]
        [reached] = self.of(heard, "consensus_reached")
        self.assertEqual((last["proposer_agent"], last["stakeholders"], len(votes)), ("boss", list(WORKERS), 6))
        self.assertEqual((reached["proposal_id"], reached["votes"]),
                         (last["proposal_id"], {vote["voter_agent"]: vote["vote"] for vote in votes[3:]}))


if __name__ == "__main__":
    unittest.main()
