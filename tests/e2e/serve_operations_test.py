#!/usr/bin/env python3
"""`cadre serve` under a supervisor: sockets handed over, readiness, signs of life, settings and certificates read again, traces for a collector."""
import http.client
import http.server
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import threading
import unittest
import urllib.parse

from home import CADRE, LIMIT, ROOT, SUM
from serve import Serve

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Operated(Serve):
    def settings(self, entries=SUM, **server):
        self.write("cadre.yaml", json.dumps({"version": "1.0.0", "model": self.script(entries), "team": "desk", "server": server}))
        self.write("teams/desk.json", self.TEAM)

    def heard(self, process, words):
        """Reads what it says until that comes."""
        for line in process.stderr:
            if words in line:
                return line
        self.fail(f"it never said {words!r}")

    def reload(self, process, words="settings were read again"):
        process.send_signal(signal.SIGHUP)
        return self.heard(process, words)


class Reload(Operated):
    def test_settings_and_keys_are_read_again_and_tasks_stay(self):
        self.settings([{"text": "Slow.", "chunks": 30, "pace_ms": 100, "times": "any"}], rates={"read": {"requests": 1000, "seconds": 1}})
        process = self.serve(None)
        task = self.made()
        self.settings([{"text": "Other.", "times": "any"}], rates={"read": {"requests": 2, "seconds": 3600}}, four_eyes=True)
        other = "ck_abcdefghijkl_" + "7" * 32
        (self.home / "server" / "token").write_text(other + "\n")
        old, self.token = self.token, other
        self.reload(process)
        self.assertEqual(self.get("/whoami", token=old).status, 401)
        self.assertEqual([self.get("/whoami").status for _ in range(3)], [200, 200, 429])
        self.settings(rates={"read": {"requests": 1000, "seconds": 1}})
        self.reload(process)
        self.until(lambda: self.get("/whoami").status == 200, "the new rate holds")
        self.assertEqual(self.at_rest(task)["result"], "Slow.")

    def test_what_cannot_be_read_changes_nothing(self):
        self.settings(rates={"read": {"requests": 1000, "seconds": 1}})
        process = self.serve(None)
        for text, says in [("version: 1.0.0\nserver: {rates: {read: {requests: 0, seconds: 1}}}\n", "requests"), ("version: [", "cadre.yaml"),
                           ("version: 1.0.0\nserver: {forwarded_header: X-Real-IP}\n", "X-Forwarded-For")]:
            self.write("cadre.yaml", text)
            self.reload(process, "all stays as it was")
            self.heard(process, says)
        self.assertEqual({self.get("/whoami").status for _ in range(50)}, {200})

    def test_what_needs_another_start_is_named(self):
        self.settings()
        process = self.serve(None)
        self.settings(connections=7)
        self.assertIn("connections", self.reload(process, "these need another start"))

    def certificate(self, name):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                        "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.folder / "key.pem",
                        "-out", self.folder / "cert.pem"], check=True, capture_output=True)
        return (self.folder / "cert.pem").read_text()

    def shown(self):
        where = urllib.parse.urlsplit(self.url)
        return ssl.get_server_certificate((where.hostname, where.port))

    def test_certificates_are_swapped_under_connections(self):
        first = self.certificate("first")
        self.settings()
        process = self.serve(None, "--tls-cert", self.folder / "cert.pem", "--tls-key", self.folder / "key.pem")
        self.assertTrue(self.url.startswith("https://"))
        where = urllib.parse.urlsplit(self.url)
        context = ssl._create_unverified_context()
        held = http.client.HTTPSConnection(where.hostname, where.port, context=context, timeout=LIMIT)
        ask = lambda: held.request("GET", "/health/live") or held.getresponse().read()  # noqa: E731
        ask()
        self.assertEqual(self.shown(), first)
        second = self.certificate("second")
        self.reload(process)
        self.assertEqual(self.shown(), second)
        ask()  # on the connection from before
        self.write("cert.pem", "nonsense")
        self.reload(process, "all stays as it was")
        self.assertEqual(self.shown(), second)


