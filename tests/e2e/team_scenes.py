"""One scene for every pattern: a team, what its models say whoever asks first, and what comes of it."""
import collections
import json

from desk import Desk
from mock_server import Mock

# team: its fields besides agents; tools: how often one is called; flow: a workflow that is run instead of the team
Scene = collections.namedtuple("Scene", "name team says answer tools flow", defaults=(0, None))
COUNT = {"name": "pub", "description": "Counts.", "input_schema": {"type": "object"}, "annotations": {"idempotentHint": True},
         "answers": [{"text": "counted", "count": True, "times": "any"}]}
WORKERS = ("writer", "reviewer", "tester")


def says(agent, text="", *calls, contains=None, after_tool=None, **more):
    """As often as it is asked: a model that is killed while it answers is asked again."""
    when = {"agent": agent, **({"contains": contains} if contains else {}), **({} if after_tool is None else {"after_tool": after_tool})}
    return {"when": when, "times": "any", **({"text": text if isinstance(text, str) else json.dumps(text)} if text or not calls else {}),
            **({"tool_calls": [{"name": name, "arguments": arguments} for name, arguments in calls]} if calls else {}), **more}


def hands(to, tool="handoff", **arguments):
    return tool, {"to": to, **({"reason": "It is your turn."} if tool == "handoff" else {"task": f"Work, {to}."}), **arguments}


def rule(a, b, kind="sequential"):
    return {"from_agent": a, "to_agent": b, "handoff_type": kind}


def pattern(name, kind, coordinator=None, agents=WORKERS, **config):
    return {"name": name, "type": kind, "agents": list(agents), "config": config, **({"coordination_agent": coordinator} if coordinator else {})}


def vote(word):
    return {"vote": word, "reasoning": f"I {word}."}


def decision(text):
    return {"decision": text, "reasoning": "So."}


PUB = ("pub", {})  # a tool whose calls are counted
USED = [says("writer", "Draft.", PUB, contains="point \"draft\""), says("writer", "Draft of the writer.", after_tool=True)]
PARALLEL = Scene(
    "parallel", {"collaboration_patterns": [pattern("all", "parallel", "boss", sync_points=["draft", "end"])]},
    [*USED, *(says(name, f"Draft of the {name}.", contains='point "draft"') for name in WORKERS[1:]),
     *(says(name, f"End of the {name}.", contains='point "end"') for name in WORKERS),
     says("boss", "All three.", contains="End of the tester.")],
    "All three.", tools=1)
# The first proposal is rejected with one vote for it; the second is a tie of those who vote, and the coordinator decides.
CONSENSUS = Scene(
    "consensus", {"collaboration_patterns": [pattern("vote", "consensus", "boss", rounds=2)]},
    [says("boss", decision("Coffee."), contains="others will vote on it"), says("boss", decision("Tea."), contains="Propose another"),
     says("boss", vote("approve"), contains="That is a tie"),
     says("writer", "", PUB, contains="This is proposed:\nCoffee."), says("writer", vote("approve"), after_tool=True),
     says("reviewer", vote("reject"), contains="This is proposed:\nCoffee."), says("tester", vote("reject"), contains="This is proposed:\nCoffee."),
     says("writer", vote("approve"), contains="This is proposed:\nTea."), says("reviewer", vote("reject"), contains="This is proposed:\nTea."),
     says("tester", vote("abstain"), contains="This is proposed:\nTea.")],
    "Tea.", tools=1)
DELEGATED = [says("writer", "", PUB, contains="Work, writer."), says("writer", "Written.", after_tool=True),
             says("tester", "Tested.", contains="Work, tester.")]
HIERARCHICAL = Scene(
    "hierarchical", {"collaboration_patterns": [pattern("desk", "hierarchical", "boss")]},
    [*DELEGATED, says("boss", "", hands("writer", "delegate"), hands("tester", "delegate"), after_tool=False),
     says("boss", "Merged.", contains="Tested.", after_tool=True)],
    "Merged.", tools=1)
COLLABORATE = Scene(
    "collaborate", {"collaboration_patterns": [pattern("vote", "consensus"), pattern("other", "parallel")]},  # of two, none begins by itself
    [says("boss", "", ("collaborate", {"pattern": "vote", "task": "Tea or coffee?"}), PUB, after_tool=False),
     says("boss", "It is tea.", contains="Tea.", after_tool=True),
     says("writer", decision("Tea."), contains="others will vote on it"),
     *(says(name, vote(word), contains="This is proposed:\nTea.") for name, word in zip(WORKERS, ("approve", "reject", "approve")))],
    "It is tea.", tools=1)
