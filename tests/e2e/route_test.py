#!/usr/bin/env python3
"""Requests that are routed to the agents of a team, over the command line and HTTP, with a kill."""
import json
import shutil
import signal
import unittest

from home import ROOT
from serve import Serve


class Route(Serve):
    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "examples/smart_home", self.folder, dirs_exist_ok=True)

    def settings(self, **sections):
        file = self.folder / "config/appsettings.json"
        settings = json.loads(file.read_text())
        for name, fields in sections.items():
            settings.setdefault(name, {}).update(fields)
        file.write_text(json.dumps(settings))

    def test_a_decision_is_explained_and_nothing_is_done(self):
        said = json.loads(self.succeeds("route", "--json", "Make it warmer"))
        self.assertEqual(said["choice"]["agentId"], "clarification-agent")
        self.assertEqual(said["choice"]["confidence"], 0.45)
        self.assertEqual(said["threshold"], 0.7)
        self.assertEqual(said["agents"], ["light-agent", "music-agent", "climate-agent"])
        self.assertIn("candidates: climate-agent or light-agent", self.succeeds("route", "Make it warmer"))

    # A2A-54 C
    def test_appsettings_are_in_effect(self):
        self.settings(RouterExecutor={"ConfidenceThreshold": 0.4},
                      ResultAggregator={"PartialFailureTemplate": "{successMessage} But {failureMessage}"},
                      AgentExecutorWrapper={"MaxRetries": 0})
        self.assertEqual(self.succeeds("run", "--quiet", "Make it warmer"), "The living room is set to 22 degrees.\n")
        script = self.folder / "scripts/home.yaml"
        script.write_text(script.read_text().replace("text: Jazz is playing.", "fail: {status: 503, message: Music is off}"))
        self.assertRegex(self.succeeds("run", "--quiet", "Dim the lights and play jazz"),
                         r"30%\. But .*503: Music is off")
        self.settings(RouterExecutor={"ConfidenceThreshold": 1.5})
        done = self.cadre("check")
        self.assertEqual(done.returncode, 2)
        self.assertIn("RouterExecutor.ConfidenceThreshold", done.stdout + done.stderr)

    # the router hears both turns
    def test_over_http_a_question_is_answered_after_a_kill(self):
        server = self.serve()
        task = self.made("Make it warmer")
        state = self.at_rest(task)
        self.assertEqual(state["status"], "waiting")
        server.send_signal(signal.SIGKILL)
        server.wait()
        self.serve()
        open_one, = self.get(f"/tasks/{task}").json["ext"]["questions"]
        answer = self.post(f"/tasks/{task}/hitl/{open_one['request_id']}/respond",
                           {"response_type": "approved", "message": "the living room temperature"})
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(self.at_rest(task)["status"], "completed")
        self.assertIn("22 degrees", self.get(f"/tasks/{task}/history").text.decode())


if __name__ == "__main__":
    unittest.main()
