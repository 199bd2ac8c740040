#!/usr/bin/env python3
"""Generated projects, valid or with one fault each: `check` is green exactly when `run` begins. CADRE_SEED makes other ones."""
import copy
import json
import os
import random
import pathlib
import tempfile
import unittest

from home import Home

PROJECTS = 240
SEED = int(os.environ.get("CADRE_SEED", "20"))
WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove"]
SCRIPT = [{"text": "Done.", "times": "any"}]


class Generator:
    """One project: its files as values, and what is run. All that it makes is valid."""

    def __init__(self, random):
        self.random = random
        self.files = {"says.json": SCRIPT, "cadre.yaml": {"model": "script:says.json"}}
        self.runs = random.choice([self.agent_alone, self.team, self.team, self.workflow, self.workflow])()
        self.settings()

    def maybe(self, chance=0.4):
        return self.random.random() < chance

    def names(self, count):
        return self.random.sample(WORDS, count)

    def agent(self, name, tools=()):
        made = {"name": name, "role": "Works.", "prompt": "You work."}
        if self.maybe():
            made["tools"] = self.random.sample(sorted({"calculator", "write_file", *tools}), self.random.randint(1, 2))
        if self.maybe():
            made["max_iterations"] = self.random.randint(1, 20)
        if self.maybe():
            made["temperature"] = self.random.choice([0, 0.5, 2])
        if self.maybe():
            made["timeout"] = self.random.randint(5, 60)
        if self.maybe(0.3):
            made["llm_config"] = self.random.choice([{}, {"temperature": 0.3}, {"provider": "script", "model": "../says.json"}])
        if self.maybe(0.2):
            made["display_name"] = "The one"
        if self.maybe(0.3):
            made["prompt"] = "You are {{ agent.name }}."  # as it stands: only templates are rendered
        elif self.maybe(0.3):
            self.files["prompts/p.j2"] = "You are {{ agent.name }}.\n{% if task.description %}Go.{% endif %}\n"
            del made["prompt"]
            made["prompt_template"] = "prompts/p.j2"
        return made

    def agent_alone(self):
        name, = self.names(1)
        self.files[f"agents/{name}.json"] = self.agent(name)
        return ["--agent", name]

    def tool(self, name):
        return self.random.choice([
            {"name": name, "type": "hitl", "description": "Asks.", "timeout": 60},
            {"name": "calculator", "type": "builtin", "permission": "ask"},
            {"name": name, "type": "hitl", "config": {"request": "approval"}, "description": "Asks."}])

    def team_file(self, name):
        agents = self.names(self.random.randint(1, 3))
        tools = [self.tool("helper")] if self.maybe() else []
        made = {"name": name, "description": "Works.", "default_llm": self.random.choice([{}, {"temperature": 0.1}]), "tools": tools,
                "agents": [self.agent(agent, [tool["name"] for tool in tools]) for agent in agents]}
        if len(agents) > 1 and self.maybe(0.7):
            made["handoff_rules"] = [{"from_agent": agents[0], "to_agent": agents[1]}]
            if self.maybe():
                made["handoff_rules"][0]["condition"] = "'x' in answer"
        if self.maybe():
            made["permissions"] = {"deny": ["write_file:path=secret*"], "ask": ["calculator"]}
        if self.maybe():
            made["execution_config"] = {"max_steps": self.random.randint(5, 30)}
            if self.maybe():
                made["execution_config"]["breakpoints"] = [f"agent:{agents[0]}"]
            if self.maybe(0.3):
                made["execution_config"]["mode"] = "step"
        return made

    def team(self):
        self.files["teams/crew.json"] = self.team_file("crew")
        if self.maybe():
            self.files["cadre.yaml"]["team"] = "crew"
            return []
        return ["crew"]

    def workflow(self):
        agent, = self.names(1)
        self.files[f"agents/{agent}.json"] = self.agent(agent)
        nodes = {"first": {"type": "agent", "agent": agent}}
        edges, last = [], "first"
        for name in self.random.sample(["second", "third", "fourth"], self.random.randint(0, 3)):
            nodes[name] = self.random.choice([
                {"type": "agent", "agent": agent, "prompt": "Look at {{ last }}."},
                {"type": "tool", "tool": "calculator", "args": {"expression": "1+1"}},
                {"type": "human", "prompt": "Fine?"}])
            edges.append({"from": last, "to": name})
            last = name
        self.files["workflows/flow.json"] = {"name": "flow", "patterns": ["react"], "nodes": nodes, "edges": edges,
                                             "entry_point": "first"}
        if self.maybe(0.3):
            self.files["workflows/flow.json"]["checkpoints"] = ["first"]
        return ["--workflow", "flow"]

    def settings(self):
        project = self.files["cadre.yaml"]
        if self.maybe():
            project["budget"] = {"max_steps": self.random.randint(5, 50)}
        if self.maybe(0.3):
            project["name"] = "sample"
        if self.maybe(0.2):
            self.files["config/mcp_servers.yaml"] = {"servers": [{"name": "far", "transport": "streamable_http",
                                                                  "config": {"url": "http://127.0.0.1:9/mcp"}}]}


