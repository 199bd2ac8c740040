#!/usr/bin/env python3
"""`cadre serve` behind a real nginx, with the configuration that we ship: requests, streams, who asks, and requests that two parsers could
read differently."""
import base64
import http.client
import json
import os
import shutil
import socket
import struct
import subprocess
import unittest
import urllib.parse

from home import LIMIT, ROOT, SUM, wait_until
from serve import Serve, free_port

NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
SLOW = [{"text": "one two three four five six", "chunks": 26, "pace_ms": 60, "times": "any"}]


@unittest.skipUnless(NGINX, "nginx is not installed")
class BehindNginx(Serve):
    def proxied(self, entries):
        """The server, and nginx in front of it; requests go to nginx from then on."""
        port = free_port()
        self.write("cadre.yaml", json.dumps({"version": "1.0.0", "model": self.script(entries), "team": "desk",
                                             "server": {"behind_proxy": True, "public_url": f"http://127.0.0.1:{port}"}}))
        self.write("teams/desk.json", self.TEAM)
        self.served = self.serve(None)
        self.direct = self.url
        shipped = (ROOT / "share/nginx/cadre.conf").read_text()
        for ours, here in [("server unix:/run/cadre.sock;", f"server {urllib.parse.urlsplit(self.url).netloc};"),
                           ("listen 443 ssl http2;", f"listen 127.0.0.1:{port};"), ("    ssl_certificate /etc/ssl/agents.pem;\n", ""),
                           ("    ssl_certificate_key /etc/ssl/agents.key;\n", "")]:
            self.assertIn(ours, shipped)
            shipped = shipped.replace(ours, here)
        places = "".join(f"    {name}_temp_path {self.folder}/nginx_{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;\n" if os.geteuid() == 0 else ""
        self.write("nginx.conf", f"{user}daemon off;\npid {self.folder}/nginx.pid;\nerror_log stderr warn;\nworker_processes 1;\n"
                   f"events {{ worker_connections 256; }}\nhttp {{\n    access_log off;\n{places}{shipped}\n}}\n")
        process = subprocess.Popen([NGINX, "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), "-e", "stderr"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.terminate(), process.communicate()))
        self.url = f"http://127.0.0.1:{port}"

        def listens():
            self.assertIsNone(process.poll(), process.stderr.read() if process.poll() is not None else "")
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0
        wait_until(listens, "nginx listens")

    def raw(self, url, data):
        """All that comes back for these bytes."""
        where = urllib.parse.urlsplit(url)
        with socket.create_connection((where.hostname, where.port), timeout=LIMIT) as one:
            one.sendall(data)
            answer = b""
            while chunk := one.recv(65536):
                answer += chunk
        return answer

    def routes_seen(self):
        lines = [json.loads(line) for line in self.succeeds("logs", "--json", "--lines", "1000").splitlines()]
        return [(line["request"], line["route"]) for line in lines if line["message"] == "request"]

    def test_tasks_and_streams(self):
        self.proxied(SLOW)
        task = self.made()
        where = urllib.parse.urlsplit(self.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=LIMIT)
        connection.request("GET", f"/tasks/{task}/stream", headers={"Authorization": f"Bearer {self.token}", "Accept": "text/event-stream"})
        response = connection.getresponse()
        self.assertEqual((response.status, response.headers["Content-Type"]), (200, "text/event-stream; charset=utf-8"))
        text = b""
        while b"content_chunk" not in text:
            text += response.read1(65536)
        self.assertEqual(self.get(f"/tasks/{task}").json["status"], "running", "it came while the model was writing")
        while b"event: end" not in text:
            text += response.read1(65536)
        self.assertEqual(self.get(f"/tasks/{task}").json["result"], SLOW[0]["text"])

    def test_a_websocket(self):
        self.proxied(SLOW)
        task = self.made()
        where = urllib.parse.urlsplit(self.url)
        with socket.create_connection((where.hostname, where.port), timeout=LIMIT) as one:
            bearer = base64.urlsafe_b64encode(self.token.encode()).decode().rstrip("=")
            one.sendall((f"GET /tasks/{task}/stream HTTP/1.1\r\nHost: {where.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                         f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n"
                         f"Sec-WebSocket-Protocol: cadre.v1, bearer.{bearer}\r\n\r\n").encode())
            stream = one.makefile("rb")
            self.assertIn(b" 101 ", stream.readline())
            while stream.readline() != b"\r\n":
                pass
            told, closed = [], None
            while closed is None:
                first, length = stream.read(2)
                if length == 126:
                    (length,) = struct.unpack(">H", stream.read(2))
                payload = stream.read(length)
                if first & 15 == 8:
                    closed = struct.unpack(">H", payload[:2])[0]
                elif first & 15 == 1:
                    told.append(json.loads(payload))
        self.assertEqual(closed, 1000)
        self.assertEqual("".join(one["text"] for one in told if one["type"] == "content_chunk"), SLOW[0]["text"])

    def test_who_asks_is_who_nginx_says(self):
        self.proxied(SUM)
        bad = "ck_000000000000_" + "0" * 32
        statuses = [self.get("/whoami", token=bad, headers={"X-Forwarded-For": f"198.51.100.{n}", "Forwarded": f"for=198.51.100.{n}"}).status
                    for n in range(12)]
        self.assertEqual(statuses, [401] * 10 + [429] * 2)
        entries = self.get("/audit").json["entries"]
        self.assertEqual({entry["address"] for entry in entries if entry["kind"] == "sign_in_refused"}, {"127.0.0.1"})

    def test_requests_that_two_parsers_could_read_differently(self):
        """Case 32: whatever comes, nginx and the server see the same requests, or none."""
        self.proxied(SUM)
        host = urllib.parse.urlsplit(self.url).netloc.encode()
        hidden = b"GET /whoami HTTP/1.1\r\nHost: " + host + b"\r\nX-Request-ID: hidden-NN\r\n\r\n"
        head = b"POST /tasks HTTP/1.1\r\nHost: " + host + b"\r\nX-Request-ID: outer\r\n"
        length = str(len(b"0\r\n\r\n" + hidden)).encode()
        attempts = {
            "both lengths, chunked wins": head + b"Content-Length: " + length + b"\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
            "both lengths, the other order": head + b"Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nG",
            "two lengths": head + b"Content-Length: 0\r\nContent-Length: " + str(len(hidden)).encode() + b"\r\n\r\n" + hidden,
            "a list of lengths": head + b"Content-Length: 0, " + str(len(hidden)).encode() + b"\r\n\r\n" + hidden,
            "a length with a sign": head + b"Content-Length: +0\r\n\r\n" + hidden,
            "an unknown coding": head + b"Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n" + hidden,
            "chunked twice": head + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" + hidden,
            "a tab before the coding": head + b"Transfer-Encoding:\tchunked\r\nContent-Length: 0\r\n\r\n" + hidden,
            "a folded header": head + b"X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n" + hidden,
            "a space before the colon": head + b"Transfer-Encoding : chunked\r\nContent-Length: 0\r\n\r\n" + hidden,
            "a bare line feed": head + b"X-A: b\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n" + hidden,
            "a bare carriage return": head + b"X-A: b\rTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n" + hidden,
            "a chunk size with a sign": head + b"Transfer-Encoding: chunked\r\n\r\n+0\r\n\r\n" + hidden,
            "a chunk with a bare line feed": head + b"Transfer-Encoding: chunked\r\n\r\n0\n\n" + hidden,
            "a null in a header": head + b"X-A: b\0c\r\nContent-Length: 0\r\n\r\n" + hidden,
        }
        honest = b"GET /health/live HTTP/1.1\r\nHost: " + host + b"\r\nX-Request-ID: honest\r\nConnection: close\r\n\r\n"
        number = 10
        for url in (self.url, self.direct):
            for name, attempt in attempts.items():
                number += 1
                mark = b"hidden-%d" % number
                answers = self.raw(url, attempt.replace(b"hidden-NN", mark) + honest)
                statuses = [int(part[:3]) for part in answers.split(b"HTTP/1.1 ")[1:]]
                with self.subTest(name, through="nginx" if url == self.url else "nothing"):
                    self.assertTrue(statuses, "no answer at all")
                    # the server has seen what was hidden only where it was a request to everybody, answered to who sent it
                    seen = mark.decode() in [request for request, _ in self.routes_seen()]
                    self.assertEqual(seen, b"X-Request-ID: " + mark in answers, answers)
                    if url == self.direct and statuses[0] != 401:
                        self.assertEqual((statuses[0] in (400, 501), len(statuses)), (True, 1), answers)
                    # and who comes after gets their own answers
                    for n in range(3):
                        own = self.get("/health/live", token=None, headers={"X-Request-ID": f"own-{number}-{n}"})
                        self.assertEqual((own.status, own.headers["X-Request-ID"]), (200, f"own-{number}-{n}"))
        self.assertEqual(self.get("/tasks").json["tasks"], [])


if __name__ == "__main__":
    unittest.main()
