#!/usr/bin/env python3
"""The trace of a task: as text, as JSON, and as a page in a real browser."""
import json
import os
import pathlib
import signal
import unittest

import browser
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
