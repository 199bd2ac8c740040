#!/usr/bin/env python3
"""`cadre test`: tests that people write beside their teams and agents."""
import json
import os
import pathlib
import re
import subprocess
import unittest
import xml.etree.ElementTree

from home import ASK, CADRE, INVALID, LIMIT, NOT_FOUND, ROOT, SUM, Home, calls
from mock_server import Mock

FAILED = 1
TESTS = "agents/researcher.test.yaml"


def case(name="works", input="Go.", **fields):
    return {"name": name, "input": input, **fields}


class Suites(Home):
    FILE = TESTS

    def write_tests(self, *cases, file=None, **fields):
        self.write(file or self.FILE, {"cases": list(cases), **fields})

    def results(self, *words, code=0, **options):
        done = self.cadre("test", "--json", *words, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def differences(self, test):
        """Of one case, by what they are about."""
        self.write_tests(test)
        results = json.loads(self.cadre("test", "--json").stdout)["cases"]
        return {one["what"]: one["text"] for one in results[0]["differences"]}

    def faults(self, code=INVALID):
        done = self.cadre("test")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr


class Tests(Suites):
    def test_a_case_that_is_as_expected_passes(self):
        self.write_tests(case(script=SUM, expect={"answer": "The sum is 5.", "calls": [{"tool": "calculator", "args": {"expression": "2+3"}}],
                                            "events": ["task_start", "tool_call", "tool_result", "task_complete"],
                                            "max_steps": 2, "max_calls": 1, "max_tokens": 10000, "max_cost": 0}))
        done = self.cadre("test")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^agents/researcher\.test\.yaml\n  ok    works +[\d.]+ m?s\n\n1 test passed \(.*\)\n$")
        self.assertEqual(done.stderr, "")
        self.assertFalse(self.home.exists(), "a test runs in a home of its own")

    def test_the_first_difference_of_an_answer_is_marked(self):
        self.write_tests(case("adds", script=SUM, expect={"answer": "The sum is 6."}))
        done = self.cadre("test")
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stdout, r"(?m)^  FAIL  adds +[\d.]+ m?s$")
        self.assertIn("        answer:\n"
                      "          expected: The sum is 6.\n"
                      "          got:      The sum is 5.\n"
                      "                               ^\n", done.stdout)
        self.assertIn("\n1 test: 1 failed (", done.stdout)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()))

    def test_long_texts_are_compared_line_by_line(self):
        text = "\n".join(f"line {i}" for i in range(30))
        other = text.replace("line 17", "another line")
        shown = self.differences(case(script=[{"text": text}], expect={"answer": other}))["answer"]
        self.assertEqual(shown, "- expected, + got\n…\n  line 15\n  line 16\n- another line\n+ line 17\n  line 18\n  line 19")

    def test_calls_are_shown_beside_what_was_expected(self):
        script = [calls("calculator", expression="2+3"), calls("calculator", expression="4"), {"text": "Done."}]
        wanted = [{"tool": "calculator", "args": {"expression": "2+3"}}, {"tool": "read_file"}]
        self.assertEqual(self.differences(case(script=script, expect={"calls": wanted}))["calls"],
                         '- expected, + got\n  calculator {"expression":"2+3"}\n- read_file\n+ calculator {"expression":"4"}')

    def test_the_order_of_calls_is_exact_any_or_among(self):
        script = [calls("calculator", expression="1"), calls("calculator", expression="2"), calls("calculator", expression="3"),
                  {"text": "Done."}]
        for order, wanted, good in (("exact", "123", True), ("exact", "12", False), ("exact", "132", False), ("any", "312", True),
                                    ("any", "31", False), ("any", "1231", False), ("among", "13", True), ("among", "31", False),
                                    ("among", "", True), ("exact", "", False)):
            with self.subTest(order=order, wanted=wanted):
                expected = [{"tool": "calculator", "args": {"expression": one}} for one in wanted]
                found = self.differences(case(script=script, expect={"calls": expected, "order": order}))
                self.assertEqual("calls" not in found, good, found)

    def test_each_expectation_can_fail(self):
        writes = [calls("write_file", path="a.txt", content="blue sky"), {"text": '{"sky": "blue"}', "usage": {"cost": 0.5, "input": 90}}]
        for what, expect, says in (
                ("status", {"status": "failed"}, "expected: failed\ngot:      completed"),
                ("answer", {"answer": {"contains": ["sky", "red"]}}, "expected to contain: red"),
                ("answer", {"answer": {"matches": "^sky"}}, "expected to match: ^sky"),
                ("answer", {"answer": {"schema": {"properties": {"sky": {"type": "number"}}}}}, "/sky: must be"),
                ("calls", {"calls": []}, "+ write_file"),
                ("calls", {"calls": [{"tool": "write_file", "agent": "writer"}]}, "by researcher"),
                ("calls", {"calls": [{"tool": "write_file", "failed": True}]}, "- write_file fails"),
                ("calls", {"calls": [{"tool": "write_file", "result": {"contains": "nothing"}}]}, "-> …nothing…"),
                ("events", {"events": ["tool_result", "tool_call"]}, "expected tool_call after tool_result\ngot: task_start"),
                ("files.a.txt", {"files": {"a.txt": "grey sky"}}, "expected: grey sky"),
                ("files.b.txt", {"files": {"b.txt": {"contains": "sky"}}}, "was not written; these were: a.txt"),
                ("max_cost", {"max_cost": 0.4}, "at most 0.4\ngot:      0.5"),
                ("max_tokens", {"max_tokens": 10}, "at most 10"),
                ("max_steps", {"max_steps": 1}, "at most 1\ngot:      2"),
                ("max_calls", {"max_calls": 0}, "at most 0\ngot:      1")):
            with self.subTest(what, expect=expect):
                found = self.differences(case(script=writes, expect=expect))
                self.assertEqual(list(found), [what])
                self.assertIn(says, found[what])
        good = {"answer": {"contains": "sky", "schema": {"required": ["sky"]}}, "files": {"a.txt": {"matches": "blue"}}, "max_cost": 0.5,
                "calls": [{"tool": "write_file", "agent": "researcher", "failed": False}]}
        self.assertEqual(self.differences(case(script=writes, expect=good)), {})

    def test_a_run_that_should_fail_says_why(self):
        script = [{"fail": {"status": 400, "message": "too long"}}]
        self.assertEqual(self.differences(case(script=script, expect={"status": "failed", "error": {"contains": "too long"}})), {})
        self.assertIn("short", self.differences(case(script=script, expect={"status": "failed", "error": {"contains": "short"}}))["error"])

    def test_a_request_that_the_script_does_not_answer_names_its_line_in_the_test(self):
        self.write(TESTS, "cases:\n  - name: adds\n    input: Go.\n    script:\n      - text: Never.\n        when: {contains: Stop}\n")
        done = self.cadre("test")
        self.assertEqual(done.returncode, FAILED)
        said = " ".join(done.stdout.split())
        self.assertIn("no entry of agents/researcher.test.yaml answers this request", said)
        self.assertIn("nearest is agents/researcher.test.yaml:5: it wants \"Stop\"", said)

    def test_entries_that_nothing_asks_for_fail_the_test(self):
        found = self.differences(case(script=[{"text": "Yes."}, {"text": "More."}]))
        self.assertRegex(found["script"], r"researcher\.test\.yaml:1: used 0 of 1 times: \"More\.\"")

    def test_people_answer_as_the_test_says(self):
        self.assertEqual(self.differences(case(script=ASK, answers=[{"question": "colour", "answer": "blue"}],
                                               expect={"answer": "Blue it is.", "events": ["hitl_request", "hitl_response"]})), {})
        self.assertEqual(self.differences(case(script=ASK)),
                         {"status": "expected: completed\ngot:      waiting\nnobody answers: Which colour?"})
        self.assertEqual(self.differences(case(script=ASK, expect={"status": "waiting"})), {})
        self.assertEqual(self.differences(case(script=[{"text": "Done."}], answers=[{"answer": "blue"}])),
                         {"answers": 'nothing asked for:\n"blue"'})

    def test_calls_are_approved_refused_and_changed(self):
        script = [calls("calculator", expression="2+3"), {"text": "Done."}]
        for answer, result in (({"verb": "approve"}, {"contains": "5"}), ({"verb": "modify", "arguments": {"expression": "3+4"}}, {"contains": "7"}),
                               ({"verb": "reject", "answer": "not today"}, {"contains": "not today"})):
            with self.subTest(answer):
                self.assertEqual(self.differences(case(script=script, mode="hitl", answers=[{"question": "calculator", **answer}],
                                                       expect={"calls": [{"tool": "calculator", "result": result}]})), {})
        found = self.differences(case(script=script, mode="hitl", answers=[{"answer": "fine"}]))
        self.assertIn("nobody answers: approval", found["status"])

    def test_a_model_fails_as_often_as_the_test_says(self):
        faults = [{"status": 429, "error": "slow down", "times": 2}]
        self.assertEqual(self.differences(case(script=SUM, faults=faults, expect={"answer": "The sum is 5.", "events": ["error", "recovery"]})), {})
        self.assertEqual(self.differences(case(script=SUM, faults=[{"status": 400, "nth": 2}], expect={"status": "failed"})), {})
        self.write("sum.yaml", SUM)
        self.assertEqual(self.differences(case(model="script:../sum.yaml", faults=faults, expect={"events": ["error", "recovery"]})), {})

    def test_tools_fail_and_are_stood_in_for(self):
        script = [calls("calculator", expression="1"), calls("calculator", expression="2"), {"text": "Done."}]
        self.assertEqual(self.differences(case(script=script, faults=[{"tool": "calculator", "error": "no power"}], expect={"calls": [
            {"tool": "calculator", "failed": True, "result": {"contains": "no power"}}, {"tool": "calculator", "failed": False}]})), {})
        stand_ins = [{"name": "calculator", "args": {"expression": "1"}, "result": "uno"}, {"name": "calculator", "error": "tired"}]
        self.assertEqual(self.differences(case(script=script, tools=stand_ins, expect={"calls": [
            {"tool": "calculator", "result": "uno"}, {"tool": "calculator", "result": "tired", "failed": True}]})), {})
        self.assertEqual(self.differences(case(script=script, faults=[{"tool": "calculator", "times": 3}])),
                         {"faults": "did not happen:\ncalculator should have failed 1 time more"})

    def test_a_run_goes_on_in_another_process_and_does_nothing_twice(self):
        script = [calls("write_file", path="a.txt", content="once"), calls("calculator", expression="2+3"), *ASK]
        expect = {"answer": "Blue it is.", "calls": [{"tool": "write_file"}, {"tool": "calculator"}], "max_steps": 4}
        self.assertEqual(self.differences(case(script=script, answers=[{"answer": "blue"}], faults=[{"restart": 3, "times": 3}],
                                               expect=expect)), {})
        found = self.differences(case(script=SUM, faults=[{"restart": 500}]))
        self.assertEqual(found, {"faults": "did not happen:\na restart after event 500"})

    def test_a_test_that_takes_too_long_is_stopped(self):
        found = self.differences(case(script=[{"text": "Late.", "delay_ms": 3600000}], timeout=0.2))
        self.assertEqual(found, {"timeout": "did not end within 200 ms"})

    def test_everything_that_is_wrong_with_a_file_is_told_with_its_place(self):
        self.write(TESTS, """cases:
  - name: one
    input: Go.
    script: [{txet: a}]
    expect: {events: [tool_cal], answer: {matches: "("}, files: {../a: x}}
  - name: one
    input: Go.
    script: [{text: a}]
    model: script:x.yaml
    faults: [{tool: a, status: 500}]
  - name: three
    inptu: Go.
""")
        wrong = self.faults()
        for says in ("agents/researcher.test.yaml:4:15: cases[0].script[0].txet: is not a field of script_entry, did you mean \"text\"?",
                     "agents/researcher.test.yaml:5:23: cases[0].expect.events[0]: there is no event \"tool_cal\", did you mean \"tool_call\"?",
                     "agents/researcher.test.yaml:5:52: cases[0].expect.answer.matches:",
                     "agents/researcher.test.yaml:5:72: cases[0].expect.files.../a: must be the path of a file of the task",
                     "agents/researcher.test.yaml:6:11: cases[1].name: \"one\" is here twice",
                     "agents/researcher.test.yaml:9:12: cases[1].model: cannot stand beside script",
                     "cases[1].faults[0].status: is a model's, so not beside tool",
                     "agents/researcher.test.yaml:12:5: cases[2].inptu: is not a field of test_case, did you mean \"input\"?"):
            self.assertIn(says, wrong)
        done = self.cadre("check", TESTS)
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("agents/researcher.test.yaml:4:15: error: cases[0].script[0].txet", done.stdout)

    def test_what_cannot_be_run_is_told_before_anything_runs(self):
        for fields, says in (({"run": "nobody"}, ':1:53: cases[0].run: there is no team, agent or workflow called "nobody"'),
                             ({"run": "../teams/none.yaml"}, "cases[0].run: "), ({"agent": "writer"}, 'has no agent called "writer"'),
                             ({"model": "script:none.yaml"}, "none.yaml does not exist"),
                             ({"budget": "much"}, "much")):
            with self.subTest(fields):
                self.write_tests(case(**fields) if "agent" not in fields else case(script=SUM, **fields))
                self.assertIn(says, self.faults())
        self.write_tests(case(script=SUM), file="agents/nobody.test.yaml")
        self.assertIn("there is no nobody.yaml beside it; say what is tested", self.cadre("test", "agents/nobody.test.yaml").stderr)

    def test_no_real_model_is_asked_that_no_test_names(self):
        self.write("agents/researcher.json", AGENT_OF_A_VENDOR)
        self.write_tests(case())
        done = self.cadre("test", env={"OPENAI_API_KEY": "sk-not-a-real-key-at-all"})
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertIn("openai/gpt-5-mini is not asked in a test; give the case a `script`", " ".join(done.stdout.split()))
        done = self.cadre("test")
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertRegex(" ".join(done.stdout.split()), r"OPENAI_API_KEY.*; with a `script` a test needs none")

    def test_the_environment_chooses_no_model_for_a_test(self):
        self.write("cadre.yaml", "version: 1.0.0\nmodel: script:mine.yaml\n")
        self.write("mine.yaml", [{"text": "Mine.", "times": "any"}])
        self.write_tests(case(expect={"answer": "Mine."}))
        self.assertTrue(self.results(env={"CADRE_MODEL": self.script([{"text": "Yours."}])})["ok"])

    def test_files_and_folders_and_names_choose_the_tests(self):
        self.write_tests(case("short answer", script=SUM), case("long answer", script=SUM))
        self.write_tests(case("elsewhere", run="../agents/researcher.json", script=SUM), file="more/other.test.yaml")
        self.write_tests(case("hidden"), file=".cache/hidden.test.yaml")
        names = lambda *words: [one["name"] for one in self.results(*words)["cases"]]
        self.assertEqual(names(), ["short answer", "long answer", "elsewhere"])
        self.assertEqual(names("more"), ["elsewhere"])
        self.assertEqual(names(TESTS, "--only", "long"), ["long answer"])
        self.assertIn('did you mean "long answer"?', self.cadre("test", "--only", "lnog answer").stderr)
        self.assertEqual(self.cadre("test", "--only", "nothing").returncode, NOT_FOUND)
        self.assertEqual(self.cadre("test", "none").returncode, NOT_FOUND)

    def test_a_folder_without_tests_says_what_tests_are_called(self):
        done = self.cadre("test")
        self.assertEqual(done.returncode, NOT_FOUND)
        self.assertIn("they are files called NAME.test.yaml beside what they test", done.stderr)

    def test_homes_are_removed_unless_they_are_kept(self):
        self.write_tests(case(script=SUM))
        temporary = self.folder / "tmp"
        temporary.mkdir()
        self.results(env={"TMPDIR": str(temporary)})
        self.assertEqual(list(temporary.iterdir()), [])
        kept = self.results("--keep", env={"TMPDIR": str(temporary)})["cases"][0]
        self.assertIn(kept["task"], self.succeeds("tasks", "--all", "--json", env={"CADRE_HOME": kept["home"]}))

    def test_results_for_ci_are_well_formed(self):
        self.write_tests(case('<"one"> & all', script=SUM), case("two", script=[{"text": "a\u0001<b>"}], expect={"answer": "c"}), test="R&D")
        self.write_tests(case("three", run="../agents/researcher.json", script=SUM), file="more/other.test.yaml")
        done = self.cadre("test", "--junit", "results.xml")
        self.assertEqual(done.returncode, FAILED)
        root = xml.etree.ElementTree.parse(self.folder / "results.xml").getroot()
        self.assertEqual((root.tag, root.get("tests"), root.get("failures")), ("testsuites", "3", "1"))
        self.assertEqual([suite.get("name") for suite in root], ["R&D", "more/other.test.yaml"])
        self.assertEqual([one.get("name") for one in root[0]], ['<"one"> & all', "two"])
        self.assertEqual([one.find("failure") is None for one in root.iter("testcase")], [True, False, True])
        self.assertIn("expected: c", root[0][1].find("failure").text)
        self.assertGreaterEqual(float(root[0][0].get("time")), 0)

    def test_a_run_that_ended_becomes_a_test(self):
        self.write("teams/colours.yaml", {"name": "colours", "description": "d", "default_llm": {}, "tools": [], "agents": [
            {"name": "painter", "role": "Paints.", "prompt": "Paint.", "tools": ["ask_human", "write_file"]},
            {"name": "other", "role": "Waits.", "prompt": "Wait."}]})
        script = [calls("ask_human", question="Which colour?"), calls("write_file", path="a.txt", content="${NOT_A_VARIABLE}\n"),
                  {"text": "Blue it is.\nAnd well done: \"yes\"."}]
        model = self.script(script)
        self.assertEqual(self.cadre("run", "--quiet", "teams/colours.yaml", "--agent", "painter", "--model", model, "Paint it.\nWell.").returncode, 11)
        task = self.only_task()
        not_yet = self.cadre("test", "--save", task)
        self.assertIn("has not ended, it is waiting", not_yet.stderr)
        self.succeeds("answer", task, "blue")
        self.assertIn("a test was added to teams/colours.test.yaml; to run it: ", self.succeeds("test", "--save", task[:8]))
        saved = (self.folder / "teams/colours.test.yaml").read_text()
        self.assertIn("  - name: Paint it. Well.\n    agent: painter\n", saved)
        results = self.results(env={"OPENAI_API_KEY": ""})
        self.assertEqual([(one["name"], one["ok"]) for one in results["cases"]], [("Paint it. Well.", True)])
        self.succeeds("test", "--save", task)
        (self.folder / "more").mkdir()
        self.succeeds("test", "--save", task, "more/x.test.yaml")
        results = self.results()
        self.assertTrue(results["ok"])
        self.assertEqual([one["name"] for one in results["cases"]], ["Paint it. Well.", "Paint it. Well.", "Paint it. Well. (2)"])
        changed = saved.replace("Blue it is.", "Red it is.", 1)
        self.assertNotEqual(changed, saved)
        self.write("teams/colours.test.yaml", changed)
        self.assertFalse(self.results(code=FAILED)["ok"])

    def test_approvals_and_faults_of_a_run_become_part_of_its_test(self):
        script = [calls("calculator", expression="2+3"), calls("calculator", expression="1/0"), {"text": "Done."}]
        self.assertEqual(self.run_agent(script, "--mode", "hitl").returncode, 11)
        task = self.only_task()
        self.assertEqual(self.cadre("approve", task, "--arguments", '{"expression": "3+4"}').returncode, 11)
        self.succeeds("approve", task, *self.now_asked(task))
        self.succeeds("test", "--save", task)
        saved = (self.folder / TESTS).read_text()
        self.assertIn("mode: hitl", saved)
        self.assertIn("verb: modify", saved)
        self.assertIn("failed: true", saved)
        self.assertTrue(self.results()["ok"])

    def test_a_saved_test_does_not_spoil_a_file(self):
        self.run_agent(SUM)
        task = self.only_task()
        self.write(TESTS, "cases: [{name: a, input: b}]\n")
        done = self.cadre("test", "--save", task)
        self.assertIn("is written in a way that no case can be added at its end; name another file", done.stderr)
        self.assertEqual((self.folder / TESTS).read_text(), "cases: [{name: a, input: b}]\n")
        self.write(TESTS, "# mine\ncases:\n- name: a\n  input: b\n  script: [{text: c}]  # no newline at the end")
        self.succeeds("test", "--save", task)
        self.assertTrue((self.folder / TESTS).read_text().startswith("# mine\n"))
        self.assertEqual([one["name"] for one in self.results()["cases"]], ["a", "Go."])
        self.assertEqual(self.cadre("test", "--save", task, "agents/researcher.json").returncode, INVALID)


