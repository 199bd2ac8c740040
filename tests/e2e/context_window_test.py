#!/usr/bin/env python3
"""Conversations that outgrow their window, with vendors whom mock-llm plays, and with scripts."""
import json
import unittest

from home import AGENT, INVALID, calls
from providers_test import ANTHROPIC, OPENAI, Vendors

LONG = "word " * 4000  # 20,000 bytes


def texts(body):
    """All texts of a request's messages, in order, with their roles."""
    for message in body["messages"]:
        content = message.get("content") or ""
        parts = content if isinstance(content, list) else [{"text": content}]
        for part in parts:
            yield message["role"], part.get("text") or json.dumps(part.get("content", ""))


class Window(Vendors):
    def team(self, limit, *, own=None, model=OPENAI, tools=("calculator", "write_file", "read_file")):
        provider, name = model.split("/", 1)
        clerk = {**AGENT, "name": "clerk", "tools": list(tools)}
        if own:
            clerk["memory_config"] = {"short_term_limit": own}
        self.write("team.json", {"name": "notes", "description": "Takes notes.", "agents": [clerk], "tools": [],
                                 "default_llm": {"provider": provider, "model": name}, "memory_config": {"short_term_limit": limit}})

    def steps(self, count):
        """Files with many numbers, which are many tokens, and what a model says that is to sum up."""
        content = " ".join(map(str, range(600)))
        return [{"when": {"contains": "<conversation>"}, "text": "Ann wants it on Friday.", "times": "any"},
                *[calls("write_file", path=f"{i}.txt", content=content) for i in range(count)], {"text": "Done."}]

    def bodies(self):
        return self.asked()

    def conversation(self, body):
        return [(role, text) for role, text in texts(body) if role not in ("system", "developer")]

    def test_a_limit_of_50_tokens_holds(self):  # MEM-05 E
        self.vendor([{"text": LONG, "times": "any"}])
        self.team(50)
        lines = "".join(f"This is note {i}.\n" for i in range(6))
        self.succeeds("chat", "team.json", stdin=lines)
        bodies = self.bodies()
        self.assertEqual(len(bodies), 6)
        for body in bodies:
            said = self.conversation(body)
            self.assertLessEqual(sum(len(text) // 4 for _, text in said), 50)  # an English token has four bytes and more
            self.assertTrue(said[-1][1].startswith("This is note"))

    def test_an_agents_own_limit_counts(self):  # AGENT-19 E
        self.vendor([{"text": LONG, "times": "any"}])
        self.team(100_000, own=200)
        self.succeeds("chat", "team.json", stdin="One?\nTwo?\nThree?\n")
        last = self.conversation(self.bodies()[-1])
        self.assertLess(sum(len(text) for _, text in last), 2000)

    def test_both_vendors_are_sent_a_summary_that_their_model_has_written_and_take_turns(self):
        for model in (OPENAI, ANTHROPIC):
            with self.subTest(model=model):
                self.vendor(self.steps(6), name=model.replace("/", "-") + ".json")
                self.team(2500, model=model)
                self.assertEqual(self.succeeds("run", "team.json", "Go and write."), "Done.\n")
                bodies = self.bodies()
                summed = [body for body in bodies if any("<conversation>" in text for _, text in texts(body))]
                self.assertTrue(summed)
                self.assertTrue(all("tools" not in body for body in summed))
                last = self.conversation(bodies[-1])
                self.assertEqual(last[0], ("user", "Go and write."))
                self.assertTrue(any("Ann wants it on Friday." in text for _, text in last))
                task = self.newest()
                self.assertIn("the conversation was shortened from", self.succeeds("trace", task).replace("\n", " "))
                self.assertIn("the conversation was shortened from", self.succeeds("show", task).replace("\n", " "))
                events = self.events(task)
                sizes = [event["context_size"] for event in events if event["type"] == "event_agent_start"]
                self.assertEqual(len(sizes), len(bodies))
                self.assertTrue(all(sizes))
                self.assertIn("event_memory_consolidate", [event["type"] for event in events])
                self.assertEqual(self.cadre("replay", task).returncode, 0)

    def test_a_process_that_dies_in_a_compaction_makes_it_once(self):
        for at in range(3, 9):
            with self.subTest(at=at):
                self.vendor(self.steps(4), name=f"{at}.json")
                self.team(2500)
                died = self.cadre("run", "team.json", "Go and write.", env={"CADRE_CRASH_AT": f"after_outcome:{at}"})
                self.assertLess(died.returncode, 0, died.stderr)
                self.assertEqual(self.succeeds("resume", self.newest()), "Done.\n")
                summed = [json.dumps(body) for body in self.bodies() if any("<conversation>" in text for _, text in texts(body))]
                self.assertTrue(summed)
                # an answer that was not on the disk yet is asked for again, as of any model call
                self.assertLessEqual(len(summed) - len(set(summed)), 1)
                self.assertEqual(self.cadre("replay", self.newest()).returncode, 0)

    def test_summaries_stay_as_they_were_made_under_another_counter_of_tokens(self):
        """Case 6 of structure: a model of another vendor, whose tokens are counted otherwise, takes over what the first one has summed up."""
        self.vendor([*self.steps(6)[:-1], {"text": "Done.", "times": "any"}])
        self.team(2500, model=OPENAI)
        self.succeeds("run", "team.json", "Go and write.")
        task = self.newest()
        told = [json.loads(line) for line in self.succeeds("tail", "--json", task).splitlines()]
        made = [line["event"] for line in told if line["event"]["type"] == "event_memory_consolidate"]
        asked = len(self.bodies())
        self.assertGreaterEqual(len(made), 2)
        last = [line["seq"] for line in told if line["event"]["type"] == "event_tool_result"][-1]
        forked = self.cadre("fork", task, "--at", last, "--model", ANTHROPIC, "--json")
        self.assertEqual(forked.returncode, 0, forked.stderr)
        fork = json.loads(forked.stdout.splitlines()[0])["fork"]["task"]
        kept = [event for event in self.events(fork) if event["type"] == "event_memory_consolidate"]
        sizes = [[(one["items_consolidated"], one["summary_length"]) for one in events] for events in (made, kept)]
        self.assertEqual(sizes[1][:len(made)], sizes[0])
        more = self.bodies()[asked:]
        self.assertEqual(len([body for body in more if any("<conversation>" in text for _, text in texts(body))]), len(kept) - len(made))
        self.assertIn("Ann wants it on Friday.", json.dumps(more[-1]))
        self.assertEqual(self.cadre("replay", fork).returncode, 0)

    def test_instructions_that_leave_no_room_are_named_with_both_numbers(self):
        self.vendor([{"text": "Never.", "times": "any"}])
        self.team(10_000, model="openai/gpt-4")
        team = json.loads((self.folder / "team.json").read_text())
        team["agents"][0]["prompt"] = LONG * 2
        self.write("team.json", team)
        done = self.cadre("run", "team.json", "Go.")
        self.assertEqual(done.returncode, INVALID, done.stderr)
        self.assertRegex(done.stderr.replace("\n", " "), r"take up to \d+ tokens, and its model openai/gpt-4 has room for 4096: it holds 8192")
        self.assertEqual(self.asked(), [])

    def test_a_whole_result_is_in_its_file(self):
        """The agent of this script reads it back."""
        content = "".join(f"line {i}\n" for i in range(400))
        entries = [calls("write_file", path="a.txt", content=content),
                   *[calls("read_file", path="a.txt") | {"when": {"after_tool": True}} for _ in range(4)],
                   {"text": "Done.", "when": {"after_tool": True}}]
        self.team(2500, model=f"script/{self.write('script.json', entries)}")
        self.assertEqual(self.succeeds("run", "team.json", "Go."), "Done.\n")
        outputs = list((self.home / "tasks").glob("*/artifacts/outputs/*.txt"))
        self.assertTrue(outputs)
        self.assertTrue(any("line 399" in file.read_text() for file in outputs))


if __name__ == "__main__":
    unittest.main()
