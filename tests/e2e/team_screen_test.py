#!/usr/bin/env python3
"""What a person sees of a team at work: lanes, handoffs, votes, delegated tasks; and afterwards in show, trace and graph."""
import json
import re
import unittest

from home import ROOT
from terminal import TerminalHome, width_of

EXAMPLES = ROOT / "examples/teams"
DELEGATING = """
name: survey
description: Asks around.
default_llm: {provider: script, model: script.yaml}
agents:
  - {name: lead, role: Leads., prompt: Have others find it out.}
  - {name: scout, role: Finds out., prompt: Find it out.}
tools: []
handoff_rules:
  - {from_agent: lead, to_agent: scout, handoff_type: hierarchical}
"""
ERRANDS = [
    {"when": {"agent": "lead", "nth": 1}, "delay_ms": 200, "text": "I have it found out.",
     "tool_calls": [{"name": "delegate", "arguments": {"to": "scout", "task": "Find out about tea."}}]},
    {"when": {"agent": "scout"}, "times": "any", "delay_ms": 200, "text": "Tea comes from China.", "chunks": 5, "pace_ms": 40},
    {"when": {"agent": "lead", "nth": 2}, "delay_ms": 200, "text": "It comes from China."}]


def columns(line):
    return sum(map(width_of, line))


def shown_in(readme):
    """What the example's page says is seen."""
    return re.search(r"^```text\n(.*?)^```$", readme.read_text(), re.M | re.S)[1].splitlines()


class Teams(TerminalHome):
    def example(self, name):
        return EXAMPLES / name / "teams" / f"{name}.yaml"

    def watch(self, name, prompt, **options):
        lines, code = self.look("run", self.example(name), prompt, **options)
        self.assertEqual(code, 0, "\n".join(lines))
        for line in lines:
            self.assertLess(columns(line), options.get("width", 80), line)
        return lines

    def task(self):
        return json.loads(self.succeeds("tasks", "--json"))["tasks"][0]["id"]

    def test_handoffs_are_lines_between_what_is_said(self):
        lines = self.watch("writer_and_reviewer", "Write about tea")
        page = shown_in(EXAMPLES / "writer_and_reviewer/README.md")
        self.assertEqual(lines[:len(page)], page)
        self.assertTrue(lines[len(page)].startswith("✓ "), lines)
        shown = self.succeeds("show", self.task())
        steps = re.findall(r"^ {2,4}\d?  ?(\w+ thinks|→ \w+ hands over to \w+)", shown, re.M)
        self.assertEqual(steps,
                         ["writer thinks", "→ writer hands over to reviewer", "reviewer thinks",
                          "→ reviewer hands over to writer", "writer thinks", "→ writer hands over to reviewer",
                          "reviewer thinks"])
        drawing = json.loads(self.succeeds("graph", self.task(), "--json"))
        self.assertEqual([(node["name"], node["status"], node["turns"]) for node in drawing["nodes"]],
                         [("writer", "done", 2), ("reviewer", "done", 2)])

    def test_votes_are_lines_with_reasons_and_not_the_objects_that_models_wrote(self):
        lines = self.watch("code_review", "Review the change that adds sign-in")
        page = shown_in(EXAMPLES / "code_review/README.md")
        self.assertEqual(sorted(lines[:len(page)]), sorted(page))  # votes come as they come
        self.assertEqual([lines[0], lines[4], *lines[8:10]], [page[0], page[4], *page[8:10]])
        self.assertNotIn("{", "\n".join(lines))
        trace = self.succeeds("trace", self.task())
        self.assertIn("decided, 2 of 3 votes", trace)
        states = json.loads(self.succeeds("graph", self.task(), "--json"))["nodes"]
        self.assertEqual({node["status"] for node in states}, {"done"})

    def test_agents_at_the_same_time_have_lanes(self):
        lines = self.watch("market_study", "Is there a market for a small kettle?")
        lanes = {}
        for line in lines:
            if "│" in line:
                self.assertEqual(line.index("│"), 10, line)
                lanes.setdefault(line[:9].strip(), []).append(line[12:])
        self.assertEqual({name: " ".join(said) for name, said in lanes.items()}, {
            "customers": "Two million people here drink tea every day, and a third of them would like to make it at their desk. "
                         "With no small kettle to be had, people at desks would buy one first.",
            "prices": "Kettles cost from 20 to 90 euros, and most people pay less than 40. A small kettle for a desk can cost 35 euros.",
            "rivals": "Four companies sell kettles, and none of them sells a small one. A rival would need a year to follow."})
        self.assertIn("  ◆ facts: all 3 are there", lines)
        self.assertIn("  ◆ findings: all 3 are there", lines)
        self.assertIn("There is a market for a small kettle at 35 euros, and nobody else is in it for", lines)

    def test_lanes_on_a_dumb_terminal_are_whole_lines_with_names(self):
        lines = self.watch("market_study", "Is there a market?", env={"TERM": "dumb"}, width=200)
        for line in ("rivals: Four companies sell kettles, and none of them sells a small one.",
                     "prices: Kettles cost from 20 to 90 euros, and most people pay less than 40."):
            self.assertIn(line, lines)

    def test_elsewhere_the_answer_is_alone_on_standard_output(self):
        team = self.example("market_study")
        done = self.cadre("run", team, "Is there a market?")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = "There is a market for a small kettle at 35 euros, and nobody else is in it for a year.\n"
        self.assertEqual(done.stdout, answer)
        self.assertIn("facts: all 3 are there\n", done.stderr)
        self.assertNotIn("\x1b", done.stderr)
        quiet = self.cadre("run", "--quiet", team, "Is there a market?")
        self.assertEqual((quiet.stdout, quiet.stderr), (answer, ""))
        lines = self.succeeds("run", "--json", team, "Is there a market?").splitlines()
        types = [json.loads(line)["event"]["type"] for line in lines]
        self.assertEqual(types.count("event_parallel_sync"), 6)

    def test_words_of_a_delegated_task_are_seen_with_their_origin(self):
        (self.folder / "team.yaml").write_text(DELEGATING)
        lines, code = self.look("run", "--model", self.script(ERRANDS), "team.yaml", "Where does tea come from?")
        self.assertEqual(code, 0, "\n".join(lines))
        self.assertEqual(lines[:2], ["lead", "I have it found out."])
        self.assertTrue(lines[2].startswith("  ↳ lead has scout do a part"), lines)
        self.assertEqual(lines[3:6], ["↳ scout │ Tea comes from China.", "lead", "It comes from China."])

        task = next(t["id"] for t in json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"] if not t.get("parent"))
        steps = self.succeeds("show", task).split("Steps\n")[1]
        self.assertRegex(steps, r"(?s)  1  lead thinks.*has scout do it.*\n      2  scout thinks.*\n  3  lead thinks")
        drawing = json.loads(self.succeeds("graph", task, "--json"))
        self.assertEqual([node["status"] for node in drawing["nodes"]], ["done", "done"])


if __name__ == "__main__":
    unittest.main()