FLOW = {"name": "flow", "patterns": ["react"], "entry_point": "look",
        "nodes": {"look": {"type": "agent", "agent": "researcher", "output": "found", "set": {"hot": "true"}},
                  "agree": {"type": "human", "prompt": "Is {{ state.found }} enough for {{ state.topic }}?"},
                  "left": {"type": "tool", "tool": "calculator", "args": {"expression": "1"}, "set": {"marks": "['l']"}},
                  "right": {"type": "tool", "tool": "calculator", "args": {"expression": "2"}, "set": {"marks": "['r']"}}},
        "edges": [{"from": "look", "to": "agree"}, {"from": "agree", "to": "left"}, {"from": "agree", "to": "right"}],
        "state": {"topic": {"schema": {"type": "string"}}, "found": {"schema": {"type": "string"}}, "hot": {"schema": {"type": "boolean"}},
                  "facts": {"schema": {"type": "object", "default": {"a": 1, "b": 2}}},
                  "marks": {"schema": {"type": "array", "default": []}, "reducer": "append"}}}
TEA = [{"text": "a leaf"}]


class Workflows(Suites):
    FILE = "workflows/flow.test.yaml"

    def setUp(self):
        super().setUp()
        self.write("workflows/flow.json", FLOW)

    def flow(self, *answers, inputs=None, **expect):
        """What differs in a run in which people give these answers."""
        return self.differences(case(script=TEA, inputs=inputs or {"topic": "tea"}, answers=list(answers), expect=expect))

    def test_the_state_begins_with_the_inputs_and_ends_as_all_nodes_left_it(self):
        yes = {"question": "Is a leaf enough for tea?", "verb": "approve"}
        state = {"topic": "tea", "found": "a leaf", "hot": True, "marks": ["l", "r"], "facts": {"b": 2}}
        self.assertEqual(self.flow(yes, state=state), {})
        for name, other, got in (("topic", "coffee", "tea"), ("hot", False, "true"), ("marks", ["r", "l"], '["l","r"]'),
                                 ("facts", {"c": 3}, '{"a":1,"b":2}'), ("next_action", "stop", "(nothing)")):
            with self.subTest(name):
                found = self.flow(yes, state={**state, name: other})
                self.assertEqual(list(found), [f"state.{name}"])
                self.assertIn(f"got:      {got}", found[f"state.{name}"])

    def test_a_person_changes_the_state(self):
        changed = {"verb": "modify", "state": {"found": "two leaves", "routing_key": "go"}}
        self.assertEqual(self.flow(changed, state={"found": "two leaves", "routing_key": "go"}), {})
        self.assertIn("must be", self.flow({"verb": "modify", "state": {"found": 2}}, state={})["run"])

    def test_the_state_of_a_workflow_that_waits_is_what_was_done_so_far(self):
        self.assertEqual(self.flow(status="waiting", state={"found": "a leaf", "marks": []}), {})

    def test_mistakes_are_told_with_their_place(self):
        for fields, says in (
                ({"expect": {"state": {"foundd": 1}}}, 'cases[0].expect.state.foundd: is not a field of the workflow\'s state, did you mean "found"?'),
                ({"answers": [{"verb": "modify"}]}, "cases[0].answers[0].arguments: is required with modify, or state"),
                ({"answers": [{"verb": "approve", "state": {}}]}, "cases[0].answers[0].verb: must be modify with state"),
                ({"run": "../agents/researcher.json", "expect": {"state": {"found": 1}}}, "cases[0].expect.state: is a workflow's"),
                ({"run": "../agents/researcher.json", "inputs": {"a": 1}}, "is not a workflow, and takes no --input")):
            with self.subTest(says):
                self.write_tests(case(script=TEA, **fields))
                self.assertIn(says, self.faults())

    def test_a_run_of_a_workflow_becomes_a_test(self):
        self.cadre("run", "--workflow", "flow", "--model", self.script(TEA), "--input", "topic=tea", "Go.")
        task = self.only_task()
        self.succeeds("approve", task, "--state", "found=two leaves")
        self.succeeds("test", "--save", task)
        saved = (self.folder / "workflows/flow.test.yaml").read_text()
        self.assertIn("topic: tea", saved)
        self.assertIn("found: two leaves", saved)
        self.assertTrue(self.results()["ok"])


