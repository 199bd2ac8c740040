#!/usr/bin/env python3
"""The hardest cases of the server's design, by their numbers, as far as no other test has them: many streams at the end, tickets, slow clients,
caps, rates, reloads under load, and who owns a home while processes come and go."""
import json
import os
import random
import re
import signal
import socket
import subprocess
import threading
import time
import unittest
import urllib.parse

from home import CADRE, LIMIT, SUM
from serve import ENDED, Serve

SLOW = [{"text": "one two three four five six", "chunks": 26, "pace_ms": 400, "times": "any"}]
SOME = [{"text": "Done.", "chunks": 5, "pace_ms": 100, "times": "any"}]


class Cases(Serve):
    def setUp(self):
        super().setUp()
        self.sockets = []

    def settings(self, entries=SUM, **server):
        self.write("cadre.yaml", json.dumps({"version": "1.0.0", "model": self.script(entries), "team": "desk", "server": server}))
        self.write("teams/desk.json", self.TEAM)

    def stream(self, path, **headers):
        """A stream that has begun: its file."""
        where = urllib.parse.urlsplit(self.url)
        one = socket.create_connection((where.hostname, where.port), timeout=LIMIT)
        self.addCleanup(one.close)
        self.sockets.append(one)
        fields = {"Host": where.netloc, "Authorization": f"Bearer {self.token}", "Accept": "text/event-stream", **headers}
        one.sendall((f"GET {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n").encode())
        file = one.makefile("rb")
        status = int(file.readline().split()[1])
        while file.readline() != b"\r\n":
            pass
        return status, file

    def test_case_21_at_the_end_nobody_is_told_to_come_back_at_once_or_all_together(self):
        many = 300
        self.settings(SLOW, rates={"stream": {"requests": 1000, "seconds": 1}}, connections_per_address=2000)
        process = self.serve(None, "--drain", "5s")
        task = self.made()
        keys = [self.post("/keys", {"subject": f"user{n}", "roles": ["viewer"]}) for n in range(5)]
        for key in keys:
            self.assertEqual(key.status, 201, key.text)
        keys = [key.json["key"] for key in keys] + [self.token]
        streams = []
        for n in range(many):
            status, file = self.stream(f"/tasks/{task}/stream", Authorization=f"Bearer {keys[n % len(keys)]}")
            self.assertEqual(status, 200)
            streams.append(file)
        process.send_signal(signal.SIGTERM)
        waits = []
        for file in streams:
            told = file.read().decode()
            self.assertIn("event: drain", told)
            waits.append(int(re.findall(r"retry: (\d+)", told)[-1]))
        self.assertEqual(self.end(process)[2], 0)
        self.assertTrue(all(500 <= wait < 2000 for wait in waits), waits)
        self.assertGreater(len(set(waits)), many // 4)

    def test_case_31_a_ticket_is_for_one_request_of_one_kind(self):
        self.serve(SUM)
        task = self.made()
        self.at_rest(task)
        path = f"/tasks/{task}/events"
        ticket = lambda: self.post("/tickets", {"path": path}).json["ticket"]  # noqa: E731
        good = ticket()
        first = self.get(f"{path}?ticket={good}", token=None)
        self.assertEqual(first.status, 200, first.text)
        self.assertEqual(self.get(f"{path}?ticket={good}", token=None).status, 401)
        for other in (f"/tasks/{task}/trace", "/tasks"):
            self.assertEqual(self.get(f"{other}?ticket={ticket()}", token=None).status, 401, other)
        self.assertEqual(self.ask("DELETE", f"/tasks/{task}?ticket={ticket()}", token=None).status, 401)
        self.assertEqual(self.get(f"{path}?ticket={ticket()}").status, 400, "a ticket and a token")

    def test_case_33_slow_clients_delay_nobody(self):
        many = 2000
        self.settings(SUM, connections_per_address=3000)
        self.serve(None)
        where = urllib.parse.urlsplit(self.url)
        held = []
        for n in range(many):
            one = socket.create_connection((where.hostname, where.port), timeout=LIMIT)
            self.addCleanup(one.close)
            half = b"GET /health HTTP/1.1\r\nHost: loc" if n % 2 else \
                f"POST /tasks HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: Bearer {self.token}\r\nContent-Length: 500\r\n\r\n{{".encode()
            one.sendall(half)
            held.append(one)
        times = []
        for _ in range(100):
            began = time.monotonic()
            self.assertEqual(self.get("/health/live", token=None).status, 200)
            times.append(time.monotonic() - began)
        self.assertLess(sorted(times)[-2], 1, "the 99th of a hundred")
        # they are told, or cut off, in their time
        held[1].settimeout(LIMIT)
        self.assertIn(b" 408 ", held[1].recv(4096))

    def test_case_36_streams_at_their_cap_and_back(self):
        self.settings(SLOW, rates={"stream": {"requests": 1000, "seconds": 1}})
        self.serve(None)
        task = self.made()
        streams = [self.stream(f"/tasks/{task}/stream") for _ in range(50)]
        self.assertEqual({status for status, _ in streams}, {200})
        refused = self.get(f"/tasks/{task}/stream", headers={"Accept": "text/event-stream"})
        self.assertEqual((refused.status, refused.json["reason"]), (429, "streams_of_user"))
        self.assertEqual(self.get(f"/tasks/{task}").status, 200)
        streams[0][1].close()
        self.sockets[0].close()
        self.until(lambda: self.stream(f"/tasks/{task}/stream")[0] == 200, "there is room again")

    def test_case_37_rates_at_their_edge(self):
        self.settings(SUM, rates={"read": {"requests": 5, "seconds": 2}})
        self.serve(None)
        answers = [self.get("/version") for _ in range(7)]
        statuses = [answer.status for answer in answers]
        self.assertEqual(statuses[:5], [200] * 5)
        self.assertIn(429, statuses[5:])
        late = next(answer for answer in answers if answer.status == 429)
        self.assertGreaterEqual(int(late.headers["Retry-After"]), 1)
        self.assertEqual(self.get("/version", headers={"X-Forwarded-For": "192.0.2.7", "Forwarded": "for=192.0.2.8"}).status, 429)
        other = self.post("/keys", {"subject": "bob", "roles": ["viewer"]}).json["key"]
        self.assertEqual(self.get("/version", token=other).status, 200)
        self.until(lambda: self.get("/version").status == 200, "time gives some back")

    def test_rates_of_one_route_and_of_one_person(self):  # PROD-03 A
        self.settings(SUM, rates={"whoami": {"requests": 1, "seconds": 1}})
        refused = self.cadre("serve", "--listen", "127.0.0.1:0")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("server.rates.whoami", refused.stderr)
        self.settings(SUM, rates={"version": {"requests": 2, "seconds": 60}, "user/bob": {"requests": 3, "seconds": 60}})
        self.serve(None)
        bob = self.post("/keys", {"subject": "bob", "roles": ["viewer"]}).json["key"]
        ann = self.post("/keys", {"subject": "ann", "roles": ["viewer"]}).json["key"]
        statuses = lambda path, token, times: [self.get(path, token=token).status for _ in range(times)]  # noqa: E731
        self.assertEqual(statuses("/version", ann, 3), [200, 200, 429])
        self.assertEqual(statuses("/whoami", ann, 5), [200] * 5, "other routes are not")
        self.assertEqual(statuses("/whoami", bob, 4), [200, 200, 200, 429])
        self.assertEqual(statuses("/version", "", 2), [200, 200], "nor is anybody else")

    def test_case_39_reloads_of_whatever_stands_there_while_tasks_run(self):
        self.settings(SOME, rates={"create": {"requests": 1000, "seconds": 1}, "read": {"requests": 10000, "seconds": 1}})
        good = (self.folder / "cadre.yaml").read_text()
        process = self.serve(None)
        threading.Thread(target=lambda: [None for _ in process.stderr], daemon=True).start()
        tasks, over = [], threading.Event()

        def disturb():
            chance = random.Random(39)
            while not over.is_set():
                self.write("cadre.yaml", good[:chance.randrange(20, len(good) - 1)])
                process.send_signal(signal.SIGHUP)
                self.write("cadre.yaml", good)
                process.send_signal(signal.SIGHUP)
        self.settings_thread = threading.Thread(target=disturb)
        for _ in range(50):
            tasks.append(self.made())
        self.settings_thread.start()
        for _ in range(50):
            made = self.post("/tasks", {"description": "Go.", "start": True})
            self.assertIn(made.status, (201, 422, 503), made.text)  # created whole, or refused for the file that it found
            if made.status == 201:
                tasks.append(made.json["id"])
        ends = [self.at_rest(task)["status"] for task in tasks]
        over.set()
        self.settings_thread.join()
        self.assertEqual(set(ends), {"completed"})
        self.assertIsNone(process.poll())

    def test_case_40_one_owner_at_a_time_whatever_comes_and_dies(self):
        self.settings(SOME, rates={"create": {"requests": 1000, "seconds": 1}, "read": {"requests": 10000, "seconds": 1}})
        chance = random.Random(int(os.environ.get("CADRE_SEED", 40)))
        end = time.monotonic() + (600 if os.environ.get("CADRE_LONG") else 25)
        running = []
        while time.monotonic() < end:
            act = chance.choice(["serve", "run", "kill", "interrupt", "serve", "run"])
            running = [process for process in running if process.poll() is None]
            if act in ("serve", "run") and len(running) < 4:
                words = ["serve", "--json", "--listen", "127.0.0.1:0"] if act == "serve" else ["run", "--json", "Go."]
                process = subprocess.Popen([CADRE, *words], cwd=self.folder, env=self.env, text=True, stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                self.processes.append(process)
                running.append(process)
            elif running and act in ("kill", "interrupt"):
                chance.choice(running).send_signal(signal.SIGKILL if act == "kill" else signal.SIGINT)
            threading.Event().wait(chance.random() * 0.4)  # sleeps: when they meet is the experiment
        for process in running:
            process.kill()
        for process in self.processes:
            _, err, code = self.end(process)
            # each was told: it ended well, was stopped, or heard that another one has the home
            self.assertIn(code, (0, 5, 9, 130, -signal.SIGKILL, -signal.SIGINT), err)
            self.assertNotIn("internal error", err)
        self.processes.clear()
        self.serve()
        tasks = self.get("/tasks?limit=200").json["tasks"]
        for task in tasks:
            if task["status"] == "running":
                self.assertIn(self.at_rest(task["id"])["status"], ENDED)
        self.stop(self.processes[-1])
        verified = self.cadre("verify")
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)


if __name__ == "__main__":
    unittest.main()
