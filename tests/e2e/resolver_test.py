#!/usr/bin/env python3
"""`check` and `run` resolve files with one and the same code: small projects, each put before both."""
import collections
import json
import unittest

from desk import Desk
from home import CADRE, INVALID, NOT_FOUND, UNAUTHORIZED, UPSTREAM
from mock_server import Mock

SAYS = "- {text: Done., times: any}\n"
AGENT = {"name": "clerk", "role": "x", "prompt": "y"}
# what every case begins with: a model, and an agent by itself
PROJECT = {"cadre.yaml": "model: script:says.yaml\n", "says.yaml": SAYS}


def agent(**fields):
    return {"agents/clerk.json": {**AGENT, **fields}}


def team(tools=(), granted=(), llm=None, **fields):
    return {"teams/desk.json": {"name": "desk", "description": "x", "default_llm": llm or {}, "tools": list(tools),
                                "agents": [{**AGENT, "tools": list(granted), **fields}]}}


def servers(*names, tools=()):
    return {"config/mcp_servers.yaml": {
        "servers": [{"name": name, "transport": "stdio", "config": {"command": str(CADRE), "args": ["mock-mcp"]}}
                    for name in names],
        "tools": [{"name": tool, "server": names[0], "description": "x", "input_schema": {}} for tool in tools]}}


def custom(path, **fields):
    return team(tools=[{"name": "x", "type": "custom", "path": path, **fields}], granted=["x"])


