#!/usr/bin/env python3
"""Workflows: files run, people decide, processes die, and runs are forked from checkpoints."""
import collections
import json
import signal
import unittest

from flows import COUNT, Workflows
from home import CONFLICT, INVALID, NOT_FOUND, WAITING

POINTS = ("after_intent", "before_dispatch", "after_dispatch", "after_outcome")


class Approvals(Workflows):
    SCRIPT = [{"when": {"agent": "writer"}, "text": "Tea is good."}, {"when": {"agent": "lawyer"}, "text": "Fine.", "times": "any"}]

    def test_an_approval_survives_a_crash(self):  # CKPT-13 E
        """FRAME 2."""
        self.published()
        process = self.start("run", "--json", "--workflow", "flow", "--model", self.script(self.SCRIPT), "Write about tea.",
                             stdin=None)
        task = self.next_event(process, "event_task_start")["task_id"]
        self.next_event(process, "event_hitl_request")
        process.send_signal(signal.SIGKILL)
        self.end(process)
        self.assertEqual(self.cadre("approve", task).returncode, 0)
        self.assertEqual((self.status(task), len(self.counted())), ("completed", 1))
        self.assertEqual(self.kinds(task).count("agent_start"), 1)
        sequences = [file["sequence"] for file in self.files(task)]
        self.assertEqual(sequences, list(range(len(sequences))))
        review = [file for file in self.files(task) if file["position"] == "review"]
        self.assertTrue(review[0]["awaiting_human"])
        self.assertIn("intact", self.succeeds("verify"))
        self.succeeds("replay", task)

    def test_a_rejection_fails_the_task_with_its_reason(self):  # CKPT-09 E, CKPT-10 E
        """FRAME 3 (a)."""
        self.published()
        self.assertEqual(self.go(self.SCRIPT).returncode, WAITING)
        task = self.only_task()
        self.assertNotEqual(self.cadre("reject", task, "--message", "too long").returncode, 0)
        shown = self.show(task)["task"]
        self.assertEqual(shown["status"], "failed")
        self.assertIn("rejected by human: too long", shown["error"])
        self.assertEqual(self.counted(), [])

    def test_a_changed_state_leads_another_way_and_a_second_answer_is_refused(self):  # CKPT-11 E
        """FRAME 3 (b)."""
        self.published()
        script = [self.SCRIPT[0], {"when": {"agent": "lawyer", "contains": "send to legal"}, "text": "Fine."}]
        self.assertEqual(self.go(script).returncode, WAITING)
        task = self.only_task()
        wrong = self.cadre("approve", task, "--state", "rooting_key=legal")
        self.assertEqual((wrong.returncode, self.status(task)), (INVALID, "waiting"), wrong.stderr)
        done = self.cadre("approve", task, "--state", "routing_key=legal", "--message", "send to legal")
        self.assertEqual((done.returncode, done.stdout), (0, "Fine.\n"), done.stderr)
        self.assertEqual(self.counted(), [])
        again = self.cadre("approve", task)
        self.assertEqual(again.returncode, CONFLICT)
        self.assertIn("already answered: modified: send to legal", again.stderr)

    def test_another_terminal_answers_while_the_run_waits(self):
        self.published()
        process = self.start("run", "--json", "--workflow", "flow", "--model", self.script(self.SCRIPT), "Write about tea.")
        task = self.next_event(process, "event_task_start")["task_id"]
        self.next_event(process, "event_hitl_request")
        self.end(process)
        asked = self.succeeds("inbox")
        self.assertIn("review of workflow flow asks", asked)
        self.assertIn("Tea is good.", asked)
        self.assertEqual(self.cadre("approve", task).returncode, 0)
        self.assertEqual(len(self.counted()), 1)


