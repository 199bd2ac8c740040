#!/usr/bin/env python3
"""The API of `cadre serve` as a whole: every route against every kind of bad request, and strangers who judge its documents."""
import json
import os
import re
import signal
import socket
import subprocess
import unittest
import urllib.parse
import uuid

from home import ROOT, SUM, wait_until
from serve import Serve

NODE_MODULES = ROOT / "tests/node/node_modules"
NODE = os.environ.get("CADRE_NODE", str(NODE_MODULES / ".bin/node"))
SIGNED = {"take_webhook", "greet_webhook", "take_delivery_status"}  # a signature in place of a token
OPEN = {"health", "live", "livez", "ready", "readyz", "healthz", "openapi", "asyncapi", "docs", "front_page", "get_problem"}


class Documents(Serve):
    def tool(self, name, *words):
        return subprocess.run([NODE, str(NODE_MODULES / name), *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "REDOCLY_TELEMETRY": "off"})

    def document(self):
        self.serve(SUM)
        return self.write("openapi.json", self.get("/openapi.json").json)

    def test_redocly_finds_nothing(self):
        self.write("redocly.yaml", "extends: [minimal]\n")
        done = self.tool("@redocly/cli/bin/cli.js", "lint", "--format", "stylish", self.document())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_generated_typescript_client_compiles_and_runs_a_task(self):
        done = self.tool("openapi-typescript/bin/cli.js", self.document(), "-o", self.folder / "api.d.ts")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.write("client.ts", CLIENT)
        done = self.tool("typescript/bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck",
                         "--lib", "es2022,dom", "client.ts")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.write("package.json", {"type": "commonjs"})
        ran = subprocess.run([NODE, "client.js", self.url, self.token], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual((ran.returncode, ran.stdout), (0, "The sum is 5.\n"), ran.stderr)

    def test_the_parser_of_asyncapi_finds_nothing(self):
        self.serve(SUM)
        done = subprocess.run([NODE, str(ROOT / "tests/node/asyncapi_judge.mjs")], input=self.get("/asyncapi.json").text, capture_output=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        channels, operations = map(int, done.stderr.split())
        self.assertGreaterEqual((channels, operations), (7, 7))

    def test_promtool_finds_nothing_in_the_metrics(self):  # API-24 A
        self.serve(SUM)
        self.at_rest(self.made())
        done = subprocess.run(["promtool", "check", "metrics"], input=self.get("/metrics").text, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done)


CLIENT = """
import type { paths, components } from "./api";
const [, , url, token] = (globalThis as any).process.argv as string[];
type NewTask = components["schemas"]["new_task"];
type TaskView = paths["/tasks"]["post"]["responses"][201]["content"]["application/json"];
async function main() {
    const body: Partial<NewTask> = { description: "2+3?", start: true };
    const made = await fetch(url + "/tasks", {
        method: "POST", body: JSON.stringify(body),
        headers: { Authorization: "Bearer " + token, "Content-Type": "application/json", Prefer: "wait=30" } });
    const task = await made.json() as TaskView;
    console.log(task.result);
}
main();
"""


class EveryRoute(Serve):
    """Whatever a route is for, it refuses in the same way."""
    patient = True

    def ask(self, *words, **options):
        """Where it came too often, of a new server, which has counted nothing yet."""
        answer = super().ask(*words, **options)
        if answer.status != 429 or not self.patient:
            return answer
        self.stop(self.processes[-1])
        self.serve()
        return super().ask(*words, **options)

    def routes(self):
        document = self.get("/openapi.json").json
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                yield method.upper(), path, operation

    def filled(self, path, task):
        """The path with values for its parameters."""
        values = {"task_id": task, "request_id": "none", "session_id": str(uuid.uuid4()), "team_id": "desk", "name": "team",
                  "code": "not_found", "path": "a.txt", "key_id": "none", "id": "none", "account": "none",
                  "version": "1"}
        return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], path)

    def problem(self, answer, status, what):
        self.assertEqual(answer.status, status, (what, answer.text))
        self.assertEqual(answer.headers["Content-Type"], "application/problem+json", what)
        problem = answer.json
        self.assertEqual(problem["status"], status, what)
        self.assertEqual(problem["request_id"], answer.headers["X-Request-ID"], what)
        self.assertNotIn(str(self.folder), answer.text.decode(), what)
        return problem

    def test_without_a_token(self):
        self.serve(SUM)
        for method, path, operation in self.routes():
            answer = self.ask(method, self.filled(path, str(uuid.uuid4())), token=None)
            if operation["operationId"] in OPEN:
                self.assertEqual(operation["security"], [], path)
                self.assertLess(answer.status, 400, path)
            elif operation["operationId"] in SIGNED:
                self.assertEqual(operation["security"], [], path)
                self.problem(answer, 404, path)  # there is no such account
            else:
                self.problem(answer, 401, (method, path))

    def test_unknown_ids(self):
        self.serve(SUM)
        for method, path, operation in list(self.routes()):
            if "{task_id}" not in path:
                continue
            body = {} if "requestBody" in operation else None
            where = self.filled(path, str(uuid.uuid4()))
            answer = self.ask(method, where, body)
            if answer.status != 422:  # the body is looked at first
                self.problem(answer, 404, (method, path))
            self.problem(self.ask("GET", "/tasks/7"), 404, path)

    # case 22 of the server
    def test_other_tenants(self):
        """What another tenant has answers as what is not there, byte for byte."""
        self.serve(SUM)
        task = self.made()
        self.at_rest(task)
        stranger = self.post("/keys", {"subject": "eve", "roles": ["admin"], "tenant": "acme"}).json["key"]
        seen = 0
        for method, path, operation in list(self.routes()):
            if "{task_id}" not in path:
                continue
            seen += 1
            unknown, body = str(uuid.uuid4()), {} if "requestBody" in operation else None
            answers = []
            for one in (task, unknown):
                answer = self.ask(method, self.filled(path, one), body, token=stranger, headers={"X-Request-ID": "same"})
                answers.append((answer.status, answer.text.decode().replace(one, "ID"), answer.headers["Content-Type"]))
            self.assertEqual(answers[0], answers[1], (method, path))
            self.assertIn(answers[0][0], (404, 422), (method, path))
        self.assertGreaterEqual(seen, 25)

    def test_wrong_roles(self):
        """Who may nothing is refused before a byte of the body is read, and with the same words whether or not the thing is there."""
        self.serve(SUM)
        task = self.post("/tasks", {"description": "Wait."}).json["id"]
        key = self.post("/keys", {"subject": "nix", "roles": ["viewer"], "scopes": ["maintain"]}).json["key"]
        for method, path, operation in list(self.routes()):
            if operation["operationId"] in OPEN | SIGNED:
                continue
            raw = "not JSON" if "requestBody" in operation else None
            problem = self.problem(self.ask(method, self.filled(path, task), raw=raw, token=key), 403, (method, path))
            self.assertEqual(problem["code"], "forbidden")

    def test_draining(self):
        """While what is under way ends, nothing new is made, and what stops or answers something still works."""
        process = self.serve(SUM, "--drain", "30s")
        task = self.post("/tasks", {"description": "Wait."}).json["id"]
        where = urllib.parse.urlsplit(self.url)
        with socket.create_connection((where.hostname, where.port), timeout=60) as slow:
            body = json.dumps({"reason": "late"}).encode()
            head = (f"POST /tasks/{task}/cancel HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: Bearer {self.token}\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n")
            slow.sendall(head.encode())
            self.assertIn(b"100 Continue", slow.recv(100))
            process.send_signal(signal.SIGTERM)
            wait_until(lambda: self.get("/health/ready", token=None).status == 503, "it is not ready any more")
            for method, path, operation in list(self.routes()):
                if operation["operationId"] in ("create_task", "fork"):
                    answer = self.ask(method, self.filled(path, task), {"description": "New."})
                    self.problem(answer, 503, path)
                    self.assertEqual(answer.headers["Retry-After"], "5")
            self.assertEqual(self.get(f"/tasks/{task}").status, 200)
            slow.sendall(body)
            self.assertIn(b" 200 OK", slow.recv(4096))
        self.assertEqual(self.end(process)[2], 0)

    def test_bodies(self):
        self.serve(SUM)
        task = self.post("/tasks", {"description": "Wait."}).json["id"]
        seen = 0
        for method, path, operation in self.routes():
            if "application/json" not in operation.get("requestBody", {}).get("content", {}):
                continue
            seen += 1
            where, what = self.filled(path, task), (method, path)
            json_type = {"Content-Type": "application/json"}
            self.problem(self.ask(method, where, raw="{}", headers={"Content-Type": "text/plain"}), 415, what)
            self.problem(self.ask(method, where, raw="{", headers=json_type), 400, what)
            self.problem(self.ask(method, where, raw='{"a":1,"a":2}', headers=json_type), 400, what)
            self.problem(self.ask(method, where, raw="[" * 100 + "]" * 100, headers=json_type), 413, what)
            unknown = self.problem(self.ask(method, where, {"no_such_field": 1}), 422, what)
            self.assertIn("/no_such_field", [error["pointer"] for error in unknown["errors"]], what)
            self.problem(self.ask(method, where, raw=json.dumps("x" * (2 << 20)), headers=json_type), 413, what)
        self.assertGreaterEqual(seen, 8)

    def test_queries(self):
        self.serve(SUM)
        task = self.post("/tasks", {"description": "Wait."}).json["id"]
        for method, path, operation in self.routes():
            if any(one["in"] == "query" for one in operation.get("parameters", [])):
                unknown = self.problem(self.ask(method, self.filled(path, task) + "?no_such_field=1"), 422, (method, path))
                self.assertIn("/no_such_field", [error["pointer"] for error in unknown["errors"]])

    def test_over_the_rate(self):
        self.serve(SUM)
        self.patient = False
        answers = [self.get("/version") for _ in range(60)]
        late = [answer for answer in answers if answer.status == 429]
        self.assertTrue(late)
        problem = self.problem(late[0], 429, "rate")
        self.assertEqual(problem["code"], "rate_limited")
        self.assertGreaterEqual(int(late[0].headers["Retry-After"]), 1)
        self.assertEqual(self.get("/health").status, 200)

    def test_methods(self):
        self.serve(SUM)
        for path in {path for _, path, _ in self.routes()}:
            answer = self.ask("PATCH", self.filled(path, str(uuid.uuid4())))
            self.problem(answer, 405, path)
            options = self.ask("OPTIONS", self.filled(path, str(uuid.uuid4())))
            self.assertEqual((options.status, options.headers["Allow"]), (204, answer.headers["Allow"]))


if __name__ == "__main__":
    unittest.main()
