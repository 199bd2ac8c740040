#!/usr/bin/env python3
"""Kills `cadre serve` again and again while clients work, starts it on the same home, and compares three witnesses: what it had answered
before it died, what it answers afterwards, and the journal, read by tests/crash/journal_reader.py without a line of our code."""
import collections
import http.client
import os
import random
import sys
import threading
import unittest
import uuid

from home import ROOT, calls
from serve import Serve

sys.path.insert(0, str(ROOT / "tests/crash"))
import journal_reader  # noqa: E402

LONG = bool(os.environ.get("CADRE_LONG"))
KILLS = 5000 if LONG else 300
CLIENTS = 4
CREATED, ANSWER = 1, 7
WAIT = {"Prefer": "wait=30"}
GONE = (OSError, http.client.HTTPException)
SCRIPT = [{"when": {"after_tool": True}, "text": "Done.", "times": "any"},
          {**calls("ask_human", question="Which colour?"), "times": "any"}]


class Client(threading.Thread):
    """Creates tasks and answers their questions until the server is gone. What it was told is true for ever."""

    def __init__(self, case, seed):
        super().__init__()
        self.case, self.random = case, random.Random(seed)
        self.open = None  # a request that was sent and not answered

    def run(self):
        try:
            while True:
                self.one_task()
        except GONE:
            pass

    def one_task(self):
        case = self.case
        key = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        case.sent.add(key)
        made = case.post("/tasks", {"description": key, "start": True}, headers={"Idempotency-Key": key})
        if made.status == 429:
            raise OSError  # it has enough for this life
        case.expect(made.status in (200, 201), made.text)
        task = made.json["id"]
        case.accepted[key] = task
        asked = case.at_rest(task)
        if self.random.random() < 0.2:
            cancelled = case.ask("DELETE", f"/tasks/{task}")
            case.expect(cancelled.status == 202, cancelled.text)
            case.cancelled.add(task)
            return
        for request in asked["ext"]["questions"]:
            answer = case.post(f"/tasks/{task}/hitl/{request['request_id']}/respond", {"response_type": "approved", "message": key})
            case.expect(answer.status == 200, answer.text)
            case.answered[task] = key


class Kills(Serve):
    def setUp(self):
        super().setUp()
        self.sent, self.accepted, self.answered, self.cancelled, self.wrong = set(), {}, {}, set(), []

    def expect(self, true, what):
        if not true:
            self.wrong.append(what)

    # case 1 of the server
    def test_nothing_accepted_is_lost_and_nothing_is_doubled(self):
        """API-02, API-07 and API-12, killed between the body and the answer."""
        seed = int(os.environ.get("CADRE_SEED", random.randrange(1 << 32)))
        print(f"CADRE_SEED={seed}", file=sys.stderr)
        chance = random.Random(seed)
        process = self.serve(SCRIPT)
        for life in range(KILLS):
            clients = [Client(self, chance.getrandbits(64)) for _ in range(CLIENTS)]
            for client in clients:
                client.start()
            threading.Event().wait(chance.expovariate(1 / 0.04))  # sleeps: when it dies is the experiment
            process.kill()
            process.communicate()
            self.processes.remove(process)
            for client in clients:
                client.join()
            self.assertEqual(self.wrong, [], f"life {life}")
            process = self.serve()
        self.stop(process)
        many = "{requests: 100000, seconds: 1}"
        settings = self.folder / "cadre.yaml"
        settings.write_text(f"{settings.read_text()}server: {{rates: {{create: {many}, read: {many}}}}}\n")  # nobody is to wait now
        process = self.serve()
        self.settle()
        self.stop(process)
        self.compare()

    def settle(self):
        """Whoever got no answer asks again with the same key; then every question is answered."""
        for key in sorted(self.sent - set(self.accepted)):
            made = self.patient("POST", "/tasks", {"description": key, "start": True}, {"Idempotency-Key": key})
            self.assertIn(made.status, (200, 201), made.text)
            self.accepted[key] = made.json["id"]
        for task in self.accepted.values():
            view = self.patient("GET", f"/tasks/{task}", None, WAIT).json
            for request in view["ext"]["questions"]:
                answer = self.patient("POST", f"/tasks/{task}/hitl/{request['request_id']}/respond",
                                      {"response_type": "approved", "message": "late"})
                self.assertEqual(answer.status, 200, answer.text)
            view = self.patient("GET", f"/tasks/{task}", None, WAIT).json
            self.assertIn(view["status"], ("completed", "cancelled"), view)
            if task in self.answered:
                self.assertEqual(view["status"], "completed")

    def patient(self, method, path, body, headers=None):
        """A server refuses what comes too often; the next one has not counted yet."""
        answer = self.ask(method, path, body, headers=headers)
        if answer.status != 429:
            return answer
        self.stop(self.processes[-1])
        self.serve()
        return self.ask(method, path, body, headers=headers)

    def at_rest(self, task):
        view = self.ask("GET", f"/tasks/{task}", headers=WAIT)
        if view.status == 429:
            raise OSError
        return view.json

    def compare(self):
        with journal_reader.Journal(self.home) as journal:
            self.assertEqual(list(journal.problems()), [])
            tasks = journal.tasks()
            self.assertEqual(len(tasks), len(self.sent))
            self.assertEqual({str(task) for task in tasks}, set(self.accepted.values()))
            answers = collections.Counter()
            for task in tasks:
                answers[str(task)] = sum(record.kind == ANSWER for record in journal.records(task))
            self.assertLessEqual(max(answers.values()), 1)
            for task in self.answered:
                self.assertEqual(answers[task], 1, task)
            for task in self.cancelled:
                self.assertEqual(tasks[task][0], "cancelled")
        print(f"{KILLS} kills, {len(tasks)} tasks, {len(self.answered)} answers, {len(self.cancelled)} cancelled", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
