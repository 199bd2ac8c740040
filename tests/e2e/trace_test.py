#!/usr/bin/env python3
"""The trace of a task: as text, as JSON, and as a page in a real browser."""
import json
import os
import pathlib
import re
import signal
import unittest

import browser
from flows import Workflows
from home import ASK, Home, NOT_FOUND, SUM, UNAVAILABLE, calls
from terminal import TerminalHome

NASTY = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> & \u2028"
PARALLEL = [{"text": "Two at once.", "tool_calls": [{"name": "calculator", "arguments": {"expression": "6*7"}},
                                                    {"name": "write_file", "arguments": {"path": "a.txt", "content": "x"}}],
             "delay_ms": 60, "usage": {"input": 120, "output": 12, "cost": 0.002}},
            {"text": "Done.", "delay_ms": 120}]


class Trace(TerminalHome):
    def test_text_shows_who_what_how_long_tokens_and_money(self):
        self.run_agent(PARALLEL, prompt="Do two things.")
        lines = self.succeeds("trace", self.only_task()[:8]).splitlines()
        self.assertRegex(lines[0], r"^\w{8}  completed  Do two things\.$")
        self.assertEqual([line.split()[0] for line in lines[1:]],
                         ["task", "researcher", "calculator", "write_file", "researcher"])
        self.assertRegex(lines[2], r"━+ .* ms +132 +\$0\.0020$")
        self.assertLess(lines[2].index("━"), lines[5].index("━"))

    def test_steps_name_their_model_and_the_page_has_what_it_was_sent(self):
        self.run_agent(PARALLEL, prompt="Do two things.")
        task = self.only_task()
        spans = json.loads(self.succeeds("trace", task, "--json"))["spans"]
        self.assertEqual([span.get("model", "").split(":")[0] for span in spans], ["", "script", "", "", "script"])
        self.succeeds("trace", task, "--html", "page.html")
        page = (self.folder / "page.html").read_text()
        data = page.split('id="requests">')[1].split("</script>")[0]
        sent = json.loads(data)
        steps = [span["path"] for span in spans if span["kind"] == "step"]
        self.assertEqual(sorted(sent), sorted(steps))
        self.assertIn("You look things up.", sent[steps[0]])
        self.assertIn("calls calculator", sent[steps[1]])

    def test_no_line_is_wider_than_the_terminal(self):
        self.run_agent(PARALLEL, prompt="Do " + "very " * 50 + "much.")
        for width in (40, 80, 200):
            lines, code = self.look("trace", self.only_task(), width=width)
            self.assertEqual((code, len(lines)), (0, 6), lines)

    def test_a_crash_a_question_and_a_pause_are_part_of_it(self):
        done = self.run_agent(ASK, env={"CADRE_CRASH_AT": "after_dispatch:1"})
        self.assertEqual(done.returncode, -signal.SIGKILL)
        task = self.only_task()
        self.cadre("resume", task)
        self.succeeds("answer", task, "blue")
        spans = json.loads(self.succeeds("trace", task, "--json"))["spans"]
        self.assertEqual([span["kind"] for span in spans], ["task", "step", "gap", "question", "step"])
        self.assertEqual((spans[1]["attempts"], spans[3]["input"]), (2, "Which colour?"))
        self.assertRegex(spans[3]["output"], r"^approved by \w+: blue$")
        text = self.succeeds("trace", task)
        self.assertIn("researcher asks: Which colour?", text)
        self.assertIn("interrupted", text)

    def test_a_call_that_waits_for_approval_is_named(self):
        self.run_agent([calls("write_file", path="a", content="x"), {"text": "Done."}], "--mode", "hitl")
        for verb in ("trace", "show"):
            said = self.succeeds(verb, self.only_task())
            self.assertIn("researcher asks: may I call write_file {", said)
        self.assertNotIn("sha256", self.succeeds("trace", self.only_task()))

    def test_secrets_are_masked(self):
        self.run_agent([calls("write_file", path="a", content="sk-ant-REDACTED-not-a-real-key"), {"text": "Done."}])
        task = self.only_task()
        for words in (["trace", task, "--json"], ["trace", task, "--html", "t.html"], ["trace", task]):
            self.succeeds(*words)
        for text in (self.succeeds("trace", task, "--json"), (self.folder / "t.html").read_text()):
            self.assertNotIn("sk-ant-REDACTED-not-a-real-key", text)

    def test_what_cannot_be_is_said(self):
        self.assertEqual(self.cadre("trace", "abc").returncode, NOT_FOUND)
        self.run_agent(SUM)
        done = self.cadre("trace", self.only_task(), "--html", "no/such/folder/t.html")
        self.assertEqual(done.returncode, UNAVAILABLE)
        self.assertIn("t.html: No such file or directory", done.stderr)


