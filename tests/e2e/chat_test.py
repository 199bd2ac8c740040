#!/usr/bin/env python3
"""Conversations: `chat` from a script and on a terminal, `run --session` and `-c`, `sessions`; what a crash leaves and how it goes on."""
import json
import os
import signal
import stat
import termios
import unittest

from home import CONFLICT, INVALID, NOT_FOUND, UNAUTHORIZED, UPSTREAM, WAITING
from terminal import TerminalHome, picture

TALK = [{"when": {"contains": "one"}, "text": "First.", "times": "any"},
        {"when": {"contains": "two"}, "text": "Second.", "times": "any"},
        {"when": {"contains": "lines"}, "text": "Many lines.", "times": "any"},
        {"when": {"contains": "sum"}, "tool_calls": [{"name": "calculator", "arguments": {"expression": "2+3"}}], "times": "any"},
        {"when": {"contains": "5", "after_tool": True}, "text": "It is 5.", "times": "any"},
        {"when": {"contains": "ask"}, "tool_calls": [{"name": "ask_human", "arguments": {"question": "Which colour?"}}],
         "times": "any"},
        {"when": {"contains": "blue"}, "text": "Blue it is.", "times": "any"},
        {"when": {"contains": "fail"}, "fail": {"status": 400}, "times": "any"},
        {"when": {"contains": "slow"}, "chunks": ["Slow ", "and ", "steady ", "wins."], "pace_ms": 1500, "times": "any"}]
ONE, TWO = "## User\n\none\n\n## Assistant\n\nFirst.\n", "## User\n\ntwo\n\n## Assistant\n\nSecond.\n"


class Talks(TerminalHome):
    def chat(self, text, *words, entries=TALK, new=True):
        first = ("--agent", "researcher", "--model", self.script(entries)) if new else ()
        return self.cadre("chat", *first, *words, stdin=text)

    def sessions(self):
        return json.loads(self.succeeds("sessions", "--json"))["sessions"]

    def saved(self, session):
        """The conversation as it counts now, without its first line."""
        file = self.folder / "saved.md"
        file.unlink(missing_ok=True)
        self.succeeds("chat", "--quiet", "--session", session, stdin=f"/save {file}\n")
        head, _, rest = file.read_text().partition("\n\n")
        self.assertEqual(head, f"# Session {session}")
        return rest


