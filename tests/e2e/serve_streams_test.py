#!/usr/bin/env python3
"""The streams of `cadre serve`, as clients see them: cut off anywhere, over kills of the server, and through npm's WebSocket client."""
import http.client
import json
import os
import subprocess
import time
import unittest
import urllib.parse

from home import ASK, LIMIT, ROOT
from serve import Serve

NODE_MODULES = ROOT / "tests/node/node_modules"
NODE = os.environ.get("CADRE_NODE", str(NODE_MODULES / ".bin/node"))
TALK = [{"text": "Grüße from a model that writes.", "chunks": 12, "times": "any"}]
SLOW = [{"text": "one two three four five six seven eight", "chunks": 39, "pace_ms": 40, "times": "any"}]


class Told:
    """What a client puts together of what it hears."""

    def __init__(self):
        self.events, self.texts, self.ended, self.id = [], {}, None, None

    def hear(self, data, name="message"):
        if name == "end":
            self.ended = json.loads(data)
        if name != "message":
            return
        value = json.loads(data)
        if value["type"] != "content_chunk":
            self.events.append(value)
        elif value.get("aborted"):
            self.texts.pop(value["step_id"], None)
        else:
            self.texts[value["step_id"]] = self.texts.get(value["step_id"], "") + value["text"]

    def read(self, stream):
        """Server-sent events out of text; what is not whole is nothing."""
        for block in stream.split("\n\n")[:-1]:
            name, data = "message", []
            for line in block.split("\n"):
                field, _, value = line.partition(": ")
                if field == "id":
                    self.id = value
                elif field == "event":
                    name = value
                elif field == "data":
                    data.append(value)
            if data:
                self.hear("\n".join(data), name)
        return self

    @property
    def whole(self):
        return self.events, self.texts, self.ended


