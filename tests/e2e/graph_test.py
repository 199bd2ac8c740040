#!/usr/bin/env python3
"""Workflows and teams drawn: on terminals of several widths, as Mermaid, as SVG in a real browser, as JSON."""
import json
import os
import pathlib
import re
import shutil
import unittest
import xml.etree.ElementTree

import browser
from home import INVALID, NOT_FOUND, ROOT, SUM, UNAVAILABLE, WAITING
from terminal import TerminalHome, width_of

NO_DOT = None if shutil.which("dot") else "no Graphviz here: apt-get install graphviz"
NASTY = "</text><script>document.title='owned'</script>\x1b]0;owned\x07\u202e\"]; click n0"
REPORT = {"name": "report", "patterns": ["react"], "entry_point": "research", "checkpoints": ["publish"],
          "nodes": {"research": {"type": "agent", "agent": "researcher"},
                    "write": {"type": "agent", "agent": "writer"},
                    "check": {"type": "tool", "tool": "calculator", "join": {"policy": "first"}},
                    "decide": {"type": "condition"},
                    "publish": {"type": "human"},
                    "drop": {"type": "agent", "agent": "editor"}},
          "edges": [{"from": "research", "to": "write"}, {"from": "research", "to": "check"},
                    {"from": "write", "to": "check"}, {"from": "check", "to": "decide"},
                    {"from": "decide", "to": {"good": "publish", "bad": "drop"}}]}
TEAM = {"name": "desk", "description": "", "default_llm": {}, "tools": [], "agents": [{"name": "writer", "role": "Writes.", "prompt": "Write."},
                                   {"name": "editor", "role": "Edits.", "prompt": "Edit."}],
        "handoff_rules": [{"from_agent": "writer", "to_agent": "editor", "condition": "draft is done"},
                          {"from_agent": "editor", "to_agent": "writer"}],
        "collaboration_patterns": [{"name": "vote", "type": "consensus", "agents": ["writer", "editor"]}]}


