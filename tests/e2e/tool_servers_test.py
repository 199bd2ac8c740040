#!/usr/bin/env python3
"""Servers as projects configure them: started with their words and variables, reached at their addresses, listed, and named in the trace."""
import json
import time
import unittest

from desk import Desk, call
from home import CADRE, NOT_FOUND
from sse_server import SseServer


class Configured(Desk):
    def trace_calls(self):
        trace = json.loads((self.home / "tasks" / self.only_task() / "trace.json").read_text())
        return [one for step in trace["steps"] for one in step["tool_calls"]]

    # TOOL-14 E
    def test_a_server_is_started_with_its_arguments_and_variables(self):
        script = 'printf "%s\\n" "$@" "$SHOP" "$STREET" > told; exec "$0" mock-mcp'
        self.servers(mock={"command": "/bin/sh", "args": ["-c", script, str(CADRE), "two words", "", "--flag"],
                           "env": {"SHOP": "bakery", "STREET": "${TOWN} 5"}})
        self.team(["mock.echo"])
        self.env["TOWN"] = "Bern"
        self.assertEqual(self.go(call("echo", message="x")).returncode, 0)
        self.assertEqual((self.folder / "told").read_text(), "two words\n\n--flag\nbakery\nBern 5\n")
        self.assertEqual(self.said(), ["x"])

    # TOOL-15 E
    def test_a_server_that_sends_events_is_greeted_listed_and_called(self):
        server = SseServer()
        self.addCleanup(server.close)
        self.write("config/mcp_servers.yaml", {"servers": [{"name": "old", "transport": "sse", "config": {"url": server.url}}]})
        self.team(["old.greet"])
        done = self.go({"tool_calls": [{"name": "greet", "arguments": {"name": "Ann"}}]})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.said(), ["Hello, Ann."])
        self.assertEqual(server.asked, ["initialize", "tools/list", "tools/call"])

    # TOOL-17 C
    def test_whoever_edits_the_file_sees_the_tools_of_its_servers(self):
        self.team([])
        self.assertEqual(self.cadre("mcp", "tools", "mock").returncode, NOT_FOUND)
        self.server()
        self.assertIn("echo", self.succeeds("mcp", "tools", "mock"))
        self.assertEqual(self.cadre("mcp", "tools", "shop").returncode, NOT_FOUND)
        own = {"builtin": False, "tools": [{"name": "bake", "description": "Bakes.", "answers": [{"text": "baked"}]}]}
        self.server("--script", self.write("own.json", own), name="shop")
        self.assertEqual(self.succeeds("mcp", "tools", "shop").split(), ["bake", "Bakes."])
        self.assertEqual(self.cadre("mcp", "tools", "mock").returncode, NOT_FOUND)

    # TOOL-22 E
    def test_a_tool_is_reached_at_its_own_address(self):
        process = self.start("mock-mcp", "--http", "--json", "--counter", self.counter)
        url = json.loads(process.stdout.readline())["url"]
        self.team(["counter"], [{"name": "counter", "type": "mcp", "server_url": url}])
        done = self.go(call("counter"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.said(), len(self.counted())), (['{"count":1}'], 1))

    # TRACE-13 F, TRACE-14 F
    def test_the_trace_has_server_tool_arguments_and_result_of_each_call(self):
        self.server()
        self.team(["mock.add", "mock.echo", "calculator"])
        self.assertEqual(self.go(call("add", a=2, b=3), call("echo", message="x"), call("calculator", expression="1+1")).returncode, 0)
        self.assertEqual([(one["server"], one["tool"], one["arguments"], one["result"]) for one in self.trace_calls()],
                         [("mock", "add", {"a": 2, "b": 3}, {"sum": 5}), ("mock", "echo", {"message": "x"}, {"value": "x"}),
                          ("", "calculator", {"expression": "1+1"}, {"value": "2"})])  # it has no server

    def test_the_time_of_a_call_is_what_the_clock_on_the_wall_says(self):
        self.server()
        self.team(["mock.sleep", "mock.echo"])
        began = time.monotonic()
        self.assertEqual(self.go(call("sleep", ms=700), call("echo", message="x")).returncode, 0)
        wall = (time.monotonic() - began) * 1000
        slept, echoed = (result["execution_time_ms"] for result in self.results())
        self.assertTrue(700 <= slept <= wall, (slept, wall))
        self.assertTrue(0 <= echoed <= wall - slept, (echoed, wall))


if __name__ == "__main__":
    unittest.main()
