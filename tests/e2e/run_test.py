#!/usr/bin/env python3
"""Running tasks from the command line: answers, questions, failures, and what is found afterwards."""
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import time
import unittest

from home import (AGENT, ASK, CADRE, CONFLICT, Home, INTERRUPTED, INVALID, NOT_FOUND, PAUSED, SUM, UNAUTHORIZED, UNAVAILABLE, UPSTREAM,
                  WAITING, CANCELLED, calls)
from terminal import TerminalHome

LIMIT_CODE = 5  # a bound of the run was reached


class Running(Home):
    # TASK-10 E, TASK-14 E
    def test_one_task_one_tool(self):
        """FRAME 1, with the calculator."""
        done = self.run_agent(SUM, prompt="What is 2+3?")
        self.assertEqual((done.returncode, done.stdout), (0, "The sum is 5.\n"))
        self.assertIn('researcher calls calculator {"expression":"2+3"}\n  gives 5 (', done.stderr)
        shown = self.show(self.only_task())
        task = shown["task"]
        self.assertEqual((task["status"], task["agent"], task["error"]), ("completed", "researcher", None))
        self.assertEqual(task["reply"]["text"], "The sum is 5.")
        self.assertLessEqual(task["created_at"], task["started_at"])
        self.assertLessEqual(task["started_at"], task["completed_at"])
        self.assertEqual((shown["usage"]["model_calls"], shown["usage"]["tool_calls"], shown["questions"]), (2, 1, []))
        self.assertEqual(self.kinds(task["id"]), ["task_start", "agent_start", "agent_complete", "tool_call", "tool_result",
                                                  "agent_start", "agent_complete", "task_complete"])

    # FLOW-04 E
    def test_an_agent_reasons_acts_and_observes_until_it_answers_or_may_not_go_on(self):
        script = [calls("calculator", expression="6*7"), {**calls("calculator", expression="42+1"), "when": {"contains": "42"}},
                  {"text": "It is 43.", "when": {"contains": "43"}}]
        done = self.run_agent(script)
        self.assertEqual((done.returncode, done.stdout), (0, "It is 43.\n"), done.stderr)
        self.assertEqual(self.kinds(self.only_task())[1:-1], ["agent_start", "agent_complete", "tool_call", "tool_result"] * 2
                         + ["agent_start", "agent_complete"])
        self.write("agents/researcher.json", {**AGENT, "max_iterations": 2})
        done = self.run_agent(script[:2])
        self.assertEqual((done.returncode, done.stdout), (LIMIT_CODE, ""), done.stderr)
        self.assertIn("max_iterations (2) reached", done.stderr)

    # TASK-21 E
    def test_a_task_ends_as_a_success_an_error_or_cancelled(self):
        outcomes = []
        for entries in (SUM, [{"fail": {"status": 400}}], ASK):
            told = [json.loads(line)["event"] for line in self.run_agent(entries, "--json").stdout.splitlines()]
            if entries is ASK:
                self.succeeds("cancel", told[0]["task_id"])
            outcomes.append([event["final_status"] for event in self.events(told[0]["task_id"]) if event["type"] == "event_task_complete"])
        self.assertEqual(outcomes, [["success"], ["error"], ["cancelled"]])

    def test_quiet_says_nothing_but_the_answer_and_json_says_every_event(self):
        done = self.run_agent(SUM, "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("The sum is 5.\n", ""))
        done = self.run_agent(SUM, "--json")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([line["seq"] for line in lines], list(range(1, 9)))
        task = lines[0]["event"]["task_id"]
        self.assertEqual(done.stdout, self.succeeds("tail", task, "--json"))
        self.assertEqual(lines[-1]["event"]["summary"], "The sum is 5.")  # whoever reads events needs nothing else

    def test_who_reads_one_line_and_goes_hears_no_complaint(self):
        for _ in range(3):
            self.run_agent([{"text": "Hello."}], "--quiet")
        for words in (["tasks", "--quiet"], ["tail", "--json", json.loads(self.succeeds("tasks", "--json"))["tasks"][0]["id"]]):
            read_end, write_end = os.pipe()
            os.close(read_end)
            process = self.start(*words, stdout=write_end)
            os.close(write_end)
            self.assertEqual(process.communicate(timeout=60)[1], "", words)

    # AGENT-06 E, TASK-07 E
    def test_a_runaway_agent_stops(self):
        """FRAME 5."""
        self.write("agents/researcher.json", {**AGENT, "max_iterations": 3})
        entry = {**calls("calculator", expression="1+1"), "times": "any", "usage": {"input": 100, "output": 10}}
        done = self.run_agent([entry])
        self.assertEqual((done.returncode, done.stdout), (LIMIT_CODE, ""))
        self.assertIn("failed: max_iterations (3) reached", done.stderr)
        shown = self.show(self.only_task())
        reached = ("max_iterations (3) reached: researcher may call its model 3 times in a turn, whatever the budget allows; to allow "
                   f"more, raise max_iterations of researcher in {self.folder / 'agents/researcher.json'}")
        self.assertEqual((shown["task"]["status"], shown["task"]["error"]), ("failed", reached))
        usage = shown["usage"]
        self.assertEqual((usage["model_calls"], usage["input_tokens"], usage["output_tokens"]), (3, 300, 30))
        trace = json.loads((self.home / "tasks" / self.only_task() / "trace.json").read_text())
        self.assertEqual([step["message"] for step in trace["steps"] if step["status"] == "warning"], [reached])

    def test_the_way_on_after_max_iterations_is_a_command_that_works(self):
        self.write("agents/researcher.json", {**AGENT, "max_iterations": 3})
        done = self.run_agent([{**calls("calculator", expression="1+1"), "times": 3}, {"text": "Two."}])
        self.assertEqual(done.returncode, LIMIT_CODE)
        task = self.only_task()
        page = " ".join(self.succeeds("show", task).split())
        self.assertIn("50 model calls (3 in a turn of researcher)", page)
        command = f"cadre fork {task[:8]} --at 13 --set agents.researcher.max_iterations=6"
        for said in (done.stderr, page):
            self.assertIn(f"to continue with more: {command}", said)
        forked = self.cadre(*command.split()[1:])
        self.assertEqual((forked.returncode, forked.stdout), (0, "Two.\n"), forked.stderr)

    # TASK-15 E
    def test_a_model_that_fails_fails_the_task(self):
        done = self.run_agent([{"fail": {"status": 400}}])
        self.assertEqual((done.returncode, done.stdout), (UPSTREAM, ""))
        self.assertIn("the scripted model fails with status 400", done.stderr)
        self.assertEqual(self.status(self.only_task()), "failed")
        error = json.loads(self.run_agent([{"fail": {"status": 400}}], "--json").stderr)["error"]
        self.assertEqual(error["code"], "upstream")

    def test_entries_of_a_script_that_are_left_over_fail_the_command_not_the_task(self):
        done = self.run_agent([{"text": "Hello."}, {"text": "Never asked for."}])
        self.assertEqual((done.returncode, done.stdout), (INVALID, "Hello.\n"))
        self.assertIn("Never asked for.", done.stderr)
        self.assertEqual(self.status(self.only_task()), "completed")

    # AGENT-11 E
    def test_a_tool_that_the_agent_was_not_given_is_refused_and_seen(self):
        done = self.run_agent([calls("clock"), {"text": "Sorry.", "when": {"contains": "You have no tool called"}}])
        self.assertEqual(done.stdout, "Sorry.\n")
        results = [event for event in self.events(self.only_task()) if event["type"] == "event_tool_result"]
        self.assertIn('You have no tool called "clock"', results[0]["tool_result"]["error"])

    def test_files_that_a_task_writes_lie_in_its_own_folder(self):
        done = self.run_agent([calls("write_file", path="notes/a.txt", content="hello"), {"text": "Written."}])
        self.assertEqual(done.stdout, "Written.\n")
        folder = self.home / "tasks" / self.only_task() / "artifacts"
        self.assertEqual((folder / "notes/a.txt").read_text(), "hello")
        self.assertIn(f"Files     {folder}\n", self.succeeds("show", self.only_task()))
        self.assertEqual(self.show(self.only_task())["files"], str(folder))
        for path in (self.home, folder.parent, folder):
            self.assertEqual(path.stat().st_mode & 0o777, 0o700, path)

    def test_the_prompt_can_come_from_standard_input(self):
        script = self.script([{"when": {"contains": "line one\nline two"}, "text": "Read."}])
        done = self.cadre("run", "--agent", "researcher", "--model", script, "-", stdin="line one\nline two\n")
        self.assertEqual((done.returncode, done.stdout), (0, "Read.\n"))

    def test_step_mode_pauses_before_each_step(self):
        done = self.run_agent(SUM, "--mode", "step")
        self.assertEqual((done.returncode, done.stdout), (PAUSED, ""))
        task = self.only_task()
        self.assertIn(f"cadre step {task[:8]}", done.stderr)
        done = self.cadre("resume", task, "--steps", 1)
        self.assertEqual(done.returncode, PAUSED)
        self.assertEqual(self.kinds(task).count("agent_complete"), 1)
        self.assertEqual(self.succeeds("resume", task, "--steps", 5), "The sum is 5.\n")

    def test_a_task_that_used_up_its_budget_goes_on_with_a_larger_one(self):
        done = self.run_agent(SUM, "--budget", "130tokens")
        self.assertEqual((done.returncode, done.stdout), (PAUSED, ""))
        self.assertIn("budget", done.stderr)
        command = re.search(r"cadre (resume \S+ --budget \S+)", done.stderr)[1].replace("'", "")
        words = command.split()
        while (done := self.cadre(*words)).returncode == PAUSED:  # what a model call needs is known only then
            words = re.search(r"cadre (resume \S+ --budget \S+)", done.stderr)[1].replace("'", "").split()
        self.assertEqual(done.stdout, "The sum is 5.\n")
        self.assertEqual(self.cadre("run", "--budget", "much", "x").returncode, INVALID)

    def test_unfinished_tasks_are_pointed_out_and_resumed_all_at_once(self):
        for number in range(3):
            done = self.run_agent(SUM, env={"CADRE_CRASH_AT": "after_dispatch:1"}, name=f"{number}.json")
            self.assertEqual(done.returncode, -signal.SIGKILL)
        done = self.run_agent([{"text": "Hello."}])
        self.assertEqual(done.stdout, "Hello.\n")
        self.assertIn("3 unfinished tasks: cadre resume --all\n", done.stderr)
        self.assertIn("interrupted", self.succeeds("tasks"))
        self.assertEqual(len(self.succeeds("tasks", "--status", "interrupted").splitlines()), 3)
        self.assertEqual(self.succeeds("tasks", "--status", "running"), "")
        lines = self.succeeds("resume", "--all").splitlines()
        self.assertEqual([line.split()[1] for line in lines], ["completed"] * 3)
        self.assertNotIn("unfinished", self.run_agent([{"text": "Hello."}]).stderr)

    def test_resume_all_says_whether_every_task_could_go_on(self):
        done = self.cadre("resume", "--all")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", "cadre: nothing to resume\n"))
        self.assertFalse(self.home.exists())
        for number in range(2):
            self.run_agent(SUM, env={"CADRE_CRASH_AT": "after_dispatch:1"}, name=f"{number}.json")
        (self.folder / "1.json").unlink()  # its model is gone
        done = self.cadre("resume", "--all")
        self.assertEqual(sorted(line.split()[1] for line in done.stdout.splitlines()), ["completed", "interrupted:"])
        self.assertEqual(done.returncode, UNAVAILABLE, done.stderr)
        self.assertIn("1.json does not exist", done.stdout)

    def test_statuses_are_the_same_in_help_and_message(self):
        known = "pending, running, interrupted, waiting, paused, completed, failed, cancelled, imported"
        self.assertIn(known, " ".join(self.succeeds("help", "tasks").split()))
        for wrong in ("done", ""):
            done = self.cadre("tasks", "--status", wrong)
            self.assertEqual((done.returncode, done.stderr), (INVALID, f'cadre: "{wrong}" is not a status; there are: {known}\n'))
        for status in known.split(", "):
            self.assertEqual(self.succeeds("tasks", "--status", status), "")

    def test_the_reason_of_a_cancel_is_kept_and_told(self):
        self.run_agent(ASK)
        task = self.only_task()
        self.succeeds("cancel", task, "--reason", "wrong colour")
        self.assertIn("Cancelled wrong colour\n", self.succeeds("show", task))
        self.assertEqual(self.show(task)["task"]["status_text"], "wrong colour")
        done = self.cadre("resume", task)
        self.assertNotEqual(done.returncode, 0)

    def test_retries_are_shown_and_journaled(self):
        done = self.run_agent([{"fail": {"status": 429, "retry_after": 0.01}}, {"text": "Hello."}])
        self.assertEqual(done.stdout, "Hello.\n")
        self.assertIn("will retry: the scripted model fails with status 429", done.stderr)


class Found(Home):
    """What is to be run."""

    def test_a_team_file_an_agent_file_and_names_in_project_and_home(self):
        model = self.script([{"text": "Hello."}])
        team = {"name": "pair", "description": "x", "tools": [], "default_llm": {"provider": "script", "model": "script.json"},
                "agents": [{"name": "first", "role": "x", "prompt_template": "first.txt"},
                           {"name": "second", "role": "y", "prompt": "z"}]}
        self.write("first.txt", "You are the first.")
        self.write("pair.json", team)
        self.assertEqual(self.succeeds("run", "pair.json", "Go."), "Hello.\n")
        self.write("cadre.yaml", "version: 1.0.0\nteam: pair\n")
        self.write("teams/pair.json", {**team, "default_llm": {"provider": "script", "model": "../script.json"}})
        (self.folder / "teams/sub").mkdir()
        for words in (["pair", "Go."], ["Go."], ["--agent", "second", "Go."]):
            self.assertEqual(self.succeeds("run", *words, cwd=self.folder / "teams/sub"), "Hello.\n")
        self.write("home/agents/helper.json", {**AGENT, "name": "helper"})
        for words in (["helper", "Go."], ["--agent", "helper", "Go."], ["agents/researcher.json", "Go."]):
            self.assertEqual(self.succeeds("run", *words, "--model", model), "Hello.\n")
        self.assertEqual(self.succeeds("run", "researcher", "Go.", env={"CADRE_MODEL": model}), "Hello.\n")

    # AGENT-17 E
    def test_the_models_of_flag_variable_agent_team_and_project_win_in_this_order(self):
        specs = {name: f"script:{self.write(name + '.json', [{'text': name}])}" for name in
                 ("flag", "variable", "agent", "team", "project")}
        llm = {name: {"provider": "script", "model": spec.removeprefix("script:")} for name, spec in specs.items()}
        self.write("cadre.yaml", f"version: 1.0.0\nmodel: {specs['project']}\n")
        agent = {"name": "a", "role": "x", "prompt": "y"}

        def says(agent_fields, team_fields, *words, env=None):
            self.write("t.json", {"name": "t", "description": "x", "tools": [], "default_llm": {}, **team_fields, "agents": [{**agent, **agent_fields}]})
            return self.succeeds("run", "t.json", *words, "Go.", env=env).strip()
        self.assertEqual(says({}, {}), "project")
        self.assertEqual(says({}, {"default_llm": llm["team"]}), "team")
        self.assertEqual(says({"llm_config": llm["agent"]}, {"default_llm": llm["team"]}), "agent")
        variable = {"CADRE_MODEL": specs["variable"]}
        self.assertEqual(says({"llm_config": llm["agent"]}, {}, env=variable), "variable")
        self.assertEqual(says({"llm_config": llm["agent"]}, {}, "--model", specs["flag"], env=variable), "flag")

    # TASK-05 C
    def test_what_cannot_be_run_is_said_with_a_way_on_and_makes_no_task(self):
        self.write("w.json", {"name": "w", "patterns": [], "entry_point": "a", "nodes": {"a": {"type": "human"}}, "edges": []})
        self.write("bad.json", {"name": "t", "agents": [{"name": "A B"}]})
        self.write("wrong.json", {**AGENT, "name": "wrong", "tools": ["calculater"]})
        self.write("pair/cadre.yaml", "version: 1.0.0\nteam: pair\n")
        self.write("pair/teams/pair.json", {"name": "pair", "description": "x", "tools": [], "default_llm": {},
                                            "agents": [{"name": "writer", "role": "x", "prompt": "y"}]})
        self.write("pair/agents/editor.json", {**AGENT, "name": "editor"})
        script = ["--model", self.script(SUM)]
        for wrong, hint in (("writter", "did you mean writer?"), ("edtor", "did you mean editor?"),
                            ("nobody", "there are: writer, editor")):
            done = self.cadre("run", "--agent", wrong, "x", *script, cwd=self.folder / "pair")
            self.assertEqual(done.returncode, NOT_FOUND)
            self.assertIn(f'has no agent called "{wrong}", nor has {self.folder / "pair"} or the home {self.home} '
                          f'a file for it in agents/; {hint}\n', done.stderr)
        unknown_tool = self.cadre("check", "--quiet", "wrong.json").stdout.replace(": error:", ":").strip()
        self.assertIn('unknown tool "calculater", did you mean "calculator"?', unknown_tool)
        cases = [
            (["wrong.json", "x", *script], INVALID, f"cadre: {unknown_tool}\n"),
            (["--agent", "resercher", "x", *script], NOT_FOUND, "did you mean researcher?"),
            (["nobody", "x", *script], NOT_FOUND, 'no team, agent or workflow called "nobody"'),
            (["no/file.yaml", "x", *script], NOT_FOUND, "no/file.yaml does not exist"),
            (["bad.json", "x", *script], INVALID, "bad.json:1:"),
            (["agents/researcher.json", *script], INVALID, "run: PROMPT is missing after agents/researcher.json"),
            (["--agent", "researcher", "", *script], INVALID, "the prompt is empty"),
            (["--agent", "researcher", " \n\t", *script], INVALID, "the prompt is empty"),
            (["--agent", "researcher", "caf\udce9", *script], INVALID, "the prompt is not UTF-8: byte 4 of it"),
            (["--agent", "researcher", "x" * 600_000, *script], INVALID, "the prompt has more than 512 KiB"),
            (["--agent", "researcher", "x", "--model", "openai/gpt-5"], UNAUTHORIZED, "OPENAI_API_KEY is not set"),
            (["--agent", "researcher", "x", "--model", "script:none.yaml"], NOT_FOUND, "none.yaml does not exist"),
            (["--agent", "researcher", "x", "--model", "script:"], INVALID, 'the model "script" names no file; what works: --model script:FILE'),
            (["--agent", "researcher", "x", "--model", "script"], INVALID, 'the model "script" names no file'),
            (["--agent", "researcher", "x", "--model", "demo.yaml"], INVALID, "did you mean script:demo.yaml?"),
            (["--agent", "researcher", "x", *script, "--budget=-5tokens"], INVALID, 'budget "-5tokens" is not understood'),
            (["--agent", "researcher", "x", *script, "--mode", "fast"], INVALID, "--mode is autonomous, step or hitl"),
        ]
        for words, code, message in cases:
            with self.subTest(" ".join(words)[:80]):
                if len(words) > 2 and len(words[2]) > 100_000:
                    done = self.cadre("run", *words[:2], "-", *words[3:], stdin=words[2])
                else:
                    done = self.cadre("run", *words)
                self.assertIn(message, done.stderr)
                self.assertEqual((done.returncode, done.stdout), (code, ""))
        self.assertFalse(self.home.exists())
        self.assertEqual(self.cadre("tasks").stdout, "")
        for verb in ("show", "tail", "resume", "cancel", "approve", "reject", "replay"):
            done = self.cadre(verb, "3f2a")
            self.assertEqual((done.returncode, done.stdout), (NOT_FOUND, ""), verb)
            self.assertIn("no tasks in", done.stderr)
        self.assertFalse(self.home.exists())

    # STORE-01 F
    def test_the_home_is_made_by_the_first_run_in_its_usual_place_or_where_it_was_told_to_be(self):
        usual, told = self.folder / ".multi-agent", self.folder / "deep/elsewhere"
        for home, env in ((usual, {"CADRE_HOME": ""}), (told, {"CADRE_HOME": str(told)})):
            for verb in ("check", "tasks", "sessions"):
                self.cadre(verb, env=env)
            self.assertFalse(home.exists())
            done = self.run_agent(SUM, env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue((home / "cadre.db").exists())
            self.assertEqual(len(list(home.glob("tasks/*/task.json"))), 1)
        self.assertFalse(self.home.exists())

    def test_home_of_the_project_file_counts_when_the_environment_says_nothing(self):
        self.write("cadre.yaml", "version: 1.0.0\nhome: mine\n")
        env = {"CADRE_HOME": ""}
        done = self.run_agent(SUM, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "mine/cadre.db").exists())
        self.assertEqual(len(json.loads(self.succeeds("tasks", "--json", env=env))["tasks"]), 1)


class Questions(Home):
    # CKPT-10 E
    def test_without_a_terminal_a_question_ends_the_command_and_says_how_to_answer(self):
        done = self.run_agent(ASK)
        self.assertEqual((done.returncode, done.stdout), (WAITING, ""))
        task = self.only_task()
        self.assertRegex(done.stderr, f"researcher asks: Which colour\\?\nto answer: cadre answer {task[:8]} --request \\w{{8}} \"text\"\n")
        self.assertEqual(self.status(task), "waiting")
        self.assertIn(f"to answer: cadre answer {task[:8]}", self.succeeds("show", task))
        self.assertEqual(self.succeeds("answer", task[:8], "blue"), "Blue it is.\n")
        done = self.cadre("answer", task[:8], "red")
        self.assertEqual(done.returncode, CONFLICT)
        self.assertRegex(done.stderr, r"already answered: approved: blue \(.*\); the task has ended")
        response = next(event for event in self.events(task) if event["type"] == "event_hitl_response")
        self.assertEqual(response["response_data"]["message"], "blue")

    def test_json_names_the_command_that_answers(self):
        done = self.run_agent(ASK, "--json")
        error = json.loads(done.stderr)["error"]
        self.assertEqual((done.returncode, error["code"]), (WAITING, "waiting"))
        self.assertRegex(error["commands"][0], f'^cadre answer {error["task"][:8]} --request \\w{{8}} "text"$')

    def test_an_answer_can_be_recorded_without_going_on(self):
        self.run_agent(ASK)
        task = self.only_task()
        said = self.succeeds("answer", task, "blue", "--no-wait")
        self.assertRegex(said, f"^task {task[:8]}: answered; (to resume: cadre resume {task[:8]}|it is completed)$")
        if self.status(task) == "interrupted":  # else a step had begun, and was finished
            self.assertEqual(self.succeeds("resume", task), "Blue it is.\n")
        self.assertEqual(self.show(task)["task"]["reply"]["text"], "Blue it is.")

    # CKPT-09 E, CKPT-13 E
    def test_approval_survives_a_crash(self):
        """FRAME 2, as far as a team file can say it."""
        self.write("team.json", {
            "name": "t", "description": "x", "default_llm": {}, "agents": [{"name": "publisher", "role": "x", "prompt": "y", "tools": ["write_file"]}],
            "tools": [{"name": "write_file", "type": "builtin", "permission": "ask"}]})
        script = [calls("write_file", path="a.txt", content="draft"), {"text": "Done.", "times": "any"}]
        words = ["run", "team.json", "--model", self.script(script), "Publish."]

        def asks(*answer):
            done = self.cadre(*words)
            self.assertEqual(done.returncode, WAITING, done.stderr)
            task = re.search(r"cadre approve (\w+)", done.stderr)[1]
            self.assertIn('publisher wants to call write_file {"path":"a.txt","content":"draft"}', done.stderr)
            self.assertRegex(done.stderr, f"to answer: cadre approve {task} --request (\\w+), or cadre reject {task} --request \\1\n")
            crashed = self.cadre(answer[0], task, *answer[1:], env={"CADRE_CRASH_AT": "before_dispatch:1"})  # of the call
            return task, crashed, next((self.home / "tasks").glob(f"{task}*/artifacts/a.txt"), None)

        task, crashed, file = asks("approve")
        self.assertEqual((crashed.returncode, file), (-signal.SIGKILL, None))
        self.assertEqual(self.succeeds("resume", task), "Done.\n")
        file = next((self.home / "tasks").glob(f"{task}*")) / "artifacts/a.txt"
        self.assertEqual((file.read_text(), self.kinds(task).count("tool_call")), ("draft", 1))
        self.assertEqual(self.kinds(task).count("hitl_request"), 1)

        done = self.cadre(*words, "--json")
        task = self.show(json.loads(done.stdout.splitlines()[0])["event"]["task_id"])["task"]["id"][:8]
        commands = json.loads(done.stderr)["error"]["commands"]
        self.assertRegex(" ".join(commands), f"^cadre approve {task} --request (\\w+) cadre reject {task} --request \\1$")
        self.assertIn(f"to answer: {commands[0]}, or {commands[1]}\n", self.succeeds("show", task))
        done = self.cadre("answer", task, "no, don't")
        self.assertEqual(done.returncode, 2)  # words are no approval
        self.assertIn(f"to refuse it: cadre reject {task}", done.stderr)
        self.assertEqual(self.succeeds("reject", task, "--message", "too long"), "Done.\n")
        self.assertNotIn("tool_call", self.kinds(task))
        self.assertIn("too long", self.succeeds("tail", task))

        done = self.cadre(*words)
        task = re.search(r"cadre approve (\w+)", done.stderr)[1]
        self.succeeds("approve", task, "--arguments", '{"path":"b.txt","content":"better"}')
        self.assertEqual((next((self.home / "tasks").glob(f"{task}*")) / "artifacts/b.txt").read_text(), "better")
        self.assertEqual(self.cadre("approve", task, "--arguments", "[]").returncode, INVALID)


class Terminal(TerminalHome):
    def run_there(self, entries, prompt="Go.", **options):
        return self.look("run", "--agent", "researcher", "--model", self.script(entries), prompt, **options)

    def test_the_answer_is_streamed_and_printed_once(self):
        lines, code = self.run_there(SUM)
        self.assertEqual((code, lines.count("The sum is 5.")), (0, 1), lines)
        self.assertEqual(lines[0], "researcher")
        self.assertRegex(lines[1], r'^  ✓ calculator {"expression":"2\+3"} → 5  \d+ ms$')

    def test_a_model_cannot_command_the_terminal(self):
        lines, _ = self.run_there([{"text": "a\x1b[2Jb \u202etxt", "chunks": 2}])
        self.assertIn("a\\x1b[2Jb \\xe2\\x80\\xaetxt", lines)

    def test_a_question_is_asked_in_place(self):
        lines, code = self.run_there(ASK, says=[("Your answer", "blue\n")])
        self.assertEqual(code, 0)
        self.assertIn("researcher asks: Which colour?", lines)
        self.assertIn("Blue it is.", lines)

    def test_what_was_typed_before_a_question_was_put_is_no_answer_to_it(self):
        slow = [{**ASK[0], "delay_ms": 1000}, ASK[1]]
        lines, code = self.run_there(slow, says=[("researcher thinks", "red\n"), ("Your answer", "blue\n")])
        self.assertEqual(code, 0, lines)
        self.assertIn("Blue it is.", lines)

    def test_a_call_that_nobody_has_seen_is_not_approved(self):
        script = self.script([{**calls("write_file", path="a.txt", content="x"), "delay_ms": 1000},
                              {**calls("write_file", path="b.txt", content="x"), "delay_ms": 1000}, {"text": "Done."}])
        seen, code = self.talk("run", "--mode", "hitl", "--agent", "researcher", "--model", script, "Go.",
                               says=[("researcher thinks", "y\ny\n"), ("decide later: ", "y\ny\n"), ("decide later: ", "n\n")])
        self.assertEqual(code, 0, seen)
        folder = self.home / "tasks" / self.only_task() / "artifacts"
        self.assertEqual([file.name for file in folder.glob("*.txt")], ["a.txt"])
        for after in seen.split("decide later: ")[1:]:  # nothing is drawn where the person types
            self.assertRegex(after, r"^[yn]\r\n")

    def test_a_question_can_be_left_for_later(self):
        lines, code = self.run_there(ASK, says=[("Your answer", "\x04")])
        self.assertEqual(code, WAITING)
        self.assertIn(f"cadre answer {self.only_task()[:8]}", "\n".join(lines))

    def test_an_answer_from_elsewhere_takes_the_question_back(self):
        def elsewhere(_):  # typed by nobody: another process answers when the question stands there
            self.assertIn("continues it", self.succeeds("answer", self.only_task(), "blue"))
        lines, code = self.run_there(ASK, says=[("Your answer", elsewhere)])
        self.assertEqual(code, 0, lines)
        self.assertIn("answered elsewhere", lines)
        self.assertIn("Blue it is.", lines)

    def test_ctrl_c_pauses_the_task_durably(self):
        script = [calls("calculator", expression="1+1"), {**calls("calculator", expression="2+2"), "delay_ms": 600},
                  {"text": "Done."}]
        lines, code = self.run_there(script, says=[("→ 2", "\x03")])
        self.assertEqual(code, INTERRUPTED, lines)
        task = self.only_task()
        text = "\n".join(lines)
        self.assertIn(f"task {task[:8]} is paused (user_request)", text)
        self.assertIn(f"to resume: cadre resume {task[:8]}", text)
        self.assertEqual(self.status(task), "paused")
        self.assertCountEqual(self.kinds(task)[-2:], ["agent_complete", "task_paused"])  # the step under way was finished and kept
        self.assertEqual(self.succeeds("resume", task), "Done.\n")
        self.assertEqual(self.kinds(task).count("agent_start"), 3)

    def test_after_ctrl_c_the_text_of_the_call_under_way_comes_to_its_end(self):
        words = [f"word{number} " for number in range(30)]
        script = [{"chunks": words, "pace_ms": 60, **calls("calculator", expression="1+1")}, {"text": "Done."}]
        lines, code = self.run_there(script, says=[("word3", "\x03")])
        self.assertEqual(code, INTERRUPTED, lines)
        text = "\n".join(lines)
        self.assertIn("".join(words).strip(), " ".join(text.split()))
        self.assertLess(text.index("word29"), text.index("is paused (user_request)"))
        self.assertNotIn("pausing when", text)  # it was there as long as it was true

    def test_ctrl_c_twice_stops_at_once(self):
        began = time.monotonic()
        lines, code = self.run_there([calls("calculator", expression="1+1"), {"text": "Done.", "delay_ms": 30_000}],
                                     says=[("→ 2", "\x03"), ("Ctrl-C again", "\x03")])
        self.assertEqual(code, INTERRUPTED, lines)
        said = "".join("".join(lines).split())  # the terminal breaks lines where it likes
        self.assertIn(f"toresumelater:cadreresume{self.only_task()[:8]}", said)
        self.assertLess(time.monotonic() - began, 20)


class Journal(Home):
    def test_ids_can_be_shortened_as_long_as_they_are_unique(self):
        for _ in range(20):
            self.run_agent([{"text": "Hello."}], "--quiet")
        ids = [task["id"] for task in json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]]
        self.assertEqual(len(ids), 20)
        for task in ids[:3]:
            self.assertEqual(self.show(task[:8])["task"]["id"], task)
        twin = next(first for first in "0123456789abcdef" if sum(task.startswith(first) for task in ids) > 1)
        done = self.cadre("show", twin)
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("begins several task ids", done.stderr)
        self.assertEqual(self.cadre("show", "xyz").returncode, NOT_FOUND)
        self.assertEqual(self.cadre("show", "00000000-0000-4000-8000-000000000000").returncode, NOT_FOUND)
        self.assertEqual(len(self.succeeds("tasks").splitlines()), 20)
        self.run_agent([{"text": "Hello."}], "--quiet")
        done = self.cadre("tasks")
        self.assertEqual(len(done.stdout.splitlines()), 20)
        self.assertIn("cadre tasks --all", done.stderr)

    def test_a_replay_prints_what_tail_prints_byte_for_byte(self):
        for entries, words in ((SUM, []), (ASK, []), ([{"fail": {"status": 400}}], []), (SUM, ["--mode", "step"])):
            self.run_agent(entries, *words)
        tasks = json.loads(self.succeeds("tasks", "--json"))["tasks"]
        self.assertEqual({task["status"] for task in tasks}, {"completed", "waiting", "failed", "paused"})
        (self.folder / "script.json").unlink()  # no model is asked
        for task in tasks:
            done = self.cadre("replay", task["id"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, self.succeeds("tail", "--json", task["id"]))

    def test_tail_begins_where_it_is_told_to(self):
        self.run_agent(SUM)
        task = self.only_task()
        lines = self.succeeds("tail", "--json", task).splitlines()
        self.assertEqual(self.succeeds("tail", "--json", "--from", "4", task).splitlines(), lines[3:])
        self.assertEqual(self.succeeds("tail", "--json", "--from", "99", task), "")
        self.assertEqual(self.cadre("tail", "--from", "x", task).returncode, INVALID)

    def test_verify_names_the_damaged_task_and_says_that_others_are_fine(self):
        for number in range(3):
            self.run_agent(SUM, "--quiet")
        self.assertEqual(self.succeeds("verify"), "3 tasks, 27 records: intact\n")
        victim = json.loads(self.succeeds("tasks", "--json"))["tasks"][1]["id"]
        database = sqlite3.connect(self.home / "cadre.db")
        table = next(name for name, in database.execute("SELECT name FROM sqlite_master WHERE type='table'")
                     if "body" in [column[1] for column in database.execute(f"PRAGMA table_info({name})")])
        place = database.execute(f"SELECT max(rowid) FROM {table} WHERE CAST(body AS TEXT) LIKE '%{victim}%'").fetchone()[0]
        body, = database.execute(f"SELECT body FROM {table} WHERE rowid = ?", [place]).fetchone()
        flipped = body.replace("The sum is 5.", "The sum is 6.") if isinstance(body, str) else body.replace(b"is 5", b"is 6")
        self.assertNotEqual(flipped, body)
        database.execute(f"UPDATE {table} SET body = ? WHERE rowid = ?", [flipped, place])
        database.commit()
        database.close()
        done = self.cadre("verify")
        self.assertEqual(done.returncode, UNAVAILABLE)
        self.assertIn(f"damaged task {victim}: ", done.stdout)
        self.assertIn("the other 2 tasks are fine\n", done.stdout)
        told = json.loads(self.cadre("verify", "--json").stdout)
        self.assertEqual((told["ok"], told["tasks"], [damaged["task"] for damaged in told["damaged"]]), (False, 3, [victim]))
        for verb in ("verify", "show", "tail", "replay", "resume"):  # P14: found by whoever reads it
            self.assertEqual(self.cadre(verb, victim).returncode, UNAVAILABLE, verb)

    def test_verify_compares_index_and_pinned_teams_with_the_journal(self):
        self.run_agent(SUM, "--quiet")
        self.run_agent(SUM, "--quiet")
        first, second = (task["id"] for task in json.loads(self.succeeds("tasks", "--json"))["tasks"])

        def spoiled(statement, *values):
            database = sqlite3.connect(self.home / "cadre.db")
            database.execute(statement, values)
            database.commit()
            database.close()
            done = self.cadre("verify")
            self.assertEqual(done.returncode, UNAVAILABLE, statement)
            return done.stdout
        self.assertIn('the index calls it "Something else", the journal "', spoiled("UPDATE task SET title = 'Something else' WHERE name = ?", first))
        self.assertIn("the index says that it was begun 1970-01-01T00:00:00.001", spoiled("UPDATE task SET created_at = 1 WHERE name = ?", first))
        self.assertIn("and last changed 1970-01-01T00:00:00.002", spoiled("UPDATE task SET updated_at = 2 WHERE name = ?", first))
        self.assertIn(f"damaged task {first}: the index says", spoiled("UPDATE task SET open = 1 WHERE name = ?", first))
        self.assertIn("pinned team", spoiled("DELETE FROM document"))
        self.assertIn("records of tasks that the index does not know", spoiled("DELETE FROM task WHERE name = ?", second))

    def test_a_disk_that_takes_no_more_ends_the_process_with_a_message(self):
        self.run_agent([{"text": "Hello."}])

        def little_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            size = max(file.stat().st_size for file in self.home.iterdir() if file.is_file())
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 40_000, size + 40_000))
        entry = {**calls("calculator", expression="+".join(["1"] * 4000)), "times": "any"}
        self.write("agents/researcher.json", {**AGENT, "max_iterations": 400})
        process = subprocess.run([CADRE, "run", "--quiet", "--agent", "researcher", "--model", self.script([entry]), "Go."],
                                 cwd=self.folder, env=self.env, text=True, capture_output=True, timeout=60,
                                 preexec_fn=little_room)
        self.assertEqual((process.returncode, process.stdout), (UNAVAILABLE, ""), process.stderr)
        self.assertRegex(process.stderr, r"^cadre: .*cadre\.db.*\n")
        self.assertEqual(self.cadre("verify").returncode, 0)
        self.assertIn("2 tasks", self.succeeds("verify"))


if __name__ == "__main__":
    unittest.main()
