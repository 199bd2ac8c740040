#!/usr/bin/env python3
"""`cadre serve` on the real program: tasks, control, people and what was done, over HTTP."""
import json
import signal
import time
import unittest
import uuid

from home import ASK, CONFLICT, INVALID, SUM, calls, wait_until
from serve import Serve


class Tasks(Serve):
    def test_from_creation_to_reply(self):  # API-02 A, API-03 A, API-04 A
        self.serve(SUM)
        made = self.post("/tasks", {"description": "2+3?", "metadata": {"ticket": 7}})
        self.assertEqual(made.status, 201)
        self.assertEqual(made.json["status"], "pending")
        self.assertEqual(made.json["ext"]["metadata"], {"ticket": 7})
        path = made.headers["Location"]
        self.assertEqual(path, f"/tasks/{made.json['id']}")
        self.assertEqual(self.post(f"{path}/start").status, 200)
        again = self.post(f"{path}/start")
        self.assertEqual((again.status, again.json["reason"]), (409, "already_started"))
        task = self.at_rest(made.json["id"])
        self.assertEqual((task["status"], task["result"]), ("completed", "The sum is 5."))
        self.assertEqual(task["ext"]["usage"]["model_calls"], 2)
        shown = json.loads(self.succeeds("show", "--json", made.json["id"]))
        self.assertEqual(shown["task"]["reply"]["text"], "The sum is 5.")

    # case 9 of the server
    def test_pending_stays_pending_over_restarts(self):
        process = self.serve(SUM)
        task = self.post("/tasks", {"description": "2+3?"}).json["id"]
        for _ in range(10):
            process.kill()
            process.wait()
            process = self.serve()
            self.assertEqual(self.get(f"/tasks/{task}").json["status"], "pending")

    def test_killed_server_continues(self):
        process = self.serve([{"text": "Slow.", "chunks": 20, "pace_ms": 100, "times": "any"}])
        task = self.made()
        process.kill()
        process.wait()
        self.serve()
        self.assertEqual(self.at_rest(task)["result"], "Slow.")

    # case 3 of the server
    def test_one_key_one_task(self):
        process = self.serve(SUM)
        key = {"Idempotency-Key": "order-7"}
        first = self.post("/tasks", {"description": "2+3?"}, headers=key)
        process.kill()
        process.wait()
        self.serve()
        second = self.post("/tasks", {"description": "2+3?"}, headers=key)
        self.assertEqual((first.status, second.status), (201, 200))
        self.assertEqual(first.json["id"], second.json["id"])
        self.assertEqual(second.headers["Idempotency-Replayed"], "true")
        less = self.post("/tasks", {"description": "2+3?", "budget": {"tokens": 7}}, headers=key)
        self.assertEqual((less.status, less.json["reason"]), (422, "idempotency_key_reused"))
        other = self.post("/tasks", {"description": "Something else"}, headers=key)
        self.assertEqual((other.status, other.json["reason"]), (422, "idempotency_key_reused"))
        self.assertEqual(len(self.get("/tasks").json["tasks"]), 1)

    def test_pages(self):
        self.serve([{"text": "Done.", "times": "any"}])
        tasks = [self.post("/tasks", {"description": f"Task {n}"}).json["id"] for n in range(7)]
        seen, cursor = [], ""
        while True:
            page = self.get(f"/tasks?limit=3{cursor}").json
            seen += [task["id"] for task in page["tasks"]]
            if not page["next_cursor"]:
                break
            cursor = f"&cursor={page['next_cursor']}"
        self.assertEqual(sorted(seen), sorted(tasks))
        self.assertEqual(len(self.get("/tasks?q=Task%203").json["tasks"]), 1)
        self.assertEqual(self.get("/tasks?status=running").json["tasks"], [])
        forged = self.get("/tasks?limit=3&status=pending" + cursor)
        self.assertEqual((forged.status, forged.json["reason"]), (400, "bad_cursor"))

    def test_etag(self):
        self.serve([{"text": "Done.", "times": "any"}])
        task = self.made()
        self.at_rest(task)
        first = self.get(f"/tasks/{task}")
        same = self.get(f"/tasks/{task}", headers={"If-None-Match": first.headers["ETag"]})
        self.assertEqual((same.status, same.text), (304, b""))


