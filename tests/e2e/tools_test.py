#!/usr/bin/env python3
"""Tools of projects in runs: programs in the sandbox, servers, stand-ins, people; and the guide's page, word for word."""
import json
import os
import pathlib
import re
import subprocess
import unittest

from desk import Desk, call
from home import CADRE, INVALID, LIMIT, NO_SANDBOX, NOT_FOUND, ROOT, UPSTREAM, WAITING, Home
from terminal import picture

NODE = pathlib.Path(os.environ.get("CADRE_NODE", ROOT / "tests/node/node_modules/.bin/node"))


class Servers(Desk):
    def test_tools_of_a_server_are_granted_by_its_name(self):
        self.server()
        self.team(["mock.echo", "mock.add"])
        done = self.go(call("echo", message="hello"), call("add", a=2, b=3))
        self.assertEqual((done.returncode, done.stdout), (0, "Done.\n"), done.stderr)
        self.assertEqual([r["result"] for r in self.results()], ["hello", '{"sum":5}'])
        self.succeeds("replay", self.only_task())

    def test_all_of_them_and_none_that_there_is_not(self):
        self.server()
        self.team(["mock.*"])
        self.assertEqual(self.go(call("echo", message="all")).returncode, 0)
        self.team(["mock.eco"])
        done = self.go()
        self.assertEqual(done.returncode, NOT_FOUND)
        self.assertIn('server mock has no tool "eco"; to list those it has: cadre mcp tools mock', done.stderr)

    # TOOL-05 E
    def test_wrong_arguments_do_not_reach_the_server(self):
        self.write("strict.json", {"tools": [{"name": "strict", "description": "x", "annotations": {}, "answers": [{"text": "ok", "count": True, "times": "any"}],
                                              "input_schema": {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}}]})
        self.server("--counter", self.counter, "--script", self.folder / "strict.json")
        self.team(["mock.strict"])
        done = self.go(call("strict", n="x"), call("strict", n=1))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("do not fit its schema", self.said()[0])
        self.assertEqual(self.said()[1], "ok")
        self.assertEqual(len(self.counted()), 1)

    def test_very_many_tools_are_searched_for(self):
        self.write("many.json", {"builtin": False, "tools": [
            {"name": f"act_{n}", "description": f"Does act number {n}" + ("; waters the flowers." if n == 33 else "."),
             "input_schema": {"type": "object"}, "answers": [{"text": f"{n} done", "times": "any"}]} for n in range(80)]})
        self.server("--script", self.folder / "many.json")
        self.team(["mock.*", "clock"])
        done = self.go(call("search_tools", query="water flowers", limit=1), call("act_33"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([r["result"] for r in self.results()],
                         ["- act_33: Does act number 33; waters the flowers.\nThese can be called now.", "33 done"])
        self.succeeds("replay", self.only_task())

    def test_progress_of_a_call_is_on_the_screen(self):
        self.server()
        self.team(["mock.poll"])
        script = self.script([call("poll", ms=1500, steps=3), {"when": {"after_tool": True}, "text": "Done."}])
        seen, code = self.talk("run", "team.json", "--model", script, "Go.")
        self.assertEqual(code, 0, seen)
        self.assertRegex(seen, r"poll: .*1")
        self.assertEqual([line for line in picture(seen, 80) if "poll:" in line], [])  # at the end its answer is there instead

    def test_check_live_starts_servers_and_looks_for_tools(self):
        self.server()
        self.team(["mock.echo"])
        self.write("teams/other.json", json.loads((self.folder / "team.json").read_text()) | {"name": "other"})
        model = {"CADRE_MODEL": self.script([{"text": "Done."}])}
        done = self.cadre("check", "--live", env=model)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("server mock: 8 tools", done.stdout)
        self.assertIn("team desk: has its tools", done.stdout)
        self.team(["mock.eco"])
        self.write("config/mcp_servers.yaml", {"mcpServers": {
            "mock": {"command": str(CADRE), "args": ["mock-mcp"]}, "broken": {"command": "/bin/sh", "args": ["-c", "echo no config >&2; exit 3"]}}})
        done = self.cadre("check", "--live", "--json", env=model)
        self.assertEqual(done.returncode, UPSTREAM, done.stdout)
        tried = {one["what"]: one for one in json.loads(done.stdout)["live"]}
        self.assertEqual({what: one["works"] for what, one in tried.items()},
                         {"server mock": True, "server broken": False, "team desk": False, "team other": True,
                          "agent researcher": True})
        self.assertIn('has no tool "eco"', tried["team desk"]["outcome"])
        self.assertIn("ended with exit code 3 (it last said: no config)", tried["server broken"]["outcome"])
        self.assertEqual(self.cadre("check", env=model).returncode, 0)


@unittest.skipIf(NO_SANDBOX, NO_SANDBOX)
class Programs(Desk):
    TOOL = {"name": "work", "type": "custom", "path": "tools/work.py", "description": "Works.",
            "input_schema": {"type": "object", "properties": {"n": {"type": "number"}}}}

    # TOOL-19 E
    def test_one_tool_of_each_type_runs(self):
        self.server()
        self.write("tools/work.py", "def work(n):\n    return {'twice': 2 * n}\n")
        self.team(["calculator", "work", "mock.add", "boss"],
                  [{**self.TOOL, "function": "work"}, {"name": "boss", "type": "hitl", "description": "Asks the boss."}])
        done = self.go(call("calculator", expression="1+1"), call("work", n=4), call("add", a=2, b=3), call("boss", question="May I?"),
                       last={"text": "Done.", "when": {"contains": "You may."}})
        self.assertEqual(done.returncode, WAITING, done.stderr)
        self.assertEqual(self.said(), ["2", '{"twice":8}', '{"sum":5}'])
        self.assertEqual(self.succeeds("answer", self.only_task(), "You may."), "Done.\n")
        team = (self.home / "tasks" / self.only_task() / "team.yaml").read_text()
        self.assertEqual(sorted(re.findall(r"^    type: (\w+)$", team, re.M)), ["builtin", "custom", "hitl", "mcp"])

    # TOOL-06 E
    def test_an_answer_that_is_not_what_the_tool_promised_is_an_error_on_record(self):
        self.write("tools/work.py", "def work(n):\n    return {'sum': n} if n > 1 else {'total': n}\n")
        self.team(["work"], [{**self.TOOL, "function": "work", "effect": "pure",
                              "output_schema": {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}}])
        done = self.go(call("work", n=1), call("work", n=2))
        self.assertEqual(done.returncode, 0, done.stderr)
        wrong, right = self.results()
        self.assertEqual(wrong["error"], 'The answer of work does not fit its output_schema:\nmust have the property "sum"\n')
        self.assertEqual((right["error"], right["result"]), (None, '{"sum":2}'))

    # TOOL-30 E
    def test_what_a_program_prints_and_what_a_function_returns_become_text(self):
        self.write("tools/work.py", "def work(n):\n    return {'list': [n, None, 'x']} if n else 'words'\n")
        self.write("tools/say.sh", "#!/bin/sh\necho 'not JSON, [but words'\n").chmod(0o755)
        self.team(["work", "say"], [{**self.TOOL, "function": "work"}, {"name": "say", "type": "custom", "path": "tools/say.sh"}])
        self.assertEqual(self.go(call("work", n=1), call("work", n=0), call("say")).returncode, 0)
        self.assertEqual([r["result"] for r in self.results()], ['{"list":[1,null,"x"]}', "words", "not JSON, [but words"])

    def test_a_program_that_is_missing_ends_the_run_before_it_is_a_task(self):
        self.team(["work"], [{**self.TOOL, "function": "work"}])
        done = self.go(call("work", n=4))
        self.assertEqual(done.returncode, INVALID)
        self.assertIn('tools[0].path: the program "tools/work.py" does not exist, neither beside this file nor in the project',
                      done.stderr)
        self.assertEqual(json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"], [])
        self.write("tools/work.py", "def play(n):\n    return 1\ndef work(n):\n    return n\n")
        self.assertEqual(self.go(call("work", n=4)).returncode, 0)
        self.assertEqual(self.said(), ["4"])

    def test_a_function_that_is_missing_is_named(self):
        self.write("tools/work.py", "def play(n):\n    return 1\n")
        self.team(["work"], [{**self.TOOL, "function": "work"}])
        self.assertEqual(self.go(call("work", n=4)).returncode, 0)
        self.assertIn("work.py has no function work", self.said()[0])

    # TOOL-32 E, TOOL-34 E, TOOL-35 E
    def test_a_python_function(self):
        self.write("tools/work.py", "def work(n):\n    open('out.txt', 'w').write('x')\n    return {'twice': 2 * n}\n")
        self.team(["work"], [{**self.TOOL, "function": "work"}])
        self.assertEqual(self.go(call("work", n=4)).returncode, 0)
        result = self.results()[0]
        self.assertEqual((json.loads(result["result"]), result["artifacts"], result["exit_code"]), ({"twice": 8}, ["out.txt"], 0))
        self.assertGreater(result["resource_usage"]["peak_memory_bytes"], 0)
        self.assertIn("cpu_ms", result["resource_usage"])

    # TOOL-31 E, TOOL-35 E
    def test_a_program_that_fails_says_why(self):
        self.write("tools/work.sh", "#!/bin/sh\necho trouble >&2\n[ -e done ] || { touch done; exit 3; }\necho well\n").chmod(0o755)
        self.team(["work"], [{**self.TOOL, "path": "tools/work.sh"}])
        self.assertEqual(self.go(call("work", n=4), call("work", n=4)).returncode, 0)
        failed, well = self.results()
        self.assertEqual((failed["exit_code"], failed["error"]), (3, "The program ended with exit code 3.\ntrouble"))
        self.assertEqual((well["exit_code"], well["error"]), (0, None))

    def test_a_program_that_takes_too_long_is_followed_by_another(self):
        self.write("tools/work.py", "import signal\ndef work(n):\n    signal.pause()\n")
        self.team(["work"], [{**self.TOOL, "function": "work", "timeout": 1, "fallback_tools": ["calm"], "effect": "pure"},
                             {"name": "calm", "type": "custom", "path": "tools/calm.py", "function": "calm", "effect": "pure"}])
        self.write("tools/calm.py", "def calm(n):\n    return 'calm'\n")
        done = self.go(call("work", n=4))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([r["result"] for r in self.results()][-1], "calm")

    def test_a_program_that_was_changed_is_not_run_by_a_task_that_knew_the_old_one(self):
        file = self.write("tools/work.py", "def work(n):\n    return 'old'\n")
        self.team(["work", "ask_human"], [{**self.TOOL, "function": "work"}])
        self.assertEqual(self.go(call("ask_human", question="Now?"), call("work", n=1)).returncode, WAITING)
        file.write_text("def work(n):\n    return 'new'\n")
        done = self.cadre("answer", self.only_task(), "yes")
        self.assertIn("has changed since the task began", done.stderr + done.stdout + json.dumps(self.results()))


@unittest.skipIf(NO_SANDBOX, NO_SANDBOX)
class Guide(Home):
    def test_the_page_word_for_word(self):
        (self.folder / "bin").mkdir()
        (self.folder / "bin/cadre").symlink_to(pathlib.Path(CADRE).resolve())
        env = {**self.env, "PATH": f"{self.folder}/bin:{NODE.parent}:{os.environ['PATH']}"}
        page = (ROOT / "docs/guide/tools.md").read_text()
        text = "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S))
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=self.folder, env=env, capture_output=True, text=True,
                              timeout=4 * LIMIT, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        self.assertIn("Bread for four: 500 g flour.", done.stdout)
        self.assertIn("For six take 750 g of flour.", done.stdout)
        self.assertEqual([file.read_text() for file in self.home.glob("tasks/*/artifacts/bread.txt")], ["750 g flour"])


if __name__ == "__main__":
    unittest.main()
