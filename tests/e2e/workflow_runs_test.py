#!/usr/bin/env python3
"""Workflows on the real program: when nodes start, who may answer, what files say, what a fork has, and what is refused."""
import datetime
import json
import subprocess
import time
import unittest

from flows import Workflows
from home import INVALID, WAITING, build

SCHEMA_TOOL = build.chosen() / "tests/conformance/schema_tool"
SECONDS = 10  # for what is refused: hundreds of times what it takes
SESSION = "6f1c8a2e-4b7d-4c3f-a9e0-5d1b2c3a4f60"


def at(event):
    return datetime.datetime.fromisoformat(event["timestamp"].replace("Z", "+00:00")).timestamp() * 1000


class Starts(Workflows):
    def test_a_node_starts_as_soon_as_its_own_input_is_there(self):
        self.agents("begin", "fast", "slow", "after_fast")
        self.workflow({name: {"type": "agent", "agent": name} for name in ("begin", "fast", "slow", "after_fast")},
                      [("begin", "fast"), ("begin", "slow"), ("fast", "after_fast")])
        script = [{"when": {"agent": name}, "text": name, "times": "any", "delay_ms": delay}
                  for name, delay in (("begin", 0), ("fast", 100), ("slow", 1200), ("after_fast", 0))]
        lags = []
        for _ in range(5):  # a busy machine may be late; never always
            done = self.cadre("run", "--json", "--workflow", "flow", "--model", self.script(script), "Go.")
            self.assertEqual(done.returncode, 0, done.stderr)
            events = [json.loads(line)["event"] for line in done.stdout.splitlines() if '"event"' in line]
            when = {(event["type"], event["agent_name"]): at(event) for event in events if "agent_name" in event}
            started = when["event_agent_start", "after_fast"]
            self.assertLess(started, when["event_agent_complete", "slow"] - 500)
            lags.append(started - when["event_agent_complete", "fast"])
            if lags[-1] < 5:
                break
        self.assertLess(lags[-1], 5, lags)


class Approvals(Workflows):
    SCRIPT = [{"when": {"agent": "writer"}, "text": "Tea is good."}]

    def test_another_terminal_approves_while_the_first_one_asks(self):
        self.published()
        others = []

        def approve(_):
            others.append(self.cadre("approve", self.only_task()))

        seen, code = self.talk("run", "--workflow", "flow", "--model", self.script(self.SCRIPT), "Write about tea.",
                               says=[("Is 'review' approved?", approve)])
        self.assertEqual((others[0].returncode, code), (0, 0), seen + others[0].stderr)
        self.assertIn("continues it", others[0].stdout)
        self.assertEqual(len(self.counted()), 1)
        self.assertEqual(self.kinds(self.only_task()).count("hitl_response"), 1)

    def test_a_workflow_is_a_turn_of_a_session(self):
        self.published()
        words = ["--session", SESSION, "--workflow", "flow", "--model", self.script(
            [{"when": {"agent": "writer"}, "text": "Tea is good.", "times": "any"}])]
        for turn in (1, 2):
            done = self.cadre("run", *words, f"Turn {turn}.")
            self.assertEqual(done.returncode, WAITING, done.stderr)
            waiting = [one["id"] for one in json.loads(self.succeeds("tasks", "--status", "waiting", "--json"))["tasks"]]
            self.assertEqual(len(waiting), 1)
            self.succeeds("approve", waiting[0])
            self.assertEqual(len(self.counted()), turn)
        (session,) = json.loads(self.succeeds("sessions", "--json"))["sessions"]
        self.assertEqual((session["turns"], session["title"], session["status"]), (2, "Turn 2.", "completed"))


