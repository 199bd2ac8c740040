#!/usr/bin/env python3
"""Delegated tasks as sub-agent sessions: what each of them says stays in it, and the one above hears what came of it."""
import json
import unittest

from team_scenes import Scene, Stage, hands, says

AGENTS = ("writer", "tester")
TEAM = {"handoff_rules": [{"from_agent": "boss", "to_agent": name, "handoff_type": "hierarchical"} for name in AGENTS]}
# each of the three has a word that only its own conversation may hold
ERRANDS = Scene("errands", TEAM, [
    says("boss", "I think of a walnut.", hands("writer", "delegate"), hands("tester", "delegate"), after_tool=False),
    says("boss", "Both are done.", contains="Tested.", after_tool=True),
    says("writer", "I think of a plum.", ("pub", {}), contains="Work, writer."), says("writer", "Written.", after_tool=True),
    says("tester", "I think of a cherry.", ("pub", {}), contains="Work, tester."), says("tester", "Tested.", after_tool=True)],
    "Both are done.", tools=2)
WORDS = {"boss": "walnut", "writer": "plum", "tester": "cherry"}


class Sessions(Stage):
    def setUp(self):
        super().setUp()
        self.open_scene(ERRANDS)
        ended, _ = self.play()
        self.assertTrue(ended)
        self.root, *self.children = self.tasks()

    def file(self, name, task=None):
        return (self.home / "tasks" / (task or self.root) / name).read_text()

    def sessions(self):
        files = sorted((self.home / "tasks" / self.root / "sub_agents").iterdir())
        return {file.stem: json.loads(file.read_text()) for file in files}

    # TASK-18 E, TRACE-04 E, TRACE-16 E
    def test_the_trace_lists_each_session_by_its_id_as_its_file_has_it(self):
        listed, sessions = json.loads(self.file("trace.json"))["sub_agent_sessions"], self.sessions()
        self.assertEqual(sorted(listed), sorted(self.children))
        self.assertEqual(sorted(listed), sorted(sessions))
        for name, info in listed.items():
            session = sessions[name]
            self.assertEqual(info, {"session_id": name, "agent": session["agent_name"], "message_count": len(session["message_history"]),
                                    "status": "completed"})
            self.assertEqual(session["parent_task_id"], self.root)

    # SUB-06 E, SUB-10 E
    def test_what_is_said_in_one_is_in_no_other_and_in_nobody_elses_requests(self):
        for name, session in self.sessions().items():
            own = WORDS[session["agent_name"]]
            said = json.dumps(session["message_history"])
            self.assertEqual([word for word in WORDS.values() if word in said], [own], name)
        for request in self.asked():
            others = [word for name, word in WORDS.items() if name != request["model"]]
            heard = json.dumps(request["messages"])
            self.assertEqual([word for word in others if word in heard], [], request["model"])
        self.assertEqual({request["model"] for request in self.asked()}, set(WORDS))

    # SUB-07 E, SUB-12 E
    def test_the_one_above_goes_on_with_the_summaries(self):
        self.assertEqual({session["agent_name"]: session["summary"] for session in self.sessions().values()},
                         {"writer": "Written.", "tester": "Tested."})
        last = [request for request in self.asked() if request["model"] == "boss"][-1]
        self.assertEqual([message["content"] for message in last["messages"] if message["role"] == "tool"], ["Written.", "Tested."])
        self.assertEqual(self.show(self.root)["task"]["reply"]["text"], "Both are done.")

    # STEP-06 E, STEP-13 F
    def test_steps_and_calls_name_what_they_belong_to_and_that_is_there(self):
        steps, calls = {}, {}
        for task in (self.root, *self.children):
            for line in self.file("history.jsonl", task).splitlines():
                step = json.loads(line)
                steps[step["step_id"]] = {**step, "task": task}
                for part in step["parts"]:
                    if part["type"] == "tool_call":
                        calls[part["tool_call"]["id"]] = step
        for step in steps.values():
            if step["parent_step_id"]:
                self.assertIn(step["parent_step_id"], steps)
            if step["task"] in self.children and step["agent_name"] in AGENTS and not any(p["type"] == "tool_result" for p in step["parts"]):
                above = steps[step["parent_step_id"]]
                self.assertEqual((above["task"], above["agent_name"]), (self.root, "boss"))
            for part in step["parts"]:
                if part["type"] == "tool_result":
                    self.assertIn(part["tool_result"]["tool_call_id"], calls)
        self.assertEqual(len(calls), 4)


if __name__ == "__main__":
    unittest.main()
