#!/usr/bin/env python3
"""`cadre show ID --requests`: what each model call was sent, held against what a vendor got over the wire."""
import json
import signal
import unittest

from home import AGENT, NOT_FOUND
from mock_server import Mock

KEY = "sk-test-abcdefghijklmnopqrstuvwxyz123456"
CALL = {"name": "calculator", "arguments": {"expression": "6*7"}}
TWO_CALLS = [{"text": "Let me see.", "tool_calls": [CALL]}, {"text": "It is 42.", "when": {"after_tool": True}}]


class Requests(Mock):
    def vendor(self, entries):
        self.wire = self.folder / "asked.jsonl"
        self.wire.touch()
        self.serve(entries, "--requests", self.wire)
        self.env |= {"OPENAI_BASE_URL": self.url + "/v1", "OPENAI_API_KEY": KEY}

    def asked(self):
        return [json.loads(line) for line in self.wire.read_text().splitlines()]

    def sent(self, task=None):
        return json.loads(self.succeeds("show", task or self.only_task(), "--requests", "--json"))["requests"]

    def in_openai_s_words(self, request):
        """A request as OpenAI's API has it, as far as we say it."""
        messages = [{"role": "developer", "content": request["instructions"]}]
        for message in request["messages"]:
            one = {"role": message["role"], "content": message["text"]}
            if "calls" in message:
                one["tool_calls"] = [{"id": call["id"], "type": "function", "function": {
                    "name": call["name"], "arguments": call["arguments"]}} for call in message["calls"]]
            if "call_id" in message:
                one["tool_call_id"] = message["call_id"]
            messages.append(one)
        tools = [{"type": "function", "function": {"name": tool["name"], "description": tool["description"],
                                                   "parameters": tool["input_schema"]}} for tool in request["tools"]]
        return {"model": request["model"].removeprefix("openai/"), "messages": messages, "tools": tools}

    def over_the_wire(self, body):
        for message in body["messages"]:
            for call in message.get("tool_calls", []):
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        return {name: body.get(name, []) for name in ("model", "messages", "tools")}

    def same(self, request, body):
        """Whether a request that we show is the one that the vendor got. Ids of calls and the name of the system's role are the vendor's."""
        shown, got = self.in_openai_s_words(request), self.over_the_wire(body)
        shown["messages"][0]["role"] = got["messages"][0]["role"]
        for one in (shown, got):
            ids = {}
            for message in one["messages"]:
                for call in message.get("tool_calls", []):
                    call["id"] = ids.setdefault(call["id"], len(ids))
                if "tool_call_id" in message:
                    message["tool_call_id"] = ids[message["tool_call_id"]]
        self.assertEqual(shown, got)

    def test_it_is_what_went_over_the_wire(self):
        self.vendor(TWO_CALLS)
        self.write("agents/researcher.json", {**AGENT, "llm_config": {"provider": "openai", "model": "gpt-4o-mini",
                                                                      "temperature": 0.3, "max_tokens": 321}})
        done = self.cadre("run", "--agent", "researcher", "How much?")
        self.assertEqual(done.returncode, 0, done.stderr)
        wire, sent = self.asked(), self.sent()
        self.assertEqual(len(sent), 2)
        for body, request in zip(wire, sent):
            self.assertEqual(request["options"], {"temperature": body["temperature"], "max_tokens": body["max_completion_tokens"]})
            self.same(request, body)

    def test_what_agents_were_sent_in_turns_arms_and_loops_is_there_too(self):
        self.vendor([{"text": "So it is.", "times": "any"}])
        openai = {"provider": "openai", "model": "gpt-4o-mini"}
        agents = [{"name": name, "role": "Works.", "prompt": f"You are {name}.", "llm_config": openai} for name in ("ann", "ben")]
        self.write("cadre.yaml", "name: two\n")
        self.write("team.json", {"name": "two", "description": "Works.", "default_llm": {}, "tools": [], "agents": agents,
                                 "handoff_rules": [{"from_agent": "ann", "to_agent": "ben"}]})
        for agent in agents:
            self.write(f"agents/{agent['name']}.json", {**agent, "tools": ["calculator"]})
        nodes = {"begin": {"type": "agent", "agent": "ann"}, "left": {"type": "agent", "agent": "ann"}, "right": {"type": "agent", "agent": "ben"},
                 "again": {"type": "loop", "agent": "ben", "loop": {"max": 3, "until": "loop.index == 2"}}}
        self.write("workflows/flow.json", {"name": "flow", "patterns": ["react", "reflection"], "reflection": {"agent": "ann", "loop": {"max": 1, "on_limit": "continue"}},
                                           "nodes": nodes, "entry_point": "begin",
                                           "edges": [{"from": a, "to": b} for a, b in (("begin", "left"), ("begin", "right"), ("left", "again"), ("right", "again"))]})
        for words, calls in ((["team.json"], 2), (["--workflow", "flow"], 10)):
            with self.subTest(words):
                self.wire.write_text("")
                self.succeeds("run", "--quiet", *words, "Go.")
                wire, sent = self.asked(), self.sent(json.loads(self.succeeds("tasks", "--json"))["tasks"][0]["id"])
                self.assertEqual((len(wire), len(sent)), (calls, calls))
                said = [sorted(json.dumps(self.over_the_wire(body), sort_keys=True) for body in wire)]
                said.append(sorted(json.dumps(self.in_openai_s_words(request), sort_keys=True) for request in sent))
                self.assertEqual(*[[one.replace('"role": "system"', '"role": "developer"') for one in side] for side in said])

    def test_what_a_budget_leaves_is_what_was_asked_for(self):
        self.vendor([{"text": "Hello."}])
        done = self.cadre("run", "--agent", "researcher", "--model", "openai/gpt-5-mini", "--budget", "$0.002", "Go.")
        self.assertEqual(done.returncode, 0, done.stderr)
        (body,), (request,) = self.asked(), self.sent()
        self.assertEqual(request["options"]["max_tokens"], body["max_completion_tokens"])

    def test_every_attempt_names_the_model_that_was_asked(self):
        script = self.script([{"fail": {"status": 500}}, {"text": "Hello."}])
        self.assertEqual(self.cadre("run", "--agent", "researcher", "--model", script, "Go.").returncode, 0)
        self.assertEqual([(one["attempt"], one["model"]) for one in self.sent()], [(1, script), (2, script)])

    def test_a_call_whose_answer_never_came_is_there_and_resuming_sends_the_same(self):
        self.vendor(TWO_CALLS)
        words = ["run", "--agent", "researcher", "--model", "openai/gpt-4o-mini", "How much?"]
        self.assertEqual(self.cadre(*words, env={"CADRE_CRASH_AT": "before_dispatch:3"}).returncode, -signal.SIGKILL)
        before = self.sent()
        self.assertEqual([len(request["messages"]) for request in before], [1, 3])
        self.succeeds("resume", self.only_task())
        after = self.sent()
        self.assertEqual(after[:2], before)
        self.assertEqual(after[-1]["messages"], before[-1]["messages"])
        self.same(after[-1], self.asked()[-1])

    def test_instructions_and_earlier_turns_are_in_it(self):
        script = self.script([{"text": "One."}, {"text": "Two."}])
        chat = self.cadre("chat", "--agent", "researcher", "--model", script, stdin="First.\nSecond.\n")
        self.assertEqual(chat.returncode, 0, chat.stderr)
        newest = json.loads(self.succeeds("tasks", "--json"))["tasks"][0]["id"]
        self.assertEqual([message["text"] for message in self.sent(newest)[0]["messages"]], ["First.", "One.", "Second."])

    def test_keys_are_masked_and_schemas_are_not(self):
        key = "sk-ant-REDACTED-not-a-real-key"
        self.write("agents/researcher.json", {**AGENT, "prompt": "Use ${THEIR_KEY}."})
        self.env["THEIR_KEY"] = key
        script = self.script([{"tool_calls": [{"name": "write_file", "arguments": {"path": "a", "content": f"api_key={key}"}}]},
                              {"text": "Done."}])
        done = self.cadre("run", "--agent", "researcher", "--model", script, f"The key is {key}.")
        self.assertEqual(done.returncode, 0, done.stderr)
        for more in ([], ["--json"]):
            seen = self.succeeds("show", self.only_task(), "--requests", *more)
            self.assertNotIn(key, seen)
            self.assertIn("[redacted]", seen)
        self.assertIn("expression", json.dumps(self.sent()[0]["tools"]))

    def test_for_people_what_was_said_before_is_not_repeated(self):
        done = self.cadre("run", "--agent", "researcher", "--model", self.script(TWO_CALLS), "How much?")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = self.succeeds("show", self.only_task(), "--requests")
        for once in ("You look things up.", "How much?", "Let me see.", 'calls calculator {"expression":"6*7"}', "    42"):
            self.assertEqual(page.count(once), 1, page)
        self.assertIn("1  researcher asks script:", page)
        self.assertIn("system prompt and 1 message as in call 1, then:", page)
        self.assertIn("tools: calculator, write_file, read_file, ask_human", page)

    def test_a_task_that_is_not_there(self):
        self.assertEqual(self.cadre("show", "nothing", "--requests").returncode, NOT_FOUND)


if __name__ == "__main__":
    unittest.main()
