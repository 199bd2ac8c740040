#!/usr/bin/env python3
"""Tools of projects in runs: programs in the sandbox, servers, stand-ins, people; and the guide's page, word for word."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from desk import Desk, call
from home import CADRE, LIMIT, NO_SANDBOX, NOT_FOUND, ROOT, UPSTREAM, WAITING, Home
from terminal import picture

NODE = pathlib.Path(os.environ.get("CADRE_NODE", ROOT / "tests/node/node_modules/.bin/node"))


class Servers(Desk):
    # TOOL-17 C
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
        self.assertIn("server mock has no tool eco; cadre mcp tools mock lists those it has", done.stderr)

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
        done = self.cadre("check", "--live")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("server mock: 8 tools", done.stdout)
        self.assertIn("team desk: has its tools", done.stdout)
        self.team(["mock.eco"])
        self.write("config/mcp_servers.yaml", {"mcpServers": {
            "mock": {"command": str(CADRE), "args": ["mock-mcp"]}, "broken": {"command": "/bin/sh", "args": ["-c", "echo no config >&2; exit 3"]}}})
        done = self.cadre("check", "--live", "--json")
        self.assertEqual(done.returncode, UPSTREAM, done.stdout)
        tried = {one["what"]: one for one in json.loads(done.stdout)["live"]}
        self.assertEqual({what: one["works"] for what, one in tried.items()},
                         {"server mock": True, "server broken": False, "team desk": False, "team other": True})
        self.assertIn("has no tool eco", tried["team desk"]["outcome"])
        self.assertIn("ended with exit code 3 (it last said: no config)", tried["server broken"]["outcome"])
        self.assertEqual(self.cadre("check").returncode, 0)


@unittest.skipIf(NO_SANDBOX, NO_SANDBOX)
class Programs(Desk):
    TOOL = {"name": "work", "type": "custom", "path": "tools/work.py", "description": "Works.",
            "input_schema": {"type": "object", "properties": {"n": {"type": "number"}}}}

    # TOOL-21 E, TOOL-32 E, TOOL-34 E, TOOL-35 E
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
        file = self.write("tools/work.py", "#!/bin/sh\necho trouble >&2\nexit 3\n")
        file.chmod(0o755)
        self.team(["work"], [self.TOOL])
        self.assertEqual(self.go(call("work", n=4)).returncode, 0)
        result = self.results()[0]
        self.assertEqual(result["exit_code"], 3)
        self.assertIn("trouble", (result["error"] or "") + result["result"])

    # TOOL-08 E
    def test_a_program_that_takes_too_long_is_followed_by_another(self):
        self.write("tools/work.py", "import time\ndef work(n):\n    time.sleep(60)\n")
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
