#!/usr/bin/env python3
"""What routing and asking cost on a real server with models that answer at once, beside tasks without either, in the same run.

    bench/doors_bench.py [route] [ask] [late]        CADRE_BIN says which program; by default the one that was built last
"""
import json
import os
import pathlib
import random
import shutil
import statistics
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/e2e"))
from home import CADRE, ROOT  # noqa: E402
from serve import Serve  # noqa: E402

FREE = {name: {"requests": 1_000_000, "seconds": 1} for name in ("read", "write", "create", "heavy")}
NAMES = ("customer_behavior", "inventory", "pricing", "marketing")


class Bench(Serve):
    def runTest(self):
        pass

    def begin(self, example):
        self.setUp()
        shutil.copytree(ROOT / "examples" / example, self.folder, dirs_exist_ok=True)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/cadre").symlink_to(pathlib.Path(CADRE).resolve())
        self.env["PATH"] = f"{self.folder}/bin:{self.env['PATH']}"
        file = self.folder / "cadre.yaml"
        file.write_text(file.read_text() + f"\nserver: {json.dumps({'rates': FREE, 'connections_per_address': 2000})}\n")

    def cpu(self, process):
        """Seconds of processor time that it has used."""
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end_all(self):
        self.end_processes()
        self.doCleanups()


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def shown(name, values, unit="ms"):
    print(f"  {name}: p50 {statistics.median(values):.1f}, p95 {percentile(values, 0.95):.1f}, most {max(values):.1f} {unit}")


def between(task):
    begin, end = (datetime.fromisoformat(task[name]) for name in ("started_at", "completed_at"))
    return (end - begin).total_seconds() * 1000


def route():
    """200 requests at once: two model calls each, router and agent; beside them one agent with two model calls."""
    bench = Bench()
    bench.begin("smart_home")
    plain = [{"when": {"agent": "researcher", "after_tool": True}, "text": "5.", "times": "any"},
             {"when": {"agent": "researcher"}, "tool_calls": [{"name": "calculator", "arguments": {"expression": "2+3"}}], "times": "any"}]
    script = bench.folder / "scripts/home.yaml"
    script.write_text(script.read_text() + "".join(f"- {json.dumps(entry)}\n" for entry in plain))
    process = bench.serve()
    settings = bench.folder / "config/appsettings.json"
    by_model = json.loads(settings.read_text())
    kitchen = {"description": "Turn on the kitchen lights"}
    cost = {}
    for round_ in range(3):
        for name, fields in (("one agent", {"agent": "researcher", "description": "2+3?"}), ("routed", kitchen), ("routed locally", kitchen)):
            settings.write_text(json.dumps({**by_model, "OrchestrationOptions": {"Router": "local" if name == "routed locally" else "model"}}))
            tasks = []
            for _ in range(200):
                made = bench.post("/tasks", {**fields, "start": False})
                assert made.status == 201, made.text
                tasks.append(made.json["id"])
            before = bench.cpu(process)
            with ThreadPoolExecutor(32) as at_once:
                list(at_once.map(lambda task: bench.post(f"/tasks/{task}/start"), tasks))
                done = list(at_once.map(bench.at_rest, tasks))
            used = (bench.cpu(process) - before) * 1000 / len(tasks)
            assert all(task["status"] == "completed" for task in done), done[0]
            cost.setdefault(name, []).append(used)
            print(f"round {round_ + 1}, 200 tasks at once, {name}: {used:.1f} ms of processor time each, requests and all")
            shown("from begin to end", [between(task) for task in done])
    for name in "routed", "routed locally":
        print(f"{name} / one agent, processor time: {min(cost[name]) / min(cost['one agent']):.2f} (best rounds)")
    bench.end_all()


def begin_shop(delays, **options):
    """A shop of four domains; `delays`: milliseconds before each answer of a tool, the last for all that follow."""
    bench = Bench()
    bench.begin("shop")
    schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    tools = [{"name": f"query_{name}", "description": f"Answers questions about {name}.", "input_schema": schema, "annotations": {"readOnlyHint": True},
              "answers": [{"json": {"answer": f"{name} is fine"}, "delay_ms": delay, **({} if n + 1 < len(delays(name)) else {"times": "any"})}
                          for n, delay in enumerate(delays(name))]} for name in NAMES]
    bench.write("tools/genie.yaml", json.dumps({"builtin": False, "tools": tools}))
    bench.write("config/domains.yaml", json.dumps({"ask": options, "domains": [
        {"name": name, "display_name": name, "description": f"All about {name}.", "capabilities": [f"{name} analysis"],
         "mcp_tools": [f"genie.query_{name}"]} for name in NAMES]}))
    bench.write("scripts/shop.yaml", json.dumps([
        {"when": {"agent": "router"}, "json": {"identified_domains": list(NAMES), "reasoning": "All.", "confidence": 0.9}, "times": "any"},
        {"when": {"agent": "analyst"}, "json": {"answer": "All is well.", "suggestions": []}, "times": "any"}]))
    return bench, bench.serve()


def asked(bench, _=None):
    answer = bench.post(f"/sessions/{uuid.uuid4()}/ask", {"question": "How are we doing?"})
    assert answer.status == 200, answer.text
    return answer.json


def ask():
    """64 questions at once to four domains of 400 ms each; beside them one after the other."""
    bench, _ = begin_shop(lambda name: [400])
    asked(bench)  # the MCP server has started
    for many in 1, 64, 1, 64:
        with ThreadPoolExecutor(many) as at_once:
            answers = list(at_once.map(lambda n: asked(bench), range(max(many, 8))))
        phases = []
        for answer in answers:
            calls = answer["tool_calls_made"]
            assert all(call["status"] == "completed" for call in calls), calls
            times = [datetime.fromisoformat(call[name]) for call in calls for name in ("started_at", "completed_at")]
            phases.append((max(times) - min(times)).total_seconds() * 1000)
        print(f"{many} at once, {len(answers)} in all: tools of four domains, 400 ms each")
        shown("first begin to last end", phases)
    bench.end_all()


def late():
    """1,000 questions, 100 at once, whose tools answer at once, too late or not at all, by chance."""
    chance, limit = random.Random(7), 3000
    delays = {name: [chance.choice((0, chance.randrange(0, limit), 60_000)) for _ in range(1000)] for name in NAMES}
    bench, _ = begin_shop(delays.get, total_ms=limit, tool_ms=limit * 5 // 6)
    with ThreadPoolExecutor(100) as at_once:
        answers = list(at_once.map(lambda n: asked(bench), range(1000)))
    times = [answer["total_execution_time_ms"] for answer in answers]
    print(f"1,000 questions with a limit of {limit} ms; {sum(answer['partial_results'] for answer in answers)} partial answers")
    shown("each took", times)
    print(f"  later than the limit: {sum(time > limit for time in times)}; by more than 50 ms: {sum(time > limit + 50 for time in times)}")
    bench.end_all()


if __name__ == "__main__":
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {CADRE}")
    for name in sys.argv[1:] or ["route"]:
        globals()[name]()
