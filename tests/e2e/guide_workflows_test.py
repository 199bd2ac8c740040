#!/usr/bin/env python3
"""The guide's page about workflows, typed by a reader; and the examples' READMEs."""
import json
import os
import pathlib
import re
import subprocess
import unittest

from home import CADRE, LIMIT, ROOT, Home


def blocks_of(page):
    return re.findall(r"^```sh\n(.*?)^```$", page.read_text(), re.M | re.S)


class Pages(Home):
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
        return done.stdout

    def test_a_newcomer_comes_from_nothing_to_an_approved_article(self):
        place = self.folder / "reader"
        place.mkdir()
        said = []
        for block in blocks_of(ROOT / "docs/guide/workflows.md"):
            said.append(self.type(block, place))
            place = self.folder / "reader/desk"
        self.assertIn('workflows/article.yaml:6:31: error: nodes.write.agent: unknown agent "wirter", did you mean "writer"?', said[1])
        self.assertIn("no problems found", said[2])
        self.assertIn("Publish this? Tea, a plant from China, is drunk hot.", " ".join(said[4].split()))
        articles = [file.read_text() for file in self.home.glob("tasks/*/artifacts/article.md")]
        self.assertEqual(set(articles), {"Tea, a plant from China, is drunk hot."})  # a fork has the files too
        self.assertRegex(said[5], r"2  edit +\S+ +done +text")


if __name__ == "__main__":
    unittest.main()
