"""The folders of tasks, `rebuild`, retention and `gc`, with the real binary."""
import json
import re
import signal
import sqlite3
import subprocess
import unittest

from home import ASK, NOT_FOUND, ROOT, SUM, WAITING, Home, calls

DAY = 86_400_000  # milliseconds
POLICY = "default_days: 7\nby_task: {critical: 30, debug: 3}\nby_status: {failed: 14}\n"
FAIL = [{"fail": {"status": 400}}]


class Folders(Home):
    def of(self, task):
        return self.home / "tasks" / task

    def json_file(self, task, name):
        return json.loads((self.of(task) / name).read_text())

    def files(self, task):
        """Everything in the folder of a task but its artifacts."""
        folder = self.of(task)
        return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*"))
                if file.is_file() and "artifacts" not in file.parts}

    def finished(self, *words, entries=SUM, prompt="What is 2+3?", code=0):
        """The id of a task that was run to its end."""
        before = self.tasks()
        done = self.run_agent(entries, *words, prompt=prompt)
        self.assertEqual(done.returncode, code, done.stderr)
        (task,) = self.tasks() - before
        return task

    def tasks(self):
        return {task["id"] for task in json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]}

    def age(self, task, days):
        """As if the task had last changed so many days before: what the clock of retention starts from."""
        with sqlite3.connect(self.home / "cadre.db") as database:
            database.execute("UPDATE task SET updated_at = updated_at - ? WHERE name = ?", (days * DAY, task))
        database.close()
        stamp = self.home / "tasks/.collected"  # nothing happens by itself within the hour
        self.assertTrue(stamp.exists())

    def gc(self, *words, **options):
        return json.loads(self.succeeds("gc", "--json", *words, **options))


class Layout(Folders):
    def test_one_task_one_tool(self):  # STORE-02 F, STORE-03 F
        task = self.finished()
        shown = self.json_file(task, "task.json")
        self.assertEqual((shown["status"], shown["result"]), ("completed", "The sum is 5."))
        self.assertLessEqual(shown["created_at"], shown["started_at"])
        self.assertLessEqual(shown["started_at"], shown["completed_at"])
        known = self.show(task)["task"]
        for name in ("id", "description", "created_at", "completed_at"):
            self.assertEqual(shown[name], known[name])
        steps = [step for step in self.json_file(task, "trace.json")["steps"] if step["tool_calls"]]
        self.assertEqual(len(steps), 1)
        call = steps[0]["tool_calls"][0]
        self.assertEqual((call["tool"], call["arguments"], call["error"]), ("calculator", {"expression": "2+3"}, None))
        self.assertIn("5", json.dumps(call["result"]))

    def test_the_documents_names(self):  # STORE-08 F
        task = self.finished(entries=[calls("calculator", expression="1/0"), {"text": "It is not a number."}])
        names = set(self.files(task))
        self.assertEqual(names, {"task.json", "trace.json", "team.yaml", "plan.json", "memory/short_term.json", "history.jsonl", ".agentx/state.json",
                                 ".agentx/performance.json", ".agentx/cursor.json", ".agentx/logs/orchestrator.log",
                                 ".agentx/logs/agents.log", ".agentx/logs/tools.log", ".agentx/logs/errors.log"})
        steps = [json.loads(line) for line in (self.of(task) / "history.jsonl").read_text().splitlines()]
        self.assertTrue(all("step_id" in step for step in steps))
        plan = self.json_file(task, "plan.json")
        self.assertEqual((plan["goal"], [(item["id"], item["status"]) for item in plan["tasks"]]),
                         ("What is 2+3?", [("researcher", "completed")]))
        self.assertEqual({step["task_id"] for step in steps[1:]}, {"researcher"})
        self.write("teams/again.yaml", (self.of(task) / "team.yaml").read_text())
        self.succeeds("check", "teams/again.yaml")  # team.yaml is a team file

    def test_every_file_fits_its_schema(self):
        self.assertEqual(self.run_agent(ASK).returncode, WAITING)
        task = self.only_task()
        self.succeeds("answer", task, "blue")
        for name, entity in {"task.json": "framework_task", "trace.json": "trace_log", ".agentx/state.json": "state_file",
                             "checkpoint_000.json": "framework_checkpoint", "plan.json": "plan_file",
                             ".agentx/performance.json": "performance_file"}.items():
            schema = json.loads(self.succeeds("schema", entity))
            self.assertEqual(set(self.json_file(task, name)) - set(schema["properties"]), set(), name)

    def test_checkpoints_know_their_answer(self):  # CKPT-08 E
        done = self.run_agent(ASK)
        self.assertEqual(done.returncode, WAITING)
        task = self.only_task()
        checkpoint = self.json_file(task, "checkpoint_000.json")
        self.assertTrue(checkpoint["awaiting_human"])
        self.assertEqual(checkpoint["sequence"], 0)
        self.assertEqual(self.json_file(task, ".agentx/state.json")["status"], "paused")
        self.succeeds("answer", task, "blue")
        self.assertIn("resumed_at", self.json_file(task, "checkpoint_000.json")["ext"])
        self.assertEqual(self.json_file(task, ".agentx/state.json")["status"], "completed")

    def test_the_trace_is_whole_whenever_it_is_looked_at(self):  # TRACE-06 E, TRACE-17 F
        entries = [dict(calls("calculator", expression=str(n)), delay_ms=450) for n in range(8)] + [{"text": "Done."}]
        process, task = self.start_agent(entries)
        seen = set()
        while process.poll() is None:
            try:
                trace = self.json_file(task, "trace.json")
                seen.add((trace["updated_at"], len(trace["steps"])))
            except FileNotFoundError:
                pass
        self.assertGreaterEqual(len(seen), 3)
        self.assertEqual([steps for _, steps in sorted(seen)], sorted(steps for _, steps in seen))

    def test_a_secret_is_in_no_file(self):
        key = "sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz"
        task = self.finished(entries=[{"text": f"It is {key}."}], prompt=f"Use {key}.")
        for name, content in self.files(task).items():
            self.assertNotIn(key.encode(), content, name)


