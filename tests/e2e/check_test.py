#!/usr/bin/env python3
"""cadre check, init and schema, used as people use them. $CADRE_BIN says which binary; else that of the dev preset."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from check_faults import FAULTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
CADRE = os.environ.get("CADRE_BIN", str(ROOT / "build/dev/cadre"))
PROJECT = ROOT / "examples/project"
INVALID, NOT_FOUND, CONFLICT = 2, 4, 5  # as `cadre help exit-codes` has them


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def cadre(self, *words, cwd=None, env=None):
        environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(self.folder), **(env or {})}
        return subprocess.run([CADRE, *map(str, words)], cwd=cwd or self.folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def copy(self, name="project"):
        copy = self.folder / name
        shutil.copytree(PROJECT, copy)
        return copy

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def findings(self, *words, cwd=None, env=None):
        """Lines of `check --quiet`; what is printed must agree with --json and the exit code."""
        done = self.cadre("check", "--quiet", *words, cwd=cwd, env=env)
        self.assertEqual(done.stderr, "")
        told = json.loads(self.cadre("check", "--json", *words, cwd=cwd, env=env).stdout)
        lines = ["{file}:{line}:{column}: {severity}: {text}".format(**finding) for finding in told["findings"]]
        self.assertEqual(done.stdout.splitlines(), lines)
        self.assertEqual(done.returncode, INVALID if told["errors"] else 0)
        self.assertEqual((told["ok"], told["errors"] + told["warnings"]), (not told["errors"], len(lines)))
        return lines


class Check(Folder):
    def test_a_clean_project_gives_no_finding(self):
        done = self.cadre("check", cwd=PROJECT)
        self.assertEqual((done.returncode, done.stdout), (0, "11 files, nothing to complain about\n"))
        self.assertEqual(self.findings(PROJECT), [])
        self.assertEqual(self.findings(ROOT / "examples/teams"), [])

    def expect(self, fault):
        with self.subTest(fault.name):
            project = self.folder / "p"
            shutil.rmtree(project, ignore_errors=True)
            file = self.copy("p") / fault.file
            text = file.read_text()
            self.assertIn(fault.old, text)
            file.write_text(text.replace(fault.old, fault.new, 1))
            self.assertEqual(self.findings(cwd=project), [f"{fault.file}:{fault.says}"])

    def faults(self, *names):
        found = [fault for fault in FAULTS if fault.name in names]
        self.assertEqual(len(found), len(names))
        return found

    def test_every_fault_gives_exactly_one_message_with_its_place(self):
        self.assertGreaterEqual(len(FAULTS), 40)
        self.assertEqual(len({fault.name for fault in FAULTS}), len(FAULTS))
        for fault in FAULTS:
            self.expect(fault)

    # AGENT-05 C
    def test_an_unknown_tool_of_an_agent_is_reported(self):
        for fault in self.faults("unknown tool of agent", "unknown tool of server", "unknown tool of agent in team"):
            self.expect(fault)

    # TOOL-03 C, TOOL-11 C
    def test_unknown_and_repeated_servers_are_reported(self):
        for fault in self.faults("unknown server", "server twice"):
            self.expect(fault)

    # DOM-05 C, DOM-06 C
    def test_domains_refer_only_to_what_there_is(self):
        """DOMAIN 7, the half of it that is configuration."""
        for fault in self.faults("unknown domain", "domain twice", "domain not snake case",
                                 "tool not offered by any server"):
            self.expect(fault)

    # FLOW-18 C
    def test_a_cycle_is_named_with_file_and_line(self):
        """FRAME 4, first half."""
        self.write("workflows/loop.json", json.dumps({
            "name": "loop", "patterns": ["react"], "entry_point": "a",
            "nodes": {name: {"type": "human"} for name in "abc"},
            "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "c", "to": "a"}]}, indent=1))
        found = self.findings()
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], r"^workflows/loop\.json:27:3: error: cycle: a → b → c → a;")

    def test_bad_channels_and_style_are_caught_before_anything_is_sent(self):
        """CONVO 6, the half of it that is configuration: every problem in one go."""
        project = self.copy()
        for name, old, new in (("channels", "supports_markdown: false", "supports_markdown: true"),
                               ("style_guide", "brand_name: Corner Shop\n", "")):
            file = project / f"agents/config/{name}.yaml"
            file.write_text(file.read_text().replace(old, new, 1))
        self.assertEqual(self.findings(cwd=project), [
            "agents/config/channels.yaml:4:24: error: channels[0].supports_markdown: must be false for sms, which shows "
            "markdown as it is",
            "agents/config/style_guide.yaml:1:1: error: brand_name: is required"])

    def test_all_problems_of_all_files_come_in_one_go(self):
        project = self.copy()
        for fault in self.faults("unknown nested field", "unknown policy", "bad enum", "unknown domain", "cycle",
                                 "secret written down", "unknown team"):
            file = project / fault.file
            file.write_text(file.read_text().replace(fault.old, fault.new, 1))
        self.assertEqual(len(self.findings(cwd=project)), 7)

    def test_a_file_alone_is_checked_against_its_project_and_only_it_is_reported(self):
        project = self.copy()
        self.assertEqual(self.findings("workflows/report.json", cwd=project), [])
        (project / "teams/support.yaml").write_text("name: x\n")
        for words in (["workflows/report.json"], [project / "workflows"]):
            found = self.findings(*words, cwd=project)
            self.assertEqual([line.split(":")[0] for line in found], ["workflows/report.json"])

    def test_from_a_folder_inside_the_project_is_checked(self):
        project = self.copy()
        self.assertEqual(self.findings(cwd=project / "prompts"), [])
        self.assertIn("11 files", self.cadre("check", cwd=project / "prompts").stdout)

    def test_names_are_looked_up_in_the_home_too(self):
        self.write("p/cadre.yaml", "version: 1.0.0\n")
        self.write("p/workflows/w.yaml", "name: w\npatterns: []\nentry_point: a\nnodes: {a: {type: agent, agent: helper}}\n"
                                         "edges: []\n")
        self.assertEqual(len(self.findings(cwd=self.folder / "p")), 1)
        self.write("home/agents/helper.yaml", "name: helper\nrole: Helps.\nprompt: Help.\n")
        self.assertEqual(self.findings(cwd=self.folder / "p", env={"CADRE_HOME": str(self.folder / "home")}), [])

    def test_servers_in_every_form_that_people_have(self):
        forms = {
            "list.yaml": "- {name: calc, transport: stdio, config: {command: calc}}\n",
            "map.yaml": "calc: {transport: stdio, config: {command: calc}}\nweb: {url: 'https://x.example/mcp'}\n",
            "desktop.json": json.dumps({"mcpServers": {
                "calc": {"command": "npx", "args": ["-y", "calc"], "env": {"CALC_KEY": "${CALC_KEY:-}"}},
                "web": {"type": "http", "url": "https://x.example/mcp", "headers": {"X-Key": "${X:-}"}},
                "old": {"type": "sse", "url": "https://x.example/sse", "disabled": True, "autoApprove": []}}}),
        }
        for name, text in forms.items():
            with self.subTest(name):
                shutil.rmtree(self.folder / "config", ignore_errors=True)
                self.write("config/mcp_servers" + pathlib.Path(name).suffix, text)
                self.assertEqual(self.findings(), [])
        self.write("config/mcp_servers.json", json.dumps({"mcpServers": {"a": {"comand": "x"}, "b": {"url": "y", "type": "tcp"}}}))
        self.assertEqual(self.findings("config/mcp_servers.json"), [
            'config/mcp_servers.json:1:23: error: mcpServers.a.comand: is not a field of mcp_server, did you mean "command"?',
            'config/mcp_servers.json:1:52: error: mcpServers.b.url: "y" is not a URL that starts with http:// or https://',
            'config/mcp_servers.json:1:65: error: mcpServers.b.type: "tcp" is none of stdio, sse, http'])

    def test_what_cannot_be_checked_is_said(self):
        self.write("notes.yaml", "hello: world\n")
        self.write("list.json", "[1, 2]")
        os.mkfifo(self.folder / "pipe.yaml")
        for path, says in (("nowhere.yaml", "does not exist"), ("notes.yaml", "cannot tell what this is; put it into"),
                           ("list.json", "cannot tell what this is"), ("pipe.yaml", "is not a file"),
                           (".", "holds no configuration; `cadre init` makes a project to begin with")):
            with self.subTest(path):
                found = self.findings(path)
                self.assertEqual(len(found), 1)
                self.assertIn(says, found[0])

    def test_a_hostile_file_is_refused_soon(self):
        laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
            f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 20))
        for name, text in (("laughs", laughs), ("deep", "a: " + "[" * 50_000), ("big", "#" * (2 << 20)),
                           ("zero", "a: \0\n"), ("escape", "\x1b[31m: 1\n")):
            with self.subTest(name):
                self.write("team.yaml", text)
                found = self.findings("team.yaml")
                self.assertEqual(len(found), 1)
                self.assertNotIn("\x1b", found[0])


class Init(Folder):
    def test_a_new_project_passes_check_and_its_schemas_are_where_the_files_say(self):
        done = self.cadre("init", "new")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        new = self.folder / "new"
        self.assertEqual(self.findings(cwd=new), [])
        hinted = 0
        for file in new.rglob("*.yaml"):
            first = file.read_text().splitlines()[0]
            hint = first.removeprefix("# yaml-language-server: $schema=")
            self.assertNotEqual(hint, first)
            schema = json.loads((file.parent / hint).read_text())
            self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
            hinted += 1
        self.assertEqual(hinted, 4)

    def test_nothing_is_overwritten(self):
        mine = self.write("teams/writers.yaml", "mine\n")
        done = self.cadre("init", ".")
        self.assertEqual(done.returncode, CONFLICT)
        self.assertIn("teams/writers.yaml is already there", done.stderr)
        self.assertEqual(mine.read_text(), "mine\n")
        self.assertFalse((self.folder / "cadre.yaml").exists())


class Schema(Folder):
    def test_one_and_all(self):
        team = json.loads(self.cadre("schema", "team").stdout)
        self.assertEqual((team["title"], team["additionalProperties"]), ("team", False))
        names = self.cadre("schema").stdout.split()
        self.assertEqual(names, sorted(names))
        self.assertEqual(self.cadre("schema", "--all", "out").returncode, 0)
        written = {file.name: json.loads(file.read_text()) for file in (self.folder / "out").iterdir()}
        self.assertEqual(set(written), {f"{name}.schema.json" for name in names})
        self.assertEqual(written["team.schema.json"], team)

    def test_an_unknown_name_gets_a_suggestion(self):
        done = self.cadre("schema", "taem")
        self.assertEqual(done.returncode, NOT_FOUND)
        self.assertIn('did you mean "team"?', done.stderr)


if __name__ == "__main__":
    unittest.main()
