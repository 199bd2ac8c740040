"""`cadre serve` beside a test, and clients that hear its streams over WebSockets."""
import json
import os
import subprocess

from home import LIMIT, ROOT
from serve import Serve

NODE = os.environ.get("CADRE_NODE", str(ROOT / "tests/node/node_modules/.bin/node"))


class Listener(Serve):
    def follow(self, task, *streams):
        """A client on these streams of the task, once all of them are open."""
        client = subprocess.Popen([NODE, str(ROOT / "tests/node/stream_follower.mjs"), self.url, self.token,
                                   *(f"/tasks/{task}/{name}" for name in streams)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(client.communicate)
        self.addCleanup(client.kill)
        self.assertEqual(client.stdout.readline(), "open\n")
        return client

    def heard(self, client):
        """What each stream has told, by its name; each has ended in good order."""
        out, err = client.communicate(timeout=LIMIT)
        self.assertEqual(client.returncode, 0, err)
        streams = json.loads(out)
        self.assertEqual({stream["code"] for stream in streams.values()}, {1000})
        self.arrivals = {path.rpartition("/")[2]: [message["at"] for message in stream["messages"]] for path, stream in streams.items()}
        return {path.rpartition("/")[2]: [message["value"] for message in stream["messages"]] for path, stream in streams.items()}