class Nodes(Workflows):
    """A workflow's nodes, arms, joins and loops in trace, show and the page."""
    LINES = ["task", "begin", "a thinks", "left", "b thinks", "right", "c thinks", "kind", "aside", "b thinks", "meet joins left", "calculator",
             "each", "branch 1", "b thinks", "branch 2", "b thinks", "polish joins meet, each", "turn", "a thinks", "turn 2", "a thinks"]

    def traced(self):
        """Two arms of which the faster is enough, a condition, a map, a join of both, a loop."""
        self.agents("a", "b", "c")
        arms = {name: {"type": "agent", "agent": agent} for name, agent in (("left", "b"), ("right", "c"), ("never", "c"), ("aside", "b"))}
        self.workflow({"begin": {"type": "agent", "agent": "a"}, "kind": {"type": "condition"}, **arms,
                       "meet": {"type": "tool", "tool": "calculator", "args": {"expression": "1+1"}, "join": {"policy": "first"}},
                       "each": {"type": "map", "agent": "b", "map": {"over": "[1, 2]", "as": "n", "width": 1}},
                       "polish": {"type": "loop", "agent": "a", "loop": {"max": 3, "until": "'good' in last"}}},
                      [("begin", "left"), ("begin", "right"), ("begin", "kind"), {"from": "kind", "to": {"x": "never", "*": "aside"}},
                       ("left", "meet"), ("right", "meet"), ("aside", "each"), ("meet", "polish"), ("each", "polish")])
        entries = [{"when": {"agent": "a", "nth": n}, "text": text} for n, text in enumerate(("Begun.", "bad", "good"), 1)]
        slow = {"when": {"agent": "c"}, "text": "Late.", "delay_ms": 30_000}
        done = self.go([*entries, slow, {"when": {"agent": "b"}, "text": "Fast.", "times": "any"}])
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.only_task()

    def spans(self, task):
        return json.loads(self.succeeds("trace", task, "--json"))["spans"]

    def test_trace_has_each_with_what_it_waited_for_and_what_became_of_it(self):
        task = self.traced()
        lines = [re.split(r"  +|[─━]", line.strip())[0] for line in self.succeeds("trace", task).splitlines()[1:]]
        self.assertEqual(sorted(lines), sorted(self.LINES))
        nodes = {span["path"]: span for span in self.spans(task) if span["kind"] == "node"}
        self.assertEqual({path for path, node in nodes.items() if node["status"] == "cancelled"}, {"right"})
        self.assertEqual({path: node["after"] for path, node in nodes.items() if node.get("joins")}, {"meet": ["left"], "polish": ["meet", "each"]})
        self.assertEqual((nodes["each"]["after"], nodes["aside"]["after"], "never" in nodes), (["aside"], ["kind"], False))

    def test_show_names_the_node_of_each_step(self):
        shown = self.succeeds("show", self.traced())
        at, steps = "", []
        for line in shown.splitlines():
            if line.startswith("     ▸ "):
                at = line[7:]
            elif found := re.match(r" +\d+  (\w) thinks", line):
                steps.append((at, found[1]))
        self.assertEqual(sorted(steps), [("aside", "b"), ("begin", "a"), ("each, branch 1", "b"), ("each, branch 2", "b"), ("left", "b"),
                                         ("polish, turn", "a"), ("polish, turn 2", "a"), ("right, cancelled", "c")])
        self.assertIn("\n     ▸ kind\n", shown)
        self.assertRegex(shown, r"▸ meet joins left\n +✓ calculator")
        self.assertRegex(shown, r"▸ polish joins meet, each\n +▸ polish, turn\n")

    @unittest.skipIf(browser.MISSING, browser.MISSING)
    def test_the_page_has_them_too(self):
        self.succeeds("trace", self.traced(), "--html", "trace.html")
        chromium = browser.Browser()
        self.addCleanup(chromium.close)
        chromium.open((self.folder / "trace.html").as_uri())
        labels = chromium.evaluate("[...document.querySelectorAll('.label')].map(e => e.textContent).join('|')").split("|")
        self.assertEqual(sorted(labels), sorted(self.LINES))
        self.assertEqual(chromium.evaluate("document.querySelector('.node.cancelled .label').textContent"), "right")
        for _ in range(labels.index("polish joins meet, each")):
            chromium.press("ArrowDown")
        self.assertIn("meet, each", chromium.evaluate("[...document.querySelectorAll('aside dd')].map(e => e.textContent).join('|')"))