class Rebuild(Folders):
    # CKPT-06 E
    def test_any_file_deleted_comes_back_with_the_same_bytes(self):
        self.assertEqual(self.run_agent(ASK, "--mode", "step").returncode, 12)
        task = self.only_task()
        self.assertEqual(self.cadre("resume", task, "--steps", "1").returncode, WAITING)
        self.assertEqual(self.cadre("answer", task, "blue").returncode, 12)
        self.succeeds("resume", task, "--steps", "1")
        self.assertEqual(self.status(task), "completed")
        before = self.files(task)
        self.assertEqual([self.json_file(task, f"checkpoint_00{n}.json")["sequence"] for n in range(3)], [0, 1, 2])
        self.assertIn(".agentx/breakpoints.json", before)
        for name in before:
            (self.of(task) / name).unlink()
            self.succeeds("rebuild", task)
            self.assertEqual(self.files(task), before, name)
        subprocess.run(["rm", "-r", self.of(task)], check=True)
        result = json.loads(self.succeeds("rebuild", "--json"))
        self.assertEqual(result, {"tasks": 1, "failed": []})
        self.assertEqual(self.files(task), before)

    def test_killed_at_any_write_the_next_process_makes_it_whole(self):
        whole = self.files(self.finished())
        for point in ("projection_appended:1", "projection_appended:3", "projection_replaced:1", "projection_cursor:1"):
            with self.subTest(point):
                before = self.tasks()
                done = self.run_agent(SUM, prompt="What is 2+3?", env={"CADRE_CRASH_AT": point})
                self.assertEqual(done.returncode, -signal.SIGKILL)
                (task,) = self.tasks() - before
                self.cadre("resume", "--all")  # it may have died before the task began
                self.finished()  # somebody takes the home
                healed = self.files(task)
                self.assertEqual(set(healed) - {".agentx/logs/errors.log"}, set(whole))  # that it was interrupted
                self.succeeds("rebuild", task)
                self.assertEqual(self.files(task), healed)

    def test_what_cannot_be_rebuilt_is_said(self):
        self.finished()
        self.assertEqual(self.cadre("rebuild", "00000000").returncode, NOT_FOUND)

    def test_while_another_process_has_the_home(self):
        process, task = self.start_agent([{"text": "Done.", "delay_ms": 1500}])
        other = json.loads(self.succeeds("rebuild", task, "--json"))
        self.assertEqual(other["tasks"], 1)
        self.assertTrue((self.of(task) / "task.json").exists())
        self.assertEqual(self.end(process)[2], 0)


