#!/usr/bin/env python3
"""What is sent again with the same Idempotency-Key after `cadre serve` was killed between doing it and saying so: it is done once, and answered."""
import http.client
import sys
import unittest
import uuid

from home import ASK, ROOT, calls
from serve import Serve

sys.path.insert(0, str(ROOT / "tests/crash"))
import journal_reader  # noqa: E402

ANSWER, INSTRUCTION, CANCEL, RESUME, SETTING = 7, 8, 9, 11, 12
STEPS = [{**calls("calculator", expression="1+1"), "times": 6}, {"text": "Done."}]
TALK = [{"text": "Done.", "times": "any"}]


class Repeats(Serve):
    def cut_off(self, method, path, body=None, point="request_done", status=200):
        """The server dies at that point of the request; another one hears it again, twice, and has two answers."""
        self.stop(self.processes[-1])
        dies = self.serve(env={"CADRE_CRASH_AT": f"{point}:1"})
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.ask(method, path, body, headers=headers)
        dies.wait()
        self.end(dies)
        self.serve()
        answer = self.ask(method, path, body, headers=headers)
        self.assertEqual(answer.status, status, answer.text)
        self.assertNotIn("Idempotency-Replayed", answer.headers)
        again = self.ask(method, path, body, headers=headers)
        self.assertEqual((again.status, again.headers["Idempotency-Replayed"]), (status, "true"), again.text)
        return answer.json

    def records(self, task, kind):
        with journal_reader.Journal(self.home, live=True) as journal:
            return sum(record.kind == kind for record in journal.records(task))

    def stepping(self):
        self.serve(STEPS)
        task = self.made(execution_mode="step")
        self.assertEqual(self.at_rest(task)["status"], "paused")
        return task

    def test_a_step(self):
        task = self.stepping()
        for point in ("request_begun", "request_done"):
            before = self.records(task, RESUME)
            self.cut_off("POST", f"/tasks/{task}/step", {"steps": 1}, point)
            self.assertEqual(self.at_rest(task)["status"], "paused")
            self.assertEqual(self.records(task, RESUME), before + 1, point)

    def test_an_instruction(self):
        task = self.stepping()
        for n, point in enumerate(("request_begun", "request_done"), 1):
            self.cut_off("POST", f"/tasks/{task}/intervene", {"intervention_type": "instruction", "instruction": "Hurry."}, point, 202)
            self.assertEqual(self.records(task, INSTRUCTION), n, point)

    def test_an_answer(self):
        self.serve(ASK)
        task = self.made()
        [request] = self.at_rest(task)["ext"]["questions"]
        answer = self.cut_off("POST", f"/tasks/{task}/hitl/{request['request_id']}/respond",
                              {"response_type": "approved", "message": "blue"})
        self.assertEqual((answer["request_id"], answer["response_type"]), (request["request_id"], "approved"))
        self.assertEqual(self.records(task, ANSWER), 1)
        self.assertEqual(self.at_rest(task)["result"], "Blue it is.")

    def test_start_and_cancel(self):
        self.serve(ASK)
        task = self.post("/tasks", {"description": "Go."}).json["id"]
        self.cut_off("POST", f"/tasks/{task}/start")
        self.assertEqual(self.at_rest(task)["status"], "waiting")
        self.cut_off("DELETE", f"/tasks/{task}", status=202)
        self.assertEqual(self.records(task, CANCEL), 1)

    def test_a_removal(self):
        self.serve(TALK)
        task = self.made()
        self.at_rest(task)
        self.stop(self.processes[-1])
        dies = self.serve(env={"CADRE_CRASH_AT": "request_done:1"})
        key = {"Idempotency-Key": str(uuid.uuid4())}
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.ask("DELETE", f"/tasks/{task}", headers=key)
        self.end(dies)
        self.serve()
        self.assertEqual([self.ask("DELETE", f"/tasks/{task}", headers=key).status for _ in range(2)], [204, 204])
        self.assertEqual(self.ask("DELETE", f"/tasks/{task}").status, 404)

    def test_a_fork(self):
        self.serve(TALK)
        task = self.made()
        self.at_rest(task)
        report = self.cut_off("POST", f"/tasks/{task}/fork", {"description": "Something else"}, status=201)
        self.assertEqual(self.at_rest(report["task"])["status"], "completed")
        self.assertEqual({one["id"] for one in self.get("/tasks").json["tasks"]}, {task, report["task"]})

    def test_a_key(self):
        self.serve(TALK)
        made = self.cut_off("POST", "/keys", {"subject": "ann", "roles": ["user"]}, status=201)
        self.assertEqual([key["id"] for key in self.get("/keys").json["keys"]], [made["id"]])
        self.assertEqual(self.get("/whoami", token=made["key"]).json["subject"], "ann")
        self.cut_off("DELETE", f"/keys/{made['id']}")
        self.assertEqual(self.get("/whoami", token=made["key"]).status, 401)

    def test_a_team(self):
        self.serve(TALK)
        team = {**self.TEAM, "name": "sent"}
        self.cut_off("POST", "/teams", team, status=201)
        tag = self.get("/teams/sent").headers["ETag"]
        changed = {**team, "description": "Other."}
        self.cut_off("PUT", "/teams/sent", changed)
        self.assertNotEqual(self.get("/teams/sent").headers["ETag"], tag)

    def test_what_nobody_can_tell_is_said_so(self):
        self.serve(TALK)
        talk, key = str(uuid.uuid4()), {"Idempotency-Key": "once"}
        for words in ("One.", "Two."):
            self.at_rest(self.made(words, session_id=talk))
        self.stop(self.processes[-1])
        dies = self.serve(env={"CADRE_CRASH_AT": "request_done:1"})
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.ask("POST", f"/sessions/{talk}/undo", headers=key)
        self.end(dies)
        self.serve()
        answer = self.ask("POST", f"/sessions/{talk}/undo", headers=key)
        self.assertEqual(answer.status, 409, answer.text)
        self.assertIn("does not know how far it came", answer.json["detail"])


if __name__ == "__main__":
    unittest.main()
