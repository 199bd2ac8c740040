#!/usr/bin/env python3
"""Requests that are routed, as a vendor over HTTP sees them: each option of config/appsettings.json has its effect, and what goes wrong is
tried again, asked back or given to somebody else."""
import json
import re
import shutil
import unittest

from home import ROOT, WAITING
from mock_server import Mock

LIGHTS, BOTH = "Turn on the kitchen lights", "Dim the lights and play jazz"


def choice(agent, confidence=0.95, **more):
    return {"when": {"agent": "router"}, "json": {"agentId": agent, "confidence": confidence, "reasoning": "So.", **more}}


def says(agent, text, **more):
    return {"when": {"agent": agent}, "text": text, **more}


LIT = says("light_agent", "The kitchen is lit.")
JAZZ = says("music_agent", "Jazz is playing.")


class Routed(Mock):
    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "examples/smart_home", self.folder, dirs_exist_ok=True)
        (self.folder / "cadre.yaml").write_text("name: home\nteam: home\n")
        file = self.folder / "teams/home.yaml"  # each agent's model has its name, so that the vendor knows who asks
        text = file.read_text().replace("default_llm: {}", "default_llm: {provider: openai, model: router}")
        file.write_text(re.sub(r"  - name: (\w+)\n", r"  - name: \1\n    llm_config: {provider: openai, model: \1}\n", text))
        self.requests = self.folder / "requests"

    def settings(self, **sections):
        file = self.folder / "config/appsettings.json"
        settings = json.loads(file.read_text())
        for name, fields in sections.items():
            settings.setdefault(name, {}).update(fields)
        file.write_text(json.dumps(settings))

    def add_agent(self, name, prompt):
        file = self.folder / "teams/home.yaml"
        llm = f"{{provider: openai, model: {name}}}"
        file.write_text(file.read_text() + f"  - {{name: {name}, role: Helps., prompt: {prompt}, llm_config: {llm}}}\n")

    def route(self, entries, request=LIGHTS, code=0, **sections):
        """What comes of the request; the vendor answers with the entries, whoever asks."""
        self.settings(**sections)
        self.serve(entries, "--requests", self.requests, "--quiet")
        self.env |= {"OPENAI_BASE_URL": self.url + "/v1", "OPENAI_API_KEY": "mock", "MISTRAL_API_KEY": "mock"}
        file = self.folder / "teams/home.yaml"  # the router's is a vendor who takes a temperature for every model
        file.write_text(file.read_text().replace("provider: openai, model: router}", f"provider: mistral, model: router, base_url: '{self.url}/v1'}}"))
        done = self.cadre("run", "--quiet", request)
        self.assertEqual(done.returncode, code, done.stderr)
        self.task = self.only_task()
        return done.stdout.rstrip("\n")

    def asked(self, agent):
        return [one for one in map(json.loads, self.requests.read_text().splitlines()) if one["model"] == agent]

    def said(self, request):
        return "\n".join(message["content"] for message in request["messages"] if message["role"] != "system")

    def reply(self):
        return self.show(self.task)["task"]["reply"]["formatted"]

    # A2A-32 E, A2A-49 E, A2A-58 E, A2A-59 E, A2A-63 E, A2A-64 E
    def test_the_router_is_told_the_agents_and_how_to_answer(self):
        self.assertEqual(self.route([choice("light-agent", 0.7), LIT]), "The kitchen is lit.")
        [request] = self.asked("router")
        self.assertEqual(request["temperature"], 0.3)
        self.assertEqual(request["max_tokens"], 500)
        self.assertIn('light-agent: Lighting control [lights, scenes, brightness] e.g. "Turn on the kitchen lights"', self.said(request))
        self.assertIn("climate-agent: Temperature and air", self.said(request))

    # A2A-58 E, A2A-59 E, A2A-60 E, A2A-61 E, A2A-62 E, A2A-63 E, A2A-64 E
    def test_what_the_router_is_sent_is_the_settings(self):
        self.route([choice("light-agent"), LIT],
                   RouterExecutor={"Temperature": 0.1, "MaxOutputTokens": 77, "SystemPrompt": "You decide which agents are right.",
                                   "UserPromptTemplate": "{{asked}} {0} {{of}} {1}", "AgentCatalogHeader": "Those who are there:",
                                   "IncludeAgentCapabilities": False, "IncludeSkillExamples": False})
        [request] = self.asked("router")
        self.assertEqual((request["temperature"], request["max_tokens"]), (0.1, 77))
        self.assertIn("You decide which agents are right.", request["messages"][0]["content"])
        said = self.said(request)
        self.assertTrue(said.startswith(f"{{asked}} {LIGHTS} {{of}} Those who are there:\n"), said)
        self.assertIn("light-agent: Lighting control\n", said + "\n")
        self.assertNotIn("brightness", said)
        self.assertNotIn("e.g.", said)

    # A2A-57 E, A2A-34 E, A2A-67 E, A2A-68 E
    def test_what_cannot_be_read_is_asked_again_and_given_up_after_the_last_attempt(self):
        broken = [{"when": {"agent": "router"}, "text": text} for text in ("not JSON", '{"agentId": "toaster-agent", "confidence": 0.99}')]
        self.add_agent("helper_agent", "You are the helper.")
        said = self.route([*broken, says("helper_agent", "I helped.")],
                          RouterExecutor={"MaxAttempts": 2, "FallbackAgentId": "helper-agent", "FallbackReasonTemplate": "Nobody for {0}: {1}"})
        self.assertEqual(said, "I helped.")
        first, second = self.asked("router")
        self.assertNotIn("toaster", self.said(first))
        self.assertGreater(len(self.said(second)), len(self.said(first)))  # the exact problem is told
        [helped] = self.asked("helper_agent")
        self.assertIn(f"Nobody for {LIGHTS}: ", self.said(helped))
        self.assertEqual(self.reply()["agentSelections"], ["helper-agent"])

    # A2A-33 E, A2A-65 E, A2A-66 E
    def test_who_is_not_sure_asks_back_as_the_settings_say(self):
        said = self.route([choice("climate-agent", 0.69)], "Make it warmer", code=WAITING,
                          RouterExecutor={"ClarificationPromptTemplate": "{0}: what of {1}?"})
        self.assertEqual(said, "")
        [waiting] = json.loads(self.succeeds("inbox", "--json"))["waiting"]
        self.assertRegex(waiting["request"]["context"]["question"], r"^Make it warmer: what of climate-agent.*\?$")

    # A2A-33 E
    def test_a_lower_threshold_routes(self):
        said = self.route([choice("climate-agent", 0.69), says("climate_agent", "22 degrees.")], "Make it warmer",
                          RouterExecutor={"ConfidenceThreshold": 0.5})
        self.assertEqual(said, "22 degrees.")

    # A2A-65 E
    def test_an_agent_that_is_named_puts_the_question(self):
        self.add_agent("asker_agent", "You are the asker.")
        self.route([choice("climate-agent", 0.45), says("asker_agent", "Air or light?")], "Make it warmer", code=WAITING,
                   RouterExecutor={"ClarificationAgentId": "asker-agent"})
        [waiting] = json.loads(self.succeeds("inbox", "--json"))["waiting"]
        self.assertEqual(waiting["request"]["context"]["question"], "Air or light?")

    # A2A-30 E, A2A-48 E, A2A-51 E, A2A-52 E
    def test_two_agents_work_in_the_order_of_the_choice_and_each_gives_one_response(self):
        self.assertEqual(self.route([choice("light-agent", 0.88, additionalAgents=["music-agent"]), LIT, JAZZ], BOTH),
                         "The kitchen is lit. Also, Jazz is playing.")
        responses = self.reply()["responses"]
        self.assertEqual([(one["agentId"], one["success"]) for one in responses], [("light-agent", True), ("music-agent", True)])
        [music] = self.asked("music_agent")
        self.assertIn("The kitchen is lit.", self.said(music))  # the later one hears the earlier
        steps = json.loads((self.home / "tasks" / self.task / "trace.json").read_text())["steps"]
        self.assertEqual([step["agent"] for step in steps], ["user", "router", "light_agent", "music_agent"])
        self.assertEqual(self.events(self.task)[-1]["type"], "event_task_complete")

    def test_case_8_of_300_agents_the_router_is_told_the_20_that_compare_best(self):
        for number in range(300):
            self.add_agent(f"kitchen_lights_{number}", "You know lights.")
        self.route([choice("light-agent"), LIT])
        [request] = self.asked("router")
        told = [line.partition(":")[0] for line in self.said(request).splitlines() if re.match(r"[a-z0-9-]+: ", line)]
        self.assertEqual((len(told), "light-agent" in told), (20, True), told)

    # A2A-70 E
    def test_what_fails_for_a_moment_is_tried_again(self):
        said = self.route([choice("light-agent"), {"when": {"agent": "light_agent"}, "fail": {"status": 503}, "times": 2}, LIT])
        self.assertEqual(said, "The kitchen is lit.")
        self.assertEqual(len(self.asked("light_agent")), 3)

    # A2A-69 E
    def test_an_agent_that_is_too_slow_is_a_failed_response_and_the_others_go_on(self):
        said = self.route([choice("light-agent", 0.88, additionalAgents=["music-agent"]), LIT, {**JAZZ, "delay_ms": 30_000}], BOTH,
                          AgentExecutorWrapper={"DefaultTimeoutMs": 500})
        self.assertRegex(said, r"^The kitchen is lit\. However, .*timed out after 500 ms")
        light, music = self.reply()["responses"]
        self.assertEqual((light["success"], music["success"]), (True, False))
        self.assertIn("timed out after 500 ms", music["errorMessage"])
        self.assertTrue(500 <= music["executionTimeMs"] < 5_000, music)


if __name__ == "__main__":
    unittest.main()
