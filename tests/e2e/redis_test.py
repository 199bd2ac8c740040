#!/usr/bin/env python3
"""Tasks as clients of document 002 find them in a Redis, whatever becomes of it meanwhile."""
import concurrent.futures
import json
import shutil
import signal
import unittest

from home import INVALID, ROOT
from redis_server import NO_REDIS, RedisServer
from serve import Serve
from team_scenes import Stage
from sub_agents_test import ERRANDS

DAY = 86_400
HEARD = "what could not be copied"


@unittest.skipIf(NO_REDIS, NO_REDIS or "")
class Copies(Serve):
    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "examples/smart_home", self.folder, dirs_exist_ok=True)
        self.redis = RedisServer(self.folder / "redis")
        self.addCleanup(self.redis.end)
        self.env["CADRE_REDIS_URL"] = self.redis.url

    def told(self):
        """What the server says of Redis."""
        return next(check for check in self.get("/health").json["checks"] if check["component"] == "redis")

    def until_told(self, status, text=""):
        self.until(lambda: self.told()["status"] == status and text in self.told()["text"], f"{status}: {text}")

    def task_of(self, prompt, *words):
        self.succeeds("run", "--quiet", *words, prompt)
        return self.newest()

    def newest(self):
        return json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"][0]["id"]

    # A2A-08 E, A2A-20 E, A2A-21 E
    def test_a_request_lies_at_its_key_in_the_documents_form_byte_for_byte(self):
        task = self.task_of("Turn on the kitchen lights")
        text = self.redis.copy(task)
        said = json.loads(text)
        times = [said["status"]["timestamp"], *(message["timestamp"] for message in said["history"])]
        for time in times:
            self.assertRegex(time, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$")
        answer = "I've turned on the kitchen lights."
        # members, their order and their spelling as in tests/golden/model/002_task_context.json
        expected = {"id": task, "sessionId": task,
                    "status": {"state": "completed", "message": {"role": "assistant", "content": answer}, "timestamp": times[0]},
                    "history": [{"role": "user", "content": "Turn on the kitchen lights", "timestamp": times[1]},
                                {"role": "assistant", "content": answer, "timestamp": times[2]}],
                    "artifacts": [], "metadata": {"agentSelections": ["light-agent"], "routingConfidence": 0.95}}
        self.assertEqual(text, json.dumps(expected, separators=(",", ":"), ensure_ascii=False))
        self.assertIn(int(self.redis.ask("TTL", f"task:{task}")), range(DAY - 60, DAY + 1))
        self.assertEqual(sorted(self.redis.ask("KEYS", "*").split()), sorted([f"task:{task}", f"cadre:seq:{task}"]))

    # A2A-21 E
    def test_the_time_is_that_of_the_settings(self):
        file = self.folder / "config/appsettings.json"
        settings = json.loads(file.read_text())
        settings.setdefault("OrchestrationOptions", {})["TaskContextTTL"] = 2
        file.write_text(json.dumps(settings))
        self.assertNotIn("not in effect", self.succeeds("check"))
        task = self.task_of("Turn on the kitchen lights")
        self.assertIn(int(self.redis.ask("TTL", f"task:{task}")), range(7200 - 60, 7201))

    # A2A-22 E
    def test_of_a_conversation_of_sixty_messages_the_newest_fifty_are_there(self):
        session = "6f1c8a2e-4b7d-4c3f-a9e0-5d1b2c3a4f60"
        self.serve([{"text": "Yes.", "times": "any"}])
        for number in range(30):
            task = self.made(f"message {number}", session_id=session)
            self.assertEqual(self.at_rest(task)["status"], "completed")
        self.until(lambda: '"completed"' in self.redis.copy(task), "the last copy")
        said = json.loads(self.redis.copy(task))
        self.assertEqual(said["sessionId"], session)
        self.assertEqual([message["content"] for message in said["history"] if message["role"] == "user"],
                         [f"message {number}" for number in range(5, 30)])
        self.assertEqual(len(said["history"]), 50)

    # A2A-24 E, A2A-25 E
    def test_a_question_and_its_answer_are_seen_over_a_kill_of_everything(self):
        server = self.serve()
        task = self.made("Make it warmer")
        self.at_rest(task)
        self.until(lambda: '"input-required"' in self.redis.copy(task), "the question")
        waiting = json.loads(self.redis.copy(task))
        self.assertIn("Is it for climate-agent or light-agent?", waiting["status"]["message"]["content"])
        self.assertEqual(self.redis.ask("TTL", f"task:{task}"), "-1")  # it may wait for long
        server.send_signal(signal.SIGKILL)
        server.wait()
        self.redis.kill()
        self.redis.start()
        self.serve()
        self.until(lambda: self.redis.copy(task), "the copy of a task that has not ended")
        self.assertEqual(json.loads(self.redis.copy(task)), waiting)
        question, = self.get(f"/tasks/{task}").json["ext"]["questions"]
        self.post(f"/tasks/{task}/hitl/{question['request_id']}/respond",
                  {"response_type": "approved", "message": "the living room temperature"})
        self.assertEqual(self.at_rest(task)["status"], "completed")
        self.until(lambda: '"completed"' in self.redis.copy(task), "the answer")
        said = json.loads(self.redis.copy(task))
        self.assertEqual(said["metadata"], {"agentSelections": ["climate-agent"], "routingConfidence": 0.9})
        self.assertEqual(said["history"][-1]["content"], "The living room is set to 22 degrees.")
        self.assertGreater(int(self.redis.ask("TTL", f"task:{task}")), DAY - 60)

    # ORCH scenario 7
    def test_two_hundred_requests_are_answered_while_redis_is_gone_and_are_there_when_it_is_back(self):
        many = "{requests: 1000, seconds: 1}"
        file = self.folder / "cadre.yaml"
        file.write_text(f"{file.read_text()}\nserver: {{rates: {{create: {many}, read: {many}}}}}\n")
        self.serve()
        self.until_told("healthy")
        self.assertEqual(self.get("/health").json["status"], "healthy")
        self.redis.kill()

        def answered(number):
            task = self.made("Turn on the kitchen lights")
            self.assertEqual(self.at_rest(task)["status"], "completed")
            return task
        with concurrent.futures.ThreadPoolExecutor(16) as clients:
            tasks = set(clients.map(answered, range(200)))
        self.assertEqual(len(tasks), 200)
        self.until_told("degraded", "down: ")
        self.assertEqual(self.get("/health").json["status"], "degraded")
        self.assertEqual(self.get("/health", token=None).json, {"status": "degraded"})
        self.redis.start()
        self.until(lambda: self.redis.copies() == tasks, HEARD)
        self.until_told("healthy")
        for task in list(tasks)[:5]:
            self.assertEqual(json.loads(self.redis.copy(task))["status"]["state"], "completed")

    def test_what_a_killed_process_did_not_copy_the_next_one_does(self):
        server = self.serve()
        self.until_told("healthy")
        self.redis.kill()
        task = self.made("Turn on the kitchen lights")
        self.at_rest(task)
        server.send_signal(signal.SIGKILL)
        server.wait()
        self.redis.start()
        self.serve()
        self.until(lambda: '"completed"' in self.redis.copy(task), HEARD)

    def test_a_redis_that_stands_still_or_refuses_holds_nobody_up(self):
        self.serve()
        self.until_told("healthy")
        self.redis.signal(signal.SIGSTOP)
        first = self.made("Turn on the kitchen lights")
        self.assertEqual(self.at_rest(first)["status"], "completed")
        self.until_told("degraded", "down: ")
        self.redis.signal(signal.SIGCONT)
        self.until(lambda: '"completed"' in self.redis.copy(first), HEARD)
        self.until_told("healthy")
        for refusal, *words in (("OOM", "maxmemory", "1", "0"), ("NOREPLICAS", "min-replicas-to-write", "1", "0")):
            setting, broken, well = words
            self.redis.ask("CONFIG", "SET", setting, broken)
            task = self.made("Turn on the kitchen lights")
            self.assertEqual(self.at_rest(task)["status"], "completed")
            self.until_told("degraded", refusal)
            self.redis.ask("CONFIG", "SET", setting, well)
            self.until(lambda: '"completed"' in self.redis.copy(task), HEARD)
            self.until_told("healthy")

    def test_a_rebuild_brings_back_what_was_flushed_and_a_removed_task_is_removed(self):
        task = self.task_of("Turn on the kitchen lights")
        text = self.redis.copy(task)
        self.redis.ask("FLUSHALL")
        other = self.task_of("Dim the lights and play jazz")
        self.assertEqual(self.redis.copies(), {other})
        self.succeeds("rebuild")
        self.assertEqual(self.redis.copy(task), text)
        self.assertEqual(self.redis.copies(), {task, other})
        self.serve()
        self.assertEqual(self.ask("DELETE", f"/tasks/{task}").status, 204)
        self.until(lambda: self.redis.copies() == {other}, "the copy of a removed task to go")

    def test_without_redis_a_command_takes_no_longer_and_says_nothing(self):
        self.redis.kill()
        done = self.cadre("run", "--quiet", "Turn on the kitchen lights")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "I've turned on the kitchen lights.\n", ""))
        task = self.newest()
        self.redis.start()
        self.task_of("Dim the lights and play jazz")  # any command that works on tasks
        self.assertIn('"completed"', self.redis.copy(task))

    def test_a_redis_elsewhere_needs_tls_and_a_password(self):
        for url in ("redis://redis.example.com:6379", "rediss://redis.example.com:6379"):
            done = self.cadre("run", "Turn on the kitchen lights", env={"CADRE_REDIS_URL": url})
            self.assertEqual(done.returncode, INVALID)
            self.assertIn("redis.url leads to another machine", done.stderr)
            checked = self.cadre("check", env={"CADRE_REDIS_URL": url})
            self.assertEqual(checked.returncode, INVALID)
            self.assertIn("redis.url leads to another machine", checked.stdout + checked.stderr)
        done = self.cadre("run", "Turn on the kitchen lights", env={"CADRE_REDIS_URL": "http://localhost"})
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("must begin with redis://, rediss:// or unix://", done.stderr)


@unittest.skipIf(NO_REDIS, NO_REDIS or "")
class Delegated(Stage):
    def test_what_is_delegated_is_part_of_the_task_above_and_lies_nowhere_by_itself(self):
        redis = RedisServer(self.folder / "redis")
        self.addCleanup(redis.end)
        self.env["CADRE_REDIS_URL"] = redis.url
        self.open_scene(ERRANDS)
        ended, _ = self.play()
        self.assertTrue(ended)
        root, *children = self.tasks()
        self.assertEqual(len(children), 2)
        self.assertEqual(redis.copies(), {root})
        self.assertEqual(json.loads(redis.copy(root))["history"][-1]["content"], "Both are done.")


if __name__ == "__main__":
    unittest.main()
