"""What programs are told about tasks that were killed, paused or stopped: the same words as people."""
import json
import signal
import subprocess
import unittest

from home import Home, INTERRUPTED, PAUSED, calls

SLOW = [{"text": "one two three four five six", "chunks": 60, "pace_ms": 500}, {"text": "unused", "when": {"contains": "nothing"}}]
# a signal comes while the second call of the model speaks; a third would follow
LONG = [calls("calculator", expression="1+1"), {**calls("calculator", expression="2+2"), "text": "Slowly, slowly.", "chunks": 10, "pace_ms": 150},
        {"text": "Four."}]


class Killed(Home):
    def killed_in_a_session(self):
        process = self.start("chat", "--json", "--agent", "researcher", "--model", self.script(SLOW), stdin=subprocess.PIPE)
        process.stdin.write("Go.\n")
        process.stdin.flush()
        self.assertIn("session", json.loads(process.stdout.readline()))
        task = self.next_event(process, "event_task_start")["task_id"]
        self.next_event(process, "event_agent_start")
        process.kill()
        process.wait()
        return task

    def test_a_killed_task_is_interrupted_in_every_json(self):
        task = self.killed_in_a_session()
        for words in (["tasks"], ["tasks", "--status", "interrupted"], ["tasks", "--all"]):
            with self.subTest(words):
                only, = json.loads(self.succeeds(*words, "--json"))["tasks"]
                self.assertEqual((only["id"], only["status"], only["driven"]), (task, "interrupted", False))
        self.assertEqual(json.loads(self.succeeds("tasks", "--status", "running", "--json"))["tasks"], [])
        shown = self.show(task)
        self.assertEqual((shown["task"]["status"], shown["driven"]), ("interrupted", False))
        session, = json.loads(self.succeeds("sessions", "--json"))["sessions"]
        self.assertEqual((session["status"], session["driven"], session["title"]), ("interrupted", False, "Go."))
        self.assertEqual(json.loads(self.succeeds("trace", task, "--json"))["status"], "interrupted")

    def test_a_task_that_runs_is_running_and_driven(self):
        process, task = self.start_agent(SLOW)
        self.next_event(process, "event_agent_start")
        only, = json.loads(self.succeeds("tasks", "--json"))["tasks"]
        self.assertEqual((only["status"], only["driven"]), ("running", True))
        shown = self.show(task)
        self.assertEqual((shown["task"]["status"], shown["driven"]), ("running", True))

    def test_money_has_one_name(self):
        self.run_agent([{"text": "Fine."}], "--budget", "$2")
        shown = self.show(self.only_task())
        self.assertEqual(shown["budget"]["cost_usd"], 2.0)
        self.assertEqual(shown["usage"]["cost_usd"], 0.0)
        self.assertNotIn('"cost":', json.dumps(shown))


class Signals(Home):
    def stopped_by(self, number):
        process, task = self.start_agent(LONG)
        self.next_event(process, "event_tool_result")
        self.next_event(process, "event_agent_start")
        process.send_signal(number)
        _, error, code = self.end(process)
        lines = [json.loads(line) for line in error.splitlines()]
        return task, next(line["error"] for line in lines if "error" in line), code

    def test_each_signal_has_its_documented_exit_code(self):
        codes = json.loads(self.succeeds("help", "exit-codes", "--json"))["exit_codes"]
        documented = {row["exit"]: row["code"] for row in codes}
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                task, error, code = self.stopped_by(number)
                self.assertEqual((code, error["code"]), (128 + number, "interrupted"))
                self.assertEqual(documented[code], error["code"])
                self.assertEqual(self.status(task), "interrupted")

    def test_resume_all_resumes_what_ctrl_c_paused_and_names_what_it_leaves(self):
        paused, _, code = self.stopped_by(signal.SIGINT)
        self.assertEqual(code, INTERRUPTED)
        self.assertEqual(self.status(paused), "paused")
        stepping = self.run_agent([calls("calculator", expression="1+1"), {"text": "Two."}], "--mode", "step", name="step.json")
        self.assertEqual(stepping.returncode, PAUSED)
        step = next(task["id"] for task in json.loads(self.succeeds("tasks", "--json"))["tasks"] if task["id"] != paused)
        said = self.succeeds("resume", "--all").splitlines()
        self.assertIn(f"{paused[:8]}  completed", said)
        left, = [line for line in said if line.startswith(step[:8])]
        self.assertRegex(left, rf"^{step[:8]}  paused: step_mode: .*; to resume it: cadre step {step[:8]}$")
        line, = self.succeeds("resume", "--all", "--json").splitlines()
        told = json.loads(line)
        self.assertEqual((told["task"], told["status"], told["commands"]), (step, "paused", [f"cadre step {step[:8]}"]))
        self.assertRegex(told["reason"], "^step_mode: ")


if __name__ == "__main__":
    unittest.main()
