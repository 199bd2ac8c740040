"""A project with one agent, the clerk, and tools of a scripted MCP server whose calls leave traces that can be counted."""
import json
import os

from home import CADRE
from terminal import TerminalHome


def call(name, **arguments):
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def mcp(name, server="mock", **settings):
    """A tool of a server's, as a team describes it."""
    return {"name": name, "type": "mcp", "server": server, **settings}


def is_alive(pid):
    """A zombie is not: whoever started it may take its time."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Desk(TerminalHome):
    def setUp(self):
        super().setUp()
        self.counter = self.folder / "counted"
        self.pids = self.folder / "pids"

    def afresh(self):
        """Another empty home, for the next case of a table."""
        self.end_processes()
        self.setUp()

    def team(self, granted, tools=(), **more):
        self.write("cadre.yaml", "name: desk\n")
        self.write("team.json", {"name": "desk", "description": "x", "default_llm": {}, "tools": list(tools), **more,
                                 "agents": [{"name": "clerk", "role": "x", "prompt": "y", "tools": granted}]})

    def servers(self, **entries):
        self.write("config/mcp_servers.yaml", {"servers": [
            {"name": name, "transport": "stdio" if "command" in entry else "streamable_http",
             "config": {key: value for key, value in entry.items() if key != "ext"}, "ext": entry.get("ext", {})}
            for name, entry in entries.items()]})

    def server(self, *words, name="mock"):
        self.servers(**{name: {"command": str(CADRE), "args": ["mock-mcp", *map(str, words)]}})

    def watched(self, *scripts, otherwise="", ext=None):
        """An entry whose every start leaves a line in `pids`; the first plays the first script, and so on. After those: `otherwise`."""
        lines = ["echo $$ >> pids", "case $(wc -l < pids) in"]
        for number, script in enumerate(scripts, 1):
            file = self.write(f"server{number}.json", {"tools": script})
            lines.append(f"{number}) exec '{CADRE}' mock-mcp --counter '{self.counter}' --script '{file}';;")
        lines += [f"*) {otherwise};;" if otherwise else "", "esac"]
        return {"command": "/bin/sh", "args": ["-c", "\n".join(lines)], "ext": ext or {}}

    def serve(self, tools, *words, ext=None):
        """A server over HTTP, which outlives whoever calls it; it is the project's `mock`."""
        process = self.start("mock-mcp", "--http", "--json", "--counter", self.counter,
                             "--script", self.write("served.json", {"tools": tools}), *words)
        greeting = json.loads(process.stdout.readline())
        self.port = greeting["port"]
        self.servers(mock={"url": greeting["url"], "ext": ext or {}})
        return process

    def told(self, *entries, last="Done."):
        """The words of a model that says these one after the other, each when it hears of the one before."""
        entries = [*entries, {"text": last} if isinstance(last, str) else last]
        return self.script([{**entry, "when": {**({"after_tool": True} if i else {}), **entry.get("when", {})}}
                            for i, entry in enumerate(entries)])

    def go(self, *entries, last="Done.", env=None):
        return self.cadre("run", "team.json", "--model", self.told(*entries, last=last), "Go.", env=env)

    def results(self, task=None):
        return [e["tool_result"] for e in self.events(task or self.only_task()) if e["type"] == "event_tool_result"]

    def said(self, task=None):
        """What came of each call, in order: an error as `! why`."""
        return [f"! {r['error']}" if r["error"] else r["result"] for r in self.results(task)]

    def counted(self):
        """The idempotency keys of the calls that happened."""
        return self.counter.read_text().splitlines() if self.counter.exists() else []

    def started(self):
        return [int(pid) for pid in self.pids.read_text().split()] if self.pids.exists() else []

    def waiting(self):
        return json.loads(self.succeeds("inbox", "--json"))["waiting"]

    def leaves_nothing(self):
        self.until(lambda: not any(map(is_alive, self.started())), "the end of what was started")

    def kill(self, pid):
        self.assertIn(pid, self.started())  # never somebody else's
        os.kill(pid, 9)