class FromAScript(Talks):
    def test_each_line_is_a_message_and_the_answers_are_all_that_standard_output_gets(self):  # STATE-25 E, STATE-36 E
        done = self.chat("one\ntwo\n")
        self.assertEqual((done.returncode, done.stdout), (0, "First.\nSecond.\n"), done.stderr)
        (session,) = self.sessions()
        self.assertEqual((session["turns"], session["title"], session["status"]), (2, "two", "completed"))
        self.assertIn(f"to resume: cadre chat --session {session['id'][:8]}", done.stderr)
        self.assertEqual(self.saved(session["id"]), f"{ONE}\n{TWO}")
        shown = self.succeeds("show", session["last_task"])
        self.assertIn(f"Session   {session['id']}, turn 2", shown)
        self.assertEqual({task["session"] for task in json.loads(self.succeeds("tasks", "--json"))["tasks"]}, {session["id"]})
        self.assertRegex(self.succeeds("sessions"), rf"^{session['id'][:8]}  2 turns  .*  two\n$")
        self.succeeds("replay", session["last_task"])

    def test_a_line_that_ends_in_a_backslash_goes_on(self):
        self.assertEqual(self.chat("two\\\nlines").stdout, "Second.\n")
        self.assertEqual(self.sessions()[0]["turns"], 1)
        self.assertIn("two\nlines", self.saved(self.sessions()[0]["id"]))

    def test_run_goes_on_with_a_session_wherever_it_is_called(self):
        self.chat("one\n")
        session = self.sessions()[0]["id"]
        self.assertEqual(self.cadre("run", "-c", "two", cwd="/").stdout, "Second.\n")
        self.assertEqual(self.cadre("run", "--session", session[:6], "give me the sum").stdout, "It is 5.\n")
        self.assertEqual(self.saved(session).count("## Assistant"), 3)
        mine = "11111111-2222-4333-8444-555555555555"
        done = self.cadre("run", "--session", mine, "--agent", "researcher", "--model", self.script(TALK), "one")
        self.assertEqual(done.stdout, "First.\n", done.stderr)
        self.assertEqual([one["id"] for one in self.sessions()], [mine, session])
        self.assertEqual(self.cadre("run", "-c", "--session", mine, "one").returncode, INVALID)

    def test_what_there_is_not_is_said_with_what_helps(self):
        done = self.cadre("run", "-c", "Hello")
        self.assertEqual(done.returncode, NOT_FOUND)
        self.assertIn("cadre chat", done.stderr)
        self.assertEqual(self.cadre("chat", "--session", "abc").returncode, NOT_FOUND)
        self.assertEqual(self.cadre("sessions").stdout, "")
        self.assertEqual(self.sessions(), [])
        self.assertEqual(self.cadre("chat", "--agent", "researcher", "--model", "openai/gpt-5", stdin="one\n").returncode, UNAUTHORIZED)
        self.assertFalse((self.home / "tasks").exists())

    def test_undo_leaves_turns_out_also_after_a_restart(self):
        self.chat("one\ntwo\n/undo\n")
        session = self.sessions()[0]["id"]
        self.assertEqual(self.saved(session), ONE)
        self.chat("give me the sum\n", "--session", session, new=False)
        self.assertEqual(self.saved(session), f"{ONE}\n## User\n\ngive me the sum\n\n## Assistant\n\nIt is 5.\n")
        done = self.chat("/undo\n/undo\n/undo\n", "--session", session, new=False)
        self.assertEqual(done.returncode, CONFLICT)
        self.assertIn("left out: give me the sum", done.stderr)
        self.assertIn("left out: one", done.stderr)

    def test_a_turn_that_fails_ends_a_script_and_is_left_out_of_what_follows(self):
        done = self.chat("one\nfail\ntwo\n")
        self.assertEqual((done.returncode, done.stdout), (UPSTREAM, "First.\n"))
        session = self.sessions()[0]["id"]
        self.assertEqual(self.chat("two\n", "--session", session, new=False).stdout, "Second.\n")
        self.assertEqual(self.saved(session), f"{ONE}\n{TWO}")

    def test_one_turn_at_a_time(self):
        done = self.chat("ask me\ntwo\n")
        self.assertEqual((done.returncode, done.stdout), (WAITING, ""))
        session = self.sessions()[0]
        done = self.cadre("run", "-c", "two")
        self.assertEqual(done.returncode, CONFLICT)
        self.assertIn(f"cadre show {session['last_task'][:8]}", done.stderr)
        self.assertRegex(self.succeeds("sessions"), "1 turn, open")
        self.assertEqual(self.succeeds("answer", session["last_task"], "blue"), "Blue it is.\n")
        self.assertEqual(self.cadre("run", "-c", "two").stdout, "Second.\n")

    def test_commands(self):
        other = self.script([{"text": "From another.", "times": "any"}], "other.json")
        done = self.chat(f"/help\n/model\n/tools\none\n/model {other}\nhello\n/usr/bin is a folder\n/quit\ntwo\n")
        self.assertEqual((done.returncode, done.stdout), (0, "First.\nFrom another.\nFrom another.\n"), done.stderr)
        for text in ("/undo", "/save", "calculator", "researcher, with script:", f"from now on: {other}"):
            self.assertIn(text, done.stderr)
        session = self.sessions()[0]["id"]
        self.assertEqual(self.chat("again\n", "--session", session, new=False).stdout, "From another.\n")  # it stays
        done = self.chat("/nonsense\n", "--session", session, new=False)
        self.assertEqual(done.returncode, NOT_FOUND)
        self.assertIn("/help", done.stderr)
        (self.folder / "there.md").write_text("mine")
        self.assertEqual(self.chat("/save there.md\n", "--session", session, new=False).returncode, CONFLICT)
        self.assertEqual((self.folder / "there.md").read_text(), "mine")

    def test_json_names_the_session_and_then_has_events(self):
        lines = [json.loads(line) for line in self.chat("one\n", "--json").stdout.splitlines()]
        self.assertEqual(lines[0], {"session": self.sessions()[0]["id"]})
        self.assertEqual(lines[-1]["event"]["type"], "event_task_complete")

    def test_killed_in_the_middle_of_an_answer_nothing_is_lost_and_the_turn_goes_on(self):  # STORE-24 E
        self.chat("one\n")
        session = self.sessions()[0]["id"]
        process = self.start("chat", "--json", "--session", session, stdin=-1)
        process.stdin.write("slow\n")
        process.stdin.flush()
        process.stdout.readline()
        self.next_event(process, "event_agent_start")
        process.kill()
        process.wait()
        done = self.chat("two\n", "--session", session, new=False)
        self.assertEqual((done.returncode, done.stdout), (CONFLICT, ""))
        self.assertIn("the turn is stopped: slow\n/continue resumes it, /undo leaves it out", done.stderr)
        done = self.chat("/continue\ntwo\n", "--session", session, new=False)
        self.assertEqual((done.returncode, done.stdout), (0, "Slow and steady wins.\nSecond.\n"), done.stderr)
        self.assertEqual(self.saved(session), f"{ONE}\n## User\n\nslow\n\n## Assistant\n\nSlow and steady wins.\n\n{TWO}")
        self.succeeds("verify")

    def test_a_conversation_goes_on_elsewhere(self):
        self.chat("one\ntwo\n")
        session = self.sessions()[0]
        self.succeeds("export", session["last_task"], "--output", "run.jsonl")
        elsewhere = {"CADRE_HOME": str(self.folder / "elsewhere")}
        self.succeeds("import", "run.jsonl", env=elsewhere)
        self.succeeds("replay", session["last_task"], env=elsewhere)
        self.assertEqual(self.cadre("run", "-c", "give me the sum", env=elsewhere).returncode, NOT_FOUND)  # it is not the newest of ours
        own = ("--session", session["id"], "--agent", "researcher", "--model", self.script(TALK))
        self.assertEqual(self.succeeds("run", *own, "--quiet", "give me the sum", env=elsewhere), "It is 5.\n")
        self.succeeds("chat", "--quiet", "--session", session["id"], stdin="/save there.md\n", env=elsewhere)
        self.assertEqual((self.folder / "there.md").read_text().count("## Assistant"), 3)


