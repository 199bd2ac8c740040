#!/usr/bin/env python3
"""The log of a home: what is in it by its level, and how it is looked at."""
import json
import signal
import socket
import unittest

from desk import Desk, call
from home import CADRE, INVALID


class Logs(Desk):
    def noisy(self):
        """A server that talks on its standard error, and a task that uses it."""
        self.servers(mock={"command": "/bin/sh", "args": ["-c", f'echo "two words" >&2; exec "{CADRE}" mock-mcp']})
        self.team(["mock.echo"])
        return self.go(call("echo", message="x"))

    def lines(self, *words):
        return [json.loads(line) for line in self.succeeds("logs", "--json", *words).splitlines()]

    def test_what_a_server_says_is_in_the_log_and_not_on_the_screen(self):
        done = self.noisy()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("two words", done.stderr)
        said = [line for line in self.lines() if line.get("text") == "two words"]
        self.assertEqual([(line["level"], line["server"]) for line in said], [("info", "mock")])
        self.assertRegex(self.succeeds("logs"), r'\d\d:\d\d:\d\d  info     the server says  server=mock  text="two words"\n')
        self.assertEqual(oct((self.home / "logs/cadre.log").stat().st_mode & 0o777), "0o600")

    def test_the_level_comes_from_the_variables_or_the_project(self):
        for name, value, is_there in (("CADRE_LOG_LEVEL", "warning", False), ("LOG_LEVEL", "WARN", False),
                                      ("LOG_LEVEL", "nonsense", True), ("LOG_LEVEL", "debug", True)):
            with self.subTest(name=name, value=value):
                self.afresh()
                self.env[name] = value
                self.noisy()
                self.assertEqual("two words" in self.succeeds("logs", "--quiet"), is_there)
        self.afresh()
        self.servers(mock={"command": "/bin/sh", "args": ["-c", f'echo "two words" >&2; exec "{CADRE}" mock-mcp']})
        self.team(["mock.echo"])
        self.write("cadre.yaml", "name: desk\nlog_level: error\n")
        self.go(call("echo", message="x"))
        self.assertEqual(self.succeeds("logs", "--quiet"), "")

    def test_a_circuit_that_opens_is_in_the_log(self):
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))  # and does not listen
            env = {"OPENAI_BASE_URL": "http://127.0.0.1:%d" % nobody.getsockname()[1], "OPENAI_API_KEY": "sk-x"}
            self.write("cadre.yaml", "name: desk\n")
            self.write("retry.json", {"name": "desk", "description": "x", "tools": [],
                                      "default_llm": {"provider": "openai", "model": "gpt-5-mini",
                                                      "retry_policy": {"max_retries": 9}},
                                      "agents": [{"name": "clerk", "role": "x", "prompt": "y"}]})
            self.cadre("chat", "retry.json", stdin="a\nb\nc\nd\ne\nf\n", env=env)
        opened = [line for line in self.lines() if line["message"].startswith("circuit_open")]
        self.assertEqual([(line["level"], line["endpoint"]) for line in opened[:1]], [("warning", "openai")])

    def test_only_the_last_lines_of_a_level_are_shown(self):
        log = self.home / "logs/cadre.log"
        log.parent.mkdir(parents=True)
        levels = ("debug", "info", "warning", "error")
        log.write_text("".join(json.dumps({"time": "2026-01-01T00:00:00.000Z", "level": levels[i % 4], "message": str(i)}) + "\n"
                               for i in range(100)))
        (log.parent / "cadre.log.1").write_text(json.dumps({"level": "error", "message": "old"}) + "\n")
        self.assertEqual(len(self.lines()), 50)
        self.assertEqual([line["message"] for line in self.lines("-n", "2", "--level", "warning")], ["98", "99"])
        self.assertEqual(self.lines("-n", "1000")[0]["message"], "old")
        for words in (("--level", "loud"), ("-n", "many")):
            self.assertEqual(self.cadre("logs", *words).returncode, INVALID)

    def test_following_goes_beyond_a_file_that_is_put_aside(self):
        log = self.home / "logs/cadre.log"
        log.parent.mkdir(parents=True)
        log.write_text('{"level":"info","message":"one"}\n')
        process = self.start("logs", "-f", "--json")
        self.assertIn("one", process.stdout.readline())
        with log.open("a") as file:
            file.write('{"level":"info","message":"two"}\n')
        self.assertIn("two", process.stdout.readline())
        log.rename(log.parent / "cadre.log.1")
        log.write_text('{"level":"info","message":"three"}\n')
        self.assertIn("three", process.stdout.readline())
        process.send_signal(signal.SIGINT)
        self.end(process)

    def test_nothing_logged_yet_is_said(self):
        done = self.cadre("logs")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("nothing has been logged yet", done.stderr)


if __name__ == "__main__":
    unittest.main()