def of_agent(change):
    """A fault of an agent, wherever the project has one."""
    def put(files, random):
        agents = [value for name, value in files.items() if name.startswith("agents/")]
        for name, value in files.items():
            if name.startswith("teams/"):
                agents += value["agents"]
        return change(random.choice(agents))
    return put


def of_file(start, change):
    def put(files, random):
        chosen = [value for name, value in files.items() if name.startswith(start)]
        return change(chosen[0]) if chosen else False
    return put


def setting(name, value):
    return lambda thing: thing.__setitem__(name, value)


def in_node(name, value):
    return lambda flow: flow["nodes"]["first"].__setitem__(name, value)


def replace_file(name, text):
    def put(files, random):
        if name not in files:
            return False
        files[name] = text
    return put


def without_script(files, random):
    del files["says.json"]


def with_server(server):
    """A server that an agent uses: of others only `check` says what is wrong."""
    def put(files, random):
        files["config/mcp_servers.yaml"] = {"servers": [server]}
        return of_agent(setting("tools", [server["name"] + ".search"]))(files, random)
    return put


def of_rule(change):
    return of_file("teams/", lambda team: change(team["handoff_rules"][0]) if team.get("handoff_rules") else False)


FAULTS = {
    "unknown field of an agent": of_agent(setting("instructions", "x")),
    "unknown tool": of_agent(setting("tools", ["calculater"])),
    "tool twice": of_agent(setting("tools", ["calculator", "calculator"])),
    "tool of an unknown server": of_agent(setting("tools", ["nowhere.search"])),
    "number out of range": of_agent(setting("max_iterations", 0)),
    "wrong type": of_agent(setting("temperature", "warm")),
    "half a model": of_agent(setting("llm_config", {"provider": "openai"})),
    "unknown provider": of_agent(setting("llm_config", {"provider": "opnai", "model": "x"})),
    "missing script of an agent": of_agent(setting("llm_config", {"provider": "script", "model": "gone.json"})),
    "unknown field of a model": of_agent(setting("llm_config", {"temprature": 1})),
    "retry policy with a typo": of_agent(setting("llm_config", {"retry_policy": {"max_retrys": 3}})),
    "schema that is none": of_agent(setting("output_schema", {"type": 5})),
    "missing template": of_agent(lambda agent: (agent.pop("prompt", None), agent.update(prompt_template="prompts/gone.j2")) and None),
    "unclosed template": replace_file("prompts/p.j2", "You are {% if agent.name %}x\n"),
    "template with an unknown name": replace_file("prompts/p.j2", "You are {{ nobody.name }}.\n"),
    "broken JSON": replace_file("teams/crew.json", '{"name": "crew",'),
    "unknown field of a team": of_file("teams/", setting("goal", "x")),
    "no agents": of_file("teams/", setting("agents", [])),
    "agent twice": of_file("teams/", lambda team: team["agents"].append(copy.deepcopy(team["agents"][0]))),
    "unknown agent in a handoff": of_file("teams/", setting("handoff_rules", [{"from_agent": "ghost", "to_agent": "ghoul"}])),
    "condition that is none": of_rule(setting("condition", "nonsense(((")),
    "criterion that is none": of_file("teams/", setting("execution_config", {"success_criteria": ["expr: nonsense((("]})),
    "guardrail that is not a pattern": of_file("teams/", setting(
        "guardrail_policies", [{"name": "g", "type": "content_filter", "rules": [{"kind": "regex", "value": "(x"}]}])),
    "unknown breakpoint": of_file("teams/", setting("execution_config", {"breakpoints": ["agent:ghost"]})),
    "unknown pattern to begin with": of_file("teams/", setting("execution_config", {"pattern": "ghost"})),
    "unknown mode": of_file("teams/", setting("execution_config", {"mode": "careful"})),
    "rule that means nothing": of_file("teams/", setting("permissions", {"deny": [":x=1"]})),
    "program that is not there": of_file("teams/", lambda team: (
        team["tools"].append({"name": "prog", "type": "custom", "path": "gone.py"}),
        team["agents"][0].update(tools=["prog"])) and None),
    "unknown team of the project": of_file("cadre.yaml", lambda project: "team" in project and project.update(team="crow")),
    "unknown field of the project": of_file("cadre.yaml", setting("modle", "x")),
    "unknown model of the project": of_file("cadre.yaml", setting("model", "opnai/x")),
    "budget out of range": of_file("cadre.yaml", setting("budget", {"max_steps": 0})),
    "no script": without_script,
    "script that is none": replace_file("says.json", '[{"txt": "Done."}]'),
    "server without a place": with_server({"name": "far", "transport": "sse", "config": {}}),
    "unknown node type": of_file("workflows/", in_node("type", "agnet")),
    "unknown agent of a node": of_file("workflows/", in_node("agent", "ghost")),
    "field that the node has no use for": of_file("workflows/", in_node("workflow", "other")),
    "unknown entry point": of_file("workflows/", setting("entry_point", "zeroth")),
    "edge to nowhere": of_file("workflows/", lambda flow: flow["edges"].append({"from": "first", "to": "nowhere"})),
    "cycle": of_file("workflows/", lambda flow: flow["edges"].append(
        {"from": next(iter(reversed(flow["nodes"]))), "to": "first"})),
    "unknown pattern of a workflow": of_file("workflows/", setting("patterns", ["dance"])),
    "node of type team": of_file("workflows/", in_node("type", "team")),
    "unknown checkpoint": of_file("workflows/", setting("checkpoints", ["zeroth"])),
    "prompt that is no template": of_file("workflows/", in_node("prompt", "{{ answer")),
}


