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
        lines = [("{file}:{line}:{column}: " if "line" in finding else "{file}: ").format(**finding) +
                 "{severity}: {text}".format(**finding) for finding in told["findings"]]
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
        for path, says in (("notes.yaml", "cannot tell what this is; put it into"),
                           ("list.json", "cannot tell what this is"), ("pipe.yaml", "is not a file"),
                           (".", "holds no configuration; `cadre init` makes a project to begin with")):
            with self.subTest(path):
                found = self.findings(path)
                self.assertEqual(len(found), 1)
                self.assertIn(says, found[0])

    def test_an_argument_that_does_not_exist_is_no_finding(self):
        done = self.cadre("check", "nope.yaml")
        self.assertEqual((done.returncode, done.stdout), (NOT_FOUND, ""))
        self.assertIn("nope.yaml does not exist", done.stderr)
        self.assertNotIn(":1:1", done.stderr)

    def test_what_is_called_like_a_file_and_is_none_is_said(self):
        project = self.copy()
        teams = project / "teams"
        (teams / "loop.yaml").symlink_to("loop.yaml")
        (teams / "gone.yaml").symlink_to("nowhere.yaml")
        (teams / "folder.yaml").mkdir()
        os.mkfifo(teams / "pipe.yaml")
        (project / "workflows/report.json").unlink()
        (project / "workflows").rmdir()
        (project / "workflows").symlink_to("workflows")
        self.assertEqual(sorted(self.findings(cwd=project)), [
            "teams/folder.yaml:1:1: error: cannot be read: it is not a file but a folder",
            "teams/gone.yaml:1:1: error: cannot be read: the link leads to nothing",
            "teams/loop.yaml:1:1: error: cannot be read: Too many levels of symbolic links",
            "teams/pipe.yaml:1:1: error: cannot be read: it is not a file",
            "workflows:1:1: error: cannot be read: Too many levels of symbolic links"])

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_a_folder_that_may_not_be_read_is_said(self):
        project = self.copy()
        (project / "teams").chmod(0)
        self.addCleanup((project / "teams").chmod, 0o700)
        self.assertEqual(self.findings(cwd=project), ["teams:1:1: error: cannot be read: Permission denied"])

    def test_settings_in_the_environment_are_checked_like_the_file(self):
        env = {"CADRE_TEAM": "suport", "CADRE_LOG_LEVEL": "loud", "CADRE_BUGET_MAX_STEPS": "3", "CADRE_PROGRAM": "x",
               "CADRE_RESULTS": "/tmp"}
        self.assertEqual(self.findings(cwd=self.copy(), env=env), [
            'environment: warning: CADRE_BUGET_MAX_STEPS is not a setting, did you mean "CADRE_BUDGET_MAX_STEPS"?',
            'environment: error: CADRE_LOG_LEVEL "loud" is none of debug, info, warning, error',
            'environment: error: CADRE_TEAM: unknown team "suport", did you mean "support"?'])

    def test_an_empty_variable_is_said_to_be_empty(self):
        project = self.copy()
        file = project / "cadre.yaml"
        file.write_text(file.read_text().replace("${SHOP_TOKENS:-200000}", "${SHOP_TOKENS}"))
        self.assertEqual(self.findings(cwd=project, env={"SHOP_TOKENS": ""}), [
            "cadre.yaml:8:15: error: budget.max_tokens: must be a whole number, is null; the variable SHOP_TOKENS is "
            "set but empty"])
        self.assertEqual(self.findings(cwd=project, env={"SHOP_TOKENS": "many"}), [
            "cadre.yaml:8:15: error: budget.max_tokens: must be a whole number, is text; it comes from the variable "
            "SHOP_TOKENS"])

    def test_projects_below_a_folder_that_is_none_are_checked_and_named(self):
        self.copy("all/one")
        self.copy("all/deep/two")
        self.write("all/teams/alone.yaml", "nonsense: 1\n")
        (self.folder / "all/one/cadre.yaml").write_text("team: nobody\n")
        found = self.findings("all")
        self.assertTrue(any(line.startswith("all/one/cadre.yaml:1:7: error: team: unknown") for line in found))
        self.assertTrue(any(line.startswith("all/teams/alone.yaml:1:1: error:") for line in found))
        said = self.cadre("check", "all").stdout
        self.assertIn("23 files, with those of 2 projects below: all/deep/two, all/one", said)

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

    def test_a_gitignore_is_kept_and_gets_what_is_missing(self):
        for before, after in (("build/", "build/\n.env\n.cadre/\n"), ("/.env\n.cadre\n", "/.env\n.cadre\n")):
            with self.subTest(before):
                shutil.rmtree(self.folder / "p", ignore_errors=True)
                mine = self.write("p/.gitignore", before)
                done = self.cadre("init", "p")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(mine.read_text(), after)
                self.assertEqual("p/.gitignore" in done.stdout, before != after)
                self.assertIn("p/.cadre/schemas/\n", done.stdout)

    def test_the_next_step_can_be_pasted_into_a_shell(self):
        for name, word in (("sp ace", "'sp ace'"), ("./-dash", "./-dash"), ("it's", "'it'\\''s'"), ("plain", "plain")):
            with self.subTest(name):
                self.assertIn(f"\nNext: cadre check {word}\n", self.cadre("init", name).stdout)

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


class InitStaysHome(unittest.TestCase):
    def test_links_and_files_in_the_way_stop_init_before_it_writes_anything(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "elsewhere").mkdir()
            cases = {"link": lambda place: (place / "teams").symlink_to(root / "elsewhere"),
                     "file": lambda place: (place / "workflows").write_text("mine"),
                     "schemas": lambda place: (place / ".cadre/schemas").mkdir(parents=True)}
            for name, prepare in cases.items():
                with self.subTest(name):
                    place = root / name
                    place.mkdir()
                    prepare(place)
                    before = sorted(os.listdir(place))
                    done = subprocess.run([CADRE, "init", str(place)], capture_output=True, text=True, timeout=30)
                    self.assertEqual(done.returncode, 5, done.stderr)
                    self.assertIn("nothing was changed", done.stderr)
                    self.assertEqual(sorted(os.listdir(place)), before)
            self.assertEqual(os.listdir(root / "elsewhere"), [])


if __name__ == "__main__":
    unittest.main()
