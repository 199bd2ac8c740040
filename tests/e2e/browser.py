"""A real Chromium without a window, spoken to through two pipes. Standard library only."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MISSING = None if CHROMIUM else "no Chromium here: apt-get install chromium"


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.to_browser, from_us = self.pipe()[::-1]
        self.from_browser, to_us = self.pipe()

        def descriptors():  # where --remote-debugging-pipe expects them; first out of each other's way
            high = [os.dup(descriptor) for descriptor in (from_us, to_us)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
        self.process = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        self.number, self.rest, self.session, self.events = 0, b"", None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{part}.enable")

    @staticmethod
    def pipe():
        ours = os.pipe()
        for descriptor in ours:
            os.set_inheritable(descriptor, True)
        return ours

    def close(self):
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.process.terminate()
        self.process.wait(20)
        self.profile.cleanup()

    def read(self):
        while b"\0" not in self.rest:
            piece = os.read(self.from_browser, 1 << 16)
            assert piece, "the browser has ended"
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **arguments):
        self.number += 1
        request = {"id": self.number, "method": method, "params": arguments}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def open(self, address, width=1280, height=800):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.events.clear()
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read())

    def evaluate(self, code):
        result = self.call("Runtime.evaluate", expression=code, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def complaints(self):
        """What the console says: errors, and what the content security policy refused."""
        self.evaluate("1")
        return [event["params"] for event in self.events
                if event.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")]

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def screenshot(self, file):
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