class Supervised(Operated):
    def supervised(self, *, watchdog=None, sockets=()):
        """As systemd starts it: $NOTIFY_SOCKET, and sockets from descriptor 3 on. What it says comes out of the socket."""
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.settimeout(LIMIT)
        notify.bind(str(self.folder / "notify"))
        self.addCleanup(notify.close)
        env = {**self.env, "NOTIFY_SOCKET": str(self.folder / "notify")}
        if watchdog:
            env["WATCHDOG_USEC"] = str(watchdog)
        words = [CADRE, "serve", "--json", *([] if sockets else ["--listen", "127.0.0.1:0"])]
        numbers = [one.fileno() for one in sockets]

        def take_places():
            kept = [os.dup(number) for number in numbers]
            for place, number in enumerate(kept, 3):
                os.dup2(number, place)
        program = f"LISTEN_PID=$$ LISTEN_FDS={len(sockets)} exec \"$@\"" if sockets else "exec \"$@\""
        process = subprocess.Popen(["sh", "-c", program, "sh", *words], cwd=self.folder, env=env, text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=not sockets, preexec_fn=take_places)
        self.processes.append(process)
        return process, notify

    def greeted(self, process):
        greeting = json.loads(process.stdout.readline())
        self.url = greeting["url"]
        self.token = (self.home / "server" / "token").read_text().strip()

    def test_it_says_when_it_is_ready_lives_and_leaves(self):
        self.settings()
        process, notify = self.supervised(watchdog=400_000)
        said = [notify.recv(200)]
        self.assertEqual(said[0], b"READY=1")
        self.greeted(process)
        self.assertEqual(self.get("/health/ready", token=None).status, 200)
        self.assertEqual([notify.recv(200) for _ in range(3)], [b"WATCHDOG=1"] * 3)
        process.send_signal(signal.SIGHUP)
        while said[-1] != b"RELOADING=1":
            said.append(notify.recv(200))
        while said[-1] != b"READY=1":
            said.append(notify.recv(200))
        process.send_signal(signal.SIGTERM)
        while said[-1] != b"STOPPING=1":
            said.append(notify.recv(200))
        self.assertEqual(self.end(process)[2], 0)

    def test_sockets_that_were_handed_over(self):
        self.settings()
        listens = socket.create_server(("127.0.0.1", 0))
        local = socket.socket(socket.AF_UNIX)
        local.bind(str(self.folder / "sock"))
        local.listen()
        for _ in range(2):  # over a restart nobody is refused: who comes meanwhile waits
            early = socket.create_connection(listens.getsockname())
            early.settimeout(LIMIT)
            early.sendall(b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % listens.getsockname()[1])
            process, notify = self.supervised(sockets=[listens, local])
            self.assertEqual(notify.recv(200), b"READY=1")
            notify.close()
            (self.folder / "notify").unlink()
            self.assertIn(b"200 OK", early.recv(4096))
            self.greeted(process)
            self.assertEqual(self.url, "http://127.0.0.1:%d" % listens.getsockname()[1])
            self.assertEqual(self.get("/tasks").status, 200)
            there = socket.socket(socket.AF_UNIX)
            there.connect(str(self.folder / "sock"))
            there.sendall(b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % listens.getsockname()[1])
            self.assertIn(b"200 OK", there.recv(4096))
            there.close()
            self.assertEqual(self.stop(process)[2], 0)
        self.assertTrue((self.folder / "sock").exists())

    def test_what_is_not_a_socket_is_refused(self):
        self.settings()
        plain = socket.socket()
        process, _ = self.supervised(sockets=[plain])
        out, err, code = self.end(process)
        self.assertNotEqual(code, 0)
        self.assertIn("descriptor 3 is not a socket that listens", err)


class Shipped(Operated):
    def test_the_unit_says_what_the_program_understands(self):
        unit = (ROOT / "share/systemd/cadre.service").read_text()
        facts = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line and not line.startswith("#"))
        self.assertEqual((facts["Type"], facts["ExecReload"]), ("notify", "/bin/kill -HUP $MAINPID"))
        program, verb, *flags = facts["ExecStart"].split()
        known = self.succeeds("help", verb)
        for flag in flags:
            self.assertIn(flag, known)
        self.assertGreater(int(facts["TimeoutStopSec"]), 10, "more than drain_seconds")
        listens = (ROOT / "share/systemd/cadre.socket").read_text()
        self.assertIn("server unix:" + re.search("ListenStream=(.*)", listens)[1] + ";", (ROOT / "share/nginx/cadre.conf").read_text())


