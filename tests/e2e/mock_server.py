"""`cadre mock-llm` beside a test."""
import http.client
import json
import signal

from home import Home, LIMIT


class Mock(Home):
    def serve(self, entries, *words, name="script.json"):
        """The running server; its address is self.url."""
        process = self.start("mock-llm", "--json", "--script", self.write(name, entries), *words)
        self.greeting = json.loads(process.stdout.readline())
        self.url = self.greeting["url"]
        return process

    def stop(self, process):
        """What it wrote to standard error, a JSON object a line."""
        process.send_signal(signal.SIGINT)
        out, err, code = self.end(process)
        self.assertEqual((out, code), ("", 0))
        return [json.loads(line) for line in err.splitlines()]

    def connect(self):
        return http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=LIMIT)

    def post(self, path, body, headers=None):
        """The status, the headers, and the body: JSON, or bytes."""
        connection = self.connect()
        self.addCleanup(connection.close)
        data = body if isinstance(body, (str, bytes)) else json.dumps(body)
        connection.request("POST", path, data, {"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        content = answer.read()
        if answer.getheader("Content-Type") == "application/json":
            content = json.loads(content)
        return answer.status, answer.headers, content

    def chat(self, text, **more):
        return self.post("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": text}], **more})
