"""The MCP client with real servers: every tool of each called with right and with wrong arguments."""
import os
import pathlib
import signal
import sys
import time
import unittest

from home import wait_until
from mcp_peer import McpTest, npm_server

TINY = "data:text/plain;base64,aGVsbG8="  # no network
EVERYTHING = [
    ("echo", {"message": "hello"}), ("get-annotated-message", {"messageType": "error", "includeImage": True}), ("get-env", {}),
    ("get-resource-links", {"count": 2}), ("get-resource-reference", {"resourceType": "Blob", "resourceId": 1}),
    ("get-structured-content", {"location": "Chicago"}), ("get-sum", {"a": 2, "b": 3}), ("get-tiny-image", {}),
    ("gzip-file-as-resource", {"name": "a.gz", "data": TINY, "outputType": "resource"}),
    ("toggle-simulated-logging", {}), ("toggle-subscriber-updates", {}),
    ("trigger-long-running-operation", {"duration": 0.2, "steps": 2}), ("get-roots-list", {}),
    ("trigger-elicitation-request", {}, {"answers": {"name": "Ann"}}), ("trigger-url-elicitation", {"url": "https://example.org/"}),
    ("trigger-sampling-request", {"prompt": "hello", "maxTokens": 9}), ("simulate-research-query", {"topic": "x"})]


class Everything(McpTest):
    def judge(self, *words):
        peer = self.peer(*words, env={"MCP_CLIENT_ROOT": str(self.folder)})
        facts = peer.do("facts")
        self.assertEqual((facts["era"], facts["version"]), ("legacy", "2025-11-25"))
        self.calls_every_tool(peer, EVERYTHING)
        self.assertEqual(peer.call("get-sum", {"a": 2, "b": 3})["text"], "The sum of 2 and 3 is 5.")
        self.assertEqual(peer.call("get-tiny-image")["media"], ["image/png"])
        self.assertIn("humidity", peer.call("get-structured-content", {"location": "Chicago"})["structured"])
        self.assertEqual(len(peer.call("trigger-long-running-operation", {"duration": 0.2, "steps": 3})["progress"]), 3)
        self.assertIn(str(self.folder), peer.call("get-roots-list")["text"])
        asked = peer.call("trigger-elicitation-request", answers={"name": "Ann"})
        self.assertIn("Name: Ann", asked["text"])
        self.assertEqual(len(asked["asked"]), 1)

        self.assertIn("architecture.md", str(peer.do("resources")))
        self.assertEqual(len(peer.do("templates")["items"]), 2)
        self.assertIn("This is a plaintext resource", str(peer.do("read", uri="demo://resource/dynamic/text/1")))
        self.assertEqual(peer.do("read", uri="demo://nothing")["failed"], "upstream")
        self.assertEqual(len(peer.do("prompts")["items"]), 4)
        self.assertIn("Paris", str(peer.do("prompt", name="args-prompt", arguments={"city": "Paris"})))
        completed = peer.do("complete", ref={"type": "ref/prompt", "name": "completable-prompt"}, argument="department", value="E")
        self.assertEqual(completed["values"], ["Engineering"])
        self.assertEqual(peer.close(), 0)

    def test_over_stdio(self):  # TOOL-16 E
        self.judge("--stdio", *npm_server("everything"), "stdio")

    def test_over_streamable_http(self):
        self.judge("--http", f"http://127.0.0.1:{self.listen('streamableHttp')}/mcp")

    def test_over_http_and_sse(self):  # TOOL-16 E
        self.judge("--sse", f"http://127.0.0.1:{self.listen('sse')}/sse")

    def test_an_address_of_the_oldest_kind_is_found_out(self):
        peer = self.peer("--http", f"http://127.0.0.1:{self.listen('sse')}/sse")
        self.assertEqual(peer.call("echo", {"message": "x"})["text"], "Echo: x")

    def test_a_server_that_is_killed_in_the_middle_of_a_call_is_started_again(self):
        heard = self.folder / "heard"  # what has come to the server
        peer = self.peer("--stdio", "bash", "-c", f'exec "$@" < <(exec tee "{heard}")', "bash", *npm_server("everything"), "stdio")
        peer.do("tools")
        child = int(pathlib.Path(f"/proc/{peer.process.pid}/task/{peer.process.pid}/children").read_text().split()[0])
        peer.say("call", name="trigger-long-running-operation", arguments={"duration": 30, "steps": 2})
        wait_until(lambda: "tools/call" in heard.read_text(), "the call")
        os.kill(child, signal.SIGKILL)
        lost = peer.hear()
        self.assertEqual((lost["failed"], lost["dispatched"]), ("upstream", True))
        self.assertIn("was ended by signal 9", lost["why"])
        self.assertEqual(peer.call("echo", {"message": "again"})["text"], "Echo: again")
        self.assertEqual(peer.do("facts")["starts"], 2)

    def test_a_call_ends_at_its_deadline(self):
        peer = self.peer("--stdio", *npm_server("everything"), "stdio")
        started = time.monotonic()
        late = peer.call("trigger-long-running-operation", {"duration": 30, "steps": 1}, timeout_ms=500)
        self.assertEqual(late["failed"], "timeout")
        self.assertLess(time.monotonic() - started, 15)
        self.assertEqual(peer.call("echo", {"message": "on"})["text"], "Echo: on")


