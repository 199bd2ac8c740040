"""`cadre serve` with accounts, and `cadre mock-channels` beside it in the place of Twilio and Meta."""
import base64
import hashlib
import hmac
import http.client
import json
import shutil
import urllib.parse

from home import LIMIT, ROOT
from serve import Serve, free_port

PUBLIC = "https://cadre.example"
SECRETS = {"TWILIO_TOKEN": "twilio-secret-4711", "WA_TOKEN": "wa-token-4712", "WA_SECRET": "wa-app-secret-4713",
           "WA_VERIFY": "wa-verify-4714"}


class Vendors(Serve):
    """The example project of messages, with an account of each vendor."""
    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "examples/messages", self.folder, dirs_exist_ok=True)
        self.env.update(SECRETS)
        settings = self.folder / "cadre.yaml"  # who looks again and again is not to be told to slow down
        settings.write_text(f"{settings.read_text()}\nserver: {{rates: {{read: {{requests: 10000, seconds: 1}}}}}}\n")
        self.mock_port, self.port = free_port(), free_port()
        self.write_accounts()

    def write_accounts(self, *more, merge=50):
        """`more`: further settings of both."""
        common = ", ".join((f'url: "http://127.0.0.1:{self.mock_port}", merge_window_ms: {merge}, evidence_wait_ms: 300',) + more)
        self.write("config/accounts.yaml", f"""public_url: {PUBLIC}
accounts:
  sms: {{vendor: twilio, channel: sms, account_sid: AC0001, auth_token: "${{TWILIO_TOKEN}}", from: "+14155550199", {common}}}
  wa: {{vendor: meta, channel: whatsapp, phone_number_id: "1065", token: "${{WA_TOKEN}}", app_secret: "${{WA_SECRET}}",
       verify_token: "${{WA_VERIFY}}", {common}}}
""")

    def mock(self, *words):
        process = self.start("mock-channels", "--json", "--port", str(self.mock_port), "--deliver-to",
                             f"http://127.0.0.1:{self.port}", *words)
        line = process.stdout.readline()
        if not line:
            self.fail(process.stderr.read())
        self.assertEqual(json.loads(line)["accounts"], 2)
        return process

    def server(self, **options):
        return self.serve(None, "--listen", f"127.0.0.1:{self.port}", **options)

    def of_mock(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.mock_port, timeout=LIMIT)
        try:
            connection.request(method, path, body and json.dumps(body))
            answer = connection.getresponse()
            text = answer.read()
            self.assertLess(answer.status, 300, text)
            return json.loads(text) if text else None
        finally:
            connection.close()

    def say(self, text, sender="+14155550100", account="sms", **more):
        """What the webhook was answered."""
        return self.of_mock("POST", "/mock/say", {"account": account, "from": sender, "text": text, **more})["answers"]

    def faults(self, *names):
        self.of_mock("POST", "/mock/faults", {"faults": names})

    def sent(self):
        return self.of_mock("GET", "/mock/sent")["messages"]

    def until_sent(self, count):
        self.until(lambda: len(self.sent()) >= count, f"{count} messages at the vendor")
        return self.sent()

    def tasks(self):
        return self.get("/tasks?limit=100").json["tasks"]

    def until_ended(self, count):
        """Ids of that many tasks, the first first, once all have ended."""
        def ended():
            tasks = self.tasks()
            return len(tasks) >= count and all(task["status"] == "completed" for task in tasks)
        self.until(ended, f"{count} tasks have ended")
        self.assertEqual(len(self.tasks()), count)
        return [task["id"] for task in reversed(self.tasks())]

    def deliveries(self, task):
        return self.get(f"/messages/{task}").json.get("ext", {}).get("deliveries", [])

    # ---- the vendor's hand, without the mock ----

    def twilio(self, fields, path="/channels/sms/webhook", token=SECRETS["TWILIO_TOKEN"], url=PUBLIC, headers=None):
        signed = url + path + "".join(name + fields[name] for name in sorted(fields))
        signature = base64.b64encode(hmac.new(token.encode(), signed.encode(), hashlib.sha1).digest()).decode()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "X-Twilio-Signature": signature, **(headers or {})}
        return self.ask("POST", path, raw=urllib.parse.urlencode(fields), token=None, headers=headers)

    def meta(self, body, secret=SECRETS["WA_SECRET"], path="/channels/wa/webhook"):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        signature = "sha256=" + hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()
        return self.ask("POST", path, raw=raw, token=None, headers={"X-Hub-Signature-256": signature})