class Checkpoints(Workflows):
    SCRIPT = [{"when": {"agent": "reader"}, "text": "tea", "times": "any"}, {"when": {"agent": "writer"}, "text": "On tea.", "times": "any"},
              {"when": {"agent": "thanks"}, "text": "Thanks for tea.", "times": "any"}]

    def chain(self):
        """A task that has waited for a person and gone on, and its checkpoints as listed."""
        self.agents("reader", "writer", "thanks")
        self.workflow({"read": {"type": "agent", "agent": "reader", "output": "topic", "set": {"next_action": "'write'"}},
                       "write": {"type": "agent", "agent": "writer", "prompt": "On {{ state.topic }}"}, "review": {"type": "human"},
                       "thank": {"type": "agent", "agent": "thanks", "prompt": "For {{ state.topic }}"}},
                      [("read", "write"), ("write", "review"), ("review", "thank")], state={"topic": {"schema": {"type": "string"}}})
        self.assertEqual(self.go(self.SCRIPT).returncode, WAITING)
        task = self.only_task()
        self.assertEqual(self.files(task)[-1]["position"], "review")
        self.assertTrue(self.files(task)[-1]["awaiting_human"])
        self.succeeds("approve", task)
        return task, json.loads(self.succeeds("checkpoints", task, "--json"))["checkpoints"]

    def test_each_tells_where_and_who_and_what_is_next(self):  # STATE-03 E, STATE-04 E, CKPT-05 E, TASK-19 F
        task, listed = self.chain()
        files = self.files(task)
        self.assertEqual(len(files), len(listed))
        self.assertEqual([(file["position"], file["awaiting_human"]) for file in files],
                         [("read", False), ("write", False), ("review", True), ("review", False), ("thank", False)])
        self.assertEqual({file["state"]["next_action"] for file in files}, {"write"})
        agents = {file["position"]: file["state"]["current_agent"] for file in files if not file["awaiting_human"]}
        self.assertEqual([agents[node] for node in ("read", "write", "thank")], ["reader", "writer", "thanks"])

    def test_going_on_from_each_comes_to_the_same_end(self):  # CKPT-04 E
        task, listed = self.chain()
        whole = self.show(task)["task"]["reply"]["text"]
        end = listed[-1]["state"]
        for one in listed:
            with self.subTest(one["sequence"]):
                done = self.cadre("fork", task, "--checkpoint", one["sequence"], "--json")
                fork = json.loads(done.stdout.splitlines()[0])["fork"]["task"]
                if self.status(fork) == "waiting":
                    self.succeeds("approve", fork)
                self.assertEqual(self.show(fork)["task"]["reply"]["text"], whole)
                last = json.loads(self.succeeds("checkpoints", fork, "--json"))["checkpoints"][-1]["state"]
                for state in (last, end):
                    state.pop("messages", None)
                self.assertEqual(last, end)


class Conditions(Workflows):
    def test_of_two_opposite_conditions_one_is_followed_and_a_faulty_one_is_refused(self):  # FLOW-17 E, STORE-05 F
        for name in ("reader", "yes", "no"):
            self.write(f"agents/{name}.json", {"name": name, "role": "Works.", "prompt": f"You are {name}.", "tools": []})

        def choose(condition, text):
            self.workflow({name: {"type": "agent", "agent": agent} for name, agent in
                           (("read", "reader"), ("left", "yes"), ("right", "no"))},
                          [{"from": "read", "to": "left", "condition": condition},
                           {"from": "read", "to": "right", "condition": f"not ({condition})"}])
            return self.go([{"when": {"agent": name}, "text": said, "times": "any"}
                            for name, said in (("reader", text), ("yes", "Left."), ("no", "Right."))])

        for text, end in (("tea", "Left.\n"), ("coffee", "Right.\n")):
            done = choose("'tea' in last", text)
            self.assertEqual((done.returncode, done.stdout), (0, end), done.stderr)
        done = choose("'tea' in", "tea")
        self.assertEqual(done.returncode, INVALID)
        self.assertRegex(done.stderr, r"workflows/flow\.json:1:\d+: edges\[0\]\.condition: ")


