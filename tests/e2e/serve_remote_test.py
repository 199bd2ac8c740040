#!/usr/bin/env python3
"""The command line on a server elsewhere (`--server URL`), and `cadre dev`: another home, another folder, only a URL and a token."""
import json
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.request

from home import ASK, CADRE, CONFLICT, INVALID, LIMIT, NOT_FOUND, SUM, UNAUTHORIZED, WAITING, calls
from serve import Serve


class Elsewhere(Serve):
    def setUp(self):
        super().setUp()
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.elsewhere = pathlib.Path(place.name)

    def far(self, *words, env=None, stdin=""):
        """The command line of somebody who has neither the project nor the home."""
        names = {"PATH": self.env["PATH"], "LANG": "C.UTF-8", "HOME": str(self.elsewhere), "CADRE_HOME": str(self.elsewhere / "home"),
                 "CADRE_SERVER": self.url, "CADRE_TOKEN": self.token, **(env or {})}
        done = subprocess.run([CADRE, *map(str, words)], cwd=self.elsewhere, env=names, input=stdin, text=True, capture_output=True, timeout=LIMIT)
        self.assertFalse((self.elsewhere / "home" / "cadre.db").exists(), "nothing is done here")
        return done

    def lines(self, text):
        return [json.loads(line) for line in text.splitlines()]


class Verbs(Elsewhere):
    def test_run_and_look(self):
        self.serve(SUM)
        done = self.far("run", "2+3?")
        self.assertEqual((done.returncode, done.stdout), (0, "The sum is 5.\n"), done.stderr)
        self.assertIn("calculator", done.stderr)
        [task] = json.loads(self.far("tasks", "--json").stdout)["tasks"]
        self.assertEqual((task["status"], task["title"]), ("completed", "2+3?"))
        self.assertIn(task["id"][:8], self.far("tasks", "--status", "completed").stdout)
        shown = self.far("show", task["id"][:8])
        self.assertIn("The sum is 5.", shown.stdout)
        self.assertEqual(json.loads(self.far("show", task["id"], "--json").stdout)["result"], "The sum is 5.")
        # the same events as beside the home
        self.assertEqual(self.far("tail", task["id"], "--json").stdout, self.succeeds("tail", task["id"], "--json"))
        self.assertEqual(self.far("tail", "-f", task["id"], "--json").stdout, self.far("tail", task["id"], "--json").stdout)
        self.assertEqual(self.lines(self.far("tail", task["id"], "--json", "--from", "3").stdout)[0]["seq"], 3)
        trace = self.far("trace", task["id"])
        self.assertRegex(trace.stdout, r"(?m)^task researcher  done")
        self.assertIn("call calculator", trace.stdout)
        self.assertGreater(len(json.loads(self.far("trace", task["id"], "--json").stdout)["spans"]), 2)

    def test_run_as_events(self):
        self.serve(SUM)
        done = self.far("run", "--json", "--agent", "researcher", "-", stdin="2+3?")
        self.assertEqual(done.returncode, 0, done.stderr)
        kinds = [line["event"]["type"] for line in self.lines(done.stdout)]
        self.assertEqual((kinds[0], kinds[-1]), ("event_task_start", "event_task_complete"))

    def test_questions(self):
        self.serve(ASK)
        done = self.far("run", "Paint it.")
        self.assertEqual(done.returncode, WAITING, done.stderr)
        self.assertIn("Which colour?", done.stderr)
        inbox = self.far("inbox")
        self.assertIn("Which colour?", inbox.stdout)
        [request] = json.loads(self.far("inbox", "--json").stdout)["requests"]
        task = request["task_id"]
        done = self.far("answer", task[:8], "blue")
        self.assertEqual((done.returncode, done.stdout), (0, "Blue it is.\n"), done.stderr)
        self.assertEqual(self.far("answer", task, "red").returncode, CONFLICT)
        self.assertIn("nothing is waiting", self.far("inbox").stderr)

    def test_approvals(self):
        team = {**self.TEAM, "permissions": {"ask": ["calculator"]}}
        sums = [{**calls("calculator", expression="2+3"), "times": "any"}, {"when": {"after_tool": True}, "text": "Done.", "times": "any"}]
        self.serve([sums[1], sums[0]], team=team)
        for words, code in [(["approve"], 0), (["reject", "--message", "no"], 0), (["approve", "--no-wait"], 0)]:
            task = self.made()
            self.at_rest(task)
            self.assertEqual(self.far("answer", task, "yes").returncode, INVALID)
            done = self.far(words[0], task, *words[1:])
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(self.at_rest(task)["status"], "completed")

    def test_control(self):
        self.serve([{**calls("calculator", expression="1+1"), "times": 3}, {"text": "Done.", "times": "any"}])
        task = self.made(execution_mode="step")
        self.at_rest(task)
        step = self.far("resume", task, "--steps", "1")
        self.assertEqual(step.returncode, 12, step.stderr)
        self.assertEqual(self.far("cancel", task, "--reason", "enough").returncode, 0)
        self.assertEqual(self.get(f"/tasks/{task}").json["status"], "cancelled")
        self.assertEqual(self.far("pause", task).returncode, CONFLICT)

    def test_bad_ways(self):
        self.serve(SUM)
        self.assertEqual(self.far("tasks", env={"CADRE_TOKEN": ""}).returncode, UNAUTHORIZED)
        wrong = self.far("tasks", env={"CADRE_TOKEN": "ck_000000000000_" + "0" * 32})
        self.assertEqual(wrong.returncode, UNAUTHORIZED)
        self.assertIn("CADRE_TOKEN", wrong.stderr)
        self.assertEqual(self.far("show", "ffffffff").returncode, NOT_FOUND)
        self.assertEqual(self.far("show", "ff").returncode, INVALID)
        self.assertEqual(self.far("tasks", "--server", "agents.example.com").returncode, INVALID)
        local = self.far("gc", "--server", self.url)
        self.assertEqual(local.returncode, INVALID)
        self.assertIn("these do: run, tasks", local.stderr)
        self.assertEqual(self.far("version").returncode, 0)
        file = self.elsewhere / "token"
        file.write_text(self.token + "\n")
        self.assertEqual(self.far("tasks", env={"CADRE_TOKEN": "", "CADRE_TOKEN_FILE": str(file)}).returncode, 0)
        nobody = self.far("tasks", "--server", "http://127.0.0.1:1")
        self.assertNotEqual(nobody.returncode, 0)
        self.assertIn("does not answer", nobody.stderr)

    def test_a_run_over_a_kill_of_the_server(self):
        process = self.serve([{"text": "one two three four five six seven", "chunks": 33, "pace_ms": 60, "times": "any"}])
        port = self.url.rsplit(":", 1)[1]
        names = {**self.env, "CADRE_SERVER": self.url, "CADRE_TOKEN": self.token, "CADRE_HOME": str(self.elsewhere / "home")}
        run = subprocess.Popen([CADRE, "run", "--json", "Count."], cwd=self.elsewhere, env=names, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.processes.append(run)
        self.next_event(run, "event_agent_start")
        process.kill()
        process.wait()
        self.start("serve", "--json", "--listen", f"127.0.0.1:{port}")
        out, err, code = self.end(run)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.lines(out)[-1]["event"]["type"], "event_task_complete")


