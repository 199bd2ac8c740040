#!/usr/bin/env python3
"""cadre check, used as people use it."""
import json
import os
import pathlib
import shutil
import unittest

from check_faults import FAULTS
from project_folder import INVALID, NOT_FOUND, PROJECT, ROOT, Folder


class Check(Folder):
    def test_a_clean_project_gives_no_finding(self):
        done = self.cadre("check", cwd=PROJECT)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "14 files, no problems found\n")
        self.assertEqual(self.findings(PROJECT), [])
        self.assertEqual(self.findings(ROOT / "examples/teams"), [])

    def expect(self, fault):
        with self.subTest(fault.name):
            project = self.folder / "p"
            shutil.rmtree(project, ignore_errors=True)
            file = self.copy_with_more("p") / fault.file
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

    # FLOW-18 C
    def test_two_cycles_are_two_findings(self):
        ways = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "d"), ("d", "c")]
        self.write("workflows/loops.json", json.dumps({
            "name": "loops", "patterns": ["react"], "entry_point": "a",
            "nodes": {name: {"type": "human"} for name in "abcd"},
            "edges": [{"from": start, "to": end} for start, end in ways]}))
        self.assertEqual([line.split("error: ")[1].split(";")[0] for line in self.findings()],
                         ["cycle: a → b → a", "cycle: c → d → c"])

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
        project = self.copy_with_more()
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

    def test_a_folder_inside_a_project_is_checked_against_all_of_it_and_only_it_is_told_about(self):
        project = self.copy()
        for folder in ("config", "agents", "agents/config", "teams", "workflows"):
            with self.subTest(folder):
                self.assertEqual(self.findings(folder, cwd=project), [])
                self.assertEqual(self.findings(".", cwd=project / folder), [])
        self.assertIn("4 files", self.cadre("check", ".", cwd=project / "config").stdout)
        self.assertIn("6 files", self.cadre("check", "agents", cwd=project).stdout)
        (project / "teams/support.yaml").write_text("name: x\n")
        (project / ".env").write_text("no equals sign\n")
        self.assertEqual(self.findings("config/domains.yaml", "agents/config", cwd=project), [
            ".env:1:1: error: must be NAME=value, with letters, digits and _ in the name"])
        self.assertEqual(self.findings("agents/config", cwd=project), [])
        (project / "cadre.yaml").unlink()  # a project all the same
        self.assertEqual(self.findings("agents/config", cwd=project), [])

    def test_a_folder_of_a_project_without_configuration_leads_to_the_project(self):
        project = self.copy()
        says = "error: holds no configuration; to check the project around it:"
        self.assertEqual(self.findings("prompts", cwd=project), [f"prompts: {says} cadre check"])
        self.assertEqual(self.findings("project/prompts"), [f"project/prompts: {says} cadre check project"])

    def test_from_a_folder_inside_the_project_is_checked(self):
        project = self.copy()
        self.assertEqual(self.findings(cwd=project / "prompts"), [])
        self.assertIn("14 files", self.cadre("check", cwd=project / "prompts").stdout)

    def test_names_are_looked_up_in_the_home_too(self):
        self.write("p/cadre.yaml", "version: 1.0.0\nmodel: script:script.yaml\n")
        self.write("p/script.yaml", "- text: Hi.\n")
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
            'config/mcp_servers.json:1:23: error: mcpServers.a.comand: is not a field of desktop_stdio_server, did you mean "command"?',
            'config/mcp_servers.json:1:52: error: mcpServers.b.url: "y" is not a URL that starts with http:// or https://',
            'config/mcp_servers.json:1:65: error: mcpServers.b.type: "tcp" is none of stdio, sse, http, '
            'streamable-http, streamable_http'])

    def test_a_provider_that_says_where_it_is_may_be_anybody(self):
        project = self.copy()
        file = project / "teams/support.yaml"
        file.write_text(file.read_text().replace("provider: openai", "provider: acme\n      base_url: https://x.example/v1"))
        self.assertEqual(self.findings(cwd=project), [])

    def test_every_error_of_an_agent_in_the_other_form_has_its_place(self):
        project = self.copy()
        file = project / "agents/researcher.json"
        agent = json.loads(file.read_text())
        agent["role"] = ""
        agent["llm_config"]["endpoint"] = "nowhere"
        agent["ext"] = {"timeout": 0, "alias": "Not An Alias", "llm_config": {"timeout": 0}}
        file.write_text(json.dumps(agent, indent=1))
        self.assertEqual([line.split(": ")[::2][:2] for line in self.findings(cwd=project)], [
            ["agents/researcher.json:3:10", "role"], ["agents/researcher.json:11:15", "llm_config.endpoint"],
            ["agents/researcher.json:17:14", "ext.timeout"], ["agents/researcher.json:18:12", "ext.alias"],
            ["agents/researcher.json:20:15", "ext.llm_config.timeout"]])

    def test_teams_share_no_id_and_no_alias(self):
        team = "name: {0}\n{1}description: x\ndefault_llm: {{provider: ollama, model: m}}\ntools: []\nagents: [{{name: {0}_agent, role: r, prompt: p{2}}}]\n"
        self.write("teams/a.yaml", team.format("a", "id: same\n", ""))
        self.write("teams/b.yaml", team.format("b", "id: same\n", ""))
        self.assertEqual(self.findings(), [
            'teams/b.yaml:2:5: error: id: the id "same" is already that of the team in teams/a.yaml; give one of them another'])
        self.write("teams/a.yaml", team.format("a", "", ", alias: helper"))
        self.write("teams/b.yaml", team.format("b", "", ", alias: helper"))
        self.assertEqual(self.findings(), [
            'teams/b.yaml:5:53: error: agents[0].alias: the alias "helper" is already that of agent "a_agent" in '
            'teams/a.yaml; give one of them another'])
        self.write("teams/a.yaml", team.format("a", "", ""))
        self.write("teams/b.yaml", team.format("b", "", "").replace("b_agent", "a_agent"))
        self.assertEqual(self.findings(), [])  # names are unique in their team

    def test_a_second_file_of_a_kind_is_told_with_both_names(self):
        for name in ("config/retention_policy.yaml", "agents/config/channels.yaml", "agents/config/style_guide.yaml",
                     "config/domains.yaml", "config/mcp_servers.yaml", "config/appsettings.json"):
            with self.subTest(name):
                project = self.copy(name.replace("/", "_"))
                path = pathlib.Path(name)
                other = path.with_suffix(".yml")
                shutil.copy(project / path, project / other)
                found = self.findings(cwd=project)
                self.assertEqual(len(found), 1)
                self.assertIn(str(path), found[0])
                self.assertIn(f"{other}:1:1: error: is a", found[0])
        shutil.copy(PROJECT / "config/appsettings.json", project / "config/appsettings.Development.json")
        (project / "config/appsettings.yml").unlink()
        self.assertEqual(self.findings(cwd=project), [])

    def test_what_clients_write_beside_their_servers_is_passed_over(self):
        for text in ({"mcpServers": {"a": {"command": "x"}}, "theme": "dark"},
                     {"servers": {"a": {"command": "x"}}, "inputs": []}):
            self.write("mcp.json", json.dumps(text))
            self.assertEqual(self.findings(), [])

    def test_what_cannot_be_checked_is_said(self):
        self.write("notes.yaml", "hello: world\n")
        self.write("list.json", "[1, 2]")
        os.mkfifo(self.folder / "pipe.yaml")
        for path, says in (("notes.yaml", "cannot tell what this is; put it into"),
                           ("list.json", "cannot tell what this is"), ("pipe.yaml", "is not a file"),
                           (".", "holds no configuration; to make a project to begin with: cadre init")):
            with self.subTest(path):
                found = self.findings(path)
                self.assertEqual(len(found), 1)
                self.assertIn(says, found[0])

    def test_what_is_no_configuration_is_told_so(self):
        project = self.copy()
        self.assertEqual(self.findings("README.md", cwd=project), [
            "README.md: error: is not a configuration file: its name must end in .yaml or .yml or .json"])
        (project / ".env").write_text("no equals sign\n")
        self.assertEqual(self.findings(".env", cwd=project), [
            ".env:1:1: error: must be NAME=value, with letters, digits and _ in the name"])
        done = self.cadre("check", "-")
        self.assertEqual((done.returncode, done.stdout), (INVALID, ""))
        self.assertIn("check reads files and folders, not its standard input", done.stderr)

    def test_files_that_were_nearly_read_get_warnings(self):
        project = self.copy()
        (project / "team").mkdir()
        (project / "teams/old").mkdir()
        team = (project / "teams/support.yaml").read_text()
        for name in ("team/x.yaml", "teams/old/y.yaml", "teams/Z.YAML"):
            (project / name).write_text(team)
        (project / "cadre.yml").write_text("version: 1.0.0\n")
        self.assertEqual(self.findings(cwd=project), [
            "team/x.yaml: warning: is not read, because it lies in team/; rename the folder to teams/",
            "cadre.yml: warning: is not read, because cadre.yaml is there too; keep one of them",
            "teams/Z.YAML: warning: is not read, because its name ends in .YAML; rename it to Z.yaml",
            "teams/old/y.yaml: warning: is not read, because it lies deeper than teams/; move it to teams/y.yaml"])

    def test_what_a_variable_holds_is_never_printed(self):
        project = self.copy()
        file = project / "teams/support.yaml"
        file.write_text(file.read_text().replace("server: orders", "server: ${WORD}"))
        found = self.findings(cwd=project, env={"WORD": "hush"})
        self.assertEqual(len(found), 1)
        self.assertIn('unknown server "${WORD}"', found[0])

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
        self.assertIn("29 files, with those of 2 projects below: all/deep/two, all/one", said)

    def test_projects_are_found_deep_down_and_in_each_other(self):
        deep = "all/" + "/".join("abcdefghijklmn")
        for folder in ("all/one", deep, "all/one/examples/inner", "all/.hidden/p", "all/node_modules/p"):
            self.write(f"{folder}/cadre.yaml", "team: nobody\n")
        self.assertEqual([line.split(":")[0] for line in self.findings("all")], [
            f"{deep}/cadre.yaml", "all/one/cadre.yaml", "all/one/examples/inner/cadre.yaml"])
        self.assertEqual([line.split(":")[0] for line in self.findings("all/one")], [
            "all/one/examples/inner/cadre.yaml", "all/one/cadre.yaml"])

    def test_servers_pasted_into_a_file_outside_of_projects_are_read(self):
        self.write("pasted.json", json.dumps({"mcpServers": {"a": {"comand": "x"}}}))
        self.assertEqual(self.findings("pasted.json"), [
            'pasted.json:1:23: error: mcpServers.a.comand: is not a field of desktop_stdio_server, did you mean "command"?'])
        self.write("team_of_mine.json", json.dumps({"name": "t", "agents": [], "mcpServers": {}}))
        self.assertIn("team_of_mine.json:1:29: error: mcpServers: is not a field of team; put it into "
                      "config/mcp_servers.yaml", self.findings("team_of_mine.json"))

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


if __name__ == "__main__":
    unittest.main()
