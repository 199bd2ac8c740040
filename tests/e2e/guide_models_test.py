#!/usr/bin/env python3
"""The guide's pages about models: a reader types their commands, and every provider is played by mock-llm."""
import os
import pathlib
import re
import subprocess
import unittest

from home import CADRE, LIMIT, ROOT
from mock_server import Mock

GUIDE = ROOT / "docs/guide"
LOCAL = {"OLLAMA_HOST": "", "LLAMACPP_BASE_URL": "/v1", "VLLM_BASE_URL": "/v1", "LMSTUDIO_BASE_URL": "/v1"}
REMOTE = ("OPENAI", "DEEPSEEK", "OPENROUTER", "GROQ")


def blocks_of(page):
    """What stands in the page's ```sh blocks, in order."""
    return re.findall(r"^```sh\n(.*?)^```$", page.read_text(), re.M | re.S)


class Pages(Mock):
    def type_all(self, name):
        """All commands of the page in one shell, as its reader would; what was printed, and how often the provider was asked."""
        asked = self.folder / "asked.jsonl"
        self.serve([{"text": "Hello to you.", "times": "any"}], "--requests", asked)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/cadre").symlink_to(pathlib.Path(CADRE).resolve())
        env = {**self.env, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "ANTHROPIC_BASE_URL": self.url,
               "GATEWAY_URL": self.url + "/v1", **{variable: self.url + path for variable, path in LOCAL.items()},
               **{f"{provider}_BASE_URL": self.url + "/v1" for provider in REMOTE}}
        place = self.folder / "reader"
        place.mkdir()
        text = "".join(blocks_of(GUIDE / name)).replace("http://127.0.0.1:4010", self.url)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=place, env=env, capture_output=True, text=True,
                              timeout=4 * LIMIT, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        return done.stdout, len(asked.read_text().splitlines()) if asked.exists() else 0

    def expect_answers(self, name):
        """Each `cadre run` of the page was answered by the provider."""
        runs = sum(block.count("cadre run ") for block in blocks_of(GUIDE / name))
        self.assertGreater(runs, 0)
        out, asked = self.type_all(name)
        self.assertEqual((out.count("Hello to you.\n"), asked), (runs, runs))
        return out

    def test_models(self):
        out = self.expect_answers("models.md")
        self.assertIn("\n  large-1 ", out)
        self.assertIn("answers in ", out)

    def test_openai(self):
        self.expect_answers("models-openai.md")

    def test_anthropic(self):
        self.expect_answers("models-anthropic.md")

    def test_local(self):
        self.expect_answers("models-local.md")

    def test_the_list_of_providers_is_whole(self):
        listed = set(re.findall(r"`(\w+)`", "".join(line.split("|")[1] for page in ("models-openai.md", "models-local.md", "models-anthropic.md")
                                                    for line in (GUIDE / page).read_text().splitlines() if line.startswith("| `"))))
        known = {line for line in self.succeeds("models", "--all", "--quiet").splitlines() if re.fullmatch(r"\w+", line)}
        self.assertEqual(known - listed - {"anthropic", "local"}, set())


if __name__ == "__main__":
    unittest.main()
