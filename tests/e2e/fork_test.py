#!/usr/bin/env python3
"""Runs of runs: fork, diff, export, import."""
import json
import os
import re
import signal
import unittest

from home import ASK, CONFLICT, Home, INVALID, NOT_FOUND, SUM, WAITING, calls

MALFORMED = 2
KEY = "sk-proj-abc123DEF456ghi789"


class Runs(Home):
    def summed(self):
        """A finished task of two model calls and a tool call, with events 1 to 8."""
        done = self.run_agent(SUM, prompt="What is 2+3?")
        self.assertEqual(done.stdout, "The sum is 5.\n")
        return self.only_task()

    def forks(self, task, *words, **options):
        """Makes a fork and runs it; what was said of it, and its answer."""
        done = self.cadre("fork", task, "--json", *words, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return lines[0]["fork"], lines[1:]

    def reply(self, task):
        return self.show(task)["task"]["reply"]["text"]


class Fork(Runs):
    def test_a_changed_prompt_forks_at_the_point_with_no_model_call_before_it(self):
        task = self.summed()
        self.write("new.txt", "You are terse.")
        model = self.script([{"text": "5."}], "new.json")
        done = self.cadre("fork", task, "--at", 5, "--prompt", "new.txt", "--model", model)
        self.assertEqual((done.returncode, done.stdout), (0, "5.\n"))
        said = re.search(r"task (\w+) is a fork of (\w+): 2 steps reused \(1 model call\); it continues with think:2",
                         done.stderr)
        self.assertEqual(said[2], task[:8])
        shown = self.show(said[1])
        self.assertEqual((shown["usage"]["model_calls"], shown["usage"]["tool_calls"]), (1, 0))
        self.assertEqual(shown["forked_from"]["task"], task)
        self.assertIn(f"Forked    from {task[:8]}; reused: 1 model call, 1 tool call", self.succeeds("show", said[1]))
        # its events are those of a whole run, and the first task is what it was
        self.assertEqual(self.kinds(said[1]), self.kinds(task))
        self.assertEqual(self.reply(task), "The sum is 5.")
        self.succeeds("replay", said[1])
        self.assertIn("intact", self.succeeds("verify"))

        page = self.succeeds("diff", task, said[1])
        self.assertIn("First difference: think:2: instructions, outcome differ", page)
        difference = json.loads(self.succeeds("diff", task, said[1], "--json"))
        self.assertEqual(difference["first_difference"], "think:2")
        self.assertEqual([step["same"] for step in difference["steps"]], [True, True, False])
        self.assertEqual(difference["steps"][2]["differs"], ["instructions", "outcome"])

    def test_without_a_change_what_follows_the_point_is_done_anew(self):
        task = self.summed()
        report, events = self.forks(task, "--at", 5)
        self.assertEqual((report["reused"], report["model_calls"], report["live"]), (2, 1, ["think:2"]))
        self.assertEqual([event["seq"] for event in events], [6, 7, 8])  # what is new
        self.assertEqual(self.reply(report["task"]), "The sum is 5.")
        whole, _ = self.forks(task, "--at", 8)
        self.assertEqual((whole["reused"], whole["live"]), (3, []))
        self.assertEqual(self.show(whole["task"])["usage"]["model_calls"], 0)
        self.assertIn("Every step is the same.", self.succeeds("diff", task, whole["task"]))

    def test_another_prompt_of_the_task_a_setting_and_a_budget(self):
        task = self.summed()
        model = self.script([{"when": {"contains": "3+3"}, "text": "6."}], "new.json")
        report, _ = self.forks(task, "--model", model, "What is 3+3?")
        self.assertEqual((report["reused"], self.reply(report["task"])), (0, "6."))
        report, _ = self.forks(task, "--set", "agents.researcher.temperature=0.3", "--budget", "5000tokens")
        self.assertEqual((report["reused"], report["live"]), (0, ["think:1"]))
        self.assertEqual(self.show(report["task"])["budget"]["tokens"], 5000)

    def test_no_wait_only_makes_it_and_resume_runs_it(self):
        task = self.summed()
        done = self.cadre("fork", task, "--at", 5, "--no-wait")
        fork = done.stdout.strip()
        self.assertEqual(self.status(fork), "interrupted")
        self.assertEqual(self.succeeds("resume", fork), "The sum is 5.\n")

    def test_a_question_that_was_answered_is_not_asked_again(self):
        done = self.run_agent(ASK)
        self.assertEqual(done.returncode, WAITING)
        task = self.only_task()
        self.assertEqual(self.succeeds("answer", task, "blue"), "Blue it is.\n")
        last = len(self.events(task))
        report, _ = self.forks(task, "--at", last)
        self.assertEqual(self.reply(report["task"]), "Blue it is.")
        done = self.cadre("fork", task, "--checkpoint", 1)
        self.assertEqual(done.returncode, NOT_FOUND)
        self.assertIn("there is no checkpoint 1; the last is 0", done.stderr)
        done = self.cadre("fork", task, "--checkpoint", 0)
        self.assertEqual(done.returncode, WAITING, done.stderr)

    def test_files_that_were_written_are_there_in_the_fork_and_the_first_ones_stay(self):
        script = [calls("write_file", path="a.txt", content="one"), calls("read_file", path="a.txt"),
                  calls("write_file", path="a.txt", content="two"), {"text": "Done."}]
        self.run_agent(script)
        task = self.only_task()
        kinds = self.kinds(task)
        at = kinds.index("tool_result") + 1  # the first call is taken over
        report, _ = self.forks(task, "--at", at)
        self.assertEqual(report["reused"], 2)
        folder = self.home / "tasks"
        self.assertEqual((folder / report["task"] / "artifacts/a.txt").read_text(), "two")
        self.assertEqual((folder / task / "artifacts/a.txt").stat().st_nlink, 1)

    def test_a_crash_leaves_a_whole_fork_or_none(self):
        task = self.summed()
        for count in range(1, 7):
            with self.subTest(count=count):
                done = self.cadre("fork", task, "--at", 5, "--quiet", env={"CADRE_CRASH_AT": f"in_whole_journal:{count}"})
                self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertEqual(self.only_task(), task)
        self.assertIn("1 task, ", self.succeeds("verify"))
        self.run_agent(SUM, prompt="What is 2+3?")  # somebody takes the home, and clears away what the dead have left
        known = {entry["id"] for entry in json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]}
        self.assertEqual({file.name for file in (self.home / "tasks").iterdir() if len(file.name) == 36}, known)
        for place in ("before_commit:1", "after_commit:1", "before_commit:2", "after_commit:2"):
            self.cadre("fork", task, "--at", 5, "--quiet", env={"CADRE_CRASH_AT": place})
        self.succeeds("resume", "--all")
        for entry in json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]:
            self.assertEqual(entry["status"], "completed")
            self.assertEqual(self.reply(entry["id"]), "The sum is 5.")

    def test_what_cannot_be_says_what_to_do(self):
        task = self.summed()
        cases = (((), INVALID, "give a point (--at N) or a change"),
                 (("--at", "99"), NOT_FOUND, "there is no event 99; the last is 8"),
                 (("--checkpoint", "0"), NOT_FOUND, "the task has no checkpoints"),
                 (("--at", "x"), INVALID, "--at is a number"),
                 (("--at", "1", "--checkpoint", "1"), INVALID, "not both"),
                 (("--set", "temperature"), INVALID, "--set is KEY=VALUE"),
                 (("--set", "agents.researcher.temprature=1"), INVALID, "did you mean"),
                 (("--set", "agents.nobody.prompt=x"), NOT_FOUND, "there are: researcher"),
                 (("--prompt", "none.txt"), NOT_FOUND, "none.txt"),
                 (("--prompt", __file__, "--agent", "nobody"), NOT_FOUND, "it has: researcher"))
        for words, code, text in cases:
            with self.subTest(words=words):
                done = self.cadre("fork", task, *words)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(text, done.stderr)
        self.assertEqual(self.cadre("fork", "ffffffff", "--at", 1).returncode, NOT_FOUND)
        self.assertEqual(self.only_task(), task)
        self.assertEqual([name for name in os.listdir(self.home / "tasks") if name[0] != "."], [task])