class Control(Serve):
    def test_pause_resume_cancel(self):  # API-05 A, API-06 A
        self.serve([{"text": "Slow.", "chunks": 30, "pace_ms": 200, "times": "any"}])
        task = self.made()
        self.assertEqual(self.post(f"/tasks/{task}/pause").status, 200)
        self.assertEqual(self.post(f"/tasks/{task}/pause").status, 200)
        cancelled = self.ask("DELETE", f"/tasks/{task}?reason=enough")
        self.assertEqual((cancelled.status, cancelled.json["status"]), (202, "cancelled"))
        for verb in ("pause", "resume", "step", "continue"):
            answer = self.post(f"/tasks/{task}/{verb}")
            self.assertEqual((answer.status, answer.json["reason"]), (409, "ended"), verb)

    def test_what_runs_is_cancelled_and_what_has_ended_is_removed(self):  # API-07 A
        self.serve([{"text": "Slow.", "chunks": 30, "pace_ms": 200, "times": "any"}])
        task, once = self.made(), {"Idempotency-Key": "stop-it"}
        first = self.ask("DELETE", f"/tasks/{task}", headers=once)
        self.assertEqual((first.status, first.json["status"]), (202, "cancelled"))
        again = self.ask("DELETE", f"/tasks/{task}", headers=once)  # case 6: what was to be cancelled is not removed by a retry
        self.assertEqual((again.status, self.get(f"/tasks/{task}").status), (202, 200))
        user = self.post("/keys", {"subject": "ann", "roles": ["user"]}).json["key"]
        own = self.post("/tasks", {"description": "Later."}, token=user).json["id"]
        self.assertEqual(self.ask("DELETE", f"/tasks/{own}", token=user).status, 202)
        self.assertEqual(self.ask("DELETE", f"/tasks/{own}", token=user).status, 403, "removing is for operators")
        for gone in (task, own):
            removed = self.ask("DELETE", f"/tasks/{gone}")
            self.assertEqual((removed.status, removed.text), (204, b""))
            self.assertEqual(self.get(f"/tasks/{gone}").status, 404)
            self.assertFalse((self.home / "tasks" / gone).exists())
        self.assertEqual(self.get("/tasks").json["tasks"], [])
        self.assertIn("delete_task", [entry["verb"] for entry in self.get("/audit").json["entries"]])

    def test_step(self):  # API-08 A, API-09 A
        self.serve(SUM)
        task = self.made("2+3?", execution_mode="step")
        paused = self.at_rest(task)
        self.assertEqual((paused["status"], paused["pause_reason"]), ("paused", "step_mode"))
        stepped = self.post(f"/tasks/{task}/step", {"steps": 1}, headers={"Prefer": "wait=30"})
        self.assertEqual((stepped.status, stepped.json["ext"]["usage"]["model_calls"]), (200, 1))
        done = self.post(f"/tasks/{task}/continue", headers={"Prefer": "wait=30"})
        self.assertEqual(done.json["result"], "The sum is 5.")

    def test_instruction(self):  # API-10 A
        self.serve([calls("ask_human", question="Which?"), {"when": {"contains": "be brief"}, "text": "Brief."}])
        task = self.made()
        self.at_rest(task)
        told = self.post(f"/tasks/{task}/intervene", {"intervention_type": "instruction", "instruction": "be brief"})
        self.assertEqual(told.status, 202, told.text)
        request = self.get(f"/tasks/{task}/hitl/requests").json["requests"][0]["request_id"]
        self.post(f"/tasks/{task}/hitl/{request}/respond", {"response_type": "approved", "message": "blue"})
        self.assertEqual(self.at_rest(task)["result"], "Brief.")

    def test_the_command_line_beside_it(self):
        self.serve(ASK)
        run = self.cadre("run", "--agent", "researcher", "--model", self.script(ASK, "other.json"), "Go.")
        self.assertEqual(run.returncode, 11, run.stderr)
        inbox = self.get("/hitl").json["requests"]
        self.assertEqual(len(inbox), 1)
        self.succeeds("answer", inbox[0]["task_id"], "blue")
        self.assertEqual(self.at_rest(inbox[0]["task_id"])["result"], "Blue it is.")


