#!/usr/bin/env python3
"""The scenarios and hard cases of routed requests on the real program, by the command line and over HTTP, with kills."""
import json
import re
import signal
import unittest

from doors import Doors, later
from home import ROOT, WAITING

LIGHTS, BOTH, WARMER = "Turn on the kitchen lights", "Dim the lights and play jazz", "Make it warmer"
LIT, DIMMED = "I've turned on the kitchen lights.", "I've dimmed the lights to 30%."
SESSION = "7a0c2f0e-31c5-4a8e-9d0a-66a1f3f5b001"


def router(agent=None, confidence=0.95, text=None, contains=None, **more):
    when = {"agent": "router", **({"contains": contains} if contains else {})}
    if text is not None:
        return {"when": when, "text": text}
    return {"when": when, "json": {"agentId": agent, "confidence": confidence, "reasoning": "So.", **more}}


def says(agent, text, **more):
    return {"when": {"agent": agent}, "text": text, **more}


class RouteCases(Doors):
    EXAMPLE = "smart_home"
    SCRIPT = "scripts/home.yaml"

    def settings(self, **sections):
        file = self.folder / "config/appsettings.json"
        settings = json.loads(file.read_text())
        for name, fields in sections.items():
            settings.setdefault(name, {}).update(fields)
        file.write_text(json.dumps(settings))

    def add_agents(self, *lines):
        file = self.folder / "teams/home.yaml"
        file.write_text(file.read_text() + "".join(f"  - {line}\n" for line in lines))

    def by_command(self, request, **fields):
        done = self.cadre("run", "--quiet", request)
        self.assertIn(done.returncode, (0, WAITING), done.stderr)
        return self.show(self.tasks()[0]["id"])["task"]

    def over_http(self, request, **fields):
        task = self.made(request, **fields)
        self.at_rest(task)
        return self.show(task)["task"]

    def answered(self, through, request, text):
        task = through(request)
        self.assertEqual((task["status"], task["reply"]["text"]), ("completed", text))
        self.succeeds("replay", task["id"])
        return task["reply"]["formatted"]

    # A2A-08 E, A2A-50 E
    def test_orch_1_a_confident_route_is_the_agents_text_unchanged(self):
        self.says(router("light-agent"), says("light_agent", LIT))

        def check(through):
            reply = self.answered(through, LIGHTS, LIT)
            self.assertEqual((reply["agentSelections"], reply["routingConfidence"]), (["light-agent"], 0.95))
            response, = reply["responses"]
            self.assertEqual((response["success"], response.get("errorMessage")), (True, None))
        self.at_both(check)

    def test_orch_3_and_cases_1_and_2_a_broken_decision_goes_back_with_what_is_wrong(self):
        good = '{"agentId": "light-agent", "confidence": 0.9}'
        broken = (
            ("not json", "text before the JSON"),
            (f"Here it is:\n```json\n{good}\n```", "text before the JSON"),
            ('{"agentId": "toaster-agent", "confidence": 0.99}', "agentId"),
            ('{"agentId": "light-agent", "confidence": 0.9, "additionalAgents": ["light-agent"]}', "is the primary agent already"),
            ('{"agentId": "light-agent", "confidence": "high"}', "confidence"),
            ('{"agentId": "light-agent", "confidence": -0.1}', "confidence"),
            ('{"agentId": "light-agent", "confidence": 1.2}', "confidence"),
            ('{"agentId": "light-agent", "confidence": NaN}', "JSON"),
        )
        for first, told in broken:
            with self.subTest(first):  # the second entry is only there for who was told
                self.says(router(text=first), router("light-agent", contains=told), says("light_agent", LIT))
                self.answered(self.by_command, LIGHTS, LIT)
        self.settings(RouterExecutor={"FallbackReasonTemplate": "Nothing for {0}: {1}"})
        self.add_agents("{name: fallback_agent, role: Helps., prompt: You help.}")
        self.says(*[router(text=text) for text, _ in broken[:3]],
                  {"when": {"agent": "fallback_agent", "contains": f"Nothing for {LIGHTS}: "}, "text": "I helped."})

        def check(through):
            self.assertEqual(self.answered(through, LIGHTS, "I helped.")["agentSelections"], ["fallback-agent"])
        self.at_both(check)

    def test_case_3_two_attempts_time_out_at_the_vendor_and_the_third_is_right(self):
        silence = {"when": {"agent": "router"}, "stall_ms": 50}
        self.says(silence, silence, router("light-agent"), says("light_agent", LIT))
        self.at_both(lambda through: self.answered(through, LIGHTS, LIT))

    def test_orch_2_and_case_4_a_question_is_answered_after_three_days(self):
        self.says(router("climate-agent", 0.45), router("climate-agent", 0.9, contains="the living room temperature"),
                  says("climate_agent", "It is 22 degrees there."))
        task = self.by_command(WARMER)
        self.assertEqual(task["status"], "waiting")
        question, = json.loads(self.succeeds("inbox", "--json"))["waiting"]
        self.assertIn("climate-agent or light-agent", question["request"]["context"]["question"])
        done = self.cadre("answer", "--quiet", task["id"], "the living room temperature", env=later("3d"))
        self.assertEqual((done.returncode, done.stdout), (0, "It is 22 degrees there.\n"), done.stderr)
        self.succeeds("replay", task["id"])

    # A2A-71 E
    def test_orch_4_one_of_two_agents_fails_three_times_and_the_answer_says_both(self):
        self.settings(AgentExecutorWrapper={"MaxRetries": 2, "RetryDelayMs": 1000})
        fails = {"when": {"agent": "music_agent"}, "fail": {"status": 503, "message": "Music Assistant service is unavailable"}, "times": "any"}
        self.says(router("light-agent", additionalAgents=["music-agent"]), says("light_agent", DIMMED), fails)

        def check(through):
            task = through(BOTH)
            self.assertEqual(task["status"], "completed")
            self.assertRegex(task["reply"]["text"], rf"^{DIMMED} However, .*503: Music Assistant service is unavailable")
            light, music = task["reply"]["formatted"]["responses"]
            self.assertEqual((light["success"], music["success"]), (True, False))
            self.assertIn("Music Assistant service is unavailable", music["errorMessage"])
            self.assertGreaterEqual(music["executionTimeMs"], 2000)  # two pauses between three attempts
        self.at_both(check)

    def test_orch_5_a_slow_agent_does_not_hold_the_others(self):
        self.settings(AgentExecutorWrapper={"DefaultTimeoutMs": 300}, OrchestrationOptions={"Dispatch": "parallel"})
        self.says(router("music-agent", additionalAgents=["light-agent"]), says("light_agent", LIT, delay_ms=50),
                  says("music_agent", "Jazz is playing.", delay_ms=600_000))

        def check(through):
            task = through(BOTH)  # and the program ends, or stops when it is told to: nothing of music is at work any more
            self.assertEqual(task["status"], "completed")
            music, light = task["reply"]["formatted"]["responses"]
            self.assertIn("timed out after 300 ms", music["errorMessage"])
            self.assertGreaterEqual(music["executionTimeMs"], 300)
            self.assertLess(music["executionTimeMs"], 10_000)
            self.assertEqual((light["success"], light["content"]), (True, LIT))
        self.at_both(check)

    # A2A-72 E
    def test_without_telemetry_no_time_is_measured(self):
        self.settings(AgentExecutorWrapper={"EnableTelemetry": False})
        self.says(router("light-agent"), says("light_agent", LIT, delay_ms=50))
        self.at_both(lambda through: self.assertEqual(self.answered(through, LIGHTS, LIT)["responses"][0]["executionTimeMs"], 0))

    def test_case_7_one_slow_one_tried_again_one_fine_stand_in_the_order_of_the_choice(self):
        self.settings(AgentExecutorWrapper={"RetryDelayMs": 10}, OrchestrationOptions={"Dispatch": "parallel"})
        self.says(router("light-agent", additionalAgents=["music-agent", "climate-agent"]), says("light_agent", "One.", delay_ms=400),
                  {"when": {"agent": "music_agent"}, "fail": {"status": 503}}, says("music_agent", "Two."), says("climate_agent", "Three."))
        self.at_both(lambda through: self.answered(through, BOTH, "One. Also, Two. Also, Three."))

    # A2A-03 E
    def test_case_5_and_orch_7_messages_of_one_conversation_come_in_order_over_a_kill(self):
        words = ("Light one", "Light two", "Light three")
        answers = [{**router("light-agent", contains=word), "times": "any"} for word in words]
        answers += [{"when": {"agent": "light_agent", "contains": word}, "text": f"{word} is on.", "times": "any"} for word in words]
        self.says({**router("light-agent", contains=words[0]), "delay_ms": 600_000}, *answers)
        server = self.serve()
        tasks = [self.made(word, session_id=SESSION) for word in words]
        self.assertEqual([self.get(f"/tasks/{task}").json["status"] for task in tasks[1:]], ["pending"] * 2)
        server.send_signal(signal.SIGKILL)
        server.wait()
        self.says(*answers)
        self.serve()
        for word, task in zip(words, tasks):
            self.assertEqual(self.at_rest(task)["status"], "completed")
            shown = self.show(task)["task"]
            self.assertEqual((shown["reply"]["text"], shown["session"]), (f"{word} is on.", SESSION))
        said = [message["text"] for message in self.get(f"/sessions/{SESSION}").json["messages"]]
        self.assertEqual(said, [text for word in words for text in (word, f"{word} is on.")])
        begun = [self.show(task)["task"][when] for task in tasks for when in ("started_at", "completed_at")]
        self.assertEqual(begun[1:], sorted(begun[1:]))  # one after the other

    def test_cases_9_and_10_without_a_model_one_request_is_cut_once_and_one_that_is_strange_calls_nobody(self):
        self.settings(OrchestrationOptions={"Router": "local"})
        team = self.folder / "teams/home.yaml"
        team.write_text(team.read_text().replace("[Play some jazz, Turn the volume down]",
                                                 "[play some jazz, play rock and roll, play rock music, play the next song]"))
        self.add_agents("{name: volume_agent, role: Helps., prompt: You help., card: {description: How loud it is, "
                        "skills: [{name: volume, examples: [turn it down, turn it up, make it louder, make it quieter]}]}}")
        self.says(says("volume_agent", "It is quieter.", times="any"), says("music_agent", "Rock and roll is playing.", times="any"))

        def check(through):
            reply = self.answered(through, "turn it down and play rock and roll", "It is quieter. Also, Rock and roll is playing.")
            self.assertEqual(reply["agentSelections"], ["volume-agent", "music-agent"])
            task = through("Сделай потеплее")
            self.assertEqual((task["status"], task["reply"]), ("waiting", None))
        self.at_both(check)

    def test_the_three_agents_of_the_example_need_neither_key_nor_script(self):
        self.write("cadre.yaml", "version: 1.0.0\nname: smart_home\nmodel: local\nteam: home\n")
        self.settings(OrchestrationOptions={"Router": "local"})
        for request, agents in ((LIGHTS, ["light-agent"]), ("Play some jazz", ["music-agent"]), (BOTH, ["light-agent", "music-agent"]),
                                ("Set the bedroom to 21 degrees", ["climate-agent"])):
            with self.subTest(request):
                self.assertEqual(self.by_command(request)["reply"]["formatted"]["agentSelections"], agents)
        page = (ROOT / "examples/smart_home/README.md").read_text()
        typed, = re.findall(r'^cadre route --model local "(.*)"$', page, re.M)
        self.assertIn("light-agent, 1.00 sure (threshold 0.70), then music-agent", self.succeeds("route", "--model", "local", typed))

    def test_killed_wherever_it_is_a_request_comes_to_its_answer(self):
        self.settings(AgentExecutorWrapper={"RetryDelayMs": 10})
        self.says({**router(text="no"), "when": {"agent": "router", "nth": 1}},
                  {"when": {"agent": "router", "nth": 2}, "json": {"agentId": "light-agent", "confidence": 0.9, "additionalAgents": ["music-agent"]},
                   "times": "any"},
                  says("light_agent", DIMMED, times="any"), says("music_agent", "Jazz is playing.", times="any"))
        count = 0
        for task in self.died_everywhere("run", "--quiet", BOTH):
            self.assertEqual(self.succeeds("resume", "--quiet", task), f"{DIMMED} Also, Jazz is playing.\n")
            self.succeeds("replay", task)
            count += 1
        self.assertGreater(count, 5)


if __name__ == "__main__":
    unittest.main()