class Streams(Serve):
    def connect(self, path, headers=None):
        """A stream that has begun. There are only so many in a second."""
        where = urllib.parse.urlsplit(self.url)
        for _ in range(LIMIT):
            connection = http.client.HTTPConnection(where.hostname, where.port, timeout=LIMIT)
            self.addCleanup(connection.close)
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}", "Accept": "text/event-stream", **(headers or {})})
            response = connection.getresponse()
            if response.status != 429:
                return response
            time.sleep(int(response.headers["Retry-After"]))  # sleeps: as the server asks
        self.fail("too many streams, for ever")

    def told(self, path, told=None):
        told = told or Told()
        headers = {"Last-Event-ID": told.id} if told.id else {}
        response = self.connect(path, headers)
        if response.status == 200:
            return told.read(response.read().decode())
        self.assertEqual(response.status, 204)  # only the word that it has ended was not heard
        told.ended = {"status": "completed", "last": int(told.id)}
        return told

    # cases 11 and 18 of the server
    def test_cut_off_anywhere_a_client_comes_back_to_where_it_was(self):
        self.serve(TALK)
        task = self.made()
        self.at_rest(task)
        path = f"/tasks/{task}/stream"
        text = self.connect(path).read().decode()
        whole = Told().read(text).whole
        self.assertEqual(list(whole[1].values()), [TALK[0]["text"]])
        self.assertEqual(whole[2], {"status": "completed", "last": len(whole[0])})
        for cut in range(0, len(text), max(1, len(text) // 24)):
            with self.subTest(cut=cut):
                self.assertEqual(self.told(path, Told().read(text[:cut])).whole, whole)
        self.assertEqual(self.connect(path, {"Last-Event-ID": str(len(whole[0]))}).status, 204)

    def test_text_that_is_being_written_goes_on_behind_a_cut(self):
        self.serve(SLOW)
        task = self.made()
        path, told, cuts = f"/tasks/{task}/stream", Told(), 0
        while not told.ended:
            response = self.connect(path, {"Last-Event-ID": told.id} if told.id else {})
            text = response.read(400).decode("utf-8", "ignore") if cuts < 6 else response.read().decode()
            response.close()
            told.read(text)
            cuts += 1
        self.assertEqual(told.whole, self.told(path).whole)
        self.assertEqual(list(told.texts.values()), [SLOW[0]["text"]])
        self.assertGreater(cuts, 3)

    # case 12 of the server
    def test_a_server_that_is_killed_and_comes_back(self):
        process = self.serve(SLOW)
        task = self.made()
        path, told = f"/tasks/{task}/stream", Told()
        for _ in range(3):
            response = self.connect(path, {"Last-Event-ID": told.id} if told.id else {})
            text = ""
            while "content_chunk" not in text:
                text += response.read1(200).decode()
            process.kill()
            process.wait()
            told.read(text)
            self.assertIsNone(told.ended)
            process = self.serve()
        told = self.told(path, told)
        self.assertEqual(told.whole, self.told(path).whole)
        self.assertEqual(list(told.texts.values()), [SLOW[0]["text"]])

    def test_a_question_does_not_end_a_stream_and_a_server_that_leaves_does(self):
        process = self.serve(ASK)
        task = self.made()
        response = self.connect(f"/tasks/{task}/hitl")
        text = ""
        while "event_hitl_request" not in text:
            text += response.read1(200).decode()
        self.assertEqual(self.get(f"/tasks/{task}").json["status"], "waiting")
        process.terminate()
        text += response.read().decode()
        self.assertIn("event: drain\n", text)
        self.assertEqual(process.wait(), 0)

    # case 20 of the server
    def test_npm_ws(self):
        self.serve(SLOW)
        task = self.made()
        ran = subprocess.run([NODE, "--input-type=module", "-e", CLIENT, str(NODE_MODULES / "ws/wrapper.mjs"),
                              self.url.replace("http", "ws", 1), self.token, task], capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        seen = json.loads(ran.stdout)
        told = Told()
        for message in seen["bare"]["messages"]:
            told.hear(message)
        whole = self.told(f"/tasks/{task}/stream")
        self.assertEqual((told.events, told.texts), (whole.events, whole.texts))
        self.assertEqual((seen["bare"]["code"], seen["bare"]["reason"], seen["bare"]["protocol"]), (1000, "ended", "cadre.v1"))
        self.assertEqual(seen["talks"]["code"], 1003)
        console = [json.loads(message) for message in seen["console"]["messages"]]
        self.assertEqual([one["event"] for one in console if "event" in one], whole.events)
        self.assertEqual({one["id"] for one in console}, {7})
        self.assertEqual(console[-1]["end"], whole.ended)
        self.assertEqual(seen["refused"]["status"], 401)


CLIENT = """
const [, wrapper, url, token, task] = process.argv;
const { default: WebSocket } = await import(wrapper);
const bearer = 'bearer.' + Buffer.from(token).toString('base64url');
const follow = (path, protocols, act) => new Promise((done) => {
    const socket = new WebSocket(url + path, protocols), messages = [];
    socket.on('open', () => act?.(socket));
    socket.on('message', (data) => { messages.push(data.toString()); if (data.toString().includes('"end":{')) socket.close(); });
    socket.on('unexpected-response', (request, response) => { done({ status: response.statusCode }); request.destroy(); });
    socket.on('error', () => {});
    socket.on('close', (code, reason) => done({ messages, code, reason: reason.toString(), protocol: socket.protocol }));
});
const protocols = ['cadre.v1', bearer];
const [bare, talks, console_] = await Promise.all([
    follow(`/tasks/${task}/stream`, protocols),
    follow(`/tasks/${task}/hitl`, protocols, (socket) => socket.send('hello')),
    follow('/stream', protocols, (socket) => socket.send(JSON.stringify({ op: 'watch', id: 7, task, streams: ['events'] })))]);
const refused = await follow(`/tasks/${task}/stream`, ['cadre.v1', 'bearer.bm8']);
console.log(JSON.stringify({ bare, talks, console: console_, refused }));
"""


class EventSource(Streams):
    def test_npms_eventsource_comes_back_to_where_it_was_over_a_kill(self):
        process = self.serve(SLOW)
        port = urllib.parse.urlsplit(self.url).port
        task = self.made()
        client = subprocess.Popen([NODE, str(ROOT / "tests/node/eventsource_client.mjs"), f"{self.url}/tasks/{task}/stream", self.token],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(client.communicate)
        self.addCleanup(client.kill)
        self.assertEqual(client.stderr.readline(), "open\n")
        process.kill()
        process.wait()
        self.start("serve", "--json", "--listen", f"127.0.0.1:{port}").stdout.readline()
        heard = json.loads(client.stdout.readline())
        self.assertEqual(heard["status"], "completed")
        self.assertTrue(heard["text"].endswith(SLOW[0]["text"]), heard)  # what an attempt wrote that was cut off comes before it
        self.assertGreaterEqual(heard["opened"], 2)
        numbers = [int(one.split("/")[0]) for one in heard["ids"]]
        self.assertEqual(numbers, sorted(set(numbers)))


if __name__ == "__main__":
    unittest.main()
