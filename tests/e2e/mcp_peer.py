"""The client program beside a test, and the npm servers that it talks to."""
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CADRE_BUILD", ROOT / "build/dev"))
CLIENT = str(BUILD / "tests/mcp/mcp_client")
MODULES = ROOT / "tests/node/node_modules"
NODE = os.environ.get("CADRE_NODE", str(MODULES / ".bin/node"))
LOOPBACK = ["--require", str(ROOT / "tests/node/loopback.cjs")]  # these programs would listen on every interface
LIMIT = 60  # seconds; nothing here takes a tenth of it


def npm_server(name):
    return [NODE, *LOOPBACK, str(MODULES / f"@modelcontextprotocol/server-{name}/dist/index.js")]


class Peer:
    """One mcp_client process: a command in, what came of it out."""

    def __init__(self, *words, env=None):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([CLIENT, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        stderr=self.errors, env={"PATH": os.environ["PATH"], **(env or {})})

    def do(self, what, **more):
        self.say(what, **more)
        return self.hear()

    def say(self, what, **more):
        self.process.stdin.write(json.dumps({"do": what, **more}) + "\n")
        self.process.stdin.flush()

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def call(self, tool, arguments=None, **more):
        return self.do("call", name=tool, arguments=arguments or {}, **more)

    def log(self):
        self.errors.seek(0)
        return self.errors.read()

    def close(self):
        """Its exit code; whatever it had started is gone then."""
        self.process.stdin.close()
        try:
            return self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self.process.stdout.close()
            self.errors.close()


class McpTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()

    def peer(self, *words, env=None):
        peer = Peer(*words, env=env)
        self.addCleanup(lambda: peer.process.poll() is None and peer.close())
        return peer

    def listen(self, kind):
        """server-everything over HTTP; its port, which has to be chosen for it."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        process = subprocess.Popen([*npm_server("everything"), kind], env={"PATH": os.environ["PATH"], "PORT": str(port)}, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if re.search(rf"port {port}\b", line):
                return port
        self.fail("server-everything does not listen")

    def calls_every_tool(self, peer, calls, but_not=()):
        """`calls` has valid arguments for every tool, in order. Wrong ones are refused: by the schema, or as an error for the model."""
        listed = {tool["name"]: tool for tool in peer.do("tools")["items"]}
        self.assertEqual(set(listed) - set(but_not), {name for name, *_ in calls})
        for name, arguments, *more in calls:
            answer = peer.call(name, arguments, **(more[0] if more else {}))
            self.assertNotIn("failed", answer, name)
            self.assertFalse(answer["is_error"], (name, answer))
            properties = listed[name]["input_schema"].get("properties", {})
            if properties:
                wrong = peer.call(name, {key: {"wrong": [None]} for key in properties})
                self.assertTrue(wrong.get("is_error"), (name, wrong))
        return listed