class People(Serve):
    def test_question_and_answer(self):  # API-11 A, API-12 A
        self.serve(ASK)
        task = self.made()
        waiting = self.at_rest(task)
        self.assertEqual(waiting["status"], "waiting")
        resume = self.post(f"/tasks/{task}/resume")
        self.assertEqual((resume.status, resume.json["reason"]), (409, "waiting"))
        [request] = self.get(f"/tasks/{task}/hitl/requests").json["requests"]
        self.assertEqual(resume.json["requests"], [request])
        self.assertEqual((request["request_type"], request["context"]["question"]), ("feedback", "Which colour?"))
        path = f"/tasks/{task}/hitl/{request['request_id']}/respond"
        answer = self.post(path, {"response_type": "approved", "message": "blue"}, headers={"Prefer": "wait=30"})
        self.assertEqual((answer.status, answer.json["task"]["result"]), (200, "Blue it is."), answer.text)
        late = self.post(path, {"response_type": "approved", "message": "red"})
        self.assertEqual((late.status, late.json["reason"]), (409, "already_answered"))
        self.assertEqual(late.json["answer"]["response_type"], "approved")
        unknown = self.post(f"/tasks/{task}/hitl/nothing/respond", {"response_type": "approved"})
        self.assertEqual(unknown.status, 404, unknown.text)


    def test_what_a_task_below_asks_is_asked_by_the_one_above(self):
        agents = [{"name": name, "role": "Works.", "prompt": f"You are {name}.", "tools": ["ask_human"]} for name in ("lead", "scout")]
        team = {**self.TEAM, "agents": agents,
                "handoff_rules": [{"from_agent": "lead", "to_agent": "scout", "handoff_type": "hierarchical"}]}
        self.serve([{"when": {"agent": "lead", "nth": 1}, **calls("delegate", to="scout", task="Ask.")},
                    {"when": {"agent": "lead", "nth": 2}, "text": "Merged."},
                    {"when": {"agent": "scout", "after_tool": True}, "text": "It is blue."},
                    {"when": {"agent": "scout"}, **calls("ask_human", question="Which colour?")}], team=team)
        root = self.made()
        began = time.monotonic()
        [request] = self.at_rest(root)["ext"]["questions"]
        self.assertLess(time.monotonic() - began, 20)
        self.assertNotEqual(request["task_id"], root)
        self.assertEqual(self.get(f"/tasks/{root}/hitl/requests").json["requests"], [request])
        self.assertEqual(request["verbs"], ["approved", "rejected", "modified"])
        listed = json.loads(self.succeeds("tasks", "--json"))["tasks"]
        self.assertEqual({task["id"]: task["status"] for task in listed}, {root: "running", request["task_id"]: "waiting"})
        answer = self.post(f"/tasks/{root}/hitl/{request['request_id']}/respond", {"response_type": "approved", "message": "blue"})
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(self.at_rest(root)["result"], "Merged.")


