#!/usr/bin/env python3
"""What `cadre serve` tells, counts and hides: documents, names that do not exist, cursors, tickets, tokens shown in vain, connections, its log."""
import json
import socket
import unittest
import urllib.parse

from home import INVALID, SUM
from serve import Serve


class Manners(Serve):
    def with_settings(self, server, **options):
        self.write("cadre.yaml", json.dumps({"version": "1.0.0", "model": self.script(SUM), "team": "desk", "server": server}))
        self.write("teams/desk.json", self.TEAM)
        return self.serve(None, **options)

    def pointers(self, answer):
        self.assertEqual(answer.status, 422, answer.text)
        return [error["pointer"] for error in answer.json["errors"]]

    def test_names_that_do_not_exist(self):
        self.serve(SUM)
        for body, pointer in [({"team": "desks"}, "/team"), ({"agent": "nobody"}, "/agent"), ({"team": "desk", "agent": "nobody"}, "/agent"),
                              ({"workflow": "nothing"}, "/workflow"), ({"team": "desk", "pattern": "nothing"}, "/pattern")]:
            answer = self.post("/tasks", {"description": "Go.", **body})
            self.assertEqual(self.pointers(answer), [pointer], answer.text)
        self.assertIn("did you mean desk", self.post("/tasks", {"description": "Go.", "team": "desks"}).json["detail"])
        self.assertEqual(self.get("/tasks").json["tasks"], [])

    def test_statuses_that_do_not_exist(self):
        self.serve(SUM)
        answer = self.get("/tasks?status=foo")
        self.assertEqual(self.pointers(answer), ["/status"])
        for word in ("pending", "running", "waiting", "paused", "completed", "failed", "cancelled"):
            self.assertIn(word, answer.json["detail"])
        self.assertEqual(self.get("/tasks?status=running&status=paused").status, 200)

    def test_answers_speak_of_fields(self):
        self.serve(SUM)
        for body in ({"input": {"a": 1}}, {"model": "nobody/nothing"}, {"agent": "nobody", "pattern": "x"}):
            answer = self.post("/tasks", {"description": "Go.", "start": True, **body})
            self.assertGreaterEqual(answer.status, 400, answer.text)
            self.assertNotIn("--", answer.json["detail"])

    def test_cursors_over_restarts_and_tenants(self):
        process = self.serve(SUM)
        made = [self.post("/tasks", {"description": "Later."}).json["id"] for _ in range(3)]
        cursor = self.get("/tasks?limit=2").json["next_cursor"]
        self.assertEqual((self.home / "server" / "secret").stat().st_mode & 0o777, 0o600)
        self.stop(process)
        self.serve()
        rest = self.get("/tasks?limit=2&cursor=" + urllib.parse.quote(cursor)).json
        self.assertEqual([task["id"] for task in rest["tasks"]], made[:1])
        other = self.post("/keys", {"subject": "bob", "roles": ["admin"], "tenant": "acme"}).json["key"]
        stolen = self.get("/tasks?limit=2&cursor=" + urllib.parse.quote(cursor), token=other)
        self.assertEqual((stolen.status, stolen.json["reason"]), (400, "bad_cursor"))

    def test_documents_are_known_by_their_tag(self):
        self.serve(SUM)
        for path in ("/openapi.json", "/asyncapi.json", "/docs"):
            first = self.get(path, token=None)
            tag = first.headers["ETag"]
            self.assertTrue(tag, path)
            again = self.get(path, token=None, headers={"If-None-Match": tag})
            self.assertEqual((again.status, again.text, again.headers["ETag"]), (304, b"", tag), path)

    def test_a_ticket_cannot_buy_a_ticket(self):
        self.serve(SUM)
        answer = self.post("/tickets", {"path": "/tickets", "method": "POST"})
        self.assertEqual(self.pointers(answer), ["/path"])

    def test_places_in_streams(self):
        self.serve(SUM)
        task = self.made()
        self.at_rest(task)
        for query in ("since=0&step=a%2Fb", "since=0&step=" + "x" * 200, "since=0&offset=3", "since=now&step=a", "since=1&after=2", "since=1/a/b"):
            answer = self.get(f"/tasks/{task}/events?{query}")
            self.assertEqual((answer.status, answer.json.get("reason")), (400, "bad_since"), query)
        self.assertEqual(self.get(f"/tasks/{task}/events?since=0&step=a&offset=3").status, 200)

    def test_tokens_shown_in_vain_at_the_health(self):
        self.serve(SUM)
        answers = [self.get("/health", token="ck_000000000000_" + "0" * 32) for _ in range(12)]
        self.assertEqual([answer.status for answer in answers], [200] * 10 + [429] * 2)
        self.assertEqual(answers[0].json, {"status": "healthy"})
        self.assertEqual(self.get("/health", token=None).status, 200)
        self.assertIn("checks", self.get("/health").json)
        refused = [entry for entry in self.get("/audit").json["entries"] if entry["kind"] == "sign_in_refused"]
        self.assertTrue(refused)

    def test_connections_of_one_address(self):
        self.with_settings({"connections_per_address": 2})
        where = urllib.parse.urlsplit(self.url)
        held = [socket.create_connection((where.hostname, where.port)) for _ in range(2)]
        for one in held:
            one.sendall(f"GET /health/live HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())
            self.assertIn(b"200", one.recv(4096))
        self.assertEqual(self.get("/health/live").status, 503)
        held[0].close()
        self.until(lambda: self.get("/health/live").status == 200, "there is room again")

    def test_the_log_has_every_request(self):  # PROD-07 F
        self.serve(SUM)
        answer = self.get("/tasks?q=secret-words", headers={"X-Request-ID": "seen-1"})
        self.assertEqual(answer.headers["X-Request-ID"], "seen-1")
        own = self.get("/version").headers["X-Request-ID"]
        def logged():
            return [json.loads(line) for line in (self.home / "logs/cadre.log").read_text().splitlines()]
        self.until(lambda: any(line.get("request") == own for line in logged()), "the answered request is logged")
        lines = logged()
        self.assertEqual([line["route"] for line in lines if line.get("request") == own], ["version"])
        [line] = [line for line in lines if line.get("request") == "seen-1"]
        self.assertEqual((line["message"], line["route"], line["method"], line["status"], line["subject"]),
                         ("request", "list_tasks", "GET", 200, "admin"))
        self.assertNotIn("secret-words", json.dumps(lines))

    def test_only_what_continues_is_counted(self):
        self.write("cadre.yaml", f"version: 1.0.0\nmodel: {self.script([{'text': 'Late.', 'delay_ms': 300000, 'times': 'any'}])}\nteam: desk\n")
        self.write("teams/desk.json", self.TEAM)
        process = self.serve(None, "--drain", "0s")
        self.post("/tasks", {"description": "Later."})
        self.made()
        self.stop(process)
        process = self.start("serve", "--json", "--listen", "127.0.0.1:0")
        self.assertEqual(json.loads(process.stdout.readline())["tasks"], 1)

    def test_a_broken_project_is_told_once(self):
        self.write("cadre.yaml", "version: 1.0.0\nteams: [\n")
        done = self.cadre("serve", "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, INVALID, done.stderr)
        self.assertEqual(done.stderr.count("cadre.yaml:"), 1, done.stderr)
        self.write("cadre.yaml", "version: 1.0.0\nserver: {forwarded_header: X-Real-IP}\n")
        done = self.cadre("serve", "--listen", "127.0.0.1:0")
        self.assertEqual((done.returncode, done.stderr.count("X-Forwarded-For or Forwarded")), (INVALID, 1), done.stderr)

    def test_no_place_of_this_machine(self):
        self.serve(SUM)
        task = self.made()
        self.at_rest(task)
        for path in ("/teams", "/teams/desk", f"/tasks/{task}", f"/tasks/{task}/trace", f"/tasks/{task}/export", "/models", "/health"):
            answer = self.get(path)
            self.assertEqual(answer.status, 200, path)
            self.assertNotIn(str(self.folder), answer.text.decode(), path)
        self.assertEqual(self.get("/teams/desk").json["default_llm"]["model"], "script.json")
        export = self.write("run.cadre", self.get(f"/tasks/{task}/export").text.decode())
        imported = self.cadre("import", export, env={"CADRE_HOME": str(self.folder / "elsewhere")})
        self.assertEqual(imported.returncode, 0, imported.stderr)

    def test_behind_a_proxy_one_header_counts(self):
        self.with_settings({"behind_proxy": True})
        bad = "ck_000000000000_" + "0" * 32
        for n in range(12):  # the client adds another Forwarded each time; the proxy writes X-Forwarded-For
            headers = {"Forwarded": f"for=198.51.100.{n}", "X-Forwarded-For": "192.0.2.1"}
            answer = self.get("/whoami", token=bad, headers=headers)
        self.assertEqual(answer.status, 429)
        self.assertEqual(self.get("/whoami", token=bad, headers={"X-Forwarded-For": "192.0.2.2"}).status, 401)


if __name__ == "__main__":
    unittest.main()