class Loading(Workflows):
    def test_a_workflow_is_found_by_name_by_file_and_by_flag(self):
        self.agents("writer")
        self.workflow({"draft": {"type": "agent", "agent": "writer"}}, [])
        script = self.script([{"text": "Tea.", "times": "any"}])
        for words in (["flow"], ["workflows/flow.json"], ["--workflow", "flow"]):
            done = self.cadre("run", *words, "--model", script, "Go.")
            self.assertEqual((done.returncode, done.stdout), (0, "Tea.\n"), done.stderr)
        self.assertIn("▸ draft (writer)", done.stderr)
        missing = self.cadre("run", "--workflow", "flw", "--model", script, "Go.")
        self.assertEqual(missing.returncode, NOT_FOUND)
        self.assertIn("did you mean flow?", missing.stderr)

    def test_run_refuses_what_check_refuses_in_the_same_words(self):  # FLOW-17 C
        self.agents("writer")
        self.workflow({"draft": {"type": "agent", "agent": "writter", "prompt": "{{ state.x }}"}}, [])
        checked = self.cadre("check")
        ran = self.cadre("run", "--workflow", "flow", "--model", self.script([]), "Go.")
        self.assertEqual((checked.returncode, ran.returncode), (INVALID, INVALID))
        for text in (checked.stdout.replace("error: ", ""), ran.stderr):
            self.assertIn('nodes.draft.agent: unknown agent "writter", did you mean "writer"?', text)
            self.assertIn('nodes.draft.prompt: "x" is not a field of this workflow\'s state', text)

    def test_arguments_that_the_tool_does_not_take_are_refused(self):
        self.workflow({"sum": {"type": "tool", "tool": "calculator", "args": {"expresion": "1+1"}}}, [])
        done = self.cadre("check")
        self.assertEqual(done.returncode, INVALID)
        self.assertIn('nodes.sum.args: "calculator" does not take them', done.stdout)

    def test_a_reflection_has_so_many_drafts_and_no_more(self):  # FLOW-03 E, FLOW-05 E
        """FRAME 4, second half."""
        self.agents("writer", "critic")
        self.workflow({"write": {"type": "agent", "agent": "writer"}}, [], patterns=["react", "reflection"],
                      reflection={"agent": "critic", "loop": {"max": 3}})
        draft = {"when": {"agent": "writer"}, "text": "Draft.", "times": "any"}
        critics = [{"when": {"agent": "critic", "nth": n}, "text": text} for n, text in enumerate(["revise", "revise", "approve"], 1)]
        done = self.go([draft, *critics])
        self.assertEqual((done.returncode, done.stdout), (0, "Draft.\n"), done.stderr)
        history = (self.home / "tasks" / self.only_task() / "history.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(step)["agent_name"] for step in history], ["user", *["writer", "critic"] * 3])
        self.workflow({"write": {"type": "agent", "agent": "writer"}}, [], patterns=["react", "reflexion"])
        for words in (["check"], ["run", "--workflow", "flow", "--model", self.script([]), "Go."]):
            refused = self.cadre(*words)
            self.assertEqual(refused.returncode, INVALID)
            self.assertIn("reflexion", refused.stdout + refused.stderr)

    def test_the_global_limit_ends_a_workflow(self):  # FLOW-10 E
        self.agents("writer")
        nodes = {name: {"type": "agent", "agent": "writer"} for name in "abc"}
        self.workflow(nodes, [("a", "b"), {"from": "b", "to": "c"}, {"from": "a", "to": "c", "condition": "false"}], max_iterations=5)
        done = self.go([{"text": "Again.", "times": "any"}])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("max_iterations", done.stderr)

    def test_a_workflow_is_the_file_of_its_name_and_a_task_keeps_it_as_it_was(self):  # FLOW-19 F
        self.published(checkpoints=["publish"], max_iterations=30)
        written = json.loads((self.folder / "workflows/flow.json").read_text())
        self.assertEqual(self.go(Approvals.SCRIPT).returncode, WAITING)
        task, drawn = self.only_task(), self.succeeds("graph", "flow")
        (self.folder / "workflows/flow.json").unlink()
        self.assertEqual(self.cadre("graph", "flow").returncode, NOT_FOUND)
        self.succeeds("export", task, "-o", "task.jsonl")
        documents = [json.loads(line).get("document", {}) for line in (self.folder / "task.jsonl").read_text().splitlines()]
        (kept,) = [json.loads(one["text"])["graph"] for one in documents if one.get("kind") == "setup"]

        def said(value):
            """Without what nobody wrote."""
            if isinstance(value, list):
                return [said(one) for one in value]
            return {name: said(one) for name, one in value.items() if one is not None} if isinstance(value, dict) else value

        self.assertEqual({name: said(kept[name]) for name in written}, written)
        self.write("workflows/flow.json", {name: kept[name] for name in written})
        self.assertEqual(self.succeeds("graph", "flow"), drawn)


class Checkpoints(Workflows):
    # FLOW-09 E, FLOW-12 E
    def test_it_stops_before_the_nodes_that_are_named_and_at_a_person_and_nowhere_else(self):
        self.agents("reader", "writer")
        self.serve([{"name": "pub", **COUNT}])
        self.workflow({"read": {"type": "agent", "agent": "reader"}, "sort": {"type": "condition"},
                       "short": {"type": "agent", "agent": "writer"}, "long": {"type": "agent", "agent": "writer"},
                       "publish": {"type": "tool", "tool": "mock.pub"}, "review": {"type": "human"}, "end": {"type": "agent", "agent": "reader"}},
                      [("read", "sort"), {"from": "sort", "condition": "last", "to": {"tea": "short", "*": "long"}},
                       ("short", "publish"), ("long", "publish"), ("publish", "review"), ("review", "end")],
                      checkpoints=["long", "publish"])
        script = self.script([{"when": {"agent": "reader"}, "text": "tea", "times": "any"}, {"when": {"agent": "writer"}, "text": "On tea."}])
        self.assertEqual(self.cadre("run", "--workflow", "flow", "--model", script, "Go.").returncode, WAITING)
        task = self.only_task()

        def listed():
            page = self.succeeds("checkpoints", task).splitlines()
            all_ = json.loads(self.succeeds("checkpoints", task, "--json"))["checkpoints"]
            return [(one["position"], one["awaiting_human"]) for one in all_], page

        before, page = listed()
        self.assertEqual(before, [("read", False), ("sort", False), ("short", False), ("publish", True)])
        self.assertRegex(page[-1], r"publish .*waits for a person")
        self.assertEqual((self.counted(), self.waiting()[0]["request"]["context"]["question"]), ([], "May 'publish' begin?"))
        self.assertEqual(self.cadre("approve", task).returncode, WAITING)
        self.assertEqual(listed()[0][-1], ("review", True))
        self.assertEqual(len(self.counted()), 1)
        self.succeeds("approve", task, *self.now_asked(task))
        self.assertEqual([place for place, waits in listed()[0] if waits], ["publish", "review"])
        self.assertEqual(self.kinds(task).count("hitl_request"), 2)

    def routed(self):
        self.agents("reader", "lawyer", "writer")
        self.workflow({"read": {"type": "agent", "agent": "reader", "output": "topic", "set": {"routing_key": "'press'"}},
                       "route": {"type": "condition"}, "legal": {"type": "agent", "agent": "lawyer"},
                       "press": {"type": "agent", "agent": "writer", "prompt": "On {{ state.topic }}"}},
                      [("read", "route"), {"from": "route", "to": {"legal": "legal", "press": "press"}}],
                      state={"topic": {"schema": {"type": "string"}}})
        done = self.go([{"when": {"agent": "reader"}, "text": "tea"}, {"when": {"agent": "writer", "contains": "On tea"}, "text": "Tea!"}])
        self.assertEqual((done.returncode, done.stdout), (0, "Tea!\n"), done.stderr)
        return self.only_task()

    def test_each_node_leaves_a_checkpoint_with_the_state_behind_it(self):  # CKPT-14 F, STATE-05 E
        task = self.routed()
        listed = json.loads(self.succeeds("checkpoints", task, "--json"))["checkpoints"]
        self.assertEqual([one["position"] for one in listed], ["read", "route", "press"])
        self.assertEqual(listed[0]["changed"], ["routing_key", "topic"])
        self.assertEqual(listed[0]["state"]["routing_key"], "press")
        page = self.succeeds("checkpoints", task)
        self.assertRegex(page, r"0  read +\S+ +done +routing_key, topic")
        files = self.files(task)
        self.assertEqual([file["position"] for file in files], ["read", "route", "press"])
        self.assertEqual(files[0]["state"]["metadata"], {"topic": "tea"})
        self.assertEqual(set(files[0]), {"checkpoint_id", "task_id", "state", "position", "sequence", "created_at",
                                         "awaiting_human", "ext"})
        self.assertEqual(files[0]["state"]["messages"][-1]["content"], "tea")

    def test_a_fork_at_a_checkpoint_goes_another_way_without_a_model_call_before_it(self):  # FLOW-16 E
        task = self.routed()
        model = self.script([{"when": {"agent": "lawyer"}, "text": "No."}], "other.json")
        wrong = self.cadre("fork", task, "--checkpoint", 0, "--state", "routing_kee=legal", "--model", model)
        self.assertEqual(wrong.returncode, INVALID)
        self.assertIn('did you mean "routing_key"?', wrong.stderr)
        done = self.cadre("fork", task, "--checkpoint", 0, "--state", "routing_key=legal", "--model", model)
        self.assertEqual((done.returncode, done.stdout), (0, "No.\n"), done.stderr)
        self.assertIn("1 model call", done.stderr)
        self.assertEqual(self.show(task)["task"]["status"], "completed")


class Storm(Workflows):
    def storm(self):
        names = [f"w{i}" for i in range(6)]
        self.agents(*names)
        self.serve([{"name": f"c{i}", **COUNT} for i in range(5)])
        nodes = {"begin": {"type": "tool", "tool": "mock.c0"}}
        edges = []
        for arm in range(3):
            chain = [f"a{arm}", f"t{arm}", f"b{arm}", f"k{arm}"]
            nodes.update({chain[0]: {"type": "agent", "agent": names[arm]}, chain[1]: {"type": "tool", "tool": f"mock.c{arm + 1}"},
                          chain[2]: {"type": "agent", "agent": names[arm + 3]}, chain[3]: {"type": "condition"}})
            edges += [("begin", chain[0]), *zip(chain, chain[1:]), (chain[3], "review")]
        nodes.update({"review": {"type": "human"}, "publish": {"type": "tool", "tool": "mock.c4"},
                      "thank": {"type": "agent", "agent": "w0"}})
        self.workflow(nodes, [*edges, ("review", "publish"), ("publish", "thank")], max_iterations=100)
        return [{"when": {"agent": name}, "text": f"{name} is done.", "times": "any"} for name in names]

    def test_killed_at_every_journal_position_the_answer_is_the_same_and_every_effect_happens_once(self):  # FLOW-11 E
        """FRAME 7."""
        kills = collections.Counter()
        for point in POINTS:
            for nth in range(1, 40):
                self.afresh()
                script = self.storm()
                done = self.go(script, env={"CADRE_CRASH_AT": f"{point}:{nth}"})
                tasks = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]
                if not tasks:
                    self.assertEqual(self.go(script).returncode, WAITING)
                task = self.finish(self.only_task())
                self.assertEqual((task["status"], task["reply"]["text"]), ("completed", "w0 is done."), f"{point}:{nth}")
                counted = self.counted()
                self.assertEqual((len(counted), len(set(counted))), (5, 5), f"{point}:{nth}")
                self.assertIn("intact", self.succeeds("verify"))
                if done.returncode != -signal.SIGKILL:
                    break
                kills[point] += 1
            self.assertGreaterEqual(kills[point], 5)  # records of arms at work at once share a commit: how many is up to time


    def test_killed_twice_it_ends_the_same(self):  # FLOW-11 E
        """FRAME 7: the process that continues it dies too, in the arms and behind the approval."""
        for point in POINTS:
            for first, second in ((2, 1), (4, 3), (6, 2)):
                self.afresh()
                script = self.storm()
                self.assertEqual(self.go(script, env={"CADRE_CRASH_AT": f"{point}:{first}"}).returncode, -signal.SIGKILL)
                task = self.only_task()
                again = self.cadre("resume", task, env={"CADRE_CRASH_AT": f"{point}:{second}"})
                self.assertIn(again.returncode, (-signal.SIGKILL, WAITING), again.stderr)
                ended = self.finish(task)
                self.assertEqual((ended["status"], ended["reply"]["text"]), ("completed", "w0 is done."), f"{point}: {first}, {second}")
                counted = self.counted()
                self.assertEqual((len(counted), len(set(counted))), (5, 5), f"{point}: {first}, {second}")
                self.assertIn("intact", self.succeeds("verify"))


