#!/usr/bin/env python3
"""Several processes and one home: one owns it and drives tasks, the others ask it to; when it goes, another takes over."""
import json
import os
import signal
import socket
import time
import unittest

from home import ASK, CANCELLED, CONFLICT, Home, SUM, UNAVAILABLE, WAITING, calls

SLOW = [{**calls("calculator", expression="1+1"), "delay_ms": 300}, {"text": "Slow and done.", "delay_ms": 60_000}]


class Terminals(Home):
    def test_a_task_that_runs_elsewhere_can_be_followed_and_cancelled(self):
        runs, task = self.start_agent(SLOW)
        tails = self.start("tail", "-f", "--json", task[:8])
        self.next_event(tails, "event_tool_result")
        self.assertEqual(self.status(task), "running")
        self.assertEqual(json.loads(self.succeeds("tasks", "--json"))["tasks"][0]["driven"], True)
        done = self.cadre("resume", task)
        self.assertEqual(done.returncode, CONFLICT)
        self.assertIn(f"is driven already, by process {runs.pid}", done.stderr)

        self.assertEqual(self.succeeds("cancel", task[:8], "--reason", "enough"), f"task {task[:8]} is cancelled\n")
        out, _, code = self.end(tails)
        self.assertEqual(json.loads(out.splitlines()[-1])["event"]["final_status"], "cancelled")
        self.assertEqual(code, 0)
        _, err, code = self.end(runs)
        self.assertEqual(code, CANCELLED)
        error = json.loads(err)["error"]
        self.assertEqual((error["code"], error["message"]), ("cancelled", f"task {task[:8]} was cancelled: enough"))
        self.assertEqual(self.succeeds("cancel", task), f"task {task[:8]} is cancelled\n")  # P8: again is nothing new

    def test_a_question_is_answered_from_another_process_while_the_owner_runs_something_else(self):
        owner, other = self.start_agent(SLOW, name="slow.json")
        done = self.run_agent(ASK)  # a client of the owner: its task waits, and it ends
        self.assertEqual(done.returncode, WAITING)
        task = json.loads(self.succeeds("tasks", "--status", "waiting", "--json"))["tasks"][0]["id"]
        self.assertEqual(self.succeeds("answer", task, "blue"), "Blue it is.\n")
        self.assertIsNone(owner.poll())
        self.succeeds("cancel", other)

    def test_many_processes_run_their_tasks_at_once_and_each_gets_its_own_answer(self):
        script = [{**calls("calculator", expression="1+1"), "delay_ms": 50}]
        processes = []
        for number in range(8):
            text = {"text": f"Answer {number}.", "delay_ms": 40 * number}
            processes.append(self.start("run", "--quiet", "--agent", "researcher", "--model",
                                        self.script(script + [text], f"{number}.json"), "Go."))
        for number, process in enumerate(processes):
            self.assertEqual(self.end(process), (f"Answer {number}.\n", "", 0))
        self.assertIn("8 tasks", self.succeeds("verify"))
        self.assertEqual({task["status"] for task in json.loads(self.succeeds("tasks", "--json"))["tasks"]}, {"completed"})

    def test_two_tasks_with_the_same_script_do_not_use_up_each_others_entries(self):
        script = [{**calls("calculator", expression="1+1"), "delay_ms": 300}, {"text": "Done.", "delay_ms": 300}]
        model = self.script(script)
        processes = [self.start("run", "--quiet", "--agent", "researcher", "--model", model, "Go.") for _ in range(3)]
        for process in processes:
            self.assertEqual(self.end(process), ("Done.\n", "", 0))

    def test_when_the_owner_is_done_another_takes_over_and_repeats_nothing(self):
        owner, _ = self.start_agent([{"text": "First.", "delay_ms": 1000}], name="first.json")
        script = [calls("write_file", path="a.txt", content="once"), {**calls("calculator", expression="1+1"), "delay_ms": 1500},
                  {**calls("calculator", expression="2+2"), "delay_ms": 100}, {"text": "Second.", "delay_ms": 100}]
        second, task = self.start_agent(script, name="second.json")
        self.next_event(second, "event_tool_result")
        file = self.home / "tasks" / task / "artifacts/a.txt"
        before = file.stat().st_ino  # writing it again would put another file in its place
        self.assertIsNone(owner.poll())
        self.assertEqual(self.end(owner)[2], 0)

        out, err, code = self.end(second)
        self.assertEqual(code, 0, err)
        self.assertEqual(json.loads(out.splitlines()[-1])["event"]["final_status"], "success")
        self.assertEqual(self.show(task)["task"]["reply"]["text"], "Second.")
        self.assertEqual((file.read_text(), file.stat().st_ino), ("once", before))
        kinds = self.kinds(task)
        self.assertEqual((kinds.count("tool_call"), kinds.count("agent_start"), kinds.count("recovery")), (3, 4, 0))
        numbers = [json.loads(line)["seq"] for line in out.splitlines()]
        self.assertEqual(numbers, sorted(set(numbers)))  # whoever drives: none twice, none out of order
        self.assertEqual(numbers[-1], len(kinds))

    def test_when_the_owner_is_killed_the_others_go_on(self):
        owner, first = self.start_agent(SLOW, name="first.json")
        script = [calls("calculator", expression="1+1"), {**calls("calculator", expression="2+2"), "delay_ms": 400},
                  {"text": "Done."}]
        others = [self.start_agent(script, name=f"{number}.json") for number in range(3)]
        for process, _ in others:
            self.next_event(process, "event_tool_result")
        owner.kill()
        for process, task in others:
            out, err, code = self.end(process)
            self.assertEqual(code, 0, err)
            self.assertEqual(self.show(task)["task"]["reply"]["text"], "Done.")
        self.assertEqual(self.status(first), "interrupted")
        self.assertIn("interrupted", self.succeeds("show", first))

    def test_a_client_that_dies_harms_nobody_and_its_task_is_put_away(self):
        owner, first = self.start_agent([{"text": "First.", "delay_ms": 2500}], name="first.json")
        script = [calls("calculator", expression="1+1"), {**calls("calculator", expression="2+2"), "delay_ms": 500},
                  {"text": "Second."}]
        client, second = self.start_agent(script, name="second.json")
        self.next_event(client, "event_tool_result")
        client.kill()
        self.assertEqual(self.end(owner)[2], 0)
        kinds = self.kinds(second)
        self.assertEqual(kinds[-1], "agent_complete")  # the step under way was finished, and then nobody wanted more
        self.assertEqual(self.succeeds("resume", second), "Second.\n")
        self.assertEqual(self.kinds(second).count("agent_start"), 3)

    def test_ctrl_c_in_a_client_stops_its_task_and_not_the_owner(self):
        owner, first = self.start_agent(SLOW, name="first.json")
        script = [calls("calculator", expression="1+1"), {**calls("calculator", expression="2+2"), "delay_ms": 300},
                  {"text": "Second."}]
        client, second = self.start_agent(script, name="second.json")
        self.next_event(client, "event_tool_result")
        client.send_signal(signal.SIGINT)
        _, err, code = self.end(client)
        self.assertEqual(code, 130)
        self.assertIn(f"cadre resume {second[:8]}", err)
        self.assertCountEqual(self.kinds(second)[-2:], ["agent_complete", "task_paused"])
        self.assertEqual(self.succeeds("resume", second), "Second.\n")
        self.assertIsNone(owner.poll())
        self.succeeds("cancel", first)

    def test_an_owner_that_is_stopped_is_named_and_reading_works_all_the_same(self):
        owner, task = self.start_agent(SLOW)
        self.next_event(owner, "event_tool_result")
        owner.send_signal(signal.SIGSTOP)
        self.addCleanup(owner.send_signal, signal.SIGCONT)
        began = time.monotonic()
        done = self.run_agent(SUM)
        self.assertEqual((done.returncode, done.stdout), (UNAVAILABLE, ""))
        self.assertIn(f"process {owner.pid} has the home {self.home} and does not answer", done.stderr)
        self.assertIn(f"kill -CONT {owner.pid}", done.stderr)
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual(self.cadre("cancel", task).returncode, UNAVAILABLE)
        self.assertEqual(self.status(task), "running")
        self.assertIn(task[:8], self.succeeds("tasks"))
        owner.send_signal(signal.SIGCONT)
        self.succeeds("cancel", task)

    def test_a_killed_run_goes_on_where_it_stopped(self):
        """At each named point of the code."""
        script = [calls("write_file", path="a.txt", content="once"), {"text": "Written.", "when": {"after_tool": True}}]
        for point in ("after_intent", "before_dispatch", "after_dispatch", "after_outcome"):
            for count in (1, 2, 3):
                with self.subTest(point=point, count=count):
                    done = self.run_agent(script, "--json", env={"CADRE_CRASH_AT": f"{point}:{count}"})
                    self.assertEqual(done.returncode, -signal.SIGKILL)
                    task = json.loads(self.succeeds("tasks", "--json"))["tasks"][0]["id"]
                    again = self.cadre("resume", task)
                    self.assertEqual((again.returncode, again.stdout), (0, "Written.\n"), again.stderr)
                    kinds = self.kinds(task)
                    self.assertEqual((kinds.count("tool_call"), kinds.count("agent_start")), (1, 2))
                    self.assertEqual(self.cadre("replay", "-q", task).returncode, 0)
        self.assertIn("12 tasks", self.succeeds("verify"))

    def test_the_socket_is_ours_alone_and_bears_nonsense(self):
        owner, task = self.start_agent(SLOW)
        self.next_event(owner, "event_tool_result")
        path = self.home / "control.sock"
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)

        def say(*lines):
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(20)
                client.connect(str(path))
                answers = client.makefile("rb")
                told = []
                for line in lines:
                    client.sendall(line)
                    told.append(json.loads(answers.readline()))
            return told
        hello = b'{"verb":"hello"}\n'
        self.assertEqual(say(hello), [{"ok": {"pid": owner.pid, "bare": False}}])
        answers = say(b"nonsense\n", b"[]\n", b'{"verb":"dance"}\n', b'{"verb":"cancel"}\n', b'{"verb":"drive","args":{"task":"x"}}\n',
                      b'{"verb":"create","args":{"id":"x"}}\n', b'{"verb":"answer","args":{"task":"zz"}}\n', hello)
        self.assertEqual([list(answer) for answer in answers], [["error"]] * 7 + [["ok"]])
        with socket.socket(socket.AF_UNIX) as client:  # a line without an end
            client.connect(str(path))
            try:
                for _ in range(17):
                    client.sendall(b"x" * (1 << 20))
                self.assertEqual(client.recv(1), b"")
            except ConnectionError:
                pass
        many = [socket.socket(socket.AF_UNIX) for _ in range(100)]
        for client in many:
            client.connect(str(path))
        self.assertEqual(say(hello), [{"ok": {"pid": owner.pid, "bare": False}}])
        for client in many:
            client.close()
        self.succeeds("cancel", task)
        self.assertEqual(self.end(owner)[2], CANCELLED)
        self.assertFalse(path.exists())

    def test_a_home_may_have_a_path_longer_than_a_socket_address(self):
        self.home = self.folder / ("a" * 90) / ("b" * 90)
        self.env["CADRE_HOME"] = str(self.home)
        owner, task = self.start_agent(SLOW)
        self.next_event(owner, "event_tool_result")
        self.assertEqual(self.run_agent([{"text": "Hello."}]).stdout, "Hello.\n")
        self.succeeds("cancel", task)

    def test_somebody_who_reads_slowly_holds_up_nobody(self):
        read_end, write_end = os.pipe()
        self.addCleanup(os.close, read_end)
        big = [{**calls("write_file", path="a.txt", content="x" * 40_000), "times": 8}, {"text": "Done.", "delay_ms": 100}]
        owner = self.start("run", "--json", "--agent", "researcher", "--model", self.script(big, "big.json"), "Go.", stdout=write_end)
        os.close(write_end)
        self.until(lambda: (self.home / "control.sock").exists(), "the owner listens")
        self.until(lambda: len(os.listdir(self.home)) and self.cadre("tasks", "--json").stdout.count('"id"') == 1, "its task")
        task = json.loads(self.succeeds("tasks", "--json"))["tasks"][0]["id"]
        self.until(lambda: self.status(task) == "completed", "the task ends, though nobody reads what it did")
        self.assertIsNone(owner.poll())
        self.assertEqual(self.run_agent([{"text": "Hello."}]).stdout, "Hello.\n")


if __name__ == "__main__":
    unittest.main()
