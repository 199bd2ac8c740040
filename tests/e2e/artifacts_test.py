#!/usr/bin/env python3
"""The files that a task makes and their versions, over the command line, over HTTP, and over the death of the process."""
import contextlib
import hashlib
import json
import signal
import sqlite3
import unicodedata
import unittest
import urllib.parse

from home import AGENT, CADRE, INVALID, NO_SANDBOX, NOT_FOUND, SUM, Home, calls, wait_until
from serve import Serve

DAY = 86_400 * 1_000  # as the journal counts
AFTER = {"when": {"after_tool": True}}
WRITES = [calls("write_file", path="report.md", content="one\ntwo\n"), {**calls("write_file", path="report.md", content="one\nthree\n"), **AFTER},
          {"text": "Written.", **AFTER}]


def sha256(text):
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


class Artifacts(Home):
    def task(self):
        return json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"][0]["id"]

    def wrote(self, entries=None):
        done = self.run_agent(entries or WRITES)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.task()

    def at(self, task):
        return self.home / "tasks" / task / "artifacts"

    def listed(self, task):
        return json.loads(self.succeeds("artifacts", task, "--json"))["artifacts"]

    def versions(self, task, path="report.md"):
        return json.loads(self.succeeds("artifacts", task, path, "--json"))["versions"]


