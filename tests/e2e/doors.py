"""An example's project at both doors of the program: the command line and HTTP."""
import json
import shutil

from home import ROOT
from serve import Serve

FAKE_TIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"  # Debian's faketime
POINTS = ("after_commit", "before_dispatch", "after_outcome")


def later(time):
    return {"LD_PRELOAD": FAKE_TIME, "FAKETIME": f"+{time}", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


class Doors(Serve):
    EXAMPLE = ""
    SCRIPT = ""  # of its models

    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "examples" / self.EXAMPLE, self.folder, dirs_exist_ok=True)

    def says(self, *entries):
        """What the models say from now on; a server reads it when it starts."""
        self.write(self.SCRIPT, list(entries))

    def at_both(self, check, **settings):
        """What a request comes to, by the command line and over HTTP: `check(through)`, each on its own."""
        with self.subTest("command line"):
            check(self.by_command)
        with self.subTest("HTTP"):
            server = self.serve()
            check(self.over_http)
            self.stop(server)

    def tasks(self):
        return json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]

    def open_task(self):
        """The one that has not ended, and its reply when it is told to go on; None: there is none."""
        left = [task["id"] for task in self.tasks() if task["status"] not in ("completed", "failed", "cancelled")]
        return left[0] if left else None

    def died_everywhere(self, *words, points=POINTS, step=1):
        """Runs those words, killed at one point after the other until it is through; gives each task that was left open."""
        for point in points:
            for number in range(1, 200, step):
                done = self.cadre(*words, env={"CADRE_CRASH_AT": f"{point}:{number}"})
                if done.returncode != -9:
                    break
                if task := self.open_task():
                    yield task
