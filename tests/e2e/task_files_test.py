#!/usr/bin/env python3
"""What the files in the folder of a task say, held against what happened."""
import json
import pathlib
import unittest

from home import ASK, CONFLICT, Home, PAUSED, SUM, WAITING, calls

DELEGATED = pathlib.Path(__file__).with_name("delegated_run.jsonl")
FAILING = [calls("calculator", expression="1/0"), calls("calculator", expression="1+1"), {"text": "Done."}]


class Files(Home):
    def file(self, name, task=None):
        return (self.home / "tasks" / (task or self.only_task()) / name).read_text()

    def json_file(self, name):
        return json.loads(self.file(name))

    def lines(self, name, task=None):
        return [json.loads(line) for line in self.file(name, task).splitlines()]


class Trace(Files):
    # TASK-17 F
    def test_each_task_has_one_trace_and_it_names_its_task(self):
        for _ in range(2):
            self.run_agent(SUM)
        tasks = sorted(task["id"] for task in json.loads(self.succeeds("tasks", "--json"))["tasks"])
        traces = list(self.home.rglob("trace.json"))
        self.assertEqual(sorted(trace.parent.name for trace in traces), tasks)
        for trace in traces:
            self.assertEqual(json.loads(trace.read_text())["task_id"], trace.parent.name)

    # TRACE-03 F, TRACE-07 F, TRACE-08 F, TRACE-10 F, TRACE-11 F, TRACE-12 F
    def test_steps_say_who_did_what_when_and_for_how_long(self):
        both = {"tool_calls": [*calls("calculator", expression="2+3")["tool_calls"], *calls("read_file", path="none")["tool_calls"]]}
        self.run_agent([both, {"text": "Both done.", "delay_ms": 200}], prompt="Do both.")
        steps = self.json_file("trace.json")["steps"]
        self.assertEqual([(step["agent"], step["message"]) for step in steps],
                         [("user", "Do both."), ("researcher", "calls calculator, read_file"), ("researcher", "1 tool result"),
                          ("researcher", "1 tool result"), ("researcher", "Both done.")])
        self.assertEqual([[call["tool"] for call in step["tool_calls"]] for step in steps], [[], ["calculator", "read_file"], [], [], []])
        self.assertEqual(len({step["step_name"] for step in steps}), 5)
        self.assertEqual([step["step_name"] for step in steps], [step["step_id"] for step in self.lines("history.jsonl")])
        times = [step["timestamp"] for step in steps]
        self.assertEqual(times, sorted(times))
        self.assertTrue(all(type(step["duration_ms"]) is int and step["duration_ms"] >= 0 for step in steps))
        self.assertGreaterEqual(steps[-1]["duration_ms"], 200)

    # TRACE-09 E, TRACE-15 E
    def test_a_call_that_fails_is_an_error_of_its_step_and_its_record(self):
        self.run_agent(FAILING)
        steps = self.json_file("trace.json")["steps"]
        self.assertEqual([step["status"] for step in steps], ["info", "info", "error", "info", "info", "info"])
        records = [call for step in steps for call in step["tool_calls"]]
        self.assertEqual([record["error"] for record in records], ["Division by zero has no result.", None])
        self.assertTrue(all(type(record["duration_ms"]) is int and record["duration_ms"] >= 0 for record in records))

    # STORE-13 F, TRACE-43 F
    def test_each_log_gets_its_kind_of_line_and_the_log_of_tools_one_for_each_call_and_each_result(self):
        self.run_agent(FAILING)
        logs = {name: self.lines(f".agentx/logs/{name}.log") for name in ("orchestrator", "agents", "tools", "errors")}
        kinds = {name: [line["event"]["type"].removeprefix("event_") for line in lines] for name, lines in logs.items()}
        self.assertEqual(kinds, {"orchestrator": ["task_start", "task_complete"], "agents": ["agent_start", "agent_complete"] * 3,
                                 "tools": ["tool_call", "tool_result"] * 2, "errors": ["tool_result"]})
        called = [line["event"]["tool_call"] for line in logs["tools"] if "tool_call" in line["event"]]
        self.assertEqual([call["args"]["expression"] for call in called], ["1/0", "1+1"])
        results = [line["event"]["tool_result"] for line in logs["tools"] if "tool_result" in line["event"]]
        self.assertEqual([result["tool_call_id"] for result in results], [call["id"] for call in called])
        self.assertEqual(logs["errors"][0]["event"]["tool_result"], results[0])

    # PROD-12 F
    def test_performance_counts_calls_failures_retries_tokens_and_time(self):
        self.run_agent([{"fail": {"status": 429, "retry_after": 0.01}}, *FAILING[:2],
                        {"text": "Done.", "delay_ms": 200, "usage": {"input": 100, "output": 10, "cost": 0.25}}])
        told = self.json_file(".agentx/performance.json")
        agent, tool = told["agents"]["researcher"], told["tools"]["calculator"]
        self.assertEqual((agent["calls"], tool["calls"], tool["failures"], told["retries"]), (3, 2, 1, 1))
        self.assertGreaterEqual(agent["longest_ms"], 200)
        self.assertGreaterEqual(told["running_ms"], agent["longest_ms"])
        usage = self.show(self.only_task())["usage"]
        for name in ("input_tokens", "output_tokens", "cost_usd"):
            self.assertEqual(told[name], usage[name], name)
        self.assertEqual(told["cost_usd"], 0.25)