class Diff(Runs):
    def test_a_page_fits_its_width_and_holds_nothing_that_a_terminal_obeys(self):
        evil = "\x1b[2Jred " + "long words " * 40
        self.run_agent([{"text": evil}])
        first = self.only_task()
        report, _ = self.forks(first, "--model", self.script([{"text": "short"}], "b.json"), "Other.")
        page = self.succeeds("diff", first, report["task"])
        self.assertNotIn("\x1b", page)
        self.assertLessEqual(max(len(line) for line in page.splitlines()), 120)
        self.assertIn("The tasks have a different prompt and a different model.", page)
        self.assertIn("First difference: think:1: messages, outcome differ", page)

    def test_a_step_that_only_one_of_them_has(self):
        task = self.summed()
        report, _ = self.forks(task, "--at", 1, "--model", self.script([{"text": "5."}], "b.json"))
        steps = json.loads(self.succeeds("diff", task, report["task"], "--json"))["steps"]
        self.assertEqual([(step["path"], step["a"] is None, step["b"] is None) for step in steps],
                         [("think:1", False, False), ("use:1.0", False, True), ("think:2", False, True)])
        self.assertEqual(steps[0]["a"]["tokens"], 132)


class Move(Runs):
    def elsewhere(self):
        return {"CADRE_HOME": str(self.folder / "elsewhere")}

    def test_export_import_replay_gives_the_same_event_stream(self):
        task = self.summed()
        self.succeeds("export", task, "-o", "run.jsonl")
        stream = self.succeeds("tail", task, "--json")
        there = self.elsewhere()
        self.assertIn(f"cadre show {task[:8]}", self.succeeds("import", "run.jsonl", env=there))
        self.assertEqual(self.succeeds("tail", task, "--json", env=there), stream)
        self.assertEqual(self.succeeds("replay", task, "--json", env=there), stream)
        self.assertIn("was here already", self.succeeds("import", "run.jsonl", env=there))
        self.assertIn("Imported  it cannot be resumed here", self.succeeds("show", task, env=there))
        self.assertIn("intact", self.succeeds("verify", env=there))
        # on from there
        self.assertIn("Every step is the same", self.succeeds("diff", task, task, env=there))
        model = self.script([{"text": "5."}], "b.json")
        self.assertEqual(self.succeeds("fork", task, "--at", 5, "--model", model, "--quiet", env=there), "5.\n")
        # at home nothing has happened
        self.assertIn("was here already", self.succeeds("import", "run.jsonl"))
        self.assertEqual(self.only_task(), task)

    def test_what_an_imported_task_had_begun_is_never_dispatched(self):
        script = [calls("write_file", path="a.txt", content="one"), {"text": "Written."}]
        done = self.run_agent(script, env={"CADRE_CRASH_AT": "before_dispatch:2"})
        self.assertEqual(done.returncode, -signal.SIGKILL)
        task = self.only_task()
        self.succeeds("export", task, "-o", "run.jsonl")
        there = self.elsewhere()
        self.succeeds("import", "run.jsonl", env=there)
        self.assertEqual(json.loads(self.succeeds("resume", "--all", "--json", env=there) or "{}").get("tasks", 0), 0)
        folder = self.folder / "elsewhere/tasks" / task
        self.assertTrue((folder / "trace.json").exists())
        self.assertFalse((folder / "artifacts").exists())
        self.assertIn("imported", self.succeeds("tasks", env=there))
        self.assertIn(task[:8], self.succeeds("tasks", "--status", "imported", env=there))
        self.assertEqual(self.succeeds("tasks", "--status", "running", env=there), "")
        for verb in ("resume", "cancel"):
            done = self.cadre(verb, task, env=there)
            self.assertEqual(done.returncode, CONFLICT)
            self.assertIn("was imported", done.stderr)
        self.assertIn(f"to continue in a fork: cadre fork {task[:8]} --at ", self.succeeds("show", task, env=there))
        self.succeeds("replay", task, env=there)
        asks = self.cadre("fork", task, "--at", 3, env=there)  # whatever the file's team allows
        self.assertEqual(asks.returncode, WAITING, asks.stderr)
        words = re.search(r"cadre (approve \w+ --request \w+)", asks.stderr)[1].split()
        self.assertEqual(self.succeeds(*words, "--quiet", env=there), "Written.\n")
        self.assertEqual(self.succeeds("resume", task), "Written.\n")  # at home it does

    def test_credentials_stay_at_home_unless_they_are_asked_for(self):
        self.run_agent([calls("write_file", path="a.txt", content=f"key {KEY}"), {"text": "Written."}])
        task = self.only_task()
        text = self.succeeds("export", task)
        self.assertNotIn(KEY, text)
        header = json.loads(text.splitlines()[0])
        self.assertEqual((header["redacted"], header["chain"], header["digests"]), (True, "made anew", "left out"))
        self.assertEqual((header["masked"]["records"] > 0, header["masked"]["documents"]), (True, 0))
        self.write("masked.jsonl", text)
        there = self.elsewhere()
        self.succeeds("import", "masked.jsonl", env=there)
        self.succeeds("replay", task, env=there)
        masked = [json.loads(line) for line in self.succeeds("tail", task, "--json", env=there).splitlines()]
        self.assertEqual([event["event"]["type"] for event in masked], [event["type"] for event in self.events(task)])
        self.assertIn("Imported  redacted", self.succeeds("show", task, env=there))
        self.assertIn(KEY, self.succeeds("export", task, "--full"))
        self.write("full.jsonl", self.succeeds("export", task, "--full"))
        done = self.cadre("import", "full.jsonl", env=there)
        self.assertEqual(done.returncode, CONFLICT)
        self.assertIn("already, and it is another one", done.stderr)

    def test_a_file_that_was_changed_is_refused_with_the_line(self):
        task = self.summed()
        text = self.succeeds("export", task)
        there = self.elsewhere()
        for name, content, says in (("cut.jsonl", text[:len(text) // 2], "was cut off"),
                                    ("changed.jsonl", text.replace("2+3", "2+4", 1), "the file was changed"),
                                    ("other.jsonl", "hello\n", "line 1: this is not an exported run")):
            with self.subTest(name=name):
                self.write(name, content)
                done = self.cadre("import", name, env=there)
                self.assertEqual(done.returncode, MALFORMED, done.stderr)
                self.assertIn(f"{name}: ", done.stderr)
                self.assertIn(says, done.stderr)
        self.assertEqual(self.cadre("import", "none.jsonl", env=there).returncode, NOT_FOUND)
        self.assertEqual(json.loads(self.succeeds("tasks", "--all", "--json", env=there))["tasks"], [])

    def test_import_and_fork_work_while_another_process_owns_the_home(self):
        task = self.summed()
        self.succeeds("export", task, "-o", "run.jsonl")
        there = self.elsewhere()
        slow = [{"text": "slow", "delay_ms": 600_000}]
        process, _ = self.start_agent(slow, env=there, name="slow.json")
        self.succeeds("import", "run.jsonl", env=there)
        self.assertEqual(self.succeeds("fork", task, "--at", 5, "--quiet", env=there), "The sum is 5.\n")
        process.send_signal(signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
