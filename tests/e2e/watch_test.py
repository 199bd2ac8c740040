#!/usr/bin/env python3
"""What a person sees: a running task on terminals of several kinds and widths, `tasks`, `show`, `tail`, and the demo."""
import fcntl
import json
import pathlib
import signal
import struct
import termios
import time
import unittest

from home import ASK, CADRE, INTERRUPTED, SUM, calls
from terminal import TerminalHome, picture, width_of

LONG = "The quick brown fox jumps over the lazy dog while 日本語の文字 are two columns wide, and_this_word_is_rather_long here."
TWO = [{"text": "Both at once.", "tool_calls": [{"name": "calculator", "arguments": {"expression": "6*7"}},
                                                {"name": "write_file", "arguments": {"path": "a.txt", "content": "x"}}],
        "usage": {"input": 120, "output": 12, "cost": 0.0021}, "delay_ms": 200}, {"text": LONG, "chunks": 30, "pace_ms": 10}]


def columns(line):
    return sum(map(width_of, line))


class Live(TerminalHome):
    def run_there(self, entries, *words, **options):
        return self.look("run", "--agent", "researcher", "--model", self.script(entries), *words, "Go.", **options)

    def test_text_is_wrapped_between_words_calls_are_lines_and_the_end_says_what_it_took(self):
        for width in (40, 80, 200):
            with self.subTest(width=width):
                lines, code = self.run_there(TWO, width=width)
                self.assertEqual(code, 0, lines)
                self.assertEqual(lines[:2], ["researcher", "Both at once."])
                self.assertRegex(lines[2], r"^  ✓ calculator .* → 42  \d+ ms$")
                self.assertRegex(lines[3], r"^  ✓ write_file .* → .*  \d+ ms$")
                self.assertLessEqual(max(map(columns, lines[:-3])), width)
                end = next(i for i, line in enumerate(lines) if line.startswith("✓ "))
                self.assertEqual(" ".join(lines[4:end]).replace("の文 字", "の文字").replace("語 の", "語の"), LONG)
                rest = " ".join(" ".join(lines[end:]).split())
                self.assertRegex(rest, r"^✓ .*s, 2 model calls, 2 tool calls, \d+ tokens, \$0\.0021")
                for verb in ("show", "trace", "replay"):
                    self.assertRegex(rest, rf"cadre {verb} \w{{8}}")

    def test_text_comes_as_it_is_written(self):
        chunks = []
        self.run_there([{"text": "one two three four", "chunks": ["one ", "two ", "three ", "four"], "pace_ms": 250,
                         "delay_ms": 200}], chunks=chunks)
        first = next(at for at, piece in chunks if b"one" in piece)
        last = next(at for at, piece in chunks if b"four" in piece)
        self.assertGreater(last - first, 0.4)

    def test_a_spinner_turns_while_a_model_thinks(self):
        seen, _ = self.talk("run", "--agent", "researcher", "--model", self.script([{"text": "Done.", "delay_ms": 1300}]), "Go.")
        self.assertGreater(len({frame for frame in "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" if f"{frame} researcher thinks" in seen}), 5)
        self.assertIn("researcher thinks  1.1 s", seen)
        self.assertNotIn("thinks", "\n".join(picture(seen, 80)))

    def test_a_terminal_that_becomes_narrower_loses_nothing(self):
        def narrower(terminal):
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 50, 0, 0))
        entries = [{"text": "first words and then, after the change, many more words that must be wrapped to the new width.",
                    "chunks": 12, "pace_ms": 120, "delay_ms": 200}]
        seen, code = self.talk("run", "--agent", "researcher", "--model", self.script(entries), "Go.", says=[("first", narrower)])
        self.assertEqual(code, 0)
        lines = picture(seen, 80)
        text = [line for line in lines if line and not line.startswith(("researcher", "✓", "  cadre"))]
        self.assertEqual(" ".join(text), entries[0]["text"])
        self.assertLess(len(text[-1]), 50)

    def test_no_colour_where_none_is_wanted_and_plain_lines_on_a_dumb_terminal(self):
        seen, _ = self.talk("run", "--agent", "researcher", "--model", self.script(SUM), "Go.", env={"NO_COLOR": "1"})
        self.assertNotIn("\x1b[3", seen)
        self.assertNotIn("m\x1b", seen)
        self.assertIn("✓ calculator", seen)
        seen, code = self.talk("run", "--agent", "researcher", "--model", self.script(SUM), "Go.", env={"TERM": "dumb"})
        self.assertEqual(code, 0)
        self.assertNotIn("\x1b", seen)
        self.assertIn('researcher calls calculator {"expression":"2+3"}', seen)
        self.assertIn("The sum is 5.", seen)

    def test_without_utf8_only_ascii_is_drawn(self):
        seen, _ = self.talk("run", "--agent", "researcher", "--model", self.script(SUM), "Go.", env={"LANG": "C"})
        self.assertTrue(seen.isascii(), seen)
        self.assertIn('* calculator {"expression":"2+3"} -> 5', "\n".join(picture(seen, 80)))

    def test_quiet_and_json_are_as_they_are_elsewhere(self):
        lines, _ = self.run_there(SUM, "--quiet")
        self.assertEqual(lines, ["The sum is 5."])
        seen, _ = self.talk("run", "--json", "--agent", "researcher", "--model", self.script(SUM), "Go.")
        kinds = [json.loads(line)["event"]["type"] for line in seen.splitlines()]
        self.assertEqual((kinds[0], kinds[-1]), ("event_task_start", "event_task_complete"))

    def test_an_answer_that_goes_to_a_file_is_alone_there(self):
        script = self.script(TWO)
        seen, code = self.talk("-c", f'{CADRE} run --agent researcher --model {script} Go. > answer.txt', program="/bin/sh")
        self.assertEqual(code, 0, seen)
        self.assertEqual((self.folder / "answer.txt").read_text(), LONG + "\n")
        lines = picture(seen, 80)
        self.assertTrue(any(line.startswith("  ✓ calculator") for line in lines), lines)
        self.assertIn("Both at once.", lines)
        self.assertNotIn("quick brown fox", seen)

    def test_a_resumed_task_shows_what_it_was_about(self):
        done = self.run_agent([calls("write_file", path="a.txt", content="x"), {"text": "Done."}],
                              env={"CADRE_CRASH_AT": "after_dispatch:2"})
        self.assertEqual(done.returncode, -signal.SIGKILL)
        lines, code = self.look("resume", self.only_task())
        self.assertEqual(code, 0)
        self.assertTrue(any(line.startswith("  ✓ write_file {") for line in lines), lines)

    def test_retries_are_remarked(self):
        lines, code = self.run_there([{"fail": {"status": 429, "retry_after": 0.01}}, {"text": "Hello."}])
        self.assertEqual(code, 0)
        self.assertTrue(any(line.startswith("  ! will retry: the scripted model fails") for line in lines), lines)
        self.assertIn("Hello.", lines)