class History(Files):
    # STEP-07 E
    def test_steps_have_the_mode_of_their_run(self):
        for mode in ("autonomous", "step", "hitl"):
            told = self.run_agent(SUM, "--mode", mode, "--json").stdout
            task = json.loads(told.splitlines()[0])["event"]["task_id"]
            self.assertEqual({step["execution_mode"] for step in self.lines("history.jsonl", task)}, {mode})

    # STEP-12 F
    def test_history_only_grows_and_has_a_line_for_each_step(self):
        self.assertEqual(self.run_agent(SUM, "--mode", "step").returncode, PAUSED)
        task, before = self.only_task(), ""
        for steps in (1, 2, 3, 4):
            text = self.file("history.jsonl")
            self.assertTrue(text.startswith(before))
            self.assertEqual((text.count("\n"), len(self.json_file("trace.json")["steps"])), (steps, steps))
            before = text
            self.cadre("step", task)
        self.assertEqual(self.status(task), "completed")
        self.run_agent(SUM)
        self.succeeds("rebuild", task)
        self.assertEqual(self.file("history.jsonl", task), before)

    # STEP-05 F, FLOW-20 F
    def test_what_steps_refer_to_is_there(self):
        self.run_agent([*FAILING[:2], {"tool_calls": FAILING[0]["tool_calls"] + FAILING[1]["tool_calls"]}, {"text": "Done."}])
        plan = self.json_file("plan.json")
        self.assertEqual([(item["id"], item["agent"], item["status"]) for item in plan["tasks"]], [("researcher", "researcher", "completed")])
        steps = self.lines("history.jsonl")
        self.assertEqual([step["task_id"] for step in steps], [None] + ["researcher"] * (len(steps) - 1))  # the person's works on nothing
        called, results = {}, 0
        for step in steps:
            self.assertIn("memory_context", step)
            for part in step["parts"]:
                if part["type"] == "tool_call":
                    called[part["tool_call"]["id"]] = step["step_id"]
                elif part["type"] == "tool_result":
                    self.assertEqual(step["parent_step_id"], called[part["tool_result"]["tool_call_id"]])
                    results += 1
        self.assertEqual((len(called), results), (4, 4))