AGENT_OF_A_VENDOR = {"name": "researcher", "role": "r", "prompt": "p", "llm_config": {"provider": "openai", "model": "gpt-5-mini"}}


class Recordings(Mock):
    def test_a_recorded_run_is_played_again_without_its_model(self):
        self.serve([calls("calculator", expression="2+3"), {"text": "The sum\nis 5: \"five\".", "usage": {"input": 7, "output": 9}}])
        env = {"OPENAI_BASE_URL": self.url + "/v1", "OPENAI_API_KEY": "sk-0123456789abcdef0123456789"}
        first = self.cadre("run", "--quiet", "--agent", "researcher", "--model", "openai/gpt-5-mini", "--budget", "9000tokens",
                           "--record", "sum.cassette.yaml", "Add.", env=env)
        self.assertEqual(first.returncode, 0, first.stderr)
        recorded = (self.folder / "sum.cassette.yaml").read_text()
        self.assertTrue(recorded.startswith("# A recording of what models answered"), recorded)
        self.assertIn("  when:\n    agent: researcher\n    nth: 2\n".replace("  when", "- when", 1), recorded)
        self.end_processes()
        again = self.cadre("run", "--quiet", "--agent", "researcher", "--model", "replay:sum.cassette.yaml", "Add.")
        self.assertEqual((again.returncode, again.stdout), (0, first.stdout))
        self.write(TESTS, {"cases": [case(model="replay:../sum.cassette.yaml", expect={
            "answer": first.stdout, "calls": [{"tool": "calculator"}], "max_tokens": 100000})]})
        self.assertEqual(self.cadre("test").returncode, 0)

    def test_a_recording_replaces_only_a_recording(self):
        file = self.write("mine.yaml", "precious: 1\n")
        done = self.run_agent(SUM, "--record", "mine.yaml")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("mine.yaml is there and is not a recording", done.stderr)
        self.assertEqual(file.read_text(), "precious: 1\n")
        for entries in (SUM, [{"text": "New."}]):
            self.assertEqual(self.run_agent(entries, "--record", "sum.yaml").returncode, 0)
        self.assertIn("New.", (self.folder / "sum.yaml").read_text())

    def test_what_failed_is_recorded_and_credentials_are_not(self):
        done = self.run_agent([{"text": "key sk-proj-0123456789abcdef0123456789abcdef"}], "--record", "a.yaml")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("0123456789abcdef", (self.folder / "a.yaml").read_text())
        self.assertEqual(self.run_agent([{"fail": {"status": 400, "message": "no"}}], "--record", "b.yaml").returncode, 8)
        again = self.cadre("run", "--agent", "researcher", "--model", "replay:b.yaml", "Go.")
        self.assertEqual(again.returncode, 8)