TURNS = Scene(  # all types of handoffs: the writer and the reviewer at the same time, the tester below the writer, then both circles close
    "turns", {"handoff_rules": [rule("boss", "writer"), rule("writer", "reviewer", "parallel"), rule("writer", "tester", "hierarchical"),
                                rule("writer", "boss")]},
    [says("boss", "Write.", hands("writer"), contains="Write about tea."),
     says("writer", "", hands("reviewer"), hands("tester", "delegate"), PUB, contains="Write."),
     says("tester", "Tested.", contains="Work, tester."),
     says("reviewer", "", PUB, after_tool=False), says("reviewer", "Looked.", after_tool=True),
     says("writer", "Written.", hands("boss"), contains="Tested.", after_tool=True),
     says("boss", "Tea is good.", contains="Looked.")],
    "Tea is good.", tools=2)
ITEMS = [{"id": "read", "agent": "writer", "action": "Read it"}, {"id": "look", "agent": "tester", "action": "Look at it"},
         {"id": "note", "agent": "reviewer", "action": "Note it", "depends_on": ["read", "look"]}]
PLAN = Scene(
    "plan", {"execution_config": {"pattern": "plan"}},
    [says("boss", {"goal": "A text", "tasks": ITEMS}, contains="First make a plan"), says("boss", "All is well.", contains="came of the plan"),
     says("writer", "", PUB, contains='part of it, "read"'), says("writer", "Read.", after_tool=True),
     says("tester", "Looked.", contains='part of it, "look"'), says("reviewer", "Noted.", contains="Looked.")],
    "All is well.", tools=1)
AGENT_NODES = {name: {"type": "agent", "agent": name} for name in WORKERS}
WORKFLOW = Scene(  # the writer, then two at the same time, then a tool
    "workflow", {}, [says("writer", "Written."), says("reviewer", "Looked."), says("tester", "Tested.")], "counted", tools=1,
    flow={"nodes": {**AGENT_NODES, "publish": {"type": "tool", "tool": "mock.pub"}},
          "edges": [{"from": a, "to": b} for a, b in (("writer", "reviewer"), ("writer", "tester"), ("reviewer", "publish"), ("tester", "publish"))]})
REFLECTION = Scene(
    "reflection", {}, [says("writer", "Better.", contains="Too short."), says("writer", "Draft."),
                       says("reviewer", "approve", contains="Better."), says("reviewer", "revise\nToo short.")], "Better.",
    flow={"nodes": {"writer": AGENT_NODES["writer"]}, "edges": [], "patterns": ["react", "reflection"],
          "reflection": {"agent": "reviewer", "loop": {"max": 3}}})
TEAMS = (PARALLEL, CONSENSUS, HIERARCHICAL, COLLABORATE, TURNS)
SCENES = (*TEAMS, PLAN, WORKFLOW, REFLECTION)


def agent(name):
    """Its model has its name, so that a vendor who is asked knows who asks."""
    return {"name": name, "role": "Works.", "prompt": f"You are {name}.", "tools": ["pub"], "llm_config": {"provider": "openai", "model": name}}


def team_of(scene):
    agents = [agent(name) for name in ("boss", *WORKERS)]
    agents[0]["collaboration_patterns"] = ["vote"] if scene is COLLABORATE else []
    return {"name": "desk", "description": "Writes.", "default_llm": {}, "agents": agents, **scene.team,
            "tools": [{"name": "pub", "type": "mcp", "server": "mock", "effect": "idempotent"}]}


class Stage(Desk, Mock):
    """A project in which scenes are played, with a vendor and a tool server that outlive every process that asks them."""

    def setUp(self):
        super().setUp()
        self.requests = self.folder / "requests"

    def open_scene(self, scene):
        Desk.serve(self, [COUNT], ext={"trusted": True})
        Mock.serve(self, scene.says, "--requests", self.requests, "--quiet", name="says.json")
        self.env |= {"OPENAI_BASE_URL": self.url + "/v1", "OPENAI_API_KEY": "mock"}
        self.write("cadre.yaml", "name: desk\n")
        self.words = ["team.json"]
        if not scene.flow:
            self.write("team.json", team_of(scene))
            return
        self.words = ["--workflow", "flow"]
        self.write("workflows/flow.json", {"name": "flow", "patterns": ["react"], "entry_point": "writer", **scene.flow})
        for name in WORKERS:
            self.write(f"agents/{name}.json", {**agent(name), "tools": []})

    def play(self, crash_at=None):
        """Whether it came to its end, and the lines that it told."""
        done = self.cadre("run", *self.words, "--json", "Write about tea.", env={"CADRE_CRASH_AT": crash_at} if crash_at else None)
        self.assertIn(done.returncode, (0, -9), done.stderr)
        return done.returncode == 0, [json.loads(line) for line in done.stdout.split("\n")[:-1]]  # what has no end of line was not told

    def tasks(self):
        """The task that was asked for, then those below it."""
        tasks = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]
        return [task["id"] for task in sorted(tasks, key=lambda task: bool(task.get("parent")))]

    def lines(self, task):
        return [json.loads(line) for line in self.succeeds("tail", "--json", task).splitlines()]

    def asked(self):
        return [json.loads(line) for line in self.requests.read_text().splitlines()]
