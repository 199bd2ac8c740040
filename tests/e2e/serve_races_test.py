#!/usr/bin/env python3
"""The hardest cases of the server's design, by their numbers: requests that meet each other, a dying server or the end of a task, and bodies
that are hardly JSON."""
import concurrent.futures
import http.client
import json
import random
import resource
import signal
import socket
import sys
import threading
import unittest
import urllib.parse
import uuid

from home import ASK, LIMIT, ROOT
from serve import ENDED, Serve

sys.path.insert(0, str(ROOT / "tests/crash"))
import journal_reader  # noqa: E402

TERMINAL, ANSWER = (15, 16, 17), 7
FREE = {name: {"requests": 100_000, "seconds": 1} for name in ("read", "write", "create")}


class Races(Serve):
    def serving(self, entries, env=None):
        self.write("cadre.yaml", json.dumps({"version": "1.0.0", "model": self.script(entries), "team": "desk", "server": {"rates": FREE}}))
        self.write("teams/desk.json", self.TEAM)
        return self.serve(None, env=env)

    def records(self, task, *kinds):
        with journal_reader.Journal(self.home, live=True) as journal:
            return sum(record.kind in kinds for record in journal.records(task))

    def at_once(self, *acts):
        """What each came to, all begun at the same moment; None: the server was gone."""
        start = threading.Barrier(len(acts))

        def go(act):
            start.wait()
            try:
                return act()
            except (OSError, http.client.HTTPException):
                return None
        with concurrent.futures.ThreadPoolExecutor(len(acts)) as pool:
            return list(pool.map(go, acts))

    def test_case_2_fifty_equal_requests_and_a_server_that_dies_are_one_task(self):
        key, body = {"Idempotency-Key": "order-7"}, {"description": "Later."}
        order = lambda: self.post("/tasks", body, headers=key)  # noqa: E731
        for point in ("before_commit:3", None):
            process = self.serving([{"text": "Done.", "times": "any"}], env={"CADRE_CRASH_AT": point} if point else {})
            answers = [answer for answer in self.at_once(*[order] * 50) if answer]
            if not point:
                self.assertEqual(len(answers), 50)
            self.assertLessEqual({answer.status for answer in answers}, {200, 201})
            self.assertLessEqual(len([answer for answer in answers if answer.status == 201]), 1)
            process.kill()
            self.end(process)
        self.serve()
        self.assertEqual(order().status, 200)
        self.assertEqual(len(self.get("/tasks").json["tasks"]), 1)

    def test_case_4_of_two_answers_at_once_one_wins_and_the_other_one_hears_of_it(self):
        self.serving([{"when": {"contains": "blue"}, "text": "Blue it is.", "times": "any"},
                      {"when": {"contains": "red"}, "text": "Red it is.", "times": "any"}, {**ASK[0], "times": "any"}])
        for _ in range(3):
            task = self.made()
            [request] = self.at_rest(task)["ext"]["questions"]
            over_http = lambda: self.post(f"/tasks/{task}/hitl/{request['request_id']}/respond",  # noqa: E731
                                          {"response_type": "approved", "message": "blue"})
            over_socket = lambda: self.cadre("answer", task, "red")  # noqa: E731
            http_answer, typed = self.at_once(over_http, over_socket)
            won = "Blue it is." if http_answer.status == 200 else "Red it is."
            self.assertEqual((http_answer.status == 200) + (typed.returncode == 0), 1, (http_answer.text, typed.stderr))
            if http_answer.status != 200:
                self.assertEqual((http_answer.status, http_answer.json["reason"]), (409, "already_answered"), http_answer.text)
            self.assertEqual(self.at_rest(task)["result"], won)
            self.assertEqual(self.records(task, ANSWER), 1)

    def test_case_7_a_task_has_one_end_whoever_comes_first(self):
        self.serving([{"text": "Done.", "chunks": 4, "pace_ms": 5, "times": "any"}])
        chance = random.Random(7)
        for _ in range(20):
            task = self.made()
            threading.Event().wait(chance.random() * 0.06)  # sleeps: when they meet is the experiment
            cancelled = self.post(f"/tasks/{task}/cancel")
            self.assertEqual(cancelled.status, 200, cancelled.text)
            self.assertIn(self.at_rest(task)["status"], ENDED)
            self.assertEqual(self.records(task, *TERMINAL), 1)

    def test_case_8_a_client_that_leaves_in_the_middle_leaves_nothing_behind(self):
        self.serving([{"text": "Done.", "times": "any"}])
        where = urllib.parse.urlsplit(self.url)
        body = json.dumps({"description": "Half."})
        whole = (f"POST /tasks HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: Bearer {self.token}\r\nContent-Type: application/json\r\n"
                 f"Content-Length: {len(body)}\r\n\r\n{body}").encode()
        for length in range(1, len(whole)):
            with socket.create_connection((where.hostname, where.port), timeout=LIMIT) as one:
                one.sendall(whole[:length])
        self.until(lambda: b"cadre_http_in_flight 1\n" in self.get("/metrics").text, "only the one who asks is there")
        self.assertEqual(self.get("/tasks").json["tasks"], [])
        with socket.create_connection((where.hostname, where.port), timeout=LIMIT) as one:
            one.sendall(whole)
        self.until(lambda: len(self.get("/tasks").json["tasks"]) == 1, "what was sent whole is done, though nobody hears of it")

    def test_case_38_what_a_full_disk_did_not_take_is_not_acknowledged(self):
        self.stop(self.serving([{"text": "Done.", "times": "any"}]))

        def small_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond it fails, as on a full disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        process = self.start("serve", "--json", "--listen", "127.0.0.1:0", preexec_fn=small_disk)
        self.url = json.loads(process.stdout.readline())["url"]
        accepted = []
        with self.assertRaises((OSError, http.client.HTTPException)):
            while True:
                answer = self.post("/tasks", {"description": "x" * 5000})
                self.assertIn(answer.status, (201, 503), answer.text)
                if answer.status == 201:
                    accepted.append(answer.json["id"])
        self.assertGreater(self.end(process)[2], 0)
        self.assertGreater(len(accepted), 10)
        self.serve()
        for task in accepted:
            self.assertEqual(self.get(f"/tasks/{task}").json["status"], "pending")

    def test_case_34_bodies_that_are_hardly_json(self):
        self.serving([{"text": "Done.", "times": "any"}])
        said = lambda text: self.ask("POST", "/tasks", raw=text, headers={"Content-Type": "application/json"})  # noqa: E731
        for body, status in [(b'{"description":"\xff"}', 400), (b'{"description":"\\ud800"}', 400), (b'{"description":"a\x00b"}', 400),
                             (b'{"description":1e999}', 400), (b'{"description":"a","description":"b"}', 400), (b"\xef\xbb\xbf{}", 400),
                             (b'{"description":"a"} {}', 400), (b"[" * 65 + b"]" * 65, 413), (b'{"description":"a","metadata":NaN}', 400)]:
            answer = said(body)
            self.assertEqual(answer.status, status, (body[:40], answer.text))
            self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
        many = said(json.dumps({"description": "a", "metadata": {"a": [0] * 100_001}}))
        self.assertEqual(many.status, 413, many.text[:200])
        odd = said('{"description":"\\u0000 \\ud83d\\ude00 \u202e"}'.encode())
        self.assertIn(odd.status, (201, 422), odd.text)
        self.assertEqual(self.get(f"/tasks/{uuid.uuid4()}").status, 404)


if __name__ == "__main__":
    unittest.main()