class Collector(http.server.ThreadingHTTPServer):
    """Takes spans, as a collector of OpenTelemetry does."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Taking)
        self.spans, self.requests, self.refuses = [], [], 0
        self.changed = threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.server_address[1]

    def wait_for(self, true):
        with self.changed:
            assert self.changed.wait_for(true, LIMIT), self.spans


class Taking(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.changed:
            status = 503 if self.server.refuses else 200
            self.server.refuses = max(0, self.server.refuses - 1)
            self.server.requests.append((self.path, dict(self.headers)))
            if status == 200:
                self.server.spans += [span for one in body["resourceSpans"] for scope in one["scopeSpans"] for span in scope["spans"]]
            self.server.changed.notify_all()
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class Traces(Operated):
    def collector(self):
        collector = Collector()
        self.addCleanup(collector.server_close)
        self.addCleanup(collector.shutdown)
        return collector

    def test_a_trace_from_the_request_to_the_tool(self):
        collector = self.collector()
        collector.refuses = 1
        self.settings(otlp_endpoint=collector.url + "/")
        process = self.serve(None, env={"OTEL_EXPORTER_OTLP_HEADERS": "x-team=desk%201"})
        made = self.post("/tasks", {"description": "2+3?", "start": True}, headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
        self.assertEqual(made.status, 201, made.text)
        version, trace, span, flags = made.headers["traceparent"].split("-")
        self.assertEqual((version, trace, flags), ("00", TRACE, "01"))
        self.assertEqual(made.json["ext"]["metadata"]["traceparent"], made.headers["traceparent"])
        self.at_rest(made.json["id"])
        lines = [json.loads(line) for line in self.succeeds("logs", "--json").splitlines()]
        self.assertEqual([line["route"] for line in lines if line.get("trace") == TRACE], ["create_task"])
        ours = lambda: {span["name"]: span for span in collector.spans if span["traceId"] == TRACE}  # noqa: E731
        collector.wait_for(lambda: "execute_tool calculator" in ours())
        self.stop(process)
        spans = ours()
        request = spans["POST /tasks"]
        self.assertEqual((request["parentSpanId"], request["spanId"], request["kind"]), (PARENT, span, 2))
        root = spans["invoke_agent researcher"]
        self.assertEqual(root["parentSpanId"], span)
        by_id = {one["spanId"]: one for one in spans.values()}
        above = spans["execute_tool calculator"]
        while above["spanId"] != root["spanId"]:
            self.assertLessEqual(int(above["startTimeUnixNano"]), int(above["endTimeUnixNano"]))
            above = by_id[above["parentSpanId"]]
        chats = [one for one in collector.spans if one["traceId"] == TRACE and one["name"].startswith("chat ")]
        facts = [{one["key"]: next(iter(one["value"].values())) for one in chat["attributes"]} for chat in chats]
        self.assertEqual({fact["gen_ai.operation.name"] for fact in facts}, {"chat"})
        self.assertIn("120", [fact["gen_ai.usage.input_tokens"] for fact in facts])
        self.assertNotIn("2+3?", json.dumps(collector.spans))
        path, headers = collector.requests[0]
        self.assertEqual((path, headers["x-team"], headers["Content-Type"]), ("/v1/traces", "desk 1", "application/json"))

    def test_a_hostile_traceparent_is_replaced(self):
        self.settings()
        self.serve(None)
        for bad in ("00-" + "0" * 32 + "-" + PARENT + "-01", f"ff-{TRACE}-{PARENT}-01", "x" * 300, f"00-{TRACE.upper()}-{PARENT}-01"):
            answer = self.post("/tasks", {"description": "Later."}, headers={"traceparent": bad})
            self.assertNotIn(TRACE, answer.headers["traceparent"])
            self.assertEqual(answer.json["ext"]["metadata"], {})

    def test_the_same_key_in_another_span_is_the_same_task(self):
        self.settings()
        self.serve(None)
        key = {"Idempotency-Key": "one"}
        first = self.post("/tasks", {"description": "Later."}, headers={**key, "traceparent": f"00-{TRACE}-{PARENT}-01"})
        again = self.post("/tasks", {"description": "Later."}, headers={**key, "traceparent": f"00-{TRACE}-{PARENT[::-1]}-01"})
        self.assertEqual((again.status, again.json["id"]), (200, first.json["id"]), again.text)

    def test_a_collector_that_is_gone_delays_nothing(self):
        gone = socket.create_server(("127.0.0.1", 0))
        port = gone.getsockname()[1]
        gone.close()
        self.settings(otlp_endpoint=f"http://127.0.0.1:{port}")
        process = self.serve(None)
        self.assertEqual(self.at_rest(self.made())["status"], "completed")
        self.until(lambda: b'cadre_otlp_spans_total{result="failed"}' in self.get("/metrics").text, "spans are given up")
        self.assertEqual(self.stop(process)[2], 0)


if __name__ == "__main__":
    unittest.main()