class OnATerminal(Talks):
    def converse(self, says, *words, new=True, **options):
        first = ("--agent", "researcher", "--model", self.script(TALK)) if new else ()
        seen, code = self.talk("chat", *first, *words, says=says, exact=True, **options)
        return "\n".join(picture(seen, options.get("width", 80))), code

    def test_messages_are_edited_sent_and_answered_in_place(self):
        page, code = self.converse([("> ", "tqo\x1b[D\x7fw\x05!\r"), ("Second.", ""), ("> ", "\x04")])
        self.assertEqual(code, 0, page)
        self.assertIn("> two!\nresearcher\nSecond.\n✓", page)
        self.assertIn("to resume: cadre chat --session", page)
        self.assertEqual(self.sessions()[0]["title"], "two!")

    def test_several_lines_are_one_message(self):
        page, code = self.converse([("> ", "two\\\rlines\x1b\r\x1b[200~of\rtext\x1b[201~\r"), ("Second.", ""), ("> ", "/quit\r")])
        self.assertEqual(code, 0, page)
        self.assertIn("> two\n  lines\n  of\n  text\nresearcher\nSecond.", page)
        self.assertEqual(self.sessions()[0]["turns"], 1)
        self.assertIn("two\nlines\nof\ntext", self.saved(self.sessions()[0]["id"]))

    def test_arrows_bring_back_what_was_typed_before_also_the_next_time(self):
        self.converse([("> ", "one\r"), ("First.", ""), ("> ", "\x04")])
        page, code = self.converse([("> ", "\x1b[A\r"), ("First.", ""), ("> ", "\x04")])
        self.assertEqual(code, 0, page)
        self.assertEqual([one["title"] for one in self.sessions()], ["one", "one"])
        file = next(self.home.glob("chat_inputs*"))
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)

    def test_ctrl_c_stops_an_answer_and_gives_the_prompt_back(self):
        page, code = self.converse([("> ", "slow\r"), ("Slow", "\x03"), ("leaves it out", ""), ("> ", "two\r"),
                                    ("has not ended", ""), ("> ", "\r"), ("wins.", ""), ("> ", "two\r"), ("Second.", ""),
                                    ("> ", "\x04")])
        self.assertEqual(code, 0, page)
        session = self.sessions()[0]
        self.assertEqual(session["turns"], 2)
        self.assertIn("Slow and steady wins.", self.saved(session["id"]))
        self.succeeds("verify")

    def test_ctrl_c_at_the_prompt_only_forgets_the_line(self):
        page, code = self.converse([("> ", "xyz\x03one\r"), ("First.", ""), ("> ", "\x03\x04")])
        self.assertEqual(code, 0, page)
        self.assertEqual(self.sessions()[0]["title"], "one")

    def test_a_stopped_turn_can_be_left_out(self):
        self.converse([("> ", "slow\r"), ("Slow", "\x03"), ("leaves it out", ""), ("> ", "/undo\r"), ("left out: slow", ""),
                       ("> ", "two\r"), ("Second.", ""), ("> ", "\x04")])
        self.assertEqual(self.saved(self.sessions()[0]["id"]), TWO)

    def test_a_turn_that_failed_is_left_out_already(self):
        page, _ = self.converse([("> ", "one\r"), ("First.", ""), ("> ", "fail\r"), ("failed", ""), ("> ", "/undo\r"),
                                 ("because it failed: fail", ""), ("> ", "/undo\r"), ("left out: one", ""), ("> ", "\x04")])
        self.assertIn("left out: one", page)

    def test_a_question_is_asked_in_place_and_a_failure_ends_nothing(self):
        page, code = self.converse([("> ", "ask me\r"), ("Your answer", "blue\n"), ("Blue it is.", ""), ("> ", "fail\r"),
                                    ("failed", ""), ("> ", "one\r"), ("First.", ""), ("> ", "\x04")])
        self.assertEqual(code, 0, page)
        self.assertEqual(self.sessions()[0]["turns"], 3)

    def test_killed_on_a_terminal_it_offers_to_go_on(self):
        def kill(terminal):
            os.kill(os.tcgetpgrp(terminal), signal.SIGKILL)
        self.converse([("> ", "slow\r"), ("Slow", kill)])
        session = self.sessions()[0]["id"]
        page, code = self.converse([("an empty line", ""), ("> ", "\r"), ("wins.", ""), ("> ", "\x04")], "--session", session,
                                   new=False)
        self.assertEqual(code, 0, page)
        self.assertIn("the turn is stopped: slow", page)
        self.assertIn("Slow and steady wins.", self.saved(session))

    def test_the_terminal_is_as_before_when_a_signal_ends_it(self):
        before = []

        def end(terminal):
            before.append(termios.tcgetattr(terminal)[3])
            os.kill(os.tcgetpgrp(terminal), signal.SIGTERM)
        after = []
        page, code = self.converse([("> ", end), ("\x1b[?2004l", lambda terminal: after.append(termios.tcgetattr(terminal)[3]))])
        self.assertEqual(code, 128 + signal.SIGTERM, page)
        self.assertFalse(before[0] & termios.ICANON)
        if after:
            self.assertTrue(after[0] & termios.ICANON)


if __name__ == "__main__":
    unittest.main()