class Looking(Serve):
    def test_what_was_done(self):  # API-20 A, API-25 A
        self.serve(SUM)
        task = self.made("2+3?")
        self.at_rest(task)
        steps = self.get(f"/tasks/{task}/history").json["steps"]
        file = self.home / "tasks" / task / "history.jsonl"
        wait_until(lambda: file.exists() and len(file.read_text().splitlines()) == len(steps), "its files are written")
        self.assertEqual(steps, [json.loads(line) for line in file.read_text().splitlines()])
        page = self.get(f"/tasks/{task}/history?limit=1").json
        self.assertEqual((len(page["steps"]), page["next_after"]), (1, 1))
        kinds = [span["kind"] for span in self.get(f"/tasks/{task}/trace").json["spans"]]
        self.assertEqual((kinds[0], kinds.count("step"), kinds.count("call")), ("task", 2, 1))
        self.assertEqual(self.get(f"/tasks/{task}/verify").json["problems"], [])
        replay = self.get(f"/tasks/{task}/replay").json
        self.assertEqual((replay["finished"], replay["diverged"]), (True, None))
        self.assertEqual(len(self.get(f"/tasks/{task}/tree").json["tasks"]), 1)
        self.assertGreaterEqual(len(self.get(f"/tasks/{task}/metrics").json), 1)
        self.assertEqual(self.get(f"/tasks/{task}/plan").json["reason"], "no_plan")

    def test_the_trace_of_a_workflow_says_what_a_node_waited_for(self):
        nodes = {name: {"type": "tool", "tool": "calculator", "args": {"expression": "1+1"}} for name in ("begin", "left", "right", "meet")}
        ways = (("begin", "left"), ("begin", "right"), ("left", "meet"), ("right", "meet"))
        self.write("workflows/flow.json", {"name": "flow", "patterns": ["react"], "entry_point": "begin", "nodes": nodes,
                                           "edges": [{"from": a, "to": b} for a, b in ways]})
        self.serve([])
        task = self.made(workflow="flow")
        self.assertEqual(self.at_rest(task)["status"], "completed")
        spans = self.get(f"/tasks/{task}/trace").json["spans"]
        self.assertEqual({span["name"]: (span["after"], span["joins"]) for span in spans if span["kind"] == "node"},
                         {"begin": ([], False), "left": (["begin"], False), "right": (["begin"], False), "meet": (["left", "right"], True)})

    def test_files(self):  # API-16 A, API-17 A
        self.serve([calls("write_file", path="notes/a.txt", content="Hello"), {"text": "Written."}])
        task = self.made()
        self.assertEqual(self.at_rest(task)["status"], "completed")
        (listed,) = self.get(f"/tasks/{task}/artifacts").json["artifacts"]
        self.assertEqual((listed["path"], listed["size_bytes"], listed["version"], listed["created_by"]), ("notes/a.txt", 5, "1", "write_file"))
        file = self.get(f"/tasks/{task}/artifacts/notes/a.txt")
        self.assertEqual((file.text, file.headers["Content-Disposition"]), (b"Hello", "attachment; filename*=UTF-8''a.txt"))
        for path in ("..%2f..%2ftask.json", "../task.json", "%2e%2e/task.json", "notes"):
            self.assertIn(self.get(f"/tasks/{task}/artifacts/{path}").status, (400, 404), path)
        (self.home / "tasks" / task / "artifacts" / "link").symlink_to("/etc/passwd")
        self.assertEqual(self.get(f"/tasks/{task}/artifacts/link").status, 404)

    def test_fork(self):
        self.serve([{"text": "First.", "times": "any"}])
        task = self.made()
        self.at_rest(task)
        fork = self.post(f"/tasks/{task}/fork", {"description": "Something else"})
        self.assertEqual(fork.status, 201, fork.text)
        self.assertEqual(self.at_rest(fork.json["task"])["status"], "completed")

    def test_sessions(self):
        self.serve([{"text": "Hello Ann.", "times": "any"}])
        talk = str(uuid.uuid4())
        first = self.made("I am Ann.", session_id=talk)
        self.at_rest(first)
        self.at_rest(self.made("And now?", session_id=talk))
        session = self.get(f"/sessions/{talk}").json
        self.assertEqual([message["text"] for message in session["messages"]], ["I am Ann.", "Hello Ann.", "And now?", "Hello Ann."])
        self.assertEqual(self.get("/sessions").json["sessions"][0]["turns"], 2)
        self.assertEqual(self.post(f"/sessions/{talk}/undo").json["prompt"], "And now?")

    def test_what_can_be_run(self):  # API-26 A, API-28 A
        self.serve(SUM)
        [team] = self.get("/teams").json["teams"]
        self.assertEqual((team["id"], team["valid"], team["agents"]), ("desk", True, ["researcher"]))
        whole = self.get("/teams/desk")
        self.assertEqual(whole.headers["ETag"], team["etag"])
        self.assertEqual(whole.json["agents"][0]["name"], "researcher")
        self.assertIn("researcher", [agent["id"] for agent in self.get("/agents").json["teams"]])
        self.assertEqual(self.get("/teams/nobody").status, 404)