class Boards(Workflows):
    """Nodes of type team."""
    SCRIPT = [{"when": {"agent": "a"}, "text": "A's part.", "times": "any"}, {"when": {"agent": "b"}, "text": "B's part.", "times": "any"},
              {"when": {"agent": "writer", "contains": "B's part."}, "text": "Both parts.", "times": "any"}]

    def board(self, pattern="both"):
        self.agents("writer")
        agents = [{"name": name, "role": "Works.", "prompt": "You work."} for name in ("a", "b")]
        self.write("teams/board.json", {"name": "board", "description": "Works.", "default_llm": {}, "tools": [], "agents": agents,
                                        "collaboration_patterns": [{"name": "both", "type": "parallel", "agents": ["a", "b"]}]})
        self.serve([{"name": "pub", **COUNT}])
        self.workflow({"together": {"type": "team", "pattern": pattern}, "publish": {"type": "tool", "tool": "mock.pub"},
                       "end": {"type": "agent", "agent": "writer"}}, [("together", "publish"), ("publish", "end")])

    def test_a_team_works_in_a_node_and_the_next_one_hears_all_of_it(self):
        self.board()
        done = self.go(self.SCRIPT)
        self.assertEqual((done.returncode, done.stdout), (0, "Both parts.\n"), done.stderr)
        self.assertEqual(self.kinds(self.only_task()).count("parallel_sync"), 2)

    def test_a_team_in_a_node_dies_and_comes_to_the_same_end(self):
        self.board()
        for point in POINTS:
            for nth in range(1, 6):
                with self.subTest(point=point, nth=nth):
                    before = len(self.counted())
                    died = self.go(self.SCRIPT, "--quiet", env={"CADRE_CRASH_AT": f"{point}:{nth}"})
                    self.assertIn(died.returncode, (0, -signal.SIGKILL), died.stderr)
                    task = json.loads(self.succeeds("tasks", "--json"))["tasks"][0]["id"]
                    ended = self.finish(task)
                    self.assertEqual((ended["status"], ended["reply"]["text"]), ("completed", "Both parts."))
                    self.assertEqual(len(self.counted()) - before, 1)

    def test_a_pattern_that_no_team_has_is_found_before_it_runs(self):
        self.board("boht")
        checked, ran = self.cadre("check"), self.go(self.SCRIPT)
        for done in (checked, ran):
            self.assertEqual(done.returncode, INVALID, done.stdout)
            self.assertIn("workflows/flow.json", done.stdout + done.stderr)
            self.assertIn("did you mean both?", (done.stdout + done.stderr).replace('"', ""))


if __name__ == "__main__":
    unittest.main()
