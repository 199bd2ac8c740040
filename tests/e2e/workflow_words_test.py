#!/usr/bin/env python3
"""A workflow that ends early says why, and an input that nothing reads is refused."""
import unittest

from flows import Workflows
from home import INVALID


class DeadEnds(Workflows):
    def test_a_node_whose_edges_lead_nowhere_says_why_the_workflow_ends(self):
        self.agents("triage", "sales")
        nodes = {"triage": {"type": "agent", "agent": "triage"}, "sales": {"type": "agent", "agent": "sales"}}
        cases = [({"from": "triage", "to": "sales", "condition": "1 > 2"}, [{"text": "x"}],
                  "the workflow ends at 'triage': no condition of its edges is true"),
                 ({"from": "triage", "to": {"sales": "sales"}, "condition": "'legal'"}, [{"text": "x"}],
                  "the workflow ends at 'triage': no condition of its edges is true")]
        for edge, script, words in cases:
            with self.subTest(edge):
                self.end_processes()
                self.setUp()
                self.agents("triage", "sales")
                self.workflow(nodes, [edge])
                done = self.go(script)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(words, done.stderr)
                task = self.only_task()
                self.assertIn(words, self.succeeds("show", task))
                errors = [event for event in self.events(task) if event["type"] == "event_error"]
                self.assertEqual([(event["error_type"], event["recoverable"]) for event in errors], [("dead_end", True)])
                self.succeeds("replay", task)

    def test_a_node_without_edges_and_one_that_leads_on_say_nothing(self):
        self.agents("triage", "sales")
        self.workflow({"triage": {"type": "agent", "agent": "triage"}, "sales": {"type": "agent", "agent": "sales"}},
                      [{"from": "triage", "to": "sales", "condition": "1 < 2"}])
        done = self.go([{"text": "x", "times": 2}])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("the workflow ends", done.stderr + self.succeeds("show", self.only_task()))


class Inputs(Workflows):
    def test_an_input_that_nothing_reads_is_refused_with_the_nearest_name(self):
        self.agents("writer")
        self.workflow({"draft": {"type": "agent", "agent": "writer", "prompt": "About {{ task.input.subject }}."}}, [],
                      state={"topic": {"schema": {"type": "string", "default": ""}}})
        script = [{"text": "Tea.", "times": "any"}]
        done = self.go(script, "--input", "topic=tea", "--input", "subject=tea")
        self.assertEqual(done.returncode, 0, done.stderr)
        for given, words in (("topci=tea", "did you mean topic?"), ("zebra=1", "there are: subject, topic")):
            done = self.go(script, "--input", given)
            self.assertEqual((done.returncode, done.stdout), (INVALID, ""))
            self.assertIn("nothing in the workflow flow reads it; " + words, done.stderr)

    def test_a_workflow_that_takes_all_of_its_input_takes_any(self):
        self.agents("writer")
        self.workflow({"draft": {"type": "agent", "agent": "writer", "prompt": "About {{ task.input | tojson }}."}}, [])
        self.assertEqual(self.go([{"text": "Tea."}], "--input", "anything=1").returncode, 0)


if __name__ == "__main__":
    unittest.main()