class Retention(Folders):
    def setUp(self):
        super().setUp()
        self.write("home/config/retention_policy.yaml", POLICY)

    def test_the_scenario(self):  # TRACE-18 C, TRACE-20 E, TRACE-21 E, TRACE-22 E
        completed = self.finished()
        failed = self.finished(entries=FAIL, code=8)
        critical = self.finished("--kind", "critical")
        debug = self.finished("--kind", "debug")
        self.assertEqual(self.run_agent(ASK).returncode, WAITING)
        (waiting,) = self.tasks() - {completed, failed, critical, debug}
        ages = {completed: 8, failed: 8, critical: 29, debug: 4, waiting: 90}
        for task, days in ages.items():
            self.age(task, days)
        before = {task: self.files(task) for task in self.tasks()}

        planned = self.gc("--dry-run")
        self.assertEqual({task["id"] for task in planned["tasks"]}, {completed, debug})
        self.assertEqual({task: self.files(task) for task in self.tasks()}, before)
        done = self.gc()
        self.assertEqual(done["tasks"], planned["tasks"])
        for name in ("file_bytes", "journal_bytes"):
            self.assertEqual(done[name], planned[name])
        expected = sum(len(text) for task in (completed, debug) for name, text in before[task].items() if name != "task.json")
        self.assertEqual(done["file_bytes"], expected)
        self.assertGreater(done["journal_bytes"], 0)

        for task in (completed, debug):
            self.assertEqual(set(self.files(task)), {"task.json"})
            for verb in ("show", "export"):
                gone = self.cadre(verb, task)
                self.assertEqual(gone.returncode, NOT_FOUND)
                self.assertIn("retention policy", gone.stderr)
        for task in (failed, critical, waiting):
            self.assertEqual(self.files(task), before[task])
            self.show(task)
        self.assertEqual(len(self.tasks()), 5)
        self.assertEqual(self.gc()["tasks"], [])
        for task in (failed, critical, waiting):
            self.age(task, -ages[task])  # `verify` holds these times against the journal
        self.succeeds("verify")
        self.succeeds("rebuild")
        self.assertEqual(set(self.files(completed)), {"task.json"})
        self.succeeds("answer", waiting, "blue")

    # STORE-06 F
    def test_what_holds_without_the_two_files_of_the_config_folder_is_documented(self):
        page = (ROOT / "docs/guide/task-folders.md").read_text()
        documented = re.search(r"`config/retention_policy.yaml`.*?; without one:\n\n```yaml\n(.*?)```", page, re.S)[1]
        too_old = set()
        for words, entries, code, days in ((["--kind", "critical"], SUM, 0, 30), (["--kind", "debug"], SUM, 0, 3), ([], SUM, 0, 7),
                                           ([], FAIL, 8, 14)):
            kept, goes = (self.finished(*words, entries=entries, code=code) for _ in range(2))
            self.age(kept, days - 1)
            self.age(goes, days + 1)
            too_old.add(goes)
        policy = self.home / "config/retention_policy.yaml"
        policy.unlink()
        without = self.gc("--dry-run")
        self.assertEqual({task["id"] for task in without["tasks"]}, too_old)
        policy.write_text(documented)
        self.assertEqual(self.gc("--dry-run")["tasks"], without["tasks"])

        self.assertEqual(self.succeeds("mcp", "list"), "")
        example = re.search(r"```yaml\n(.*?)```", (ROOT / "docs/reference/entities/mcp_servers.md").read_text(), re.S)[1]
        self.write("home/config/mcp_servers.yaml", example)
        self.assertIn("web", self.succeeds("mcp", "list"))

    def test_its_own_number_wins(self):  # TRACE-22 E
        task = self.finished("--kind", "critical", "--retention-days", "1", entries=FAIL, code=8)
        self.assertEqual(self.json_file(task, "task.json")["retention_days"], 1)
        self.age(task, 2)
        self.assertEqual([one["id"] for one in self.gc()["tasks"]], [task])

    def test_scope_all_leaves_nothing(self):
        task = self.finished()
        self.age(task, 8)
        self.write("home/config/retention_policy.yaml", "scope: all\n")
        self.assertEqual(len(self.gc("--dry-run")["tasks"]), 1)
        self.gc()
        self.assertFalse(self.of(task).exists())
        self.assertEqual(self.tasks(), set())

    def test_the_projects_policy_is_for_those_who_ask(self):
        task = self.finished()
        self.age(task, 2)
        self.write("cadre.yaml", "version: 1.0.0\n")
        policy = self.write("config/retention_policy.yaml", "default_days: 1\nby_status: {completed: 1}\n")
        (self.home / "tasks/.collected").unlink()
        self.finished()  # by itself: the home's policy
        self.assertIn("trace.json", self.files(task))
        plan = self.gc("--dry-run")
        self.assertEqual(plan["policy"], str(policy))
        self.assertEqual([one["id"] for one in plan["tasks"]], [task])

    def test_a_policy_that_is_wrong_removes_nothing(self):
        task = self.finished()
        self.age(task, 100)
        self.write("home/config/retention_policy.yaml", "default_days: soon\n")
        (self.home / "tasks/.collected").unlink()
        done = self.cadre("gc")
        self.assertEqual(done.returncode, 2)
        self.assertIn("default_days", done.stderr)
        self.assertIn("trace.json", self.files(task))

    def test_by_itself_when_somebody_takes_the_home_after_an_hour(self):
        task = self.finished()
        self.age(task, 8)
        self.finished()
        self.assertIn("trace.json", self.files(task))  # the hour is not over
        (self.home / "tasks/.collected").write_text("2020-01-01T00:00:00Z\n")
        self.finished(entries=[{"text": "Done.", "delay_ms": 300}])
        self.assertEqual(set(self.files(task)), {"task.json"})

    def test_nothing_goes_by_a_clock_that_is_far_ahead_of_the_last_command(self):
        """As if the clock were ahead: the home was last used long ago, and an hour has passed since the last collection."""
        task = self.finished()
        self.age(task, 90)
        for stamp in (".used", ".collected"):
            (self.home / "tasks" / stamp).write_text("2020-01-01T00:00:00Z\n")
        self.finished()  # it collects nothing by itself
        self.show(task)
        (self.home / "tasks/.used").write_text("2020-01-01T00:00:00Z\n")
        refused = self.cadre("gc")
        self.assertEqual(refused.returncode, 5, refused.stderr)
        self.assertRegex(refused.stderr, "the clock is .* ahead of the last command on this home, so nothing was removed")
        self.assertIn("cadre gc --force", refused.stderr)
        self.show(task)
        (self.home / "tasks/.used").write_text("2020-01-01T00:00:00Z\n")
        self.assertEqual([one["id"] for one in self.gc("--force")["tasks"]], [task])

    def test_interrupted_at_any_point_the_next_one_finishes(self):
        for point in ("gc_file_removed:1", "gc_file_removed:3", "gc_files_removed:1", "before_commit:1", "after_commit:1",
                      "gc_journal_removed:1"):
            with self.subTest(point):
                tasks = [self.finished(), self.finished()]
                for task in tasks:
                    self.age(task, 8)
                killed = self.cadre("gc", env={"CADRE_CRASH_AT": point})
                self.assertEqual(killed.returncode, -signal.SIGKILL)
                self.gc()
                for task in tasks:
                    self.assertEqual(set(self.files(task)), {"task.json"})
                    self.assertIn("was removed on", self.cadre("show", task).stderr)
                self.assertEqual(self.gc("--dry-run")["tasks"], [])
                self.succeeds("verify")

    def test_large_results_go_from_the_disk(self):
        big = self.write("big.txt", "x" * 200_000)
        task = self.finished(entries=[calls("write_file", path="big.txt", content=big.read_text()), {"text": "Written."}])
        blobs = [file for file in (self.home / "blobs").rglob("*") if file.is_file()]
        self.assertTrue(blobs)
        self.age(task, 8)
        self.assertGreater(self.gc()["journal_bytes"], 200_000)
        self.finished()
        self.assertEqual([file for file in blobs if file.exists()], [])
        self.assertEqual((self.of(task) / "artifacts/big.txt").stat().st_size, 200_000)  # what it made stays

    def test_in_words(self):
        task = self.finished()
        self.age(task, 8)
        plan = self.cadre("gc", "--dry-run")
        self.assertRegex(plan.stdout, rf"^{task[:8]}  completed  8 d +\d")
        self.assertRegex(plan.stderr, "^would remove 1 task: ")
        self.assertRegex(self.cadre("gc").stderr, "^removed 1 task: ")
        self.assertEqual(self.cadre("gc").stderr, "nothing to remove\n")


if __name__ == "__main__":
    unittest.main()
