#!/usr/bin/env python3
"""A real browser and `cadre serve`: the page at `/`, a WebSocket and an event stream of a page of another site that may ask, and one that may not."""
import base64
import http.server
import json
import threading
import unittest

import browser
from home import calls
from serve import Serve

TALK = [{"text": "Grüße from a model that writes.", "chunks": 12, "times": "any"}]
PAGE = """<!doctype html><meta charset="utf-8"><pre id="out"></pre><script>
const { url, task, token, ticket } = %s;
const out = { socket: "", closed: null, events: "", ended: null };
const show = () => { document.getElementById("out").textContent = JSON.stringify(out); };
const socket = new WebSocket(url.replace("http", "ws") + "/tasks/" + task + "/stream", ["cadre.v1", "bearer." + token]);
socket.onmessage = (message) => { const said = JSON.parse(message.data); if (said.type === "content_chunk") out.socket += said.text; show(); };
socket.onclose = (event) => { out.closed = event.code; show(); };
const events = new EventSource(url + "/tasks/" + task + "/stream?ticket=" + ticket);
events.onmessage = (message) => { const said = JSON.parse(message.data); if (said.type === "content_chunk") out.events += said.text; show(); };
events.addEventListener("end", (message) => { out.ended = JSON.parse(message.data).status; events.close(); show(); });
events.onerror = () => { if (out.ended === null) { out.ended = "refused"; events.close(); show(); } };
show();
</script>"""


@unittest.skipIf(browser.MISSING, browser.MISSING)
class Browser(Serve):
    def opened(self, url):
        chromium = browser.Browser()
        self.addCleanup(chromium.close)
        chromium.open(url)
        return chromium

    def site(self, text):
        """Another site, with one page."""
        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = text().encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return "http://127.0.0.1:%d" % server.server_address[1]

    def told(self, allowed):
        facts = {}
        site = self.site(lambda: PAGE % json.dumps(facts))
        self.write("cadre.yaml", json.dumps({"version": "1.0.0", "model": self.script(TALK), "team": "desk",
                                             "server": {"allowed_origins": [site] if allowed else []}}))
        self.write("teams/desk.json", self.TEAM)
        self.serve(None)
        task = self.made()
        self.at_rest(task)
        ticket = self.post("/tickets", {"path": f"/tasks/{task}/stream"}).json["ticket"]
        token = base64.urlsafe_b64encode(self.token.encode()).decode().rstrip("=")
        facts.update(url=self.url, task=task, token=token, ticket=ticket)
        chromium = self.opened(site)
        now = lambda: json.loads(chromium.evaluate("document.getElementById('out').textContent"))  # noqa: E731
        self.until(lambda: now()["closed"] and now()["ended"], "both streams are over")
        return now()

    def test_streams_of_a_site_that_may_ask(self):
        self.assertEqual(self.told(True), {"socket": TALK[0]["text"], "closed": 1000, "events": TALK[0]["text"], "ended": "completed"})

    def test_streams_of_a_site_that_may_not(self):
        self.assertEqual(self.told(False), {"socket": "", "closed": 1006, "events": "", "ended": "refused"})

    def test_the_page_lists_tasks_and_starts_one(self):
        self.serve([{"when": {"contains": "blue"}, "text": "Blue it is.", "times": "any"},
                    {"when": {"contains": "Ask"}, **calls("ask_human", question="Which colour?"), "times": "any"},
                    {"text": "Hello.", "times": "any"}])
        task = self.made("<b>bold</b>")
        self.at_rest(task)
        chromium = self.opened(f"{self.url}/#{self.token}")
        rows = lambda: chromium.evaluate("[...document.querySelectorAll('#tasks tr')].map(row => [...row.children].map(one => one.textContent))")  # noqa: E731
        self.until(rows, "tasks are listed")
        self.assertEqual(rows(), [[task[:8], "completed", "researcher", "<b>bold</b>"]])
        self.assertNotIn(self.token, chromium.evaluate("location.href"))
        chromium.evaluate("document.getElementById('words').value = 'Hi'; document.getElementById('new').requestSubmit()")
        self.until(lambda: [row[1:] for row in rows()[:1]] == [["completed", "researcher", "Hi"]], "the new one is there")
        text = lambda name: chromium.evaluate(f"document.getElementById('{name}').textContent")  # noqa: E731
        self.until(lambda: "Hello." in text("shown"), "its result comes by itself")
        chromium.evaluate("document.getElementById('words').value = 'Ask me'; document.getElementById('new').requestSubmit()")
        self.until(lambda: "researcher asks: Which colour?" in text("questions"), "its question is there")
        chromium.evaluate("document.querySelector('#questions input').value = 'blue'; document.querySelector('#questions button').click()")
        self.until(lambda: "Blue it is." in text("shown"), "it was answered")
        self.assertEqual(text("questions"), "")
        self.assertEqual(chromium.complaints(), [])
        self.assertTrue(all(url.startswith(self.url) for url in chromium.requests()))
        stranger = self.opened(f"{self.url}/")
        self.until(lambda: "has the token" in stranger.evaluate("document.body.textContent"), "who has no token is told")


if __name__ == "__main__":
    unittest.main()
