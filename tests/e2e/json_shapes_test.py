#!/usr/bin/env python3
"""The form of what every verb prints with --json: names and types, as programs rely on them. A golden file has it; a name that goes
or changes its type is a break. CADRE_APPROVE=1 writes the file anew."""
import json
import os
import unittest

from home import ASK, Home, ROOT, SUM, WAITING, calls

GOLDEN = ROOT / "tests/golden" / "cli/json_shapes.json"
KINDS = {str: "text", bool: "boolean", int: "number", float: "number", type(None): "null"}
FREE = {"args", "arguments", "context", "details", "response_data", "state", "updates", "value", "team_config", "metadata", "resource_usage"}


def merge(a, b):
    """One form for both: what only one of them has is optional."""
    if a == b:
        return a
    if isinstance(a, dict) and isinstance(b, dict):
        merged = {}
        for key in {**a, **b}:
            plain = key.rstrip("?")
            if plain in merged or plain + "?" in merged:
                continue
            forms = [side[name] for side in (a, b) for name in (plain, plain + "?") if name in side]
            certain = plain in a and plain in b
            merged[plain if certain else plain + "?"] = forms[0] if len(forms) == 1 else merge(*forms)
        return merged
    if isinstance(a, list) and isinstance(b, list):
        return [merge(x, y) for x, y in zip(a, b)] if a and b else a or b
    names = {name for side in (a, b) for name in (side.split(" or ") if isinstance(side, str) else [])}
    deep = next((side for side in (a, b) if not isinstance(side, str)), None)
    if deep is None:
        return " or ".join(sorted(names))
    return deep if names <= {"null"} else {"any of": [deep, *sorted(names)]}


def shape(value, name=""):
    if name in FREE and isinstance(value, dict):
        return "object"
    if isinstance(value, dict):
        return {key: shape(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        form = []
        for inner in value:
            form = merge(form, [shape(inner)])
        return form
    return KINDS[type(value)]


class Shapes(Home):
    def collect(self):
        found = {}

        def take(name, *words, **options):
            done = self.cadre(*words, "--json", **options)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertTrue(lines, f"{words}: {done.stderr}")
            for line in lines:
                key = f"{name}: {line['event']['type']}" if "event" in line else name
                found[key] = merge(found[key], shape(line)) if key in found else shape(line)
            return lines, done

        script = self.script([*SUM], "sum.json")
        asks = self.script([*ASK], "ask.json")
        agent = ["--agent", "researcher", "--model"]
        lines, _ = take("run", "run", *agent, script, "Add.")
        done = lines[0]["event"]["task_id"]
        lines, asked = take("run", "run", *agent, asks, "Ask.")
        self.assertEqual(asked.returncode, WAITING)
        waiting = lines[0]["event"]["task_id"]
        found["error"] = shape(json.loads(asked.stderr.splitlines()[-1]))
        wrong = self.cadre("show", "nothing", "--json")
        found["error"] = merge(found["error"], shape(json.loads(wrong.stderr)))
        take("run", "run", *agent, self.script([calls("write_file", path="a.txt", content="x"), {"text": "Written."}], "w.json"), "Write.")
        for name, words in {
            "tasks": ["tasks", "--all"], "show": ["show", done], "inbox": ["inbox"], "trace": ["trace", done],
            "checkpoints": ["checkpoints", waiting], "breakpoints": ["breakpoints", waiting, "--add", "tool:calculator"],
            "diff": ["diff", done, waiting], "fork": ["fork", done, "--at", "3"], "replay": ["replay", done], "tail": ["tail", done],
            "verify": ["verify"], "gc": ["gc", "--dry-run"], "rebuild": ["rebuild"], "version": ["version"], "models": ["models", "openai"],
            "mcp list": ["mcp", "list"], "schema": ["schema"], "help": ["help"], "help exit-codes": ["help", "exit-codes"],
            "check": ["check"], "export": ["export", done, "-o", "run.jsonl"], "init": ["init", "made"],
        }.items():
            with self.subTest(name):
                take(name, *words)
        take("show", "show", waiting)
        take("answer", "answer", waiting, "blue", "--no-wait")
        self.cadre("chat", *agent, script, stdin="Add.\n")
        lines, _ = take("run", "run", *agent, asks, "Ask again.")
        take("cancel", "cancel", lines[0]["event"]["task_id"])
        self.cadre("fork", done, "--at", "3", "--no-wait")
        take("resume --all", "resume", "--all")
        take("sessions", "sessions")
        return found

    def test_what_programs_read_has_the_form_that_it_had(self):
        found = json.loads(json.dumps(self.collect()))
        if os.environ.get("CADRE_APPROVE"):
            GOLDEN.parent.mkdir(parents=True, exist_ok=True)
            GOLDEN.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
        expected = json.loads(GOLDEN.read_text())
        self.assertEqual(sorted(found), sorted(expected))
        for name, form in expected.items():
            with self.subTest(name):
                self.assertEqual(found[name], form)


if __name__ == "__main__":
    unittest.main()