class Examples(Home):
    def test_all_shipped_examples_pass_their_tests(self):
        (self.folder / "bin").mkdir()
        (self.folder / "bin/cadre").symlink_to(pathlib.Path(CADRE).resolve())
        env = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "CADRE_SANDBOX": "none"}
        done = self.cadre("test", "--json", ROOT / "examples", env=env)
        results = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0, [one for one in results["cases"] if not one["ok"]])
        tested = {pathlib.Path(one["file"]).name.removesuffix(".test.yaml") for one in results["cases"]}
        shipped = {file.stem for folder in ("teams", "teams/*/teams", "project/teams", "project/agents", "workflows/*/workflows")
                   for file in (ROOT / "examples").glob(f"{folder}/*.*") if ".test" not in file.name}
        self.assertEqual(shipped - tested, {"copy"})  # which campaign runs


class Guide(Home):
    def test_a_reader_of_the_guide_types_its_commands(self):
        page = (ROOT / "docs/guide/testing.md").read_text()
        (self.folder / "bin").mkdir()
        (self.folder / "bin/cadre").symlink_to(pathlib.Path(CADRE).resolve())
        place = self.folder / "reader"
        place.mkdir()
        text = "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S))
        for name, content in re.findall(r"^```yaml\n# (\S+\.yaml)\n(.*?)^```$", page, re.M | re.S):
            text = text.replace(f"$EDITOR {name}\n", f"mkdir -p $(dirname {name}) && cat > {name} <<'END'\n{content}END\n")
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=place, text=True, capture_output=True, timeout=4 * LIMIT,
                              env={**self.env, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        self.assertNotIn("$EDITOR", text)


if __name__ == "__main__":
    unittest.main()
