#!/usr/bin/env python3
"""The guide's page about backups, typed by a reader; and backups of a home at work, with the real binary."""
import json
import threading
import unittest

from home import ROOT, SUM, Home, calls, wait_until
from reader import Reader, blocks_of


class Page(Reader):
    def test_a_reader_makes_a_backup_looks_at_it_and_restores_it(self):
        place = self.folder / "reader"
        place.mkdir()
        said = []
        for block in blocks_of(ROOT / "docs/guide/backup.md"):
            said.append(self.type(block, place))
            place = self.folder / "reader/hello"
        self.assertRegex(said[0], r"1 task with \d+ records and \d+ files are in ../monday\n$")
        self.assertRegex(said[1], r"^1 task, \d+ records: intact\n")
        self.assertIn("completed", said[1])
        self.assertRegex(said[2], r"^1 task, \d+ records: intact\n$")


class Backups(Home):
    def test_a_backup_made_while_tasks_run_is_whole(self):
        """Again and again, while another process writes: every copy verifies, and none has less than the one before."""
        stop = threading.Event()

        def work():
            while not stop.is_set():
                self.run_agent(SUM, prompt="What is 2+3?")

        thread = threading.Thread(target=work)
        thread.start()
        records = []
        try:
            wait_until(lambda: (self.home / "cadre.db").exists(), "the first task begins")
            for i in range(6):
                folder = self.folder / f"copy{i}"
                done = self.cadre("backup", str(folder), "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                records.append(json.loads(done.stdout)["records"])
                verified = self.cadre("verify", env={"CADRE_HOME": str(folder)})
                self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        finally:
            stop.set()
            thread.join()
        self.assertEqual(records, sorted(records))

    def test_large_results_and_artifacts_are_in_it(self):
        self.run_agent([calls("shell", command="head -c 100000 /dev/zero | tr '\\\\0' x")] + SUM[-1:])
        folder = self.folder / "copy"
        self.succeeds("backup", str(folder))
        named = {file.name for file in (self.home / "blobs").rglob("*") if file.is_file()}
        self.assertEqual({file.name for file in (folder / "blobs").rglob("*") if file.is_file()}, named)
        self.assertEqual({one.name for one in (folder / "tasks").iterdir()}, {one.name for one in (self.home / "tasks").iterdir()})

    def test_nothing_is_overwritten_and_nothing_copied_into_itself(self):
        self.run_agent(SUM)
        full = self.folder / "full"
        full.mkdir()
        (full / "mine").write_text("x")
        done = self.cadre("backup", str(full))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("is there already", done.stderr)
        self.assertEqual([one.name for one in full.iterdir()], ["mine"])
        done = self.cadre("backup", str(self.home / "inside"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertFalse((self.home / "inside").exists())


if __name__ == "__main__":
    unittest.main()