@unittest.skipIf(browser.MISSING, browser.MISSING)
class Page(Home):
    """The page that `trace --html` writes, in a real browser."""

    def setUp(self):
        super().setUp()
        self.chromium = browser.Browser()
        self.addCleanup(self.chromium.close)

    def page(self, entries, prompt):
        self.run_agent(entries, prompt=prompt)
        self.succeeds("trace", self.only_task(), "--html", "trace.html")
        return self.folder / "trace.html"

    def shoot(self, name):
        if folder := os.environ.get("CADRE_SCREENSHOTS"):
            self.chromium.screenshot(pathlib.Path(folder) / name)

    def test_the_page_shows_every_span_and_asks_nobody_for_anything(self):
        page = self.page(PARALLEL, "Do two things.")
        self.chromium.open(page.as_uri())
        self.assertEqual(self.chromium.complaints(), [])
        self.assertEqual(self.chromium.requests(), [page.as_uri()])
        self.assertEqual(self.chromium.evaluate("document.querySelectorAll('.row').length"), 5)
        self.assertIn("Do two things.", self.chromium.evaluate("document.body.innerText"))
        self.assertGreater(self.chromium.evaluate("document.querySelector('.step .bar').offsetWidth"), 20)
        self.shoot("trace-1280.png")

    def test_the_page_is_used_with_keys(self):
        page = self.page(PARALLEL, "Do two things.")
        self.chromium.open(page.as_uri(), width=700, height=900)
        title = "document.querySelector('aside h2').textContent"
        self.assertEqual(self.chromium.evaluate(title), "task")
        self.chromium.press("ArrowDown")
        self.chromium.press("ArrowDown")
        self.assertEqual(self.chromium.evaluate(title), "calculator")
        self.assertIn('"expression": "6*7"', self.chromium.evaluate("document.querySelector('aside').innerText"))
        before = self.chromium.evaluate("document.querySelector('.sheet').offsetWidth")
        self.chromium.press("+")
        self.assertGreater(self.chromium.evaluate("document.querySelector('.sheet').offsetWidth"), before)
        self.chromium.press("0")
        self.assertEqual(self.chromium.evaluate("document.querySelector('.sheet').offsetWidth"), before)
        self.chromium.press("Home")
        self.chromium.press("ArrowLeft")
        self.assertEqual(self.chromium.evaluate("[...document.querySelectorAll('.row')].filter(r => !r.hidden).length"), 1)
        self.chromium.press("ArrowRight")
        self.chromium.press("/")
        for letter in "a.txt":
            self.chromium.press(letter)
        self.assertEqual(self.chromium.evaluate("document.querySelector('.found').textContent"), "1 found")
        self.chromium.press("Enter")
        self.assertEqual(self.chromium.evaluate(title), "write_file")
        self.shoot("trace-700.png")

    def test_nothing_that_others_wrote_runs_or_becomes_markup(self):
        entries = [{"text": NASTY, **calls("write_file", path="a.txt", content=NASTY)}, {"text": NASTY}]
        page = self.page(entries, NASTY)
        self.chromium.open(page.as_uri())
        for key in ["ArrowDown"] * 4:
            self.chromium.press(key)
            self.assertNotEqual(self.chromium.evaluate("document.title"), "owned")
        self.assertEqual(self.chromium.evaluate("document.querySelectorAll('img').length"), 0)
        self.assertIn("onerror", self.chromium.evaluate("document.querySelector('aside').innerText"))
        self.assertEqual(self.chromium.complaints(), [])

    def test_the_policy_refuses_code_that_is_not_the_pages_own(self):
        page = self.page(SUM, "Go.")
        page.write_text(page.read_text().replace("</body>", "<script>document.title='owned'</script>"
                                                 "<img src='https://example.org/x.png'><p style='color:red'></p></body>"))
        self.chromium.open(page.as_uri())
        self.assertNotEqual(self.chromium.evaluate("document.title"), "owned")
        refused = json.dumps(self.chromium.complaints())
        for directive in ("script-src", "default-src 'none'", "style-src"):
            self.assertIn(directive, refused)


if __name__ == "__main__":
    unittest.main()
