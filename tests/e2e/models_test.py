#!/usr/bin/env python3
"""cadre models and the keys in doctor, against mock-llm and against nobody."""
import json
import os
import socket
import subprocess
import time
import unittest

from home import INVALID, NOT_FOUND, ROOT
from mock_server import Mock

NODE = os.environ.get("CADRE_NODE", str(ROOT / "tests/node/node_modules/.bin/node"))
KEY = "sk-proj-abcdefghijklmnopqrstuvwx1234"


class Models(Mock):
    def listed(self, *words, env=None, cwd=None):
        out = self.succeeds("models", "--all", "--json", *words, env=env, cwd=cwd)
        self.assertNotIn(KEY, out)
        return {provider["name"]: provider for provider in json.loads(out)["providers"]}

    def test_what_is_set_up_is_shown_with_its_key_hidden(self):
        out = self.succeeds("models", env={"OPENAI_API_KEY": KEY})
        self.assertRegex(out, r"^openai\n  key …1234 from OPENAI_API_KEY\n  https://api\.openai\.com/v1\n")
        self.assertRegex(out, r"\n  gpt-5-mini +400,000 +128,000 +0\.25 +2\.00\n")
        self.assertIn("Known, and not set up: deepseek, anthropic", out)
        self.assertNotIn(KEY[3:-4], out)
        plain = self.succeeds("models", env={"OPENAI_API_KEY": KEY, "LANG": "C"})
        self.assertTrue(plain.isascii())
        self.assertIn("key ...1234 from", plain)
        self.assertTrue(self.succeeds("models").startswith("No provider is set up"))
        for short in ("tiny", "0123456789"):  # nothing of a short one
            out = self.succeeds("models", env={"OPENAI_API_KEY": short})
            self.assertNotIn(short[-4:], out.split("https", 1)[0])

    def test_json_has_everything(self):
        all_of_them = self.listed(env={"OPENAI_API_KEY": KEY})
        openai = all_of_them["openai"]
        self.assertEqual((openai["ready"], openai["configured"], openai["source"], openai["api"]),
                         (True, True, "built in", "openai"))
        self.assertEqual(openai["key"], {"needed": True, "set": True, "variable": "OPENAI_API_KEY", "shown": "…1234"})
        mini = next(model for model in openai["models"] if model["name"] == "gpt-5-mini")
        self.assertEqual((mini["context"], mini["input_price"], mini["output_price"], mini["source"]),
                         (400000, 0.25, 2.0, "built in"))
        self.assertNotIn("live", openai)
        anthropic = all_of_them["anthropic"]
        self.assertEqual((anthropic["ready"], anthropic["problem"], anthropic["fix"]),
                         (False, "no key", "set ANTHROPIC_API_KEY"))
        self.assertEqual((all_of_them["azure"]["problem"], all_of_them["azure"]["base_url"]),
                         ("its address is not known", ""))
        self.assertTrue(all_of_them["ollama"]["ready"])
        self.assertEqual(list(self.listed("anthropic")), ["anthropic"])

    def test_no_price_is_below_what_strangers_say(self):
        asked, ours = [], []
        for provider in self.listed().values():
            if provider["name"] == "local":  # which costs nothing
                continue
            self.assertRegex(provider["prices_as_of"], r"^2\d{3}-\d{2}-\d{2}$", provider["name"])
            for model in provider["models"]:
                if model["input_price"]:
                    asked.append({"provider": provider["name"], "model": model["name"], "tokens": 1000})
                    ours.append(model)
        done = subprocess.run([NODE, ROOT / "tests/node/price_judge.mjs", json.dumps(asked)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        known = 0
        for model, theirs in zip(ours, json.loads(done.stdout), strict=True):
            if theirs is None:
                continue
            known += 1
            for kind, price in theirs.items():
                mine = model[kind] if model[kind] is not None else model["input_price"]
                self.assertGreaterEqual(mine * 1.000001, price, f"{model['name']}: {kind}")
        self.assertGreater(known, 50)

    def test_the_day_of_the_prices_is_shown(self):
        self.assertRegex(self.succeeds("models", "openai"), r"\n  prices as of 20\d\d-\d\d-\d\d\n")
        self.assertNotIn("prices as of", self.succeeds("models", "ollama"))

    def test_live_asks_all_of_them_at_once(self):
        self.serve([{"text": "a", "times": "any"}])
        with socket.socket() as silent, socket.socket() as nobody:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            nobody.bind(("127.0.0.1", 0))  # and does not listen
            env = {"OPENAI_BASE_URL": self.url + "/v1", "OPENAI_API_KEY": KEY, "ANTHROPIC_BASE_URL": self.url,
                   "ANTHROPIC_API_KEY": KEY, "OLLAMA_HOST": "127.0.0.1:%d" % silent.getsockname()[1],
                   "VLLM_BASE_URL": "http://127.0.0.1:%d" % silent.getsockname()[1],
                   "LLAMACPP_BASE_URL": "http://127.0.0.1:%d" % nobody.getsockname()[1],
                   "LMSTUDIO_BASE_URL": self.url + "/nothing"}
            started = time.monotonic()
            found = self.listed("--live", env=env)
            took = time.monotonic() - started
        for name in ("openai", "anthropic"):
            live = found[name]["live"]
            self.assertEqual((live["reachable"], live["models"]), (True, ["script"]), name)
        for name, words in (("ollama", "3 s"), ("vllm", "3 s"), ("llamacpp", "127.0.0.1"), ("lmstudio", "is the base_url right?")):
            live = found[name]["live"]
            self.assertFalse(live["reachable"], name)
            self.assertIn(words, live["problem"], name)
        self.assertGreaterEqual(found["ollama"]["live"]["took_ms"], 2900)
        self.assertLess(took, 20)  # two that are silent for three seconds each
        self.assertNotIn("live", found["groq"])  # it has no key: it is not asked
        out = self.succeeds("models", "openai", "--live", env=env)
        self.assertRegex(out, r"\n  answers in \d+ ms, serves 1 model: script\n")
        self.assertIn(f"  {self.url}/v1 from OPENAI_BASE_URL\n", out)

    def test_where_it_comes_from(self):
        self.write("home/config/providers.yaml", "providers:\n  openai:\n    models:\n      gpt-5-mini: {input_price: 9.5}\n"
                   "  corner: {base_url: 'http://127.0.0.1:9/v1', needs_key: false}\n")
        self.write("project/cadre.yaml", "version: 1.0.0\n")
        self.write("project/config/providers.yaml", "providers:\n  acme:\n    base_url: https://models.example.org/v1\n"
                   "    key_variables: [ACME_KEY]\n    models:\n      large-1: {context: 1000, input_price: 1, output_price: 2}\n")
        found = self.listed(cwd=self.folder / "project", env={"ACME_KEY": KEY})
        self.assertEqual([found[name]["source"] for name in ("openai", "corner", "acme", "anthropic")],
                         ["home", "home", "project", "built in"])
        sources = {model["name"]: (model["source"], model["input_price"]) for model in found["openai"]["models"]}
        self.assertEqual((sources["gpt-5-mini"], sources["gpt-5"]), (("home", 9.5), ("built in", 1.25)))
        self.assertEqual((found["acme"]["key"]["shown"], found["acme"]["models"][0]["source"]), ("…1234", "project"))
        self.assertNotIn("acme", self.listed())  # elsewhere nobody knows it
        self.write("project/config/providers.yaml", "providers: {acme: {}}\n")
        done = self.cadre("models", cwd=self.folder / "project")
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("base_url", done.stderr)

    def test_a_key_of_the_projects_env_file_counts(self):
        self.write("project/cadre.yaml", "version: 1.0.0\n")
        self.write("project/.env", f"DEEPSEEK_API_KEY={KEY}\n")
        found = self.listed("deepseek", cwd=self.folder / "project")
        self.assertTrue(found["deepseek"]["key"]["set"])

    def test_wrong_names_and_addresses(self):
        done = self.cadre("models", "opnai")
        self.assertEqual(done.returncode, NOT_FOUND)
        self.assertIn('did you mean "openai"?', done.stderr)
        openai = self.listed(env={"OPENAI_BASE_URL": "ftp://x", "OPENAI_API_KEY": KEY})["openai"]
        self.assertFalse(openai["ready"])
        self.assertIn("OPENAI_BASE_URL is not an address", openai["problem"])


class Doctor(Mock):
    def checks(self, env):
        out = self.cadre("doctor", "--json", env=env).stdout
        self.assertNotIn(KEY, out)
        return {check["name"]: check for check in json.loads(out)["checks"]}

    def test_keys_show_their_last_four_characters(self):
        env = {"OPENAI_API_KEY": KEY, "GROQ_API_KEY": "gsk_" + "x" * 30 + "wxyz"}
        keys = self.checks(env)["keys"]
        self.assertEqual(keys["found"], "openai …1234 (OPENAI_API_KEY), groq …wxyz (GROQ_API_KEY)")
        self.assertEqual((keys["status"], keys["value"]), ("ok", {"set": 2}))
        out = self.cadre("doctor", env={**env, "LANG": "C"}).stdout
        self.assertTrue(out.isascii())
        self.assertIn(" ...1234", out)
        self.assertEqual(self.checks({})["keys"]["value"], {"set": 0})

    def test_a_local_server_that_a_variable_names_is_asked(self):
        self.serve([{"text": "a", "times": "any"}])
        checks = self.checks({"OLLAMA_HOST": self.url.removeprefix("http://")})
        self.assertEqual(checks["ollama"]["found"], f"{self.url}/v1 (OLLAMA_HOST) serves 1 model")
        self.assertNotIn("llamacpp", checks)
        checks = self.checks({"LLAMACPP_BASE_URL": "http://127.0.0.1:9"})
        self.assertEqual(checks["llamacpp"]["status"], "warning")
        self.assertIn("LLAMACPP_BASE_URL", checks["llamacpp"]["fix"])


if __name__ == "__main__":
    unittest.main()