class Others(McpTest):
    def test_filesystem(self):
        file = self.folder / "a.txt"
        at = lambda name: {"path": str(self.folder / name)}
        file.write_text("one\ntwo\n")
        (self.folder / "b.png").write_bytes(b"\x89PNG")
        peer = self.peer("--stdio", *npm_server("filesystem"), self.folder)
        self.calls_every_tool(peer, [
            ("read_file", at("a.txt")), ("read_text_file", {**at("a.txt"), "head": 1}), ("read_media_file", at("b.png")),
            ("read_multiple_files", {"paths": [str(file)]}), ("write_file", {**at("c.txt"), "content": "three"}),
            ("edit_file", {**at("a.txt"), "edits": [{"oldText": "one", "newText": "1"}], "dryRun": False}), ("create_directory", at("d")),
            ("list_directory", at(".")), ("list_directory_with_sizes", at(".")), ("directory_tree", at(".")),
            ("move_file", {"source": str(self.folder / "c.txt"), "destination": str(self.folder / "d/c.txt")}),
            ("search_files", {**at("."), "pattern": "**/*.txt"}), ("get_file_info", at("a.txt")), ("list_allowed_directories", {})])
        self.assertEqual(file.read_text(), "1\ntwo\n")
        self.assertEqual((self.folder / "d/c.txt").read_text(), "three")
        outside = peer.call("read_text_file", {"path": "/etc/hostname"})
        self.assertTrue(outside["is_error"])
        self.assertIn("Access denied", outside["text"])

    def test_memory(self):
        env = {"MEMORY_FILE_PATH": str(self.folder / "memory.jsonl")}
        peer = self.peer("--stdio", "/usr/bin/env", *(f"{k}={v}" for k, v in env.items()), *npm_server("memory"))
        relation = {"relations": [{"from": "Ann", "to": "Bob", "relationType": "knows"}]}
        people = {"entities": [{"name": name, "entityType": "person", "observations": ["tall"]} for name in ("Ann", "Bob")]}
        self.calls_every_tool(peer, [
            ("create_entities", people), ("create_relations", relation),
            ("add_observations", {"observations": [{"entityName": "Ann", "contents": ["sings"]}]}), ("read_graph", {}),
            ("search_nodes", {"query": "sings"}), ("open_nodes", {"names": ["Bob"]}), ("delete_relations", relation),
            ("delete_observations", {"deletions": [{"entityName": "Ann", "observations": ["tall"]}]}), ("delete_entities", {"entityNames": ["Bob"]})])
        self.assertIn("sings", peer.call("read_graph")["text"])

    def test_sequential_thinking(self):
        peer = self.peer("--stdio", *npm_server("sequential-thinking"))
        thought = {"thought": "x", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}
        self.calls_every_tool(peer, [("sequentialthinking", thought)])

    def test_a_program_that_is_not_there_costs_nothing(self):
        missing = self.peer("--stdio", "no-such-program").do("facts")
        self.assertEqual(missing["dispatched"], False)
        self.assertIn("no-such-program", missing["why"])

    def test_our_environment_stays_ours(self):
        peer = self.peer("--stdio", *npm_server("everything"), "stdio", env={"OPENAI_API_KEY": "sk-canary", "HOME": "/nowhere"})
        said = peer.call("get-env")["text"]
        self.assertNotIn("canary", said)
        self.assertIn("/nowhere", said)


if __name__ == "__main__":
    sys.exit(unittest.main())