class Graph(TerminalHome):
    def setUp(self):
        super().setUp()
        self.write("cadre.yaml", "{}\n")
        self.write("workflows/report.json", REPORT)
        self.write("teams/desk.json", TEAM)

    def nasty(self):
        names = {f"n{i}": {"type": "agent", "agent": NASTY} for i in range(3)}
        edges = [{"from": "n0", "to": {NASTY: "n1", "ok": "n2"}}]
        return self.write("workflows/nasty.json", {"name": "nasty", "patterns": ["react"], "entry_point": "n0",
                                                   "nodes": names, "edges": edges})

    def test_a_workflow_is_drawn_whatever_the_width(self):
        for width in (200, 80, 40, 20):
            lines, code = self.look("graph", "workflows/report.json", width=width)
            self.assertEqual(code, 0)
            self.assertIn("workflow report", lines[0])
            self.assertLessEqual(max(sum(map(width_of, line)) for line in lines), width, lines)
            for name in REPORT["nodes"]:
                self.assertRegex("\n".join(lines), rf"\b{name}\b")
        self.assertTrue(any("▼" in line or "▶" in line for line in self.look("graph", "report")[0]))

    def test_it_is_plain_where_only_that_can_be_read(self):
        text = self.succeeds("graph", "report", env={"LANG": "C"})
        self.assertTrue(text.isascii(), text)
        self.assertIn("+", text)
        self.assertNotIn("\x1b", self.succeeds("graph", "report"))

    def test_a_team_is_drawn_with_what_leads_back_and_its_patterns(self):
        text = self.succeeds("graph", "desk")
        self.assertIn("if draft is done", text)
        self.assertIn("editor → writer", text)
        self.assertIn("vote (consensus): writer, editor", text)

    def test_ten_thousand_nodes_become_a_list(self):
        nodes = {f"n{i}": {"type": "condition"} for i in range(10_000)}
        edges = [{"from": f"n{i}", "to": f"n{i + 1}"} for i in range(9_999)]
        self.write("workflows/long.json", {"name": "long", "patterns": ["react"], "entry_point": "n0", "nodes": nodes,
                                           "edges": edges})
        lines = self.succeeds("graph", "long").splitlines()
        self.assertIn("Too large", lines[1])
        self.assertGreater(len(lines), 19_000)

    def test_no_name_commands_the_terminal(self):
        self.nasty()
        seen, code = self.talk("graph", "nasty")
        self.assertEqual(code, 0, seen)
        self.assertEqual(set(re.findall(r"\x1b\[?[^m]*m?", seen)) - {"\x1b[1m", "\x1b[0m"}, set(), seen)
        self.assertNotIn("\u202e", seen)
        self.assertIn("\\u001b", seen)

    def test_mermaid(self):
        text = self.succeeds("graph", "report", "--mermaid")
        self.assertTrue(text.startswith("flowchart TD\n"))
        self.assertIn('n3 -->|"good"| n4\n', text)
        self.nasty()
        self.assertNotIn("script>", self.succeeds("graph", "nasty", "--mermaid"))

    def test_pictures_of_examples_are_what_is_drawn(self):
        drawn = 0
        for page in sorted((ROOT / "examples").rglob("README.md")):
            pictures = re.findall(r"^```mermaid\n(.*?)^```$", page.read_text(), re.M | re.S)
            files = [file for file in page.parent.glob("*/*.yaml") if {"nodes:", "agents:"} & set(file.read_text().split("\n"))]
            made = [self.succeeds("graph", file, "--mermaid") for file in files if page.parent.parent.name in ("teams", "workflows")]
            for picture in pictures:
                self.assertIn(picture, made, page)
            self.assertEqual(bool(pictures), bool(made), page)
            drawn += len(pictures)
        self.assertGreaterEqual(drawn, 10)

    def test_json(self):
        drawn = json.loads(self.succeeds("graph", "report", "--json"))
        self.assertEqual([node["name"] for node in drawn["nodes"]], list(REPORT["nodes"]))
        self.assertIn({"from": "decide", "to": "drop", "label": "bad"}, drawn["edges"])

    def test_what_cannot_be_is_said(self):
        for words, code, says in (
                (["graph", "no.yaml"], NOT_FOUND, "no.yaml does not exist"),
                (["graph", "nothing"], NOT_FOUND, "there is no workflow or team called"),
                (["graph", "agents/researcher.json"], INVALID, "is not a workflow or a team"),
                (["graph", "report", "-f"], INVALID, "--follow needs a task"),
                (["graph", "report", "--width", "7"], INVALID, "--width is a number"),
                (["graph", "report", "--svg", "-", "--mermaid"], INVALID, "ask for one")):
            done = self.cadre(*words)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(says, done.stderr)
        done = self.cadre("graph", "report", "--svg", "x.svg", env={"PATH": "/nowhere"})
        self.assertEqual(done.returncode, UNAVAILABLE)
        self.assertIn("apt-get install graphviz", done.stderr)
        self.assertFalse((self.folder / "x.svg").exists())

    def test_a_task_without_a_workflow_says_so(self):
        self.run_agent(SUM)
        done = self.cadre("graph", self.only_task()[:8])
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("runs no workflow", done.stderr)
        self.assertIn("trace", done.stderr)

    @unittest.skipIf(NO_DOT, NO_DOT)
    def test_svg_is_a_picture_of_all_nodes(self):
        self.succeeds("graph", "desk", "--svg", "desk.svg")
        text = self.succeeds("graph", "report", "--svg", "-")
        picture = xml.etree.ElementTree.fromstring(text)
        words = "".join(picture.itertext())
        for name in REPORT["nodes"]:
            self.assertIn(name, words)
        self.assertEqual(len(picture.findall(".//{*}path[@marker-end]")), 6)
        self.assertNotIn("http", text.replace("http://www.w3.org/2000/svg", ""))

    @unittest.skipIf(NO_DOT or browser.MISSING, NO_DOT or browser.MISSING)
    def test_svg_in_a_browser(self):
        chromium = browser.Browser()
        self.addCleanup(chromium.close)
        for name, nodes in (("report", 6), ("desk", 2), ("nasty", 3)):
            self.nasty()
            self.succeeds("graph", name, "--svg", f"{name}.svg")
            chromium.open((self.folder / f"{name}.svg").as_uri())
            self.assertEqual(chromium.complaints(), [])
            self.assertEqual(chromium.evaluate("document.querySelectorAll('rect.node').length"), nodes)
            self.assertEqual(chromium.evaluate("document.querySelectorAll('script').length"), 0)
            over = """[...document.querySelectorAll('g')].filter(g => g.querySelector('rect.node')).filter(g => {
                const box = g.querySelector('rect.node').getBBox();
                return [...g.querySelectorAll('text')].some(text => text.getBBox().width > box.width); }).length"""
            self.assertEqual(chromium.evaluate(over), 0, "text leaves its box")
            if folder := os.environ.get("CADRE_SCREENSHOTS"):
                chromium.screenshot(pathlib.Path(folder) / f"graph-{name}.png")