class SameVerdict(Home):
    def verdicts(self, files, words):
        """(check is green, run began) of a project in a folder of its own."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            for name, value in files.items():
                file = pathlib.Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(value if isinstance(value, str) else json.dumps(value))
            checked = self.cadre("check", cwd=folder)
            ran = self.cadre("run", *words, "--json", "Go.", cwd=folder)
        begun = '"event_task_start"' in ran.stdout
        said = f"check ({checked.returncode}):\n{checked.stdout}{checked.stderr}\nrun ({ran.returncode}):\n{ran.stdout}{ran.stderr}"
        return checked.returncode == 0, begun, said

    def test_check_is_green_exactly_when_run_begins(self):
        chance = random.Random(SEED)
        names = list(FAULTS)
        green = red = 0
        tried = set()
        for number in range(PROJECTS):
            made = Generator(random.Random(chance.random()))
            fault = names[2 * number // 3 % len(names)] if number % 3 else None  # two of three, every fault in turn
            if fault and FAULTS[fault](made.files, chance) is False:
                fault = None  # this project has nothing that could be wrong in that way
            checks, begins, said = self.verdicts(made.files, made.runs)
            green, red = green + checks, red + (not checks)
            tried |= {fault}
            with self.subTest(project=number, fault=fault, files=json.dumps(made.files), run=made.runs):
                self.assertEqual(checks, begins, said)
                self.assertEqual(checks, fault is None, said)
        self.assertGreater(green, PROJECTS // 3)
        self.assertGreater(red, PROJECTS // 3)
        self.assertGreaterEqual(len(tried), len(FAULTS) * 3 // 4, sorted(set(names) - tried))


if __name__ == "__main__":
    unittest.main()