class Teams(Serve):
    def test_sent_replaced_and_run(self):  # API-27 A, API-29 A
        process = self.serve(SUM)
        team = {**self.TEAM, "name": "sent"}
        made = self.post("/teams", team)
        self.assertEqual((made.status, made.headers["Location"]), (201, "/teams/sent"), made.text)
        again = self.post("/teams", team)
        self.assertEqual((again.status, again.json["reason"]), (409, "exists"))
        process.kill()
        process.wait()
        self.serve()
        self.assertEqual({one["id"]: one["source"] for one in self.get("/teams").json["teams"]}, {"desk": "project", "sent": "api"})
        self.assertEqual(self.at_rest(self.made("2+3?", team="sent"))["result"], "The sum is 5.")
        tag = self.get("/teams/sent").headers["ETag"]
        changed = self.ask("PUT", "/teams/sent", {**team, "description": "Other."}, headers={"If-Match": tag})
        self.assertEqual((changed.status, changed.json["description"]), (200, "Other."), changed.text)
        late = self.ask("PUT", "/teams/sent", team, headers={"If-Match": tag})
        self.assertEqual((late.status, late.json["etag"]), (412, changed.headers["ETag"]))
        own = self.ask("PUT", "/teams/desk", team)
        self.assertEqual((own.status, own.json["reason"]), (409, "read_only"))

    # case 29 of the server
    def test_what_only_the_operator_may_say(self):
        self.serve(SUM)
        agent = self.TEAM["agents"][0]
        for change, field in [({"agents": [{**agent, "prompt": "${HOME}"}]}, "/agents/0/prompt"),
                              ({"default_llm": {"provider": "openai", "model": "m", "base_url": "http://10.0.0.1"}}, "/default_llm/base_url"),
                              ({"default_llm": {"provider": "script", "model": "/etc/passwd"}}, "/default_llm/provider"),
                              ({"tools": [{"name": "run", "type": "custom", "path": "/bin/sh", "function": "x"}]}, "/tools/0/path"),
                              ({"agents": [{**agent, "prompt": None, "prompt_template": "../x.j2"}]}, "/agents/0/prompt_template")]:
            answer = self.post("/teams", {**self.TEAM, "name": "sent", **change})
            self.assertEqual((answer.status, answer.json.get("reason")), (403, "operator_only"), answer.text)
            self.assertIn(field, answer.json["fields"])

    def test_other_ways_to_what_only_the_operator_may_say(self):
        self.serve(SUM)
        secret = self.write("secret.yaml", "- {text: secret}\n")
        for model in (f"script:{secret}", f"script/{secret}", f"replay:{secret}", "openai"):
            answer = self.post("/tasks", {"description": "x", "model": model, "start": True})
            self.assertEqual((answer.status, answer.json["errors"][0]["pointer"]), (422, "/model"), answer.text)
        for llm in ({"model": str(secret)}, {"provider": "openai", "model": "m", "fallback": [f"script:{secret}"]}):
            self.assertEqual(self.post("/teams", {**self.TEAM, "name": "sent", "default_llm": llm}).json.get("reason"), "operator_only")
        free = {**self.TEAM, "name": "sent", "permissions": {"allow": ["*"]}}
        self.assertEqual(self.post("/teams", free).json.get("reason"), "operator_only")
        task = self.made(execution_mode="step")
        self.at_rest(task)
        stolen = {**self.TEAM, "default_llm": {"provider": "openai", "model": "m", "base_url": self.url, "api_key_env": "HOME"}}
        taken = self.post(f"/tasks/{task}/intervene", {"intervention_type": "team_modification", "details": {"team": stolen}})
        self.assertEqual((taken.status, taken.json.get("reason")), (403, "operator_only"), taken.text)
        fork = self.post(f"/tasks/{task}/fork", {"model": f"script:{secret}"})
        self.assertEqual(fork.status, 422, fork.text)

    def test_guardrails_are_read_tried_and_replaced(self):
        self.serve([{"text": "The password is hunter2.", "times": "any"}])
        secret = {"name": "no_password", "type": "content_filter", "severity": "high", "action": "block", "everywhere": True,
                  "rules": [{"kind": "keywords", "value": ["hunter2"], "on": "output"}]}
        masks = {"name": "no_addresses", "type": "compliance", "action": "rewrite", "everywhere": True, "rules": [{"kind": "pii"}]}
        self.assertEqual(self.post("/teams", {**self.TEAM, "name": "sent"}).status, 201)
        none = self.get("/teams/sent/guardrails")
        self.assertEqual(none.json, {"policies": [], "agents": [{"agent": "researcher", "policies": [], "version": ""}], "remarks": []})
        tries = lambda text, **more: self.post("/teams/sent/guardrails/test", {"agent": "researcher", "text": text, **more})  # noqa: E731
        self.assertEqual(tries("hunter2").json["action"], "pass")
        tried = tries("It is HUNTER2.", policies=[secret])  # before it holds
        self.assertEqual((tried.json["action"], tried.json["checks"][0]["policy_violated"]), ("block", "no_password"), tried.text)
        viewer = self.post("/keys", {"subject": "vic", "roles": ["viewer"]}).json["key"]
        wanted = {"policies": [secret, masks]}
        self.assertEqual(self.ask("PUT", "/teams/sent/guardrails", wanted, token=viewer).status, 403)
        changed = self.ask("PUT", "/teams/sent/guardrails", wanted, headers={"If-Match": none.headers["ETag"]})
        self.assertEqual((changed.status, changed.json["agents"][0]["policies"]), (200, ["no_password", "no_addresses"]), changed.text)
        late = self.ask("PUT", "/teams/sent/guardrails", {"policies": []}, headers={"If-Match": none.headers["ETag"]})
        self.assertEqual((late.status, late.json["reason"]), (412, "changed"))
        wrong = self.ask("PUT", "/teams/sent/guardrails", {"policies": [{**secret, "rules": [{"kind": "regex", "value": "("}]}]})
        self.assertEqual(wrong.status, 422, wrong.text)
        self.assertEqual(tries("Write to ann@example.com.").json["text"], "Write to [EMAIL].")
        self.assertEqual(tries("hunter2", place="input").json["action"], "pass")
        ended = self.at_rest(self.made(team="sent"))
        self.assertEqual(ended["status"], "failed")
        self.assertIn("no_password", ended["error"])
        self.assertEqual(self.ask("PUT", "/teams/desk/guardrails", wanted).json["reason"], "read_only")
        self.assertEqual(tries("x", agent="nobody").json["errors"][0]["pointer"], "/agent")
        verbs = [(entry["kind"], entry["verb"], entry["subject"]) for entry in self.get("/audit").json["entries"]]
        self.assertIn(("denied", "replace_guardrails", "vic"), verbs)
        self.assertIn(("act", "replace_guardrails", "admin"), verbs)

    def test_users_cannot_raise_their_budget(self):
        self.serve(SUM)
        key = self.post("/keys", {"subject": "ann", "roles": ["user"]}).json["key"]
        more = self.post("/tasks", {"description": "x", "budget": {"tokens": 999_999_999}}, token=key)
        self.assertEqual((more.status, more.json.get("reason")), (403, "over_budget"), more.text)
        self.assertEqual(self.post("/tasks", {"description": "x", "budget": {"tokens": 9}}, token=key).json["ext"]["budget"]["tokens"], 9)

    def test_a_team_that_cannot_run(self):
        self.serve(SUM)
        bad = self.post("/teams", {**self.TEAM, "name": "sent", "handoff_rules": [{"from_agent": "nobody", "to_agent": "researcher"}]})
        self.assertEqual(bad.status, 422, bad.text)
        self.assertIn("nobody", bad.json["detail"])
        self.assertNotIn(str(self.folder), bad.text.decode())
        self.assertEqual(self.get("/teams/sent").status, 404)
        self.assertEqual(self.post("/teams", {**self.TEAM, "name": "../x"}).status, 422)