class CommandLine(Artifacts):
    # STEP-20 E, STEP-22 E, STEP-23 E, STEP-25 E, STEP-32 F, STEP-33 F, STORE-09 F
    def test_files_and_their_versions(self):
        task = self.wrote()
        (entry,) = self.listed(task)
        self.assertEqual((entry["path"], entry["version"], entry["created_by"], entry["size_bytes"]), ("report.md", "2", "write_file", 10))
        self.assertEqual(entry["checksum"], sha256("one\nthree\n"))
        self.assertEqual(entry["uri"], "file://artifacts/report.md")
        self.assertRegex(self.succeeds("artifacts", task), r"^report\.md +version 2 +10 B +\S+ by write_file\n$")
        first, second = self.versions(task)
        self.assertEqual((first["version"], first["checksum"], first["reason"], first["kept"]), ("1", sha256("one\ntwo\n"), "tool", True))
        self.assertRegex(self.succeeds("artifacts", task, "report.md"), r"^ +1 .* tool by write_file\n +2 .*\n$")
        self.assertEqual(self.succeeds("artifacts", task, "report.md", "--version", "1"), "one\ntwo\n")
        diff = self.succeeds("artifacts", task, "./report.md", "--diff", "1..2")
        self.assertEqual(diff.splitlines()[-3:], [" one", "-two", "+three"])
        self.assertEqual(diff, self.succeeds("artifacts", task, "report.md", "--diff", "1"))
        folder = self.at(task)
        self.assertEqual((folder / ".versions/report.md/1").read_text(), "one\ntwo\n")
        about = json.loads((folder / ".metadata.json").read_text())["artifacts"]["report.md"]
        self.assertEqual((about["checksum"], about["version"]), (sha256("one\nthree\n"), "2"))

    # STEP-17 F
    def test_the_history_refers_to_a_large_file_and_does_not_hold_it(self):
        line = "a line of a long report\n"
        self.write("config/mcp_servers.yaml", {"servers": [{"name": "files", "transport": "stdio", "config": {"command": CADRE, "args": [
            "mock-mcp", "--script", str(self.write("files.json", {"tools": [{"name": "report", "description": "Reports.", "input_schema": {"type": "object"},
                                                                             "answers": [{"text": line * 40_000}]}]}))]}}]})
        self.write("agents/researcher.json", {**AGENT, "tools": ["files.report"]})
        task = self.wrote([calls("report"), {"text": "Reported.", **AFTER}])
        (entry,) = self.listed(task)
        self.assertEqual((self.at(task) / entry["path"]).read_text(), line * 40_000)
        history = (self.home / "tasks" / task / "history.jsonl").read_text()
        parts = [part for step in history.splitlines() for part in json.loads(step)["parts"] if part["type"] == "artifact"]
        self.assertEqual([(part["artifact"]["uri"], part["artifact"]["size_bytes"]) for part in parts], [(entry["uri"], 40_000 * len(line))])
        self.assertLess(len(history), 40_000 * len(line) / 10)  # what the model was told of it

    def test_a_restore_is_a_new_version_of_a_task_that_has_ended(self):
        task = self.wrote()
        self.assertEqual(self.succeeds("artifacts", task, "report.md", "--restore", "1"), "report.md is version 3: what version 1 was\n")
        self.assertEqual((self.at(task) / "report.md").read_text(), "one\ntwo\n")
        third = self.versions(task)[2]
        self.assertEqual((third["version"], third["reason"], third["checksum"]), ("3", "restore", sha256("one\ntwo\n")))
        self.assertEqual(self.events(task)[-1]["reason"], "restore")
        wait_until(lambda: (self.at(task) / ".versions/report.md/3").exists(), "it is shown")
        self.succeeds("artifacts", task, "report.md", "--restore", "1")  # it is that already
        self.assertEqual(len(self.versions(task)), 3)
        self.assertEqual(json.loads(self.succeeds("verify", task, "--json"))["ok"], True)
        self.assertEqual(self.cadre("replay", task).returncode, 0)

    def test_what_there_is_not_is_named(self):
        task = self.wrote()
        for words, code, says in ((["nothing.md"], NOT_FOUND, 'no file "nothing.md"'), (["report.md", "--version", "7"], NOT_FOUND, "no version 7; it has 2 versions"),
                                  (["report.md", "--version", "x"], INVALID, "counted from 1"), (["../task.json"], INVALID, "leads upwards"),
                                  (["report.md", "--restore", "7"], NOT_FOUND, "no version 7"), (["report.md", "--diff", "1..9"], NOT_FOUND, "no version 9"),
                                  (["--restore", "1"], INVALID, "needs the path"), (["report.md", "--diff", "1", "--version", "1"], INVALID, "give one of them")):
            done = self.cadre("artifacts", task, *words)
            self.assertEqual(done.returncode, code, (words, done.stderr))
            self.assertIn(says, done.stderr.replace("\n", " "), words)
        self.run_agent(SUM, name="sum.json")
        self.assertEqual(self.listed(self.task()), [])

    def test_what_was_tampered_with_is_told(self):
        task = self.wrote()
        blob = self.home / "tasks" / task / "blobs" / sha256("one\ntwo\n")
        blob.chmod(0o600)
        blob.write_text("fake")
        done = self.cadre("artifacts", task, "report.md", "--version", "1")
        self.assertIn("damaged", done.stderr)
        self.assertNotIn("fake", done.stdout)

    def test_case_3_a_tool_cannot_write_where_versions_are_shown(self):
        task = self.wrote([calls("write_file", path=".versions/report.md/1", content="lie"), {**calls("write_file", path="a/.metadata.json", content="lie"), **AFTER},
                           {"text": "Refused.", **AFTER}])
        errors = [event["tool_result"]["error"] for event in self.events(task) if event["type"] == "event_tool_result"]
        self.assertEqual(["where Cadre keeps" in error for error in errors], [True, True])
        self.assertEqual(self.listed(task), [])

    def test_case_5_of_names_that_look_alike_one_is_kept(self):
        plain, other = unicodedata.normalize("NFC", "café.txt"), unicodedata.normalize("NFD", "café.txt")
        task = self.wrote([calls("write_file", path=plain, content="a"), {**calls("write_file", path=other, content="b"), **AFTER}, {"text": "Written.", **AFTER}])
        self.assertEqual([entry["path"] for entry in self.listed(task)][:1], [plain])
        told = [event["tool_result"]["result"] for event in self.events(task) if event["type"] == "event_tool_result"]
        self.assertIn("composed form (NFC)", told[1])

    def forked(self, task, at):
        done = self.succeeds("fork", task, "--at", at, "--no-wait", "--json")
        return json.loads(done.splitlines()[0])["fork"]["task"]

    def results(self, task):
        """Numbers of the events that tools have answered with."""
        return [number for number, event in enumerate(self.events(task), 1) if event["type"] == "event_tool_result"]

    def test_case_7_a_purge_of_one_of_two_tasks_with_the_same_content(self):
        task = self.wrote()
        fork = self.forked(task, self.results(task)[1])
        self.assertEqual([one["checksum"] for one in self.versions(fork)], [one["checksum"] for one in self.versions(task)])
        blob = "blobs/" + sha256("one\ntwo\n")
        self.assertEqual((self.home / "tasks" / task / blob).stat().st_nlink, 2)  # kept once
        self.write("home/config/retention_policy.yaml", "default_days: 1\nscope: all\n")
        with contextlib.closing(sqlite3.connect(self.home / "cadre.db")) as store, store:
            store.execute("UPDATE task SET updated_at = updated_at - ? WHERE name = ?", (2 * DAY, task))
        gone = json.loads(self.succeeds("gc", "--force", "--json"))["tasks"]
        self.assertEqual([one["id"] for one in gone], [task])
        self.assertFalse((self.home / "tasks" / task).exists())
        self.assertEqual(self.succeeds("artifacts", fork, "report.md", "--version", "1"), "one\ntwo\n")

    def test_a_fork_has_the_files_as_they_were_where_it_forks(self):
        task = self.wrote()
        fork = self.forked(task, self.results(task)[0])
        self.assertEqual((self.at(fork) / "report.md").read_text(), "one\ntwo\n")
        self.assertEqual([one["version"] for one in self.versions(fork)], ["1"])
        self.assertEqual(self.succeeds("resume", fork), "Written.\n")
        self.assertEqual([one["checksum"] for one in self.versions(fork)], [one["checksum"] for one in self.versions(task)])
        self.assertEqual((self.at(task) / "report.md").read_text(), "one\nthree\n")

    def test_case_9_killed_between_content_and_record(self):
        for point in ("artifact_kept:1", "artifact_kept:2", "after_outcome:2", "before_dispatch:2"):
            with self.subTest(point):
                done = self.run_agent(WRITES, env={"CADRE_CRASH_AT": point})
                self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
                task = self.task()
                for entry in self.listed(task):  # nothing is listed that is not there
                    self.succeeds("artifacts", task, entry["path"], "--version", entry["version"])
                self.assertEqual(self.succeeds("resume", task), "Written.\n")
                self.assertEqual([one["checksum"] for one in self.versions(task)], [sha256("one\ntwo\n"), sha256("one\nthree\n")])
                kept = {file.name for file in (self.home / "tasks" / task / "blobs").iterdir()}
                self.assertEqual(kept, {sha256("one\ntwo\n"), sha256("one\nthree\n")})

    def test_case_9_killed_while_a_version_is_restored(self):
        task = self.wrote()
        done = self.cadre("artifacts", task, "report.md", "--restore", "1", env={"CADRE_CRASH_AT": "artifact_put:1"})
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        self.assertEqual(len(self.versions(task)), 2)
        self.succeeds("artifacts", task, "report.md", "--restore", "1")
        self.assertEqual(len(self.versions(task)), 3)

    def test_a_backup_and_a_purge(self):
        task = self.wrote()
        self.succeeds("backup", self.folder / "copy")
        copy = {"CADRE_HOME": str(self.folder / "copy")}
        self.assertEqual(self.succeeds("artifacts", task, "report.md", "--version", "1", env=copy), "one\ntwo\n")
        self.succeeds("rebuild", task)
        self.assertEqual(self.succeeds("artifacts", task, "report.md", "--version", "1"), "one\ntwo\n")