# name, files over PROJECT (None: not there), what is run, what both say (a part of it; None: nothing is wrong)
Case = collections.namedtuple("Case", "name files run says")
CLERK, DESK = ["--agent", "clerk"], ["desk"]
CASES = [Case(*case) for case in (
    ("an agent", agent(), CLERK, None),
    ("a team", team(), DESK, None),
    ("the document's word for a script", team(llm={"provider": "scripted", "model": "demo"}), DESK,
     'default_llm.provider: unknown provider "scripted"; for a scripted model write `script`'),
    ("a provider that is not known", agent(llm_config={"provider": "opnai", "model": "x"}), CLERK,
     'llm_config.provider: unknown provider "opnai", did you mean "openai"?'),
    ("a provider that is not known, of the project", {**agent(), "cadre.yaml": "model: opnai/x\n"}, CLERK,
     'cadre.yaml:1:8: model: unknown provider "opnai", did you mean "openai"?'),
    ("no model anywhere", {**agent(), "cadre.yaml": "name: p\n"}, CLERK, None),
    ("no model anywhere, of a team", {**team(), "cadre.yaml": "name: p\n"}, DESK, None),
    ("no project file and no model", {**agent(), "cadre.yaml": None}, CLERK, None),
    ("a script that is not there", {**agent(), "cadre.yaml": "model: script:missing.yaml\n"}, CLERK,
     "missing.yaml does not exist"),
    ("a script that is not there, of a team", team(llm={"provider": "script", "model": "missing.yaml"}), DESK,
     "default_llm: the script"),
    ("a script that is faulty", {**agent(), "says.yaml": "- {txt: x}\n"}, CLERK, "txt: is not a field of"),
    ("a script in the project's folder",
     {**agent(llm_config={"provider": "script", "model": "scripts/mine.yml"}), "scripts/mine.yml": SAYS,
      "cadre.yaml": "name: p\n"}, CLERK, None),
    ("a script beside the file that names it",
     {**agent(llm_config={"provider": "script", "model": "mine/mine.yml"}), "agents/mine/mine.yml": SAYS,
      "mine/mine.yml": "- {text: Wrong.}\n", "cadre.yaml": "name: p\n"}, CLERK, None),
    ("half of a pair: no model", team(llm={"provider": "openai"}), DESK,
     'default_llm: names the provider "openai" and no model, and the default is script/says.yaml; write `model: …`'),
    ("half of a pair: no provider", {**agent(llm_config={"model": "gpt-5-mini"}), "cadre.yaml": "name: p\n"}, CLERK,
     'llm_config: names the model "gpt-5-mini" and no provider; write `provider: openai` beside it'),
    ("a part of a pair that the default completes", agent(llm_config={"temperature": 0.2}), CLERK, None),
    ("an empty llm_config", agent(llm_config={}), CLERK, None),
    ("a fallback that is not there", agent(llm_config={"fallback": ["script:gone.yaml"]}), CLERK, "gone.yaml does not exist"),
    ("a program in the project's folder", {**custom("tools/x.py"), "tools/x.py": "print(1)\n"}, DESK, None),
    ("a program beside the team", {**custom("x.py"), "teams/x.py": "print(1)\n"}, DESK, None),
    ("a program that is not there", custom("tools/x.py"), DESK,
     'tools[0].path: the program "tools/x.py" does not exist, neither beside this file nor in the project'),
    ("a program of the machine", custom("python3"), DESK, 'tools[0].path: the program "python3" does not exist'),
    ("a program that may not be run", {**custom("x.sh"), "x.sh": "#!/bin/sh\n"}, DESK,
     'tools[0].path: the program "x.sh" is not executable; chmod +x it, or name a Python file'),
    ("a function of what is not Python", {**custom("x.sh", function="f"), "x.sh": "#!/bin/sh\n"}, DESK,
     'the program "x.sh" is not a Python file'),
    ("a template in the project's folder", {**team(prompt=None, prompt_template="prompts/a.txt"), "prompts/a.txt": "Hello."},
     DESK, None),
    ("a template that is not there", team(prompt=None, prompt_template="prompts/a.txt"), DESK,
     'agents[0].prompt_template: the template "prompts/a.txt" does not exist'),
    ("a server's tool that is listed, by its name alone", {**agent(tools=["echo"]), **servers("mock", tools=["echo"])}, CLERK,
     None),
    ("a server's tool", {**agent(tools=["mock.echo"]), **servers("mock")}, CLERK, None),
    ("a tool that nobody has", agent(tools=["nosuch"]), CLERK, 'tools[0]: unknown tool "nosuch"'),
    ("a tool that nobody has, beside a server that lists none", {**agent(tools=["nosuch"]), **servers("mock")}, CLERK,
     'tools[0]: unknown tool "nosuch"; a tool of server "mock", whose tools are not listed, is written mock.TOOL'),
    ("a tool that nobody has, in a team", {**team(granted=["nosuch"]), **servers("mock")}, DESK,
     'agents[0].tools[0]: unknown tool "nosuch"'),
    ("a team's tool for an agent by itself", {**agent(tools=["x"]), **custom("x.py"), "x.py": ""}, CLERK,
     'agents/clerk.json:1:57: tools[0]: unknown tool "x"; an agent with a file of its own has the built-in tools and those of '
     "servers, written server.tool"),
    ("a server that is disabled", {**agent(tools=["old.x"]), "mcp.json": {"mcpServers": {"old": {"command": "x", "disabled": True}}}},
     CLERK, 'tools[0]: server "old" is disabled, and offers nothing; enable it, or leave this out'),
    ("a server that is disabled, in a team",
     {**team(granted=["old.x"]), "mcp.json": {"mcpServers": {"old": {"command": "x", "disabled": True}}}},
     DESK, 'agents[0].tools[0]: server "old" is disabled, and offers nothing'),
    ("a tool of a server that is not there", agent(tools=["files.*"]), CLERK,
     'tools[0]: unknown server "files" in "files.*"; define it in config/mcp_servers.yaml; to add it: cadre mcp add files'),
    ("a tool that its server is not said to have", {**agent(tools=["mock.eco"]), **servers("mock", tools=["echo"])}, CLERK,
     'tools[0]: "eco" is not offered by server "mock", did you mean "echo"?'),
    ("a rule that means nothing", {**team(), **{"teams/desk.json": {**team()["teams/desk.json"],
                                                                    "permissions": {"deny": [":x=1"]}}}}, DESK,
     "permissions.deny[0]"),
    ("a schema that is none", {**custom("x.py", input_schema={"type": 5}), "x.py": ""}, DESK, "tools[0].input_schema"),
    ("a default team that is not there", {"cadre.yaml": "team: dusk\nmodel: script:says.yaml\n", **team()}, [],
     'cadre.yaml:1:7: team: unknown team "dusk", did you mean "desk"?'),
    ("a team's file without a project file", {**custom("tools/x.py"), "tools/x.py": "", "cadre.yaml": None, "teams/desk.json": {
        **custom("tools/x.py")["teams/desk.json"], "default_llm": {"provider": "script", "model": "says.yaml"}}},
     ["teams/desk.json"], None),
)]