class Dev(Elsewhere):
    def test_one_link_a_page_and_a_watched_project(self):
        self.write("cadre.yaml", f"version: 1.0.0\nmodel: {self.script([{'text': 'Hello.', 'times': 'any'}])}\nteam: desk\n")
        self.write("teams/desk.json", self.TEAM)
        process = self.start("dev", "--listen", "127.0.0.1:0")
        link = re.fullmatch(r"open (http://\S+)/#(\S+)\n", process.stderr.readline())
        self.assertTrue(link)
        self.url, self.token = link[1], link[2]
        with urllib.request.urlopen(self.url + "/", timeout=LIMIT) as page:
            text, policy = page.read().decode(), page.headers["Content-Security-Policy"]
        self.assertIn('href="docs"', text)
        self.assertIn("script-src 'sha256-", policy)
        self.assertNotIn(self.token, text)
        self.assertEqual(self.at_rest(self.made("Hi"))["result"], "Hello.")
        self.write("teams/desk.json", {**self.TEAM, "agents": [{**self.TEAM["agents"][0], "tools": ["no_such_tool"]}]})
        self.wait_for_line(process, "no_such_tool")
        self.write("teams/desk.json", self.TEAM)
        self.wait_for_line(process, "all is well")
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.end(process)[2], 0)

    def wait_for_line(self, process, words):
        for line in process.stderr:
            if words in line:
                return
        self.fail(f"never said: {words}")


if __name__ == "__main__":
    unittest.main()
