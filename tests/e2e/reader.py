"""Somebody who reads a page of the guide and types what stands there."""
import json
import os
import pathlib
import re
import subprocess

from home import CADRE, LIMIT, Home


def blocks_of(page):
    return re.findall(r"^```sh\n(.*?)^```$", page.read_text(), re.M | re.S)


class Reader(Home):
    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        (self.folder / "bin/cadre").symlink_to(pathlib.Path(CADRE).resolve())
        self.env["PATH"] = f"{self.folder}/bin:{os.environ['PATH']}"

    def type(self, text, place):
        """In a shell that goes on where a task waits for a person: that is no failure. ID is the task that waits."""
        text = re.sub(r"^(cadre (?:run|fork) .*)$", r"\1 || [ $? = 11 ]", text, flags=re.M)
        if "ID" in text:
            tasks = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]
            text = text.replace("ID", next((t["id"] for t in tasks if t["status"] == "waiting"), tasks[-1]["id"]))
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=place, env=self.env, capture_output=True, text=True,
                              timeout=LIMIT, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, f"{text}\n{done.stdout}\n{done.stderr}")
        self.told = done.stderr
        return done.stdout
