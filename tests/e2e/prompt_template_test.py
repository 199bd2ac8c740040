#!/usr/bin/env python3
"""Prompts that are templates: what reaches the model, what is pinned, and what hostile templates come to."""
import json
import os
import time
import unittest

from home import INVALID
from mock_server import Mock

HELLO = {"text": "Hello.", "times": "any"}
TEMPLATE = """You are {{ agent.display_name }}, who {{ agent.role|lower }}
{%- if task.description|length > 3 %} There is work: {{ task.description }}{% endif %}
{%- for other in team.agents if other.name != agent.name %} Ask {{ other.name }} ({{ other.role }}).{% endfor %}"""


class Prompts(Mock):
    def setUp(self):
        super().setUp()
        self.requests = self.folder / "asked.jsonl"
        self.requests.touch()
        self.write("cadre.yaml", "name: press\n")
        (self.folder / "agents/researcher.json").unlink()  # which has no model

    def vendor(self, *entries):
        self.serve(list(entries) or [HELLO], "--requests", self.requests)
        self.env |= {"OPENAI_BASE_URL": self.url + "/v1", "OPENAI_API_KEY": "sk-proj-abcdefghijklmnopqrstuvwx1234"}

    def team(self, template="prompts/writer.j2", **fields):
        self.write("teams/press.json", {
            "name": "press", "description": "x", "tools": [], "default_llm": {"provider": "openai", "model": "gpt-5-mini"},
            "agents": [{"name": "writer", "role": "Writes.", "prompt_template": template, **fields},
                       {"name": "editor", "role": "Edits.", "prompt": "You edit {{ raw }}."}]})

    def systems(self):
        """What each request told the model first."""
        return [json.loads(line)["messages"][0]["content"] for line in self.requests.read_text().splitlines()]

    def go(self, *words, prompt="Go."):
        return self.cadre("run", "press", *words, prompt)

    def checked(self):
        """The errors that `check` tells, as `run` words them."""
        told = json.loads(self.cadre("check", "--json").stdout)
        return ["{file}:{line}:{column}: {text}".format(**finding) if "line" in finding else "{file}: {text}".format(**finding)
                for finding in told["findings"] if finding["severity"] == "error"]


class Rendered(Prompts):
    # AGENT-16 E
    def test_variables_conditions_and_loops_reach_the_model_and_a_missing_file_is_named(self):
        self.vendor()
        self.team(display_name="Ann")
        done = self.go()
        self.assertEqual(done.returncode, INVALID)
        self.assertIn('agents[0].prompt_template: the template "prompts/writer.j2" does not exist', done.stderr)
        self.assertEqual(self.checked(), [done.stderr.strip().removeprefix("cadre: ")])
        self.write("prompts/writer.j2", TEMPLATE)
        self.assertEqual(self.checked(), [])
        for prompt in ("Compare.", "Go."):
            self.assertEqual(self.go(prompt=prompt).stdout, "Hello.\n")
        self.assertEqual(self.systems(), [
            "You are Ann, who writes. There is work: Compare. Ask editor (Edits.).",
            "You are Ann, who writes. Ask editor (Edits.)."])

    def test_a_plain_prompt_is_no_template(self):
        self.vendor()
        self.team()
        self.write("prompts/writer.j2", "x")
        self.go("--agent", "editor")
        self.assertEqual(self.systems(), ["You edit {{ raw }}."])

    def test_includes_are_found_beside_the_template_and_in_the_project(self):
        self.vendor()
        self.team("../prompts/writer.j2")
        self.write("prompts/writer.j2", "{% include 'tone.j2' %}\n{% include 'shared/end.j2' %}{% include 'no.j2' ignore missing %}")
        self.write("prompts/tone.j2", "Be calm, {{ agent.name }}.")
        self.write("shared/end.j2", "End of {{ task.description }}")
        self.assertEqual(self.go().stdout, "Hello.\n")
        self.assertEqual(self.systems(), ["Be calm, writer.\nEnd of Go."])

    def test_a_changed_file_counts_for_the_next_task(self):
        self.vendor({"tool_calls": [{"name": "ask_human", "arguments": {"question": "Which?"}}], "when": {"nth": 1}, "times": "any"},
                    HELLO)
        self.team(tools=["ask_human"])
        self.write("prompts/writer.j2", "Old {% include 'tone.j2' %}")
        self.write("prompts/tone.j2", "tone")
        self.go()
        task = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"][0]["id"]
        self.write("prompts/tone.j2", "{{ broken")
        self.write("prompts/writer.j2", "New.")
        self.succeeds("answer", task, "Blue.")
        self.assertEqual(self.systems(), ["Old tone", "Old tone"])
        self.go()
        self.assertEqual(self.systems()[2:], ["New."])
        self.succeeds("replay", task)

    def test_a_template_that_fails_at_run_time_fails_the_task_and_asks_nobody(self):
        self.vendor()
        self.team()
        self.write("prompts/writer.j2", "One.\n{{ task.input.days + 1 }}")
        self.assertEqual(self.checked(), [])
        done = self.go()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('prompts/writer.j2:2:15: a dict has no "days"', done.stderr)
        self.assertEqual(self.systems(), [])
        task = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"][0]
        self.assertEqual(task["status"], "failed")
        self.succeeds("replay", task["id"])