class Looking(TerminalHome):
    def test_tasks_is_a_table_that_fits(self):
        for prompt in ("Short.", "A prompt that is a good deal longer than what fits into a narrow terminal. " * 2, "日本語の長い質問" * 9):
            self.run_agent([{"text": "Hello."}], prompt=prompt)
        for width in (40, 80, 200):
            lines, code = self.look("tasks", width=width)
            self.assertEqual((code, len(lines)), (0, 3), lines)
            self.assertLessEqual(max(map(columns, lines)), width)

    def test_show_is_a_page_with_prompt_steps_calls_totals_and_what_to_do_next(self):
        self.run_agent(TWO, prompt="Do two things.")
        task = self.only_task()
        for width in (80, 200):
            lines, _ = self.look("show", task, width=width)
            page = "\n".join(lines)
            self.assertLessEqual(max(map(columns, lines)), width)
            self.assertTrue(page.startswith("Prompt    Do two things.\nStatus    completed\n"), page)
            self.assertRegex(page, r"\nSteps\n  1  researcher thinks  .*, 132 tokens, \$0\.0021\n     Both at once\.\n"
                                   r"     ✓ calculator .* → 42  .*\n     ✓ write_file")
            self.assertIn(f"cadre trace {task[:8]}", lines[-1])
        done = self.run_agent(ASK, prompt="Paint.")
        waiting = json.loads(self.succeeds("tasks", "--status", "waiting", "--json"))["tasks"][0]["id"]
        page = self.succeeds("show", waiting)
        self.assertIn("? researcher asks: Which colour?", page)
        self.assertIn(f"to answer: cadre answer {waiting[:8]}", page)

    def test_tail_follows(self):
        runs, task = self.start_agent([{**calls("calculator", expression="1+1"), "delay_ms": 300}, {"text": "Done.", "delay_ms": 300}])
        tail = self.start("tail", "-f", task)
        out, _, code = self.end(tail)
        self.assertEqual(code, 0)
        self.assertIn("completed (2 model calls", out.splitlines()[-1])
        self.end(runs)


class Demo(TerminalHome):
    def left_behind(self):
        return [path for path in pathlib.Path(self.env["TMPDIR"]).iterdir()]

    def setUp(self):
        super().setUp()
        (self.folder / "tmp").mkdir()
        self.env["TMPDIR"] = str(self.folder / "tmp")

    def is_whole(self, text):
        text = " ".join(text.split())
        for words in ("come from a script", "planner", "→ 18", "Which day suits you?", "hands over to writer", "invitation into a file.", "killed with SIGKILL", "$ cadre resume",
                      "write_file (2 attempts)", "Bring a blanket.", "interrupted", "cadre init hello", "cadre help run", "cadre doctor"):
            self.assertIn(words, text)
        self.assertNotIn("cadre show", text)  # nothing is left to show
        self.assertEqual(self.left_behind(), [])
        self.assertFalse(self.home.exists())

    def test_on_a_terminal_with_nobody_there(self):
        began = time.monotonic()
        lines, code = self.look("demo", width=100)
        self.assertEqual(code, 0, "\n".join(lines))
        self.is_whole("\n".join(lines))
        self.assertIn("answered elsewhere", lines)
        self.assertLess(time.monotonic() - began, 40)  # 20 on a machine that does nothing else

    def test_on_a_terminal_with_somebody_who_answers(self):
        lines, code = self.look("demo", says=[("Your answer", "Sunday\n")])
        self.assertEqual(code, 0, "\n".join(lines))
        self.is_whole("\n".join(lines))
        self.assertNotIn("answered elsewhere", lines)

    def test_elsewhere_it_prints_plainly(self):
        done = self.cadre("demo")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertNotIn("⠋", done.stdout + done.stderr)
        text = " ".join((done.stdout + done.stderr).split())
        for words in ("come from a script", "planner calls calculator", "planner hands over to writer", "killed with SIGKILL", "No person answers here",
                      "write_file (2 attempts)", "cadre init hello"):
            self.assertIn(words, text)
        self.assertEqual(self.left_behind(), [])

    def test_ctrl_c_ends_it_and_cleans_up(self):
        lines, code = self.look("demo", says=[("→ 18", "\x03")])
        self.assertEqual(code, INTERRUPTED, "\n".join(lines))
        self.assertIn("the demo was stopped", "\n".join(lines))
        self.assertEqual(self.left_behind(), [])


if __name__ == "__main__":
    unittest.main()
