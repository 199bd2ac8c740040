#!/usr/bin/env python3
"""The form of what every verb prints with --json: names and types, as programs rely on them. A golden file has it; a name that goes
or changes its type is a break. CADRE_APPROVE=1 writes the file anew. And each answer meets the schema that `cadre schema` has of it."""
import json
import os
import re
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


TYPES = {"string": str, "boolean": bool, "object": dict, "array": list, "null": type(None), "number": (int, float), "integer": int}
# Which schema an answer meets, where it is not the verb's own.
SCHEMAS = {"run": "event_line", "tail": "event_line", "replay": "event_line", "answer": "reply", "help exit-codes": "exit_codes",
           "mcp list": "mcp_list", "resume --all": "resume_all", "show --requests": "requests", "artifacts PATH": "artifact_versions",
           "artifacts --version": "artifact_content", "artifacts --diff": "artifact_diff", "artifacts --restore": "artifact_restored"}


def misfit(value, schema, root, at="$"):
    """Why the value does not meet the schema, as far as ours go; None: it does."""
    if "$ref" in schema:
        target = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        return misfit(value, target, root, at)
    if "anyOf" in schema:
        reasons = [misfit(value, one, root, at) for one in schema["anyOf"]]
        return None if None in reasons else f"{at}: none of {reasons}"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)) for kind in kinds):
        return f"{at}: {value!r} is not {kinds}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at}: {value!r} is none of {schema['enum']}"
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        return f"{at}: {value!r} does not fit {schema['pattern']}"
    if isinstance(value, list):
        return next(filter(None, (misfit(one, schema.get("items", {}), root, f"{at}[]") for one in value)), None)
    if not isinstance(value, dict):
        return None
    lacking = [name for name in schema.get("required", []) if name not in value]
    if lacking:
        return f"{at}: lacks {lacking}"
    others = schema.get("additionalProperties", True)
    for name, inner in value.items():
        own = schema.get("properties", {}).get(name, others)
        if own is False:
            return f"{at}: {name} is not in the schema"
        if isinstance(own, dict) and (reason := misfit(inner, own, root, f"{at}.{name}")):
            return reason
    return None


class Shapes(Home):
    def setUp(self):
        super().setUp()
        self.schemas = {}

    def schema(self, name):
        if name not in self.schemas:
            self.schemas[name] = json.loads(self.succeeds("schema", "answer_" + name))
        return self.schemas[name]

    def meets(self, value, name):
        schema = self.schema(name)
        self.assertIsNone(misfit(value, schema, schema), f"{name}: {value}")

    def collect(self):
        found = {}

        def take(name, *words, **options):
            done = self.cadre(*words, "--json", **options)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertTrue(lines, f"{words}: {done.stderr}")
            for line in lines:
                self.meets(line, "event_line" if "event" in line else SCHEMAS.get(name, name))
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
        self.meets(json.loads(asked.stderr.splitlines()[-1]), "error")
        wrong = self.cadre("show", "nothing", "--json")
        found["error"] = merge(found["error"], shape(json.loads(wrong.stderr)))
        lines, _ = take("run", "run", *agent, self.script([calls("write_file", path="a.txt", content="x"), {"text": "Written."}], "w.json"), "Write.")
        wrote = lines[0]["event"]["task_id"]
        for name, words in {
            "tasks": ["tasks", "--all"], "show": ["show", done], "show --requests": ["show", done, "--requests"], "inbox": ["inbox"], "trace": ["trace", done],
            "artifacts": ["artifacts", wrote], "artifacts PATH": ["artifacts", wrote, "a.txt"],
            "artifacts --version": ["artifacts", wrote, "a.txt", "--version", "1"], "artifacts --diff": ["artifacts", wrote, "a.txt", "--diff", "1..1"],
            "artifacts --restore": ["artifacts", wrote, "a.txt", "--restore", "1"],
            "checkpoints": ["checkpoints", waiting], "breakpoints": ["breakpoints", waiting, "--add", "tool:calculator"],
            "diff": ["diff", done, waiting], "fork": ["fork", done, "--at", "3"], "replay": ["replay", done], "tail": ["tail", done],
            "verify": ["verify"], "gc": ["gc", "--dry-run"], "rebuild": ["rebuild"], "version": ["version"], "models": ["models", "openai"],
            "mcp list": ["mcp", "list"], "schema": ["schema"], "help": ["help"], "help exit-codes": ["help", "exit-codes"],
            "check": ["check"], "guardrails": ["guardrails", "test", "researcher", "ann@example.com"], "doctor": ["doctor"], "export": ["export", done, "-o", "run.jsonl"], "init": ["init", "made"],
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

    def test_every_answer_has_a_schema_and_a_format_version(self):
        listed = [one["name"] for one in json.loads(self.succeeds("schema", "--json"))["schemas"]]
        answers = [name for name in listed if name.startswith("answer_")]
        self.assertGreater(len(answers), 25)
        version = json.loads(self.succeeds("version", "--json"))["json_format"]
        for name in answers:
            schema = json.loads(self.succeeds("schema", name))
            self.assertEqual(schema["$id"], f"urn:cadre:{name}:{version}")
        self.assertNotEqual(misfit({"tasks": [], "more": False, "new": 1}, self.schema("tasks"), None), None)  # it can say no
        self.assertNotEqual(misfit({"tasks": [{}], "more": False}, self.schema("tasks"), None), None)

    def test_pieces_and_gaps_are_lines_too(self):
        script = self.script([{"text": "one two", "chunks": 2}])
        done = self.cadre("run", "--json", "--deltas", "--agent", "researcher", "--model", script, "Go.")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertTrue(any("chunk" in line for line in lines))
        for line in [*lines, {"gap": True}]:
            self.meets(line, "event_line")

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