class Refused(Prompts):
    """`check` and `run` refuse with the same words, soon, and without asking a model."""

    def refused(self, source, *says, template="prompts/writer.j2"):
        self.team(template)
        if source is not None:
            file = self.folder / "prompts/writer.j2"
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(source if isinstance(source, bytes) else source.encode())
        begin = time.monotonic()
        done = self.go()
        self.assertLess(time.monotonic() - begin, 10, "a hostile template takes its time")
        self.assertEqual((done.returncode, done.stdout), (INVALID, ""), done.stderr)
        for part in says:
            self.assertIn(part, done.stderr)
        self.assertEqual([f"cadre: {error}\n" for error in self.checked()], [done.stderr])
        self.assertEqual(self.systems(), [])

    def test_faults_have_their_place_in_the_template(self):
        self.vendor()
        for source, says in (
            ("One.\nTwo.\n{{ task.id|uper }}", 'prompts/writer.j2:3:12: unknown filter "uper", did you mean "upper"?'),
            ("{% if task %}", "prompts/writer.j2:1:14: {% endif %} is missing"),
            ("{{ agnt.name }}", 'prompts/writer.j2:1:4: "agnt" is not defined, did you mean "agent"?'),
            ("{{ task.descripton }}", 'prompts/writer.j2:1:9: task has no "descripton", did you mean "description"?'),
            ("{{ shop }}", '"shop" is not defined; there are: task, agent, team, state'),
            ("{% macro x() %}{% endmacro %}", '"macro" is a tag of Jinja that is not part of this language'),
            ("{% include 'gone.j2' %}", 'prompts/writer.j2:1:12: there is no template "gone.j2" to include'),
            ("{{ 99999999999999999999 }}", "does not fit into 64 bits"),
            (b"a\xff\xfe\x00b", "prompts/writer.j2:1:2: here is a byte that is not UTF-8"),
            ("x" * 1_000_000, "prompts/writer.j2:1:1: it has 1000000 bytes, more than 256 KiB"),
            ("x" * 2_000_000, "prompts/writer.j2:1:1: has more than 1048576 bytes; split it"),
            ("{{ " + "(" * 1000 + "1" + ")" * 1000 + " }}", "64"),
        ):
            with self.subTest(says):
                self.refused(source, says)

    def test_an_included_file_is_told_by_its_own_place(self):
        self.vendor()
        self.write("prompts/part.j2", "\n{{ agent.nam }}")
        self.refused("{% include 'part.j2' %}", 'prompts/part.j2:2:10: agent has no "nam", did you mean "name"?')

    def test_nothing_outside_of_the_project_is_read(self):
        self.vendor()
        outside = self.folder.parent / f"{self.folder.name}.outside"
        outside.write_text("secret")
        self.addCleanup(outside.unlink)
        self.write("prompts/x.j2", "x")
        os.symlink(outside, self.folder / "prompts/link.j2")
        (self.folder / "prompts/folder.j2").mkdir()
        for path, says in (("/etc/hostname", "is an absolute path"), (f"../../{outside.name}", "leads out of the project"),
                           ("prompts/link.j2", "is a link that leads out of the project"), ("prompts/folder.j2", "is not a file")):
            with self.subTest(path):
                self.refused(None, f'agents[0].prompt_template: the template "{path}" {says}', template=path)
                self.refused(f"{{% include '{path}' %}}", f'prompts/writer.j2:1:12: the template "{path}" {says}')

    def test_templates_that_include_each_other_end(self):
        self.vendor()
        self.write("prompts/b.j2", "{% include 'writer.j2' %}")
        for source in ("{% include 'writer.j2' %}", "{% include 'b.j2' %}"):
            self.team()
            self.write("prompts/writer.j2", source)
            done = self.go()
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("includes are more than 8 deep", done.stderr)
            self.assertEqual(self.systems(), [])

    def test_work_without_end_is_cut_off(self):
        self.vendor()
        for source, says in (("{{ 10**400 }}", "prompts/writer.j2:1:6"), ("{{ 'a'*10**9 }}", "1 MiB"),
                             ("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", "its loops turn more than 100,000 times"),
                             ("{{ ''.__class__ }}", "prompts/writer.j2:1:7"), ("{{ ''.format(1) }}", "prompts/writer.j2:1:7"),
                             ("{{ task.id.__init__.__globals__ }}", "prompts/writer.j2:1:12")):
            with self.subTest(source):
                self.team()
                self.write("prompts/writer.j2", source)
                begin = time.monotonic()
                done = self.go()
                self.assertLess(time.monotonic() - begin, 10)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(says, done.stderr)
                self.assertEqual(self.systems(), [])


class Expressions(Prompts):
    def test_conditions_and_criteria_are_refused_by_check_and_run_with_the_same_words(self):
        self.vendor()
        base = ("name: press\ndescription: x\ntools: []\ndefault_llm: {provider: openai, model: gpt-5-mini}\n"
                "agents: [{name: writer, role: x, prompt: y}, {name: editor, role: x, prompt: y}]\n")
        for more, says in (
            ("handoff_rules:\n- {from_agent: writer, to_agent: editor, condition: state.x >}\n",
             "teams/press.yaml:7:62: handoff_rules[0].condition: a value is expected here, not the end"),
            ("execution_config:\n  success_criteria: ['expr: answr == 1']\n",
             'teams/press.yaml:7:29: execution_config.success_criteria[0]: "answr" is not defined, did you mean "answer"?'),
            ("execution_config:\n  breakpoints: ['condition:token > 3']\n",
             'teams/press.yaml:7:28: execution_config.breakpoints[0]: "token" is not defined, did you mean "tokens"?'),
        ):
            with self.subTest(says):
                self.write("teams/press.yaml", base + more)
                done = self.go()
                self.assertEqual((done.returncode, done.stderr), (INVALID, f"cadre: {says}\n"))
                self.assertEqual(self.checked(), [says])


if __name__ == "__main__":
    unittest.main()
