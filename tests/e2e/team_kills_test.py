#!/usr/bin/env python3
"""Teams of every pattern, killed and resumed: they come to what they come to uncrashed. Three witnesses are compared: the journal,
read by journal_reader.py; those who were asked, a vendor and a tool server, which outlive the process; and what the process told
before it died. It is killed at named points; and because what is committed together is on disk together, it is also resumed from each
position of the journal, as a process leaves it that dies there. CI takes one place of STRIDE, ./test --long each of them."""
import collections
import contextlib
import json
import os
import re
import shutil
import sqlite3
import sys
import unittest

from home import ROOT
from team_scenes import COLLABORATE, CONSENSUS, HIERARCHICAL, PARALLEL, PLAN, REFLECTION, TURNS, WORKFLOW, Stage

sys.path.insert(0, str(ROOT / "tests/crash"))
import journal_reader  # noqa: E402

LONG = bool(os.environ.get("CADRE_LONG"))
STRIDE = 1 if LONG else 9
POINTS = ("before_commit", "after_commit", "after_intent", "before_dispatch", "after_dispatch", "after_outcome")
INTENT, OUTCOME = 3, 4
Seen = collections.namedtuple("Seen", "answer events retried outcomes asked used")


def anonymous(value):
    """Without what is another one in each run: ids, times, durations."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|\b(tc|step|prop)_[0-9a-f]+", "ID", json.dumps(value, sort_keys=True))
    return re.sub(r'"(timestamp|[a-z_]+_at)": "[^"]*"|"([a-z_]*duration_ms|execution_time_ms)": \d+', "", text)


def told_of(event):
    """An event by whom it tells of, and its words. Who is first at a point is another one each time, how many are there is not."""
    if event["type"] == "event_parallel_sync":
        there, missing = len(event["completed_agents"]), len(event["waiting_agents"])
        return event["sync_point"], f"{event['type']} {there} of {there + missing}"
    names = ("agent_name", "voter_agent", "from_agent")
    return next((event[name] for name in names if name in event), ""), anonymous(event)


def kind_of(path):
    return path.rpartition("/")[2].partition(":")[0]


class Journal:
    """What is on record of all tasks of a home: paths of intents and outcomes."""

    def __init__(self, case, home):
        self.intents, self.outcomes, self.records = collections.Counter(), collections.Counter(), 0
        with journal_reader.Journal(home) as journal:
            case.assertEqual(journal.problems(), [])
            for number, task in enumerate(journal.tasks()):
                for record in journal.records(task):
                    self.records += 1
                    path = (task, record.path.decode())
                    self.intents[path] += record.kind == INTENT
                    self.outcomes[path] += record.kind == OUTCOME
        case.assertLessEqual(max(self.outcomes.values(), default=0), 1, "an outcome is on record twice")

    def open(self):
        """What was begun, and nobody knows what came of it."""
        return {path for path, count in self.intents.items() if count and not self.outcomes[path]}

    def paths(self):
        """Of outcomes, whatever their tasks are called."""
        return collections.Counter(path for (_, path), count in self.outcomes.items() if count)


class Kills(Stage):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.homes = 0

    def next_home(self):
        self.homes += 1
        self.home = self.folder / f"home{self.homes}"
        self.env["CADRE_HOME"] = str(self.home)
        for file in (self.requests, self.counter):
            file.write_text("")

    def seen(self):
        """What the run in this home came to."""
        events, retried, tasks = collections.defaultdict(list), [], self.tasks()
        for task in tasks:
            lines = self.lines(task)
            for event in (line["event"] for line in lines):
                if event["type"] == "event_recovery" and event["success"]:
                    continue  # the retry has worked: its beginning was told before
                if event["type"] == "event_recovery":
                    retried.append((task, event["details"]["path"]))
                    continue
                if event["type"] == "event_task_complete":  # counts calls that were begun, as budgets do
                    event["total_steps"] -= sum(of == task and kind_of(path) == "think" for of, path in retried)
                if event["type"] != "event_task_resumed":
                    who, words = told_of(event)
                    events[lines[0]["event"]["initial_prompt"], who].append(words)
        asked = collections.Counter(map(anonymous, self.asked()))
        return Seen(self.lines(tasks[0])[-1]["event"]["summary"], dict(events), retried, Journal(self, self.home).paths(), asked,
                    collections.Counter(self.counted()))

    def resume(self, crash_at=None):
        """Until it has ended, and how often it died. Those below the task are resumed with it."""
        task = self.tasks()[0]
        if self.status(task) == "completed":
            return 0
        done = self.cadre("resume", task, env={"CADRE_CRASH_AT": crash_at} if crash_at else None)
        if done.returncode == -9:
            return 1 + self.resume()
        self.assertEqual(done.returncode, 0, done.stderr)
        return 0

    def check(self, calm, seen):
        """Whether all is as in the calm run. Only what it says that it tried again may have been asked for again."""
        self.assertEqual(seen.answer, calm.answer)
        self.assertEqual(seen.events, calm.events)
        self.assertEqual(seen.outcomes, calm.outcomes)
        again = collections.Counter(kind_of(path) for _, path in seen.retried)
        self.assertEqual(seen.asked.keys(), calm.asked.keys())
        self.assertLessEqual(seen.asked.total() - calm.asked.total(), again["think"], "a model was asked again although its answer was on record")
        self.assertEqual(len(seen.used), len(calm.used))
        self.assertLessEqual(seen.used.total() - calm.used.total(), again["use"], "a tool was called again although its result was on record")

    def resume_from(self, source, position, calm):
        """Whoever has no outcome on record is asked, and nobody else."""
        self.rewind(source, position)
        before = Journal(self, self.home).paths()
        self.resume()
        seen = self.seen()
        missing = collections.Counter(kind_of(path) for path in (calm.outcomes - before).elements())
        self.assertEqual((seen.answer, seen.events, seen.outcomes), (calm.answer, calm.events, calm.outcomes))
        self.assertEqual((seen.asked.total(), seen.used.total()), (missing["think"], missing["use"]))
        self.assertLessEqual(seen.asked, calm.asked)

    def kill_and_resume(self, calm, point, nth):
        """How often it died."""
        self.next_home()
        ended, told = self.play(f"{point}:{nth}")
        if ended:
            return 0
        if not (self.home / "cadre.db").exists() or not self.tasks():
            return 1  # before the task was accepted
        journal = Journal(self, self.home)
        deaths = self.resume(f"{point}:{1 + nth % 3}" if nth % 2 else None)  # every other one dies in its resume too
        seen = self.seen()
        self.check(calm, seen)
        if not deaths:
            self.assertLessEqual(set(seen.retried), journal.open())
        kept = {line["seq"]: line["event"] for line in self.lines(self.tasks()[0])}
        for line in told:
            self.assertEqual(line["event"], kept.get(line["seq"]), "an event was told, and is another one or gone")
        return 1 + deaths

    def rewind(self, source, position):
        """A home as a process leaves it that dies when exactly so many records are durable, wherever commits were."""
        self.next_home()
        shutil.copytree(source, self.home)
        with contextlib.closing(sqlite3.connect(self.home / "cadre.db")) as database, database:
            database.execute("DELETE FROM record WHERE id NOT IN (SELECT id FROM record ORDER BY id LIMIT ?)", (position,))
            database.execute("DELETE FROM task WHERE id NOT IN (SELECT task FROM record)")
            database.execute("UPDATE task SET seq = (SELECT max(seq) FROM record WHERE record.task = task.id)")
            database.execute("UPDATE task SET open = 1, status = 'running' WHERE id NOT IN (SELECT task FROM record WHERE kind IN (15, 16, 17))")
        shutil.rmtree(self.home / "tasks")  # a copy of the journal

    def calm(self, scene):
        self.open_scene(scene)
        self.next_home()
        ended, _ = self.play()
        calm = self.seen()
        self.assertEqual((ended, calm.answer, calm.used.total()), (True, scene.answer, scene.tools))
        self.assertEqual(calm.retried, [])
        return calm, Journal(self, self.home).records

    def storm(self, scene, stride=STRIDE):
        calm, records = self.calm(scene)
        source = self.home
        for position in range(1, records, stride):
            with self.subTest(scene=scene.name, position=position):
                self.resume_from(source, position, calm)
        kills = 0
        for place, point in enumerate(POINTS):
            for nth in range(1 if stride == 1 else 1 + place, 200, stride):
                deaths = 1  # also where it fails
                with self.subTest(scene=scene.name, point=point, nth=nth):
                    deaths = self.kill_and_resume(calm, point, nth)
                if not deaths:
                    break
                kills += deaths
        print(f"{scene.name}: {len(range(1, records, stride))} of {records - 1} positions of the journal, {kills} kills" +
              ("" if stride == 1 else "; all of them: ./test --long"))
        self.assertGreater(kills, 40 if stride == 1 else 5)


class Patterns(Kills):
    # TEAM-22 E
    def test_agents_at_the_same_time_who_are_killed_anywhere_meet_where_they_would_have_met(self):
        self.storm(PARALLEL)

    # TEAM-24 E
    def test_a_consensus_that_is_killed_anywhere_comes_to_the_same_votes_and_decision(self):
        self.storm(CONSENSUS)

    # TEAM-23 E
    def test_a_coordinator_who_is_killed_anywhere_hears_each_worker_once(self):
        self.storm(HIERARCHICAL)

    def test_an_agent_who_has_others_decide_and_is_killed_anywhere_hears_the_same_decision(self):
        self.storm(COLLABORATE)

    # TEAM-15 E
    def test_turns_with_handoffs_of_each_type_that_are_killed_anywhere_end_alike(self):
        self.storm(TURNS)

    def test_a_plan_that_is_killed_anywhere_is_worked_through_once(self):
        self.storm(PLAN)

    # FLOW-11 E
    def test_a_workflow_whose_arms_are_killed_anywhere_joins_them_once(self):
        self.storm(WORKFLOW, stride=1)

    def test_a_reflection_that_is_killed_anywhere_has_the_same_drafts_and_reviews(self):
        self.storm(REFLECTION, stride=1 if LONG else 3)

    def test_the_harness_can_see(self):
        """A request too many, another vote, a lost outcome: a witness disagrees."""
        calm, _ = self.calm(CONSENSUS)
        with self.assertRaisesRegex(AssertionError, "asked again"):
            self.check(calm, calm._replace(asked=calm.asked + collections.Counter([next(iter(calm.asked))])))
        with self.assertRaisesRegex(AssertionError, "called again"):
            self.check(calm, calm._replace(used=calm.used + calm.used))
        changed = {who: [words.replace("abstain", "approve") for words in said] for who, said in calm.events.items()}
        with self.assertRaises(AssertionError):
            self.check(calm, calm._replace(events=changed))
        with self.assertRaises(AssertionError):
            self.check(calm, calm._replace(outcomes=calm.outcomes - collections.Counter([next(iter(calm.outcomes))])))


if __name__ == "__main__":
    unittest.main()
