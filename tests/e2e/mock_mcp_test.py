#!/usr/bin/env python3
"""mock-mcp: npm's own clients judge whether it is true, our client calls every tool, then its faults and its manners."""
import http.client
import json
import os
import signal
import subprocess
import unittest

from home import CADRE, Home, INVALID, LIMIT, NOT_FOUND, ROOT
from mcp_peer import NODE, Peer

JUDGES = ROOT / "tests/node/mock_mcp_judges.mjs"
TOOLS = ["echo", "add", "sleep", "fail", "counter", "crash", "big", "poll"]
MODERN = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}


class MockMcp(Home):
    def setUp(self):
        super().setUp()
        self.counter = self.folder / "calls.txt"

    def command(self, *words):
        return [CADRE, "mock-mcp", "--counter", str(self.counter), *map(str, words)]

    def serve(self, *words):
        """The running server; its address is self.url."""
        process = self.start("mock-mcp", "--http", "--json", "--counter", self.counter, *words)
        self.greeting = json.loads(process.stdout.readline())
        self.url = self.greeting["url"]
        return process

    def peer(self, *words):
        peer = Peer(*words)
        self.addCleanup(lambda: peer.process.poll() is None and peer.close())
        return peer

    def keys(self):
        return self.counter.read_text().splitlines()

    def stdio(self, *messages, words=()):
        """What it says to these lines before it ends."""
        text = "".join((m if isinstance(m, str) else json.dumps(m)) + "\n" for m in messages)
        done = self.cadre("mock-mcp", "--counter", self.counter, *words, stdin=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def post(self, body, path="/mcp", method="POST", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.greeting["port"], timeout=LIMIT)
        self.addCleanup(connection.close)
        given = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection.request(method, path, body if isinstance(body, str) else json.dumps(body), given)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, answer.headers, json.loads(text) if text.startswith(b"{") else text


def request(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


INITIALIZE = request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"})


class Judges(MockMcp):
    maxDiff = None

    def judge(self, era, *way):
        done = subprocess.run([NODE, str(JUDGES), era, *way], capture_output=True, text=True, timeout=LIMIT,
                              env={"PATH": os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        self.assertNotIn("threw", seen, seen.get("threw"))
        self.assertEqual((seen["server"], seen["tools"]), ("cadre-mock-mcp", TOOLS))
        self.assertEqual((seen["echo"], seen["add"], seen["big"]), ("grüezi", {"sum": 5}, 1000000))
        self.assertGreaterEqual(seen["slept"], 200)
        self.assertEqual((seen["fail"]["isError"], seen["fail"]["content"][0]["text"]), (True, "no luck"))
        self.assertEqual(seen["failCode"]["code"], -32603)
        self.assertEqual((seen["counter"], self.keys()), ({"count": 1}, ["judge"]))
        self.assertEqual((seen["poll"], seen["progress"]), ("took 200 ms in 2 steps", [[1, 2], [2, 2]]))
        self.assertIn("wrong arguments", seen["wrong"]["message"])
        self.assertIn("unknown tool", seen["unknown"]["message"])
        self.assertIsNotNone(seen["aborted"])
        self.assertEqual(seen["after"], "on")
        self.assertIsNotNone(seen["crash"])

    def test_legacy_over_stdio(self):
        self.judge("legacy", "stdio", *self.command())

    def test_legacy_over_http(self):
        process = self.serve()
        self.judge("legacy", "http", self.url)
        self.assertEqual(process.wait(LIMIT), 3)  # crash ended it

    def test_modern_over_stdio(self):
        self.judge("modern", "stdio", *self.command())

    def test_modern_over_http(self):
        process = self.serve()
        self.judge("modern", "http", self.url)
        self.assertEqual(process.wait(LIMIT), 3)


class OurClient(MockMcp):
    def calls_every_tool(self, peer, era, version):
        facts = peer.do("facts")
        self.assertEqual((facts["era"], facts["version"], facts["name"]), (era, version, "cadre-mock-mcp"))
        self.assertEqual([tool["name"] for tool in peer.do("tools")["items"]], TOOLS)
        self.assertEqual(peer.call("echo", {"message": "hello"})["text"], "hello")
        self.assertEqual(peer.call("add", {"a": 2, "b": 3})["structured"], {"sum": 5})
        self.assertEqual(peer.call("sleep", {"ms": 50})["text"], "slept 50 ms")
        self.assertTrue(peer.call("fail", {"message": "no luck"})["is_error"])
        self.assertEqual(peer.call("counter")["structured"], {"count": 1})
        self.assertEqual(self.keys(), ["key"])
        self.assertEqual(len(peer.call("big", {"bytes": 3_000_000})["text"]), 3_000_000)
        polled = peer.call("poll", {"ms": 400, "steps": 2})
        self.assertEqual(polled["text"], "took 400 ms in 2 steps")
        self.assertGreaterEqual(len(polled["progress"]), 1)
        late = peer.call("sleep", {"ms": 60_000}, timeout_ms=200)
        self.assertEqual(late["failed"], "timeout")
        lost = peer.call("crash", {"code": 3})
        self.assertEqual((lost["failed"], lost["dispatched"]), ("upstream", True))

    def test_over_stdio_in_both_eras(self):
        for era, version in (("modern", MODERN), ("legacy", "2025-11-25")):
            with self.subTest(era):
                self.counter.unlink(missing_ok=True)
                peer = self.peer("--stdio", *self.command("--era", era))
                self.calls_every_tool(peer, era, version)
                # started again, the file goes on
                self.assertEqual(peer.call("counter")["structured"], {"count": 2})
                self.assertEqual(peer.do("facts")["starts"], 2)
                self.assertEqual(peer.close(), 0)

    def test_over_http_in_both_eras(self):
        for era, version in (("modern", MODERN), ("legacy", "2025-11-25")):
            with self.subTest(era):
                self.counter.unlink(missing_ok=True)
                process = self.serve("--era", era)
                self.calls_every_tool(self.peer("--http", self.url), era, version)
                self.assertEqual(process.wait(LIMIT), 3)

    def test_a_server_of_both_eras_is_modern_to_us(self):
        peer = self.peer("--stdio", *self.command())
        self.assertEqual(peer.do("facts")["era"], "modern")

    def test_an_effect_happens_though_its_answer_is_lost(self):
        peer = self.peer("--stdio", *self.command())
        late = peer.call("counter", {"delay_ms": 60_000}, timeout_ms=300)
        self.assertEqual(late["failed"], "timeout")
        self.assertEqual(self.keys(), ["key"])


BAD = {"tools": [{"name": "bad", "description": "good", "answers": [
    {"when": {"nth": 1}, "text": "twice", "duplicate": True}, {"when": {"nth": 2}, "text": "lost", "wrong_id": True},
    {"when": {"nth": 3}, "text": "noisy", "noise": "Listening on port 5"}, {"when": {"nth": 4}, "stall": True},
    {"text": "well", "times": "any"}], "changes": {"after": 5, "description": "bad"}}]}


class Faults(MockMcp):
    def survives(self, *way):
        peer = self.peer(*way)
        before = {tool["name"]: tool["hash"] for tool in peer.do("tools")["items"]}["bad"]
        self.assertEqual(peer.call("bad")["text"], "twice")
        # over stdio nobody can say whose answer that was, and noise is only that; over HTTP both came in place of an answer
        lost, noisy = peer.call("bad", timeout_ms=1000), peer.call("bad", timeout_ms=1000)
        self.assertEqual(lost["failed"], "timeout" if way[0] == "--stdio" else "upstream")
        self.assertEqual(noisy.get("text", noisy.get("failed")), "noisy" if way[0] == "--stdio" else "upstream")
        self.assertEqual(peer.call("bad", timeout_ms=500)["failed"], "timeout")
        self.assertEqual(peer.call("bad")["text"], "well")
        self.assertEqual(peer.call("bad")["text"], "well")
        after = {tool["name"]: tool["hash"] for tool in peer.do("tools")["items"]}["bad"]
        self.assertNotEqual(before, after)

    def test_each_costs_our_client_one_call_over_stdio(self):
        script = self.write("bad.json", BAD)
        for era in ("modern", "legacy"):
            with self.subTest(era):
                self.survives("--stdio", *self.command("--script", script, "--era", era))

    def test_each_costs_our_client_one_call_over_http(self):
        script = self.write("bad.json", BAD)
        for era in ("modern", "legacy"):
            with self.subTest(era):
                self.serve("--script", script, "--era", era)
                self.survives("--http", self.url)

    def test_answers_left_over_are_named(self):
        done = self.cadre("mock-mcp", "--script", self.write("bad.json", BAD))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("left over: "), 4)
        self.assertIn("used 0 of 1 times: bad", done.stderr)

    def test_a_script_with_mistakes_is_refused(self):
        done = self.cadre("mock-mcp", "--script", self.write("s.yaml", "tools: [{name: t, answers: [{txet: a}]}]"))
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("s.yaml:1:", done.stderr)
        self.assertEqual(self.cadre("mock-mcp", "--script", "nothing.yaml").returncode, NOT_FOUND)
        self.assertEqual(self.cadre("mock-mcp", "--era", "stone").returncode, INVALID)
        self.assertEqual(self.cadre("mock-mcp", "--port", "5").returncode, INVALID)


class Manners(MockMcp):
    def test_stdio_ends_with_its_input_and_answers_what_it_was_asked(self):
        said = self.stdio(INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}, "nonsense",
                          request("tools/call", 2, name="echo", arguments={"message": "a"}),
                          request("tools/call", 3, name="sleep", arguments={"ms": 60_000}))
        self.assertEqual([m.get("id") for m in said], [1, None, 2])
        self.assertEqual(said[1]["error"]["code"], -32700)

    def test_sessions_of_the_legacy_era(self):
        process = self.serve()
        status, headers, _ = self.post(INITIALIZE)
        session = headers["Mcp-Session-Id"]
        self.assertEqual(status, 200)
        self.assertEqual(self.post(request("tools/list"))[0], 400)
        self.assertEqual(self.post(request("tools/list"), Mcp_Session_Id="none")[0], 404)
        self.assertEqual(self.post(request("tools/list"), Mcp_Session_Id=session)[0], 200)
        self.assertEqual(self.post(request("tools/list"), Mcp_Session_Id=session, MCP_Protocol_Version="1999-01-01")[0], 400)
        self.assertEqual(self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=session)[0], 202)
        self.assertEqual(self.post("", method="GET")[0], 405)
        self.assertEqual(self.post("", method="DELETE", Mcp_Session_Id=session)[0], 204)
        self.assertEqual(self.post(request("tools/list"), Mcp_Session_Id=session)[0], 404)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(LIMIT), 0)

    def test_headers_of_the_modern_era(self):
        self.serve()
        call = request("tools/call", name="echo", arguments={"message": "a"}, _meta=META)
        right = {"MCP_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": "echo"}
        self.assertEqual(self.post(call, **right)[2]["result"]["resultType"], "complete")
        for wrong in ({"Mcp_Name": "add"}, {"Mcp_Method": "tools/list"}, {"MCP_Protocol_Version": "2025-11-25"}):
            status, _, body = self.post(call, **{**right, **wrong})
            self.assertEqual((status, body["error"]["code"]), (400, -32020), wrong)
        self.assertEqual(self.post(call)[2]["error"]["code"], -32020)
        status, _, body = self.post(request("nothing", _meta=META), MCP_Protocol_Version=MODERN, Mcp_Method="nothing")
        self.assertEqual((status, body["error"]["code"]), (404, -32601))
        status, _, body = self.post(request("tools/list"), MCP_Protocol_Version=MODERN, Mcp_Method="tools/list")
        self.assertEqual((status, body["error"]["code"]), (400, -32602))

    def test_pages_of_strangers_are_turned_away(self):
        self.serve()
        self.assertEqual(self.post(INITIALIZE, Origin="https://example.org")[0], 403)
        self.assertEqual(self.post(INITIALIZE, Host="example.org")[0], 403)
        self.assertEqual(self.post(INITIALIZE, Origin=f"http://localhost:{self.greeting['port']}")[0], 200)
        self.assertEqual(self.post(INITIALIZE, path="/")[0], 404)
        self.assertEqual(self.post("[]")[0], 400)


if __name__ == "__main__":
    unittest.main()
