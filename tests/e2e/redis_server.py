"""A redis-server of a test's own, at a file, and what lies in it as redis-cli shows it."""
import os
import shutil
import signal
import subprocess

from home import LIMIT, wait_until

NO_REDIS = None if shutil.which("redis-server") and shutil.which("redis-cli") else "redis-server is not installed"


class RedisServer:
    """Keeps nothing over a restart."""
    def __init__(self, folder):
        self.folder = folder
        self.folder.mkdir()
        self.file = self.folder / "redis.sock"
        self.url = f"unix://{self.file}"
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", self.file, "--save", "", "--appendonly", "no", "--dir", self.folder],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self.file.exists() and self.ask("PING") == "PONG", "redis-server")

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait(LIMIT)
        self.file.unlink(missing_ok=True)

    def signal(self, number):
        os.kill(self.process.pid, number)

    def end(self):
        if self.process.poll() is None:
            self.kill()

    def ask(self, *words):
        done = subprocess.run(["redis-cli", "--raw", "-s", self.file, *words], capture_output=True, text=True, timeout=LIMIT)
        return done.stdout.removesuffix("\n")

    def copy(self, task):
        """The bytes of it; empty: there is none."""
        return self.ask("GET", f"task:{task}")

    def copies(self):
        return {key.removeprefix("task:") for key in self.ask("KEYS", "task:*").split()}