@unittest.skipIf(NO_SANDBOX, NO_SANDBOX or "")
class Programs(Artifacts):
    """What programs leave, nobody names."""
    def setUp(self):
        super().setUp()
        self.write("team.json", {"name": "t", "description": "d", "default_llm": {}, "agents": [{"name": "a", "role": "r", "prompt": "p", "tools": ["shell"]}],
                                 "tools": [], "permissions": {"allow": ["shell"]}})

    def shell(self, *commands):
        entries = [{**calls("shell", command=command), **(AFTER if at else {})} for at, command in enumerate(commands)]
        done = self.cadre("run", "team.json", "--model", self.script([*entries, {"text": "Done.", **AFTER}]), "Go.")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.task()

    def test_what_programs_write_change_and_remove(self):
        task = self.shell("mkdir code; echo 1 > code/a.py; echo x > versions", "echo 2 > code/a.py; rm versions; ln -s /etc/passwd link")
        entries = {entry["path"]: entry for entry in self.listed(task)}
        self.assertEqual(sorted(entries), ["code/a.py", "versions"])
        self.assertEqual((entries["code/a.py"]["version"], entries["versions"]["deleted"]), ("2", True))
        self.assertEqual(self.succeeds("artifacts", task, "versions", "--version", "1"), "x\n")
        self.succeeds("artifacts", task, "versions", "--restore", "1")
        self.assertEqual((self.at(task) / "versions").read_text(), "x\n")
        self.assertFalse({entry["path"]: entry for entry in self.listed(task)}["versions"]["deleted"])
        self.assertEqual(self.events(task)[-2]["type"], "event_artifact_modified")

    # STEP-17 F
    def test_the_history_names_a_large_file_and_does_not_hold_it(self):
        task = self.shell("head -c 3000000 /dev/zero | tr '\\0' x > big.txt")
        lines = (self.home / "tasks" / task / "history.jsonl").read_text()
        self.assertLess(len(lines), 100_000)
        parts = [part for line in lines.splitlines() for part in json.loads(line)["parts"] if part["type"] == "artifact"]
        self.assertEqual([(part["artifact"]["uri"], part["artifact"]["size_bytes"]) for part in parts], [("file://artifacts/big.txt", 3_000_000)])

    def test_what_a_program_puts_beside_the_versions_is_gone(self):
        task = self.shell("echo 1 > a", "echo 2 > a; mkdir -p .versions/a; chmod 700 .versions/a; echo lie > .versions/a/9")
        self.assertEqual([one["version"] for one in self.versions(task, "a")], ["1", "2"])
        wait_until(lambda: not (self.at(task) / ".versions/a/9").exists(), "it is removed")
        self.assertEqual((self.at(task) / ".versions/a/1").read_text(), "1\n")


