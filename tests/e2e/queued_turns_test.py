#!/usr/bin/env python3
"""A session whose turn is still open: two other terminals send messages, which wait their turn, in the order in which they came, whoever
is killed meanwhile."""
import json
import unittest

from home import Home
from mock_server import Mock

SESSION = "6f1c8a2e-4b7d-4c3f-a9e0-5d1b2c3a4f60"
WORDS = ("one", "two", "three")
LONG_MS = 600_000


def heard_by(words):
    """All that the model hears of a turn: what was said before, and the message."""
    said = [text for word in words[:-1] for text in (word, f"Answer to {word}.")]
    return [*said, words[-1]]


class Queued(Mock):
    def setUp(self):
        super().setUp()
        self.requests = self.folder / "requests"
        self.requests.touch()
        self.slow = False

    def open_model(self, *, first_hangs):
        """The first request of the first message is answered late, so that others come meanwhile; a second one for it at once."""
        first = {"when": {"contains": "one"}, "text": "Answer to one.", "delay_ms": LONG_MS if first_hangs else 1500}
        self.serve([first, *({"when": {"contains": word}, "text": f"Answer to {word}.", "times": "any"} for word in WORDS)],
                   "--requests", self.requests, "--quiet", name="says.json")
        self.env |= {"OPENAI_BASE_URL": self.url + "/v1", "OPENAI_API_KEY": "mock"}

    def turns(self):
        tasks = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]
        return {task["title"]: task for task in tasks}

    def statuses(self):
        return [task["status"] for task in sorted(self.turns().values(), key=lambda task: WORDS.index(task["title"]))]

    def heard(self):
        return [[message["content"] for message in json.loads(line)["messages"] if message["role"] != "developer"]
                for line in self.requests.read_text().splitlines()]

    def three_terminals(self):
        """The first one runs a turn, and the messages of the others are accepted."""
        terminals = [self.start("run", "--agent", "researcher", "--model", "openai/m", "--session", SESSION, "one")]
        self.until(lambda: self.heard() == [["one"]], "the first request")
        for word in WORDS[1:]:
            terminals.append(self.start("run", "--session", SESSION, word))
            self.until(lambda: word in self.turns(), f"the turn {word}")
        self.assertEqual(self.statuses(), ["running", "pending", "pending"])
        return terminals

    def all_came_in_order(self):
        self.assertEqual(self.statuses(), ["completed"] * 3)
        self.assertEqual(self.heard()[-3:], [heard_by(WORDS[:n]) for n in (1, 2, 3)])

    def test_each_terminal_gets_the_answer_to_its_own_message_in_the_order_in_which_they_came(self):
        self.open_model(first_hangs=False)
        for word, terminal in zip(WORDS, self.three_terminals()):
            out, err, code = self.end(terminal)
            self.assertEqual((out, code), (f"Answer to {word}.\n", 0), err)
        self.assertEqual(len(self.heard()), 3)
        self.all_came_in_order()

    def test_when_all_are_killed_a_resume_runs_them_in_the_order_in_which_they_came(self):
        self.open_model(first_hangs=True)
        for terminal in reversed(self.three_terminals()):
            terminal.kill()
            terminal.communicate()
        self.succeeds("resume", "--all")
        self.all_came_in_order()
        self.assertEqual(len(self.heard()), 4)  # the first request was under way
        self.succeeds("verify")

    def test_when_the_terminal_that_runs_them_is_killed_the_others_wait_for_its_turn(self):
        self.open_model(first_hangs=True)
        first, *others = self.three_terminals()
        first.kill()
        first.communicate()
        for other in others:
            self.end(other)
        self.succeeds("resume", "--all")
        self.all_came_in_order()

    def test_a_message_that_waits_can_be_taken_back_and_the_next_one_moves_up(self):
        self.open_model(first_hangs=False)
        first, second, third = self.three_terminals()
        self.succeeds("cancel", self.turns()["two"]["id"])
        self.assertNotEqual(self.end(second)[2], 0)
        self.assertEqual([self.end(terminal)[2] for terminal in (first, third)], [0, 0])
        self.assertEqual(self.statuses(), ["completed", "cancelled", "completed"])
        self.assertEqual(self.heard()[-1], heard_by(("one", "three")))

    def test_killed_at_each_commit_no_accepted_message_is_lost_or_moved(self):
        """Whoever runs the turns dies at a commit; what was accepted by then comes in its order."""
        kills = 0
        for nth in range(2, 12):
            self.end_processes()
            self.setUp()
            self.open_model(first_hangs=False)
            first = self.start("run", "--agent", "researcher", "--model", "openai/m", "--session", SESSION, "one",
                               env={"CADRE_CRASH_AT": f"after_commit:{nth}"})
            self.until(lambda: first.poll() is not None or self.heard(), "the first request")
            others = []
            for word in WORDS[1:]:
                if first.poll() is None:
                    others.append(self.start("run", "--session", SESSION, word))
                    self.until(lambda: word in self.turns() or others[-1].poll() is not None, f"the turn {word}")
            for process in (first, *others):
                self.end(process)
            kills += first.returncode == -9
            accepted = [word for word in WORDS if word in self.turns()]
            if accepted:
                self.cadre("resume", "--all")
                done = [word for word in accepted if self.turns()[word]["status"] == "completed"]
                self.assertEqual(done, accepted, nth)
                self.assertEqual(self.heard()[-1], heard_by(tuple(accepted)), nth)
        self.assertGreater(kills, 3)


if __name__ == "__main__":
    unittest.main()
