#!/usr/bin/env python3
"""Signing in to MCP servers: tokens that are given, tokens that are granted, and where neither must be found."""
import base64
import http.server
import json
import os
import stat
import threading
import unittest
import urllib.parse

from home import INVALID, NOT_FOUND, UNAUTHORIZED
from terminal import TerminalHome

SECRET, GIVEN, GRANTED = "s3cret-of-the-client", "t0ken-that-was-given", "t0ken-that-was-granted"
TOOL = {"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object", "properties": {"message": {"type": "string"}}}}


class Town(http.server.ThreadingHTTPServer):
    """A server that wants a token, and who grants it."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Door)
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"
        self.accepted = {GIVEN, GRANTED}
        self.asked = []  # what was asked for, and with which Authorization
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Door(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value=None, **headers):
        body = json.dumps(value).encode() if value is not None else b""
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(body)

    def handle_one(self):
        town, given = self.server, self.headers.get("Authorization", "")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        town.asked.append((self.path, given))
        if self.path == "/.well-known/oauth-protected-resource/mcp":
            return self.answer(200, {"resource": town.origin + "/mcp", "authorization_servers": [town.origin]})
        if self.path == "/.well-known/oauth-authorization-server":
            return self.answer(200, {"issuer": town.origin, "token_endpoint": town.origin + "/token"})
        if self.path == "/token":
            form = urllib.parse.parse_qs(body.decode())
            right = given == "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode()
            if not right or form["grant_type"] != ["client_credentials"] or form["resource"] != [town.origin + "/mcp"]:
                return self.answer(401, {"error": "invalid_client", "error_description": f"not {given} {body.decode()}"})
            return self.answer(200, {"access_token": GRANTED, "token_type": "Bearer", "expires_in": 3600})
        if self.path != "/mcp" or self.command != "POST":
            return self.answer(405)
        if given.removeprefix("Bearer ") not in town.accepted:
            return self.answer(401, WWW_Authenticate=f'Bearer scope="all", error="{given}"')
        asked = json.loads(body)
        if "id" not in asked:
            return self.answer(202)
        results = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "docs", "version": "1"}},
                   "tools/list": {"tools": [TOOL]},
                   "tools/call": {"content": [{"type": "text", "text": asked.get("params", {}).get("arguments", {}).get("message", "")}]}}
        if asked["method"] not in results:
            return self.answer(200, {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "unknown"}})
        self.answer(200, {"jsonrpc": "2.0", "id": asked["id"], "result": results[asked["method"]]})

    do_GET = do_POST = do_DELETE = handle_one


class SignIn(TerminalHome):
    def setUp(self):
        super().setUp()
        self.town = Town()
        self.addCleanup(self.town.server_close)
        self.addCleanup(self.town.shutdown)
        self.write("cadre.yaml", "name: desk\n")
        self.entry()

    def entry(self, oauth=None, name="docs", url=None, **more):
        self.write("config/mcp_servers.yaml", {"mcpServers": {
            name: {"url": url or self.town.origin + "/mcp", **({"ext": {"oauth": oauth}} if oauth else {}), **more}}})

    def call(self, **options):
        return self.cadre("mcp", "call", "docs", "echo", '{"message": "hello"}', **options)

    def count(self, path):
        return [asked for asked, _ in self.town.asked].count(path)

    def expect_kept_in_one_place(self, *secrets):
        """Every file of the home and the project but one, whatever it is."""
        kept = self.home / "mcp_secrets.json"
        self.assertEqual(stat.S_IMODE(kept.stat().st_mode), 0o600)
        seen = 0
        for folder, _, files in os.walk(self.folder):
            for file in files:
                path = os.path.join(folder, file)
                if path == str(kept) or not os.path.isfile(path):
                    continue
                seen += 1
                content = open(path, "rb").read()
                for secret in secrets:
                    self.assertNotIn(secret.encode(), content, path)
                    self.assertNotIn(base64.b64encode(f"me:{secret}".encode()), content, path)
        self.assertGreater(seen, 3)

    def run_agent_and_look(self, *secrets):
        """A task with the server's tool, and everything that can be shown of it and of the server."""
        self.write("team.json", {"name": "desk", "description": "x", "default_llm": {}, "tools": [],
                                 "agents": [{"name": "clerk", "role": "x", "prompt": "y", "tools": ["docs.echo"]}]})
        script = [{"tool_calls": [{"name": "echo", "arguments": {"message": "hello"}}]}, {"text": "Done.", "when": {"after_tool": True}}]
        done = self.cadre("run", "--json", "team.json", "--model", self.script(script), "Go.")
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = done.stdout + done.stderr
        task = json.loads(self.succeeds("tasks", "--json"))["tasks"][0]["id"]
        for words in (["mcp", "list", "--json"], ["mcp", "tools", "docs", "--json"], ["show", task, "--json"], ["export", task],
                      ["trace", task, "--json"], ["doctor", "--json"], ["check", "--json"]):
            done = self.cadre(*words)
            shown += done.stdout + done.stderr
        for secret in secrets:
            self.assertNotIn(secret, shown)

    def test_client_credentials_are_exchanged_for_a_token_that_other_commands_use_too(self):
        self.entry({"client_id": "me", "client_secret": "${DOCS_SECRET}"})
        refused = self.call()
        self.assertEqual(refused.returncode, INVALID)
        self.assertIn("DOCS_SECRET", refused.stderr)
        self.env["DOCS_SECRET"] = SECRET
        for _ in range(2):
            done = self.call()
            self.assertEqual((done.returncode, done.stdout), (0, "hello\n"), done.stderr)
        self.assertEqual(self.count("/token"), 1)
        self.run_agent_and_look(SECRET, GRANTED)
        self.assertEqual(self.count("/token"), 1)
        self.expect_kept_in_one_place(SECRET, GRANTED)
        self.assertNotIn(SECRET, (self.home / "mcp_secrets.json").read_text())  # it is the environment's

    def test_a_wrong_secret_is_a_clear_error_without_it(self):
        self.entry({"client_id": "me", "client_secret": "${DOCS_SECRET}"})
        done = self.call(env={"DOCS_SECRET": "wr0ng-s3cret-of-mine"})
        self.assertEqual(done.returncode, UNAUTHORIZED, done.stderr)
        self.assertIn("cannot be signed in to: the token endpoint refused with HTTP 401", done.stderr)
        self.assertNotIn("wr0ng", done.stderr + done.stdout)  # though the server said it

    def test_what_an_entry_says_wrongly_is_named(self):
        for oauth, says in (({"client_id": "me", "scop": "x"}, '`ext.oauth` has no field "scop"; it has client_id, client_secret'),
                            ({"client_secret": "${HOME}"}, "`ext.oauth.client_id` is required"),
                            ({"client_id": "me", "method": "none"}, "`ext.oauth.method` must be client_secret_basic"),
                            ({"client_id": "me", "private_key_file": "key.pem"}, "key.pem (ext.oauth.private_key_file)"),
                            ({"client_id": "me", "token_url": "http://as.example/token"}, "is at http://as.example, where others could read along")):
            with self.subTest(says):
                self.entry(oauth)
                done = self.call()
                self.assertIn(done.returncode, (INVALID, NOT_FOUND), done.stderr)
                self.assertIn(says, done.stderr)
        self.entry({"client_id": "me"}, url="http://tools.example/mcp")
        self.assertIn("where others could read along", self.call().stderr)
        self.assertEqual(self.town.asked, [])

    def test_a_client_secret_can_be_kept(self):
        self.entry({"client_id": "me"})
        self.assertIn("mcp login docs", self.call().stderr)
        self.succeeds("mcp", "login", "docs", stdin=SECRET + "\n")
        self.assertEqual(self.call().stdout, "hello\n")
        self.run_agent_and_look(SECRET, GRANTED)
        self.expect_kept_in_one_place(SECRET, GRANTED)
        # an entry that would have it sent elsewhere does not get it
        self.entry({"client_id": "me", "token_url": "http://127.0.0.1:9/token"})
        self.assertIn("there is no secret for it", self.call().stderr)

    def test_a_token_is_kept_for_one_server_at_one_address(self):
        refused = self.call()
        self.assertEqual(refused.returncode, UNAUTHORIZED)
        self.assertIn("mcp login", refused.stderr)
        self.succeeds("mcp", "login", "docs", stdin=f"Bearer {GIVEN}\n")
        self.assertEqual(self.call().stdout, "hello\n")
        self.run_agent_and_look(GIVEN)
        self.expect_kept_in_one_place(GIVEN)

        other = Town()
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        self.entry(url=other.origin + "/mcp")
        self.assertEqual(self.call().returncode, UNAUTHORIZED)
        self.assertEqual({given for _, given in other.asked}, {""})

        self.entry()
        self.town.accepted.clear()
        self.assertIn("refuses the token that is kept for it (HTTP 401); to give it another: `mcp login docs`", self.call().stderr)
        self.succeeds("mcp", "logout", "docs")
        self.assertNotIn(GIVEN, (self.home / "mcp_secrets.json").read_text())
        self.assertEqual(self.cadre("mcp", "logout", "docs").returncode, NOT_FOUND)

    def test_a_file_that_others_may_read_is_not_used(self):
        self.succeeds("mcp", "login", "docs", stdin=GIVEN)
        (self.home / "mcp_secrets.json").chmod(0o644)
        done = self.call()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("chmod 600", done.stderr)

    def test_a_terminal_does_not_show_what_is_typed(self):
        seen, code = self.talk("mcp", "login", "docs", says=[("(it is not shown): ", GIVEN + "\r")])
        self.assertEqual(code, 0, seen)
        self.assertNotIn(GIVEN, seen)
        self.assertEqual(self.call().stdout, "hello\n")

    def test_secrets_are_no_arguments_and_stand_in_no_file(self):
        done = self.cadre("mcp", "login", "docs", GIVEN)
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("do not pass a secret as an argument", done.stderr)
        self.entry({"client_id": "me", "client_secret": SECRET})
        for words in (["check"], ["mcp", "tools", "docs"]):
            done = self.cadre(*words)
            self.assertEqual(done.returncode, INVALID, done.stderr)
            self.assertIn("a secret is written here in plain text", done.stdout + done.stderr)
            self.assertNotIn(SECRET, done.stdout + done.stderr)
        self.assertEqual(self.town.asked, [])


if __name__ == "__main__":
    unittest.main()