class SameVerdict(Desk):
    def build(self, case):
        self.afresh()
        (self.folder / "agents/researcher.json").unlink()  # which has no model
        for name, content in {**PROJECT, **case.files}.items():
            if content is not None:
                self.write(name, content)

    def errors(self):
        told = json.loads(self.cadre("check", "--json").stdout)
        return [("{file}:{line}:{column}: {text}" if "line" in finding else "{file}: {text}").format(**finding)
                for finding in told["findings"] if finding["severity"] == "error"]

    def test_check_and_run_say_the_same_in_the_same_words(self):
        for case in CASES:
            with self.subTest(case.name):
                self.build(case)
                errors = self.errors()
                done = self.cadre("run", *case.run, "Go.")
                if case.says is None:
                    self.assertEqual((errors, done.returncode), ([], 0), done.stderr)
                    said = "generated: false" if "no model" in case.name else "Done.\n"  # the local one works
                    self.assertIn(said, done.stdout, done.stderr)
                    continue
                self.assertEqual(len(errors), 1, errors)
                self.assertIn(case.says, errors[0])
                self.assertEqual((done.returncode, done.stdout), (INVALID, ""), done.stderr)
                self.assertEqual(done.stderr, f"cadre: {errors[0]}\n")
                self.assertEqual(self.cadre("check").returncode, INVALID)

    def test_a_model_that_wins_makes_what_files_say_of_models_unimportant(self):
        self.build(Case("", {**agent(llm_config={"provider": "opnai"}), "cadre.yaml": "name: p\n"}, [], ""))
        self.assertEqual(self.cadre("run", "--agent", "clerk", "Go.").returncode, INVALID)
        model = {"CADRE_MODEL": "script:says.yaml"}
        self.assertEqual(self.succeeds("run", "--agent", "clerk", "Go.", env=model), "Done.\n")
        self.assertEqual(self.succeeds("run", "--agent", "clerk", "--model", "script:says.yaml", "Go."), "Done.\n")

    def test_a_key_that_is_missing_is_a_note_to_check_and_an_error_to_run(self):
        self.build(Case("", agent(llm_config={"provider": "openai", "model": "gpt-5-mini"}), [], ""))
        words = "openai needs a key, and OPENAI_API_KEY is not set; set it in the environment or in the project's .env"
        told = json.loads(self.succeeds("check", "--json"))
        self.assertEqual((told["ok"], told["errors"], told["warnings"], told["notes"]), (True, 0, 0, 1))
        self.assertEqual([(f["file"], f["severity"], f["text"]) for f in told["findings"]],
                         [("agents/clerk.json", "note", f"llm_config: {words}")])
        self.assertTrue(self.succeeds("check").endswith("2 files, no problems found, 1 note\n"))
        done = self.cadre("run", "--agent", "clerk", "Go.")
        self.assertEqual((done.returncode, done.stderr), (UNAUTHORIZED, f"cadre: {words}\n"))

    def test_a_project_file_that_cannot_be_read_is_told_of_with_a_file_of_the_project(self):
        self.build(Case("", {**agent(), "cadre.yaml": "model: [\n"}, [], ""))
        done = self.cadre("run", "--agent", "clerk", "Go.")
        self.assertEqual(done.returncode, INVALID)
        place = done.stderr.removeprefix("cadre: ").splitlines()[0]
        self.assertRegex(place, r"^cadre\.yaml:1:8: ")
        self.assertIn(place, self.cadre("check", "agents/clerk.json").stdout)