class Served(Serve):
    def setUp(self):
        super().setUp()
        self.serve(WRITES)
        self.task = self.made()
        self.at_rest(self.task)
        self.url_of = f"/tasks/{self.task}/artifacts"

    def test_list_content_versions_restore(self):  # API-16 A, API-17 A, API-18 A, API-19 A, STEP-32 A
        (entry,) = self.get(self.url_of).json["artifacts"]
        self.assertEqual((entry["path"], entry["version"], entry["checksum"]), ("report.md", "2", sha256("one\nthree\n")))
        content = self.get(f"{self.url_of}/report.md")
        self.assertEqual((content.status, content.text), (200, b"one\nthree\n"))
        self.assertEqual(content.headers["ETag"], '"' + sha256("one\nthree\n") + '"')
        self.assertEqual(content.headers["Content-Type"], "text/markdown")
        self.assertEqual(content.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(content.headers["Content-Security-Policy"], "sandbox; default-src 'none'")
        self.assertEqual(content.headers["Content-Disposition"], "attachment; filename*=UTF-8''report.md")
        self.assertEqual(self.get(f"{self.url_of}/report.md?raw=true").headers["Content-Disposition"].split(";")[0], "inline")
        self.assertEqual(self.get(f"{self.url_of}/report.md?version=1").text, b"one\ntwo\n")
        self.assertEqual([one["version"] for one in self.get(f"{self.url_of}/report.md/versions").json["versions"]], ["1", "2"])
        restored = self.post(f"{self.url_of}/report.md/restore/1")
        self.assertEqual((restored.status, restored.json["version"], restored.json["checksum"]), (201, "3", sha256("one\ntwo\n")))
        self.assertEqual(self.get(f"{self.url_of}/report.md").text, b"one\ntwo\n")
        for path, status in ((f"{self.url_of}/report.md/restore/9", 404), (f"{self.url_of}/report.md/restore/x", 404), (f"{self.url_of}/no.md/restore/1", 404)):
            self.assertEqual(self.post(path).status, status, path)

    def test_parts_of_a_file(self):
        path = f"{self.url_of}/report.md"
        tag = self.get(path).headers["ETag"]
        for header, status, text, place in (("bytes=0-2", 206, b"one", "bytes 0-2/10"), ("bytes=-6", 206, b"three\n", "bytes 4-9/10"),
                                            ("bytes=4-", 206, b"three\n", "bytes 4-9/10"), ("bytes=5-1", 200, b"one\nthree\n", None)):
            answer = self.get(path, headers={"Range": header})
            self.assertEqual((answer.status, answer.text, answer.headers["Content-Range"]), (status, text, place), header)
        late = self.get(path, headers={"Range": "bytes=10-"})
        self.assertEqual((late.status, late.json["reason"], late.headers["Content-Range"]), (416, "bad_range", "bytes */10"))
        self.assertEqual(self.get(path, headers={"If-None-Match": tag}).status, 304)
        self.assertEqual(self.get(path, headers={"Range": "bytes=0-2", "If-Range": tag}).status, 206)
        self.assertEqual(self.get(path, headers={"Range": "bytes=0-2", "If-Range": '"other"'}).status, 200)
        self.assertEqual(self.ask("HEAD", path).text, b"")

    def test_case_6_upload_to_a_task_that_has_ended_and_its_stream_shows_it(self):  # STEP-26 A
        put = self.ask("PUT", f"{self.url_of}/data/in.csv?description=Numbers&tags=input", raw=b"1,2\n", headers={"Content-Type": "text/csv"})
        self.assertEqual((put.status, put.json["version"], put.json["created_by"], put.json["tags"]), (200, "1", "admin", ["input"]), put.text)
        self.assertEqual((self.home / "tasks" / self.task / "artifacts/data/in.csv").read_bytes(), b"1,2\n")
        self.assertEqual([one["path"] for one in self.get(f"{self.url_of}?tag=input").json["artifacts"]], ["data/in.csv"])
        self.assertEqual([one["path"] for one in self.get(f"{self.url_of}?prefix=data/").json["artifacts"]], ["data/in.csv"])
        again = self.ask("PUT", f"{self.url_of}/data/in.csv", raw=b"3\n")
        self.assertEqual(again.json["version"], "2")
        events = self.get(f"/tasks/{self.task}/artifacts", headers={"Accept": "text/event-stream"}).text.decode()
        self.assertIn("Numbers", events)
        self.assertIn('"reason":"upload"', events.replace(" ", ""))
        for kind in ("event_artifact_created", "event_artifact_modified", "event_artifact_versioned"):
            self.assertIn(kind, events)
        self.assertNotIn("event_agent", events)

    def test_case_8_a_file_called_versions(self):
        self.assertEqual(self.ask("PUT", f"{self.url_of}/versions", raw=b"x").status, 200)
        self.assertEqual(self.get(f"{self.url_of}/versions").text, b"x")
        self.assertEqual(len(self.get(f"{self.url_of}/versions/versions").json["versions"]), 1)
        for path, status in (("a/versions", 405), ("a%2Fversions", 400)):  # that is the list of the versions of `a`
            self.assertEqual(self.ask("PUT", f"{self.url_of}/{path}", raw=b"y").status, status)

    def test_paths_that_are_none(self):
        for path in ("..%2f..%2ftask.json", "%2e%2e/task.json", ".versions/report.md/1", ".metadata.json", "a%00b", "a%5cb", "%ff"):
            for method in ("GET", "PUT"):
                answer = self.ask(method, f"{self.url_of}/{path}", raw=b"x" if method == "PUT" else None)
                self.assertIn(answer.status, (400, 404), (method, path, answer.text))
        other = urllib.parse.quote(unicodedata.normalize("NFD", "é.txt"))
        self.assertEqual(self.ask("PUT", f"{self.url_of}/{other}", raw=b"x").json["reason"], "bad_path")

    def test_pages(self):
        for name in "abc":
            self.ask("PUT", f"{self.url_of}/{name}", raw=b"x")
        seen, cursor = [], ""
        while cursor is not None:
            page = self.get(f"{self.url_of}?limit=2" + (f"&cursor={urllib.parse.quote(cursor)}" if cursor else "")).json
            seen += [one["path"] for one in page["artifacts"]]
            cursor = page["next_cursor"]
        self.assertEqual(seen, ["a", "b", "c", "report.md"])
        self.assertEqual(self.get(f"{self.url_of}?limit=2&cursor=made.up").json["reason"], "bad_cursor")

    def test_who_may(self):
        viewer = self.post("/keys", {"subject": "vic", "roles": ["viewer"]}).json["key"]
        user = self.post("/keys", {"subject": "uma", "roles": ["user"]}).json["key"]
        self.assertEqual(self.get(f"{self.url_of}/report.md", token=viewer).status, 200)
        for token in (viewer, user):
            self.assertEqual(self.post(f"{self.url_of}/report.md/restore/1", token=token).status, 403)
            self.assertEqual(self.ask("PUT", f"{self.url_of}/x", raw=b"x", token=token).status, 403)
        self.assertEqual(len(self.get(f"{self.url_of}/report.md/versions").json["versions"]), 2)
        self.post(f"{self.url_of}/report.md/restore/1")
        told = [one for one in self.get("/audit").json["entries"] if one["verb"] == "restore_artifact"]
        self.assertTrue(told)

    def test_a_repeat_restores_once(self):
        key = {"Idempotency-Key": "once"}
        for _ in range(2):
            self.assertEqual(self.post(f"{self.url_of}/report.md/restore/1", headers=key).json["version"], "3")
        self.assertEqual(len(self.get(f"{self.url_of}/report.md/versions").json["versions"]), 3)

    def test_a_large_file_comes_in_pieces(self):
        large = bytes(range(256)) * (40 << 10)  # 10 MiB
        self.assertEqual(self.ask("PUT", f"{self.url_of}/large.bin", raw=large).status, 200)
        self.assertEqual(sha256(self.get(f"{self.url_of}/large.bin").text), sha256(large))
        part = self.get(f"{self.url_of}/large.bin", headers={"Range": "bytes=5000000-"})
        self.assertEqual((part.status, sha256(part.text)), (206, sha256(large[5_000_000:])))


if __name__ == "__main__":
    unittest.main()
