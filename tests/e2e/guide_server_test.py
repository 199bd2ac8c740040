#!/usr/bin/env python3
"""The guide's pages about the server, typed by a reader."""
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import unittest

import browser
from home import LIMIT, ROOT, wait_until
from reader import Reader, blocks_of
from serve import free_port

NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")


class Page(Reader):
    def setUp(self):
        super().setUp()
        self.place = self.folder / "reader"
        self.place.mkdir()
        self.addCleanup(self.end_servers)

    def end_servers(self):
        """Should the page have stopped half-way."""
        for file in [*self.place.glob("**/server.pid"), *self.place.glob("**/page.pid")]:
            try:
                os.kill(int(file.read_text()), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def typed(self, page, folder, change=lambda text: text):
        """What each block printed; the first one makes the folder."""
        place = self.place
        for block in blocks_of(ROOT / "docs/guide" / page):
            yield self.type(change(block), place)
            place = self.place / folder

    def test_a_newcomer_comes_from_nothing_to_a_task_that_asks_a_person(self):  # API-01 A
        said = list(self.typed("server.md", "shop"))
        self.assertIn("no problems found", said[0])
        self.assertEqual(said[1], '{"status":"healthy"}')
        self.assertEqual(said[2], "waiting\n")
        self.assertEqual(said[3], "clerk asks: Refund 10 dollars?\n")
        self.assertTrue(said[4].startswith("The refund is on its way.\n"), said[4])
        self.assertIn('"reason":"already_answered"', said[4])
        self.assertIn("completed", said[5])

    def test_keys_roles_and_tenants(self):
        said = list(self.typed("server-keys.md", "desk"))
        self.assertEqual(said[0], '{"status":"healthy"}')
        self.assertEqual(json.loads(said[1]), {"subject": "ann", "tenant": "local", "roles": ["user"], "scopes": []})
        waiting, refused, result = said[2].splitlines()
        self.assertEqual((waiting, result), ("waiting", "Paid."))
        self.assertIn("created", refused)
        self.assertEqual(said[3], "403\n[]\n")
        self.assertEqual(said[4], "not_found\neve\n1\n")
        self.assertEqual(json.loads(said[5]), {"subject": "dora", "tenant": "local", "roles": ["approver"], "scopes": []})
        ended, *audit = said[6].splitlines()
        self.assertEqual(ended, "401")
        for line in ("act create_key admin", "denied respond bob", "act respond carl", "act remove_key admin"):
            self.assertIn(line, audit)
        self.assertIn('"intact":true', said[7].replace(" ", ""))

    @unittest.skipIf(browser.MISSING, browser.MISSING)
    def test_watching_from_a_browser(self):
        port = str(free_port())
        page = self.typed("server-watching.md", "news", lambda text: text.replace("8000", port))
        next(page)
        told = next(page)
        self.assertIn('"type":"content_chunk"', told)
        self.assertIn('event: end\ndata: {"status":"completed"', told)
        self.assertGreater(int(next(page)), 3)
        self.assertEqual(json.loads(next(page)), ["event_agent_start", "event_agent_complete", 3, False])
        next(page)
        link = next(page).strip()
        wait_until(lambda: self.listens(int(port)), "the page is there")
        chromium = browser.Browser()
        self.addCleanup(chromium.close)
        chromium.open(link)
        now = lambda name: chromium.evaluate(f"document.getElementById('{name}').textContent")  # noqa: E731
        wait_until(lambda: now("status") == "completed", "the page has seen the end")
        self.assertEqual(now("text"), "All is well, and it will be warm tomorrow.")
        next(page)

    @staticmethod
    def listens(port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-keyout", "key.pem", "-out", "cert.pem"], cwd=self.place, check=True, capture_output=True)

    def test_behind_nginx_under_systemd(self):
        """Every command of the page that needs no other machine: files that are copied are there, the settings are accepted, nginx accepts its
        file, and what is served without nginx answers over TLS."""
        page = (ROOT / "docs/guide/server-deploy.md").read_text()
        lines = re.findall(r"^[#$] (.*)$", "".join(re.findall(r"```console\n(.*?)```", page, re.S)), re.M)
        copied = [name for line in lines for name in re.findall(r"share/\S+", line)]
        self.assertEqual(copied, ["share/systemd/cadre.service", "share/systemd/cadre.socket", "share/nginx/cadre.conf"])
        for name in copied:
            self.assertTrue((ROOT / name).is_file(), name)
        unit = (ROOT / copied[0]).read_text()
        self.assertEqual(["/srv/cadre" in unit, "/var/lib/cadre" in unit, "/etc/cadre/keys" in unit], [True] * 3)
        (settings,) = re.findall(r"```yaml\n(.*?)```", page, re.S)
        (self.place / "cadre.yaml").write_text("name: agents\nmodel: local\n" + settings)
        self.assertIn("no problems found", self.type("cadre check", self.place))
        self.certificate()
        if NGINX:
            shipped = (ROOT / copied[2]).read_text().replace("/etc/ssl/agents.pem", f"{self.place}/cert.pem").replace(
                "/etc/ssl/agents.key", f"{self.place}/key.pem").replace("listen 443", f"listen 127.0.0.1:{free_port()}")
            (self.place / "nginx.conf").write_text(f"pid {self.place}/nginx.pid;\nevents {{}}\nhttp {{ access_log off;\n{shipped}\n}}\n")
            tested = subprocess.run([NGINX, "-t", "-c", self.place / "nginx.conf", "-e", "stderr"], capture_output=True, text=True)
            self.assertEqual(tested.returncode, 0, tested.stderr)
        (command,) = [line for line in lines if line.startswith("cadre serve")]
        (self.place / "cadre.yaml").write_text("name: agents\nmodel: local\n")
        root = " --allow-root" if os.geteuid() == 0 else ""
        port = free_port()
        self.type(command.replace("8443", str(port)).replace("agents.example.com", "localhost") + root + " > out 2> server.log & echo $! > server.pid", self.place)
        wait_until(lambda: self.listens(port), "it listens")
        trusting = ssl.create_default_context(cafile=self.place / "cert.pem")
        with trusting.wrap_socket(socket.create_connection(("127.0.0.1", port), LIMIT), server_hostname="localhost") as one:
            one.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n\r\n" % port)
            self.assertIn(b"200 OK", one.recv(4096))


if __name__ == "__main__":
    unittest.main()