class Forks(Workflows):
    def test_a_fork_has_the_files_that_were_there_at_its_checkpoint(self):
        def writes(name, content):
            return {"type": "tool", "tool": "write_file", "args": {"path": f"{name}.txt", "content": content}}

        self.workflow({"first": writes("first", "1"), "again": writes("first", "2"), "second": writes("out/second", "3"),
                       "agree": {"type": "human"}, "third": writes("third", "{{ state.mark }}")},
                      [("first", "again"), ("again", "second"), ("second", "agree"), ("agree", "third")],
                      state={"mark": {"schema": {"type": "string", "default": "a"}}})
        self.assertEqual(self.go([]).returncode, WAITING)
        task = self.only_task()
        self.succeeds("approve", task)

        def files(of):
            folder = self.home / "tasks" / of / "artifacts"
            return {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*.txt") if ".versions" not in file.parts}

        whole = {"first.txt": "2", "out/second.txt": "3", "third.txt": "a"}
        self.assertEqual(files(task), whole)
        for checkpoint, there in ((0, {"first.txt"}), (1, {"first.txt"}), (2, {"first.txt", "out/second.txt"})):
            with self.subTest(checkpoint):
                fork = json.loads(self.succeeds("fork", task, "--checkpoint", checkpoint, "--no-wait", "--json"))["fork"]["task"]
                self.assertEqual(set(files(fork)), there)
        done = self.cadre("fork", task, "--checkpoint", 2, "--state", "mark=b", "--json")
        fork = json.loads(done.stdout.splitlines()[0])["fork"]["task"]
        self.assertNotIn("third.txt", files(fork))
        self.succeeds("approve", fork)
        self.assertEqual(files(fork), {**whole, "third.txt": "b"})
        self.assertEqual(files(task), whole)

    def test_a_changed_state_is_seen_by_whoever_approves_it(self):
        self.agents("writer")
        self.workflow({"draft": {"type": "agent", "agent": "writer"}, "more": {"type": "agent", "agent": "writer"},
                       "review": {"type": "human", "prompt": "Publish {{ state.text }}, {{ state.place }}?"}},
                      [("draft", "more"), ("more", "review")],
                      state={name: {"schema": {"type": "string", "default": f"old {name}"}} for name in ("text", "place")})
        self.assertEqual(self.go([{"text": "Draft.", "times": "any"}]).returncode, WAITING)
        task = self.only_task()

        def number(of, node):
            return next(one["sequence"] for one in json.loads(self.succeeds("checkpoints", of, "--json"))["checkpoints"] if one["position"] == node)

        def fork(of, node, change):
            done = self.cadre("fork", of, "--checkpoint", number(of, node), "--state", change, "--json")
            self.assertEqual(done.returncode, WAITING, done.stderr)
            made = json.loads(done.stdout.splitlines()[0])["fork"]["task"]
            return made, self.show(made)["questions"][0]["context"]["question"]

        def refused(*words):
            done = self.cadre("fork", *words)
            self.assertEqual(done.returncode, INVALID, done.stdout + done.stderr)
            return done.stderr.replace("\n", " ")

        self.assertIn("a person is asked", refused(task, "--checkpoint", number(task, "review"), "--state", "text=new"))
        one, asked = fork(task, "draft", "text=new")
        self.assertIn("Publish new, old place?", asked)
        self.assertIn("Publish new, here?", fork(one, "draft", "place=here")[1])
        self.assertIn('changed at node "draft"', refused(one, "--checkpoint", number(one, "more"), "--state", "place=here"))


TEXT, NUMBER, TIME = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "string", "format": "date-time"}


def document(required, optional=None):
    """An object as document 000 has it: these members, and what is ours in `ext` only."""
    return {"type": "object", "required": list(required), "additionalProperties": False,
            "properties": {**required, **(optional or {}), "ext": {"type": "object"}}}


def or_null(schema):
    return {"anyOf": [schema, {"type": "null"}]}


CALL = document({"id": TEXT, "server": or_null(TEXT), "tool": TEXT, "arguments": {"type": "object"}})
MESSAGE = document({"role": {"enum": ["user", "assistant", "tool", "system"]}, "content": or_null(TEXT)},
                   {"tool_calls": or_null({"type": "array", "items": CALL}), "timestamp": TIME})
STATE = document({"messages": {"type": "array", "items": MESSAGE}, "current_agent": TEXT},
                 {"next_action": or_null(TEXT), "routing_key": or_null(TEXT), "metadata": {"type": "object"}})
CHECKPOINT = document({"checkpoint_id": {"type": "string", "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"},
                       "task_id": TEXT, "state": STATE, "position": TEXT, "sequence": NUMBER},
                      {"created_at": TIME, "awaiting_human": {"type": "boolean"}})
CALL_RECORD = document({"tool": TEXT, "arguments": {"type": "object"}, "duration_ms": NUMBER},
                       {"server": or_null(TEXT), "result": {"type": ["object", "null"]}, "error": or_null(TEXT)})
STEP = document({"step_name": TEXT, "message": TEXT, "timestamp": TIME, "status": {"enum": ["info", "warning", "error"]}, "agent": TEXT,
                 "tool_calls": {"type": "array", "items": CALL_RECORD}, "duration_ms": NUMBER})
