#!/usr/bin/env python3
"""The command line on the home of a program that embeds Cadre, while it runs and when it does not. $CADRE_BUILD says which build."""
import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
from home import CADRE, CONFLICT, Home  # noqa: E402

SHOP = pathlib.Path(CADRE).parent / "tests" / "embedding" / "embedded_shop"


class EmbeddedHome(Home):
    def shop(self, *words):
        """The program, once it has said what its task is and asks; stays open."""
        process = subprocess.Popen([SHOP, self.home, *words], cwd=self.folder, env=self.env, text=True, stdout=subprocess.PIPE)
        self.processes.append(process)
        process.task = process.stdout.readline().strip()
        self.assertEqual(process.stdout.readline(), "asks: Buy tea?\n")
        return process

    def ok(self, *words):
        done = self.cadre(*words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_a_task_is_seen_and_answered_while_its_program_runs(self):
        shop = self.shop("begin")
        tasks = [json.loads(line) for line in self.ok("tasks", "--json").splitlines()]
        self.assertIn(shop.task, json.dumps(tasks))
        self.assertIn("Buy tea?", self.ok("show", shop.task))
        self.ok("approve", shop.task)
        self.assertEqual(self.end(shop)[0], "completed: tea bought, cheaply\n")
        self.assertIn("tea bought, cheaply", self.ok("show", shop.task))

    def test_a_rejection_reaches_the_program(self):
        shop = self.shop("begin")
        self.ok("reject", shop.task, "--message", "too dear")
        self.assertEqual(self.end(shop)[0], "completed: nothing bought: too dear\n")
        self.assertEqual(self.cadre("approve", shop.task).returncode, CONFLICT)

    def test_a_task_is_cancelled_while_its_program_runs(self):
        shop = self.shop("begin")
        self.ok("cancel", shop.task)
        self.assertTrue(self.end(shop)[0].startswith("cancelled: "))

    def test_a_task_is_seen_when_its_program_has_gone_and_continues_in_the_next(self):
        shop = self.shop("begin", "--leave")
        self.assertEqual(self.end(shop)[0], "waiting: Buy tea?\n")
        self.assertIn("Buy tea?", self.ok("show", shop.task))
        self.ok("verify")
        next_one = subprocess.Popen([SHOP, self.home, "continue"], cwd=self.folder, env=self.env, text=True,
                                    stdout=subprocess.PIPE)
        self.processes.append(next_one)
        self.assertEqual(next_one.stdout.readline().strip(), shop.task)
        self.assertEqual(next_one.stdout.readline(), "asks: Buy tea?\n")
        self.ok("approve", shop.task)
        self.assertEqual(self.end(next_one)[0], "completed: tea bought, cheaply\n")

    def gone(self):
        """The id of a task that asks, whose program has gone."""
        shop = self.shop("begin", "--leave")
        self.end(shop)
        return shop.task

    def next_shop(self):
        return subprocess.run([SHOP, self.home, "continue"], cwd=self.folder, env=self.env, text=True, capture_output=True,
                              timeout=60).stdout

    def test_answers_are_recorded_without_the_program_and_count_when_it_is_back(self):
        task = self.gone()
        self.ok("approve", task, "--no-wait")
        self.assertEqual(self.cadre("reject", task, "--no-wait").returncode, CONFLICT)
        self.assertEqual(self.next_shop().splitlines()[-1], "completed: tea bought, cheaply")

    def test_a_task_is_cancelled_without_its_program(self):
        task = self.gone()
        self.ok("cancel", task)
        self.assertIn("cancelled", self.ok("show", task))
        self.assertEqual(self.next_shop(), "")
        self.ok("verify")


if __name__ == "__main__":
    unittest.main()