class Live(Desk):
    def test_agents_by_themselves_are_tried_too(self):
        self.write("cadre.yaml", "model: script:says.yaml\n")
        self.write("says.yaml", SAYS)
        self.server()
        self.write("agents/researcher.json", {**AGENT, "name": "researcher", "tools": ["mock.ecoh"]})
        done = self.cadre("check", "--live")
        self.assertEqual(done.returncode, UPSTREAM)
        self.assertIn('agent researcher: server mock has no tool "ecoh"; to list those it has: cadre mcp tools mock', done.stdout)
        ran = self.cadre("run", "--agent", "researcher", "Go.")
        self.assertEqual(ran.returncode, NOT_FOUND)
        self.assertIn('server mock has no tool "ecoh"; to list those it has: cadre mcp tools mock', ran.stderr)

    def test_without_a_model_the_local_one_is_told_and_runs(self):
        self.write("cadre.yaml", "name: p\n")
        done = self.cadre("check", "--live")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("note: no model is configured for researcher, so local works (no provider's key is set", done.stdout)


class OnTheWire(Mock):
    """A1: what is given in part is merged, and what is given is sent."""
    def asked_with(self, default_llm, llm_config, project="", **agent_fields):
        requests = self.folder / "asked"
        requests.write_text("")
        process = self.serve([{"text": "Done.", "times": "any"}], "--requests", requests, name="served.json")
        self.env |= {"OPENAI_BASE_URL": self.url + "/v1", "OPENAI_API_KEY": "k", "DEEPSEEK_BASE_URL": self.url + "/deepseek",
                     "DEEPSEEK_API_KEY": "other"}
        self.write("cadre.yaml", project or "name: p\n")
        more = {} if llm_config is None else {"llm_config": llm_config}
        self.write("teams/desk.json", {"name": "desk", "description": "x", "default_llm": default_llm, "tools": [],
                                       "agents": [{**AGENT, **more, **agent_fields}]})
        self.assertEqual(self.succeeds("check", "teams"), "1 file, no problems found\n")
        self.succeeds("run", "desk", "Go.")
        paths = [line["request"]["path"] for line in self.stop(process) if "request" in line]
        asked = [json.loads(line) for line in requests.read_text().splitlines()]
        self.assertEqual((len(asked), len(paths)), (1, 1))
        return paths[0], asked[0]

    def test_a_partial_llm_config_keeps_the_vendor_and_sends_its_settings(self):
        whole = {"provider": "openai", "model": "gpt-4o-mini"}
        for name, arguments, temperature, tokens in (
                ("temperature of the agent's model", (whole, {"temperature": 0.2}), 0.2, None),
                ("temperature of the team's", ({**whole, "temperature": 0.3}, None), 0.3, None),
                ("of the project's model", ({"temperature": 0.4}, None, "model: openai/gpt-4o-mini\n"), 0.4, None),
                ("an empty one", (whole, {}), 0.7, None),
                ("the model alone", ({**whole, "model": "gpt-5"}, {"model": "gpt-4o-mini", "max_tokens": 7}), 0.7, 7)):
            with self.subTest(name):
                path, body = self.asked_with(*arguments)
                self.assertEqual((path, body["model"]), ("/v1/chat/completions", "gpt-4o-mini"))
                self.assertEqual(body.get("temperature"), temperature)
                if tokens:
                    self.assertEqual(body.get("max_completion_tokens", body.get("max_tokens")), tokens)

    def test_a_temperature_that_cannot_be_sent_gets_a_warning(self):
        self.env |= {"OPENAI_API_KEY": "k"}
        self.write("cadre.yaml", "model: openai/gpt-5-mini\n")
        self.write("agents/researcher.json", {**AGENT, "name": "researcher"})
        self.assertEqual(self.succeeds("check", "--quiet"), "")
        self.write("agents/researcher.json", {**AGENT, "name": "researcher", "llm_config": {"temperature": 0.2}})
        self.assertEqual(self.succeeds("check", "--quiet"), "agents/researcher.json:1:82: warning: llm_config.temperature: "
                         "openai/gpt-5-mini takes none, so none is sent; leave it out\n")

    # AGENT-08 E
    def test_the_agents_own_temperature_wins(self):
        llm = {"provider": "openai", "model": "gpt-4o-mini", "temperature": 0.3}
        self.assertEqual(self.asked_with(llm, {"temperature": 0.2}, temperature=0.9)[1]["temperature"], 0.9)


if __name__ == "__main__":
    unittest.main()