class Tasks(TerminalHome):
    """A task of a workflow: draft → review (a person) → publish or drop."""

    def setUp(self):
        super().setUp()
        for name in ("writer", "printer"):
            self.write(f"agents/{name}.yaml", f"name: {name}\nrole: Works.\nprompt: You are {name}.\n")
        self.write("cadre.yaml", "name: flows\n")
        nodes = {"draft": {"type": "agent", "agent": "writer"}, "review": {"type": "human"},
                 "publish": {"type": "agent", "agent": "printer"}, "drop": {"type": "agent", "agent": "printer"}}
        edges = [{"from": "draft", "to": "review"}, {"from": "review", "to": {"approve": "publish", "reject": "drop"}}]
        self.write("workflows/flow.json", {"name": "flow", "patterns": ["react"], "nodes": nodes, "edges": edges,
                                           "entry_point": "draft"})

    def go(self):
        script = self.script([{"when": {"agent": "writer"}, "text": "Tea."}, {"when": {"agent": "printer"}, "text": "Out."}])
        done = self.cadre("run", "--workflow", "flow", "--model", script, "Write about tea.")
        self.assertEqual(done.returncode, WAITING, done.stderr)
        return self.only_task()

    def states(self, task):
        return {node["name"]: node["status"] for node in json.loads(self.succeeds("graph", task, "--json"))["nodes"]}

    def test_nodes_are_as_the_journal_says(self):
        task = self.go()
        self.assertEqual(self.states(task), {"draft": "done", "review": "waiting", "publish": "pending", "drop": "pending"})
        self.assertIn("? waiting", self.succeeds("graph", task[:8]))
        self.succeeds("approve", task)
        self.assertEqual(self.states(task), {"draft": "done", "review": "done", "publish": "done", "drop": "skipped"})
        self.assertIn("4 nodes: 3 done, 1 skipped", self.succeeds("graph", task, "--follow"))
        self.assertIn(":::skipped", self.succeeds("graph", task, "--mermaid"))

    def test_a_pipe_gets_a_line_for_each_change_until_the_end(self):
        task = self.go()
        process = self.start("graph", "-f", task)
        for line in process.stdout:
            if "? waiting" in line:
                break
        self.succeeds("approve", task)
        out, err, code = self.end(process)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("publish  ✓ done", out)
        self.assertTrue(out.rstrip().endswith("completed"), out)

    def test_a_terminal_is_redrawn_in_place(self):
        task = self.go()
        lines, code = self.look("graph", "-f", task, height=40,
                                says=[("waiting", lambda _: self.succeeds("approve", task))])
        self.assertEqual(code, 0, lines)
        self.assertEqual(sum("workflow flow" in line for line in lines), 1, lines)
        self.assertIn("3 done, 1 skipped", lines[0])
        self.assertIn("completed", lines[-1])


if __name__ == "__main__":
    unittest.main()