TRACE = document({"task_id": TEXT, "steps": {"type": "array", "items": STEP, "minItems": 1}, "sub_agent_sessions": {"type": "object"}},
                 {"created_at": TIME, "updated_at": TIME})


class Files(Workflows):
    def fits(self, schema, *values):
        """Whether each is as the schema says; our validator, which the official suite judges."""
        file = self.write("judged.json", [{"description": "x", "schema": schema, "tests": [
            {"description": "x", "data": value, "valid": True} for value in values]}])
        (self.folder / "remotes").mkdir(exist_ok=True)
        done = subprocess.run([SCHEMA_TOOL, self.folder / "remotes", "", "true", file], capture_output=True, text=True, check=True)
        return [json.loads(line)["answer"] for line in done.stdout.splitlines()]

    def test_checkpoints_and_the_trace_are_as_the_document_and_our_schemas_say(self):
        self.published()
        self.assertEqual(self.go([{"when": {"agent": "writer"}, "text": "Tea is good."}]).returncode, WAITING)
        task = self.only_task()
        waiting = self.files(task)
        self.succeeds("approve", task)
        checkpoints, traces = [*waiting, *self.files(task)], self.files(task, "trace.json")
        self.assertGreaterEqual(len(checkpoints), 6)
        made = [(step["agent"], call["server"], call["tool"], call["error"]) for step in traces[0]["steps"] for call in step["tool_calls"]]
        self.assertEqual(made, [("flow", "mock", "pub", None)])
        for schema in (CHECKPOINT, json.loads(self.succeeds("schema", "framework_checkpoint"))):
            self.assertEqual(self.fits(schema, *checkpoints), [True] * len(checkpoints))
        for schema in (TRACE, json.loads(self.succeeds("schema", "trace_log"))):
            self.assertEqual(self.fits(schema, *traces), [True])
        broken = [{**checkpoints[0], "sequence": "0"}, {**checkpoints[0], "more": 1}, {**checkpoints[0], "state": {}}]
        self.assertEqual(self.fits(CHECKPOINT, *broken), [False] * 3)  # the judge is awake


class Hostile(Workflows):
    def refused(self, *words):
        """What is said, soon."""
        begun = time.monotonic()
        done = self.cadre(*words)
        self.assertLess(time.monotonic() - begun, SECONDS)
        self.assertEqual(done.returncode, INVALID, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_a_workflow_of_ten_thousand_nodes_is_refused_at_once(self):
        self.agents("w")
        names = [f"n{i}" for i in range(10_000)]
        for edges in (list(zip(names, names[1:])), [("n0", name) for name in names[1:]]):
            self.workflow({name: {"type": "agent", "agent": "w"} for name in names}, edges, max_iterations=20_000)
            for words in (["check"], ["run", "--workflow", "flow", "--model", self.script([]), "Go."], ["graph", "flow"]):
                with self.subTest(words=words[0], edges=edges[1]):
                    self.assertRegex(self.refused(*words), r"workflows/flow\.json:1:\d+: .*(more than 100000 values|more than \d+ bytes)")
        self.assertEqual(json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"], [])

    def test_workflows_that_run_each_other_are_refused(self):
        for name, other in (("a", "b"), ("b", "a")):
            self.workflow({"n": {"type": "workflow", "workflow": other}}, [], name=name)
        for words in (["check"], ["run", "--workflow", "b", "--model", self.script([]), "Go."]):
            self.assertIn("a workflow must not run itself", self.refused(*words))

    def test_a_state_of_the_wrong_type_changes_nothing(self):
        self.agents("writer")
        self.workflow({"draft": {"type": "agent", "agent": "writer"}, "review": {"type": "human"}}, [("draft", "review")],
                      state={"rows": {"schema": {"type": "array", "default": []}}})
        script = [{"text": "Draft.", "times": "any"}]
        self.assertEqual(self.go(script).returncode, WAITING)
        task = self.only_task()
        for update in ("rows=5", "rows=null", 'rows={"a": [1]}', "routing_key=7", "messages=5"):
            with self.subTest(update):
                self.refused("approve", task, "--state", update)
                self.assertEqual(self.status(task), "waiting")
                self.refused("fork", task, "--checkpoint", 0, "--state", update)
                self.only_task()
        self.succeeds("approve", task, "--state", "rows=[1]")
        wrong = self.go(script, "--input", "rows=5")
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("rows", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
