"""`cadre serve` beside a test, and requests to it."""
import http.client
import json
import pathlib
import signal
import socket
import urllib.parse

from home import Home

ENDED = ("completed", "failed", "cancelled")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.text = response.read()

    @property
    def json(self):
        return json.loads(self.text)


class Serve(Home):
    """A home whose project has the team `desk` of one researcher, served on a free port."""
    TEAM = {"name": "desk", "description": "Looks things up.", "version": "1.0.0",
            "default_llm": {}, "tools": [],
            "agents": [{"name": "researcher", "role": "Looks things up.", "prompt": "You look things up.",
                        "tools": ["calculator", "ask_human", "write_file"]}]}

    def serve(self, entries=None, *words, env=None, team=None):
        if entries is not None:
            model = self.script(entries)
            self.write("cadre.yaml", f"version: 1.0.0\nmodel: {model}\nteam: desk\n")
            self.write("teams/desk.json", team or self.TEAM)
        process = self.start("serve", "--json", "--listen", "127.0.0.1:0", *words, env=env)
        line = process.stdout.readline()
        if not line:
            self.fail(process.stderr.read())
        greeting = json.loads(line)
        self.url = greeting["url"]
        self.token = pathlib.Path(greeting["token_file"]).read_text().strip() if "token_file" in greeting else None
        return process

    def stop(self, process, number=signal.SIGINT):
        process.send_signal(number)
        return self.end(process)

    def ask(self, method, path, body=None, token="", headers=None, raw=None):
        """`token` None: without one; empty: the admin's."""
        where = urllib.parse.urlsplit(self.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
        headers = dict(headers or {})
        token = self.token if token == "" else token
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
            raw = json.dumps(body)
        try:
            connection.request(method, path, body=raw, headers=headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.ask("POST", path, body, **options)

    def made(self, description="Go.", **fields):
        """A new task, which has begun."""
        answer = self.post("/tasks", {"description": description, "start": True, **fields})
        self.assertEqual(answer.status, 201, answer.text)
        return answer.json["id"]

    def at_rest(self, task):
        """The task, once it has ended or needs somebody."""
        answer = self.get(f"/tasks/{task}", headers={"Prefer": "wait=30"})
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json