class States(Files):
    def state(self):
        state = self.json_file(".agentx/state.json")
        return state["status"], state["reason"], len(state["requests"])

    # STORE-11 F
    def test_the_state_follows_pauses_and_what_ends_them(self):
        self.run_agent([*ASK[:1], calls("calculator", expression="1+1"), {"text": "Done."}], "--mode", "step")
        task = self.only_task()
        self.assertEqual(self.state(), ("paused", "step_mode", 0))
        self.assertEqual(self.cadre("step", task).returncode, WAITING)
        self.assertEqual(self.state(), ("paused", "hitl_intervention", 1))
        self.assertEqual(self.cadre("answer", task, "blue").returncode, PAUSED)
        self.assertEqual(self.state(), ("paused", "step_mode", 0))
        self.succeeds("continue", task)
        self.assertEqual(self.state(), ("completed", None, 0))

    def test_the_state_of_a_task_that_runs_is_running(self):
        process, task = self.start_agent([{"text": "Done.", "delay_ms": 600_000}])
        self.until(lambda: (self.home / "tasks" / task / ".agentx/state.json").exists(), "the file, which is written once a second")
        self.assertEqual(self.state(), ("running", None, 0))
        self.succeeds("cancel", task)
        self.end(process)
        self.assertEqual(self.state(), ("cancelled", None, 0))

    # CKPT-12 E
    def test_a_checkpoint_is_created_awaits_its_answer_and_is_resumed_by_one(self):
        self.run_agent(ASK, "--mode", "step")
        task = self.only_task()
        created = self.json_file("checkpoint_000.json")  # before a model call: nobody is asked
        self.assertEqual((created["awaiting_human"], "resumed_at" in created["ext"]), (False, False))
        self.assertEqual(self.cadre("step", task).returncode, WAITING)
        awaiting = self.json_file("checkpoint_001.json")
        self.assertEqual((awaiting["awaiting_human"], "resumed_at" in awaiting["ext"]), (True, False))
        self.assertEqual(self.cadre("answer", task, "blue").returncode, PAUSED)
        resumed = self.json_file("checkpoint_001.json")
        self.assertLessEqual(resumed["created_at"], resumed["ext"].pop("resumed_at"))
        self.assertEqual(resumed, awaiting)
        again = self.cadre("answer", task, "red")
        self.assertEqual(again.returncode, CONFLICT)
        self.assertIn("already answered: approved: blue", again.stderr)

    # CKPT-14 F, STORE-04 F
    def test_checkpoints_are_numbered_and_kept_beside_the_trace(self):
        self.run_agent(ASK, "--mode", "step")
        task = self.only_task()
        self.cadre("step", task)
        self.cadre("answer", task, "blue")
        self.succeeds("continue", task)
        folder = self.home / "tasks" / task
        names = sorted(file.name for file in folder.glob("checkpoint_*"))
        self.assertEqual(names, ["checkpoint_000.json", "checkpoint_001.json", "checkpoint_002.json"])
        self.assertEqual([self.json_file(name)["sequence"] for name in names], [0, 1, 2])
        self.assertIn("blue", [call["result"]["value"] for step in self.json_file("trace.json")["steps"] for call in step["tool_calls"]])

    # CKPT-25 F
    def test_breakpoints_are_listed_in_their_file(self):
        self.run_agent(SUM, "--mode", "step")
        task = self.only_task()
        told = lambda: [self.json_file(".agentx/breakpoints.json")[name] for name in ("execution_mode", "breakpoints")]
        self.succeeds("breakpoints", task, "--add", "tool:calculator", "--add", "agent:researcher")
        self.assertEqual(told(), ["step", ["tool:calculator", "agent:researcher"]])
        self.succeeds("breakpoints", task, "--remove", "agent:researcher")
        self.assertEqual(told(), ["step", ["tool:calculator"]])
        self.assertEqual(self.cadre("continue", task).returncode, PAUSED)
        self.assertEqual(len(self.json_file(".agentx/breakpoints.json")["hits"]), 1)


class Delegated(Files):
    """No agent of a team can delegate yet; a run that did was exported from a program with a pattern of its own."""

    def test_each_session_that_the_trace_lists_is_a_file_in_the_tasks_folder(self):
        self.succeeds("import", DELEGATED)
        task = json.loads(DELEGATED.read_text().splitlines()[0])["task"]
        sessions = json.loads(self.file("trace.json", task))["sub_agent_sessions"]
        folder = self.home / "tasks" / task / "sub_agents"
        self.assertEqual([file.name for file in folder.iterdir()], [f"{name}.json" for name in sessions])
        ((name, info),) = sessions.items()
        session = json.loads((folder / f"{name}.json").read_text())
        self.assertEqual((session["session_id"], session["parent_task_id"]), (name, task))
        self.assertEqual((info["session_id"], info["agent"], info["status"]), (name, session["agent_name"], "completed"))
        self.assertEqual(info["message_count"], len(session["message_history"]))
        self.assertEqual([message["content"] for message in session["message_history"]],
                         ["The magic word is plum.", "", "done", "It is plum."])
        self.assertNotIn("magic word", self.file("history.jsonl", task))


if __name__ == "__main__":
    unittest.main()