class Manners(Serve):
    def test_who_may(self):  # API-23 A, PROD-02 A
        self.serve(SUM)
        self.assertEqual(self.get("/tasks", token=None).status, 401)
        self.assertEqual(self.get("/tasks", token="ck_000000000000_" + "0" * 32).status, 401)
        self.assertEqual(self.get("/tasks", token="x").headers["WWW-Authenticate"], "Bearer")
        self.assertEqual(self.get("/health", token=None).json, {"status": "healthy"})
        health = self.get("/health")
        self.assertEqual((health.status, {check["status"] for check in health.json["checks"]}), (200, {"healthy"}))
        self.assertLessEqual({"store", "configuration", "tokens"}, {check["component"] for check in health.json["checks"]})
        viewer = self.post("/keys", {"subject": "vic", "roles": ["viewer"]}).json["key"]
        self.assertEqual(self.post("/tasks", {"description": "Go."}, token=viewer).status, 403)
        self.assertEqual(self.get("/tasks", token=viewer).status, 200)

    def test_bad_requests(self):
        self.serve(SUM)
        for method, path, status in [("GET", "/nothing", 404), ("PUT", "/tasks", 405), ("GET", "/tasks/7", 404),
                                     ("GET", "/tasks/3f2b8c1e-0000-4000-8000-000000000000", 404), ("GET", "/tasks?limit=0", 422),
                                     ("GET", "/tasks?limits=3", 422), ("GET", "/tasks?q=%zz", 400), ("GET", "/tasks?q=a&q=b", 400)]:
            answer = self.ask(method, path)
            self.assertEqual(answer.status, status, path)
            self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
        self.assertEqual(self.ask("POST", "/tasks", raw="{").status, 415)
        for body, status in [("{", 400), ("[]", 422), ("{}", 422), ('{"description":7}', 422), ('{"description":"a","colour":1}', 422),
                             ('{"description":"a","team":"../x"}', 422), ('{"description":"a","team":"nobody"}', 422)]:
            answer = self.ask("POST", "/tasks", raw=body, headers={"Content-Type": "application/json"})
            self.assertEqual(answer.status, status, (body, answer.text))
            self.assertNotIn(str(self.folder), answer.text.decode())
        too_large = self.ask("POST", "/tasks", raw=json.dumps({"description": "x" * (2 << 20)}), headers={"Content-Type": "application/json"})
        self.assertEqual(too_large.status, 413)

    # case 26 of the server
    def test_pages_of_other_sites(self):
        self.serve(SUM)
        self.assertEqual(self.get("/health", headers={"Host": "evil.example"}).status, 421)
        self.assertEqual(self.get("/health", headers={"Origin": "https://evil.example"}).status, 403)
        self.assertEqual(self.get("/health", headers={"Origin": "null"}).status, 403)
        self.assertEqual(self.get("/health", headers={"Sec-Fetch-Site": "cross-site"}).status, 403)
        self.assertEqual(self.get("/health", headers={"Origin": self.url}).status, 200)

    def test_refuses_to_start(self):
        self.write("cadre.yaml", "version: 1.0.0\n")
        for words, says in [(["--listen", "0.0.0.0:0", "--no-auth"], "--no-auth is not possible"),
                            (["--listen", "0.0.0.0:0"], "--behind-proxy"), (["--listen", "8080"], "is not an address"),
                            (["--tls-cert", "a.pem"], "belong together")]:
            done = self.cadre("serve", *words)
            self.assertEqual((done.returncode, says in done.stderr), (INVALID, True), done.stderr)

    def test_one_owner(self):
        process = self.serve(SUM)
        second = self.cadre("serve", "--listen", "127.0.0.1:0")
        self.assertEqual(second.returncode, CONFLICT, second.stderr)
        self.assertIn(str(process.pid), second.stderr)

    def test_ends_in_good_order(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.serve([{"text": "Slow.", "chunks": 20, "pace_ms": 100, "times": "any"}])
            task = self.made()
            self.stop(process, number)
            self.assertEqual(process.returncode, 0)
            again = self.serve()
            self.assertEqual(self.at_rest(task)["result"], "Slow.")
            self.stop(again)

    def test_the_end_does_not_wait_for_a_model(self):
        process = self.serve([{"text": "Late.", "delay_ms": 300_000, "times": "any"}], "--drain", "1s")
        task = self.made()
        began = time.monotonic()
        self.stop(process)
        self.assertEqual(process.returncode, 0)
        self.assertLess(time.monotonic() - began, 30)
        self.serve()
        self.assertEqual(self.get(f"/tasks/{task}").json["status"], "running")

    def test_documents(self):
        self.serve(SUM)
        document = self.get("/openapi.json", token=None).json
        self.assertEqual(document["openapi"], "3.1.0")
        self.assertIn("post", document["paths"]["/tasks"])
        self.assertIn("/tasks/{task_id}/start", self.get("/docs", token=None).text.decode())
        self.assertIn("task_view", document["components"]["schemas"])
        self.assertIn("team", self.get("/schemas").json["schemas"])
        self.assertIn("properties", self.get("/schemas/team").json)
        self.assertEqual(self.get("/problems/already_started", token=None).status, 200)

    def test_metrics(self):
        self.serve(SUM)
        self.get("/tasks")
        self.at_rest(self.made())
        self.post("/tasks", {"description": "Later."})
        text = self.get("/metrics").text.decode()
        self.assertIn('cadre_tasks{status="pending"} 1', text)
        self.assertIn('cadre_http_requests_total{method="GET",route="list_tasks",status="200"} 1', text)


if __name__ == "__main__":
    unittest.main()
