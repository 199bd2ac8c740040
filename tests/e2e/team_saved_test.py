#!/usr/bin/env python3
"""A run of any pattern becomes a test that passes, without its vendor and its tool server; a test can name the pattern itself."""
import json
import unittest

from team_scenes import HIERARCHICAL, PARALLEL, PLAN, TEAMS, Stage, says, team_of


class Saved(Stage):
    def open_saved(self, scene, *words):
        """The team stands where a project has its teams, so that a test finds its place beside it."""
        self.open_scene(scene)
        team = team_of(scene)
        if words:
            team["execution_config"] = {}
        self.write("teams/desk.json", team)
        (self.folder / "team.json").unlink()
        self.words = ["teams/desk.json", *words]
        self.assertTrue(self.play()[0])

    def results(self):
        done = self.cadre("test", "--json", env={"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": ""})
        return json.loads(done.stdout.splitlines()[-1]) if done.stdout else self.fail(done.stderr)

    def test_each_pattern_saved_as_a_test_passes_alone(self):
        for scene, words in (*((scene, ()) for scene in TEAMS), (PLAN, ()), (PLAN, ("--pattern", "plan")), (PARALLEL, ("--pattern", "all"))):
            with self.subTest(scene.name, words=words):
                self.afresh()
                self.open_saved(scene, *words)
                self.succeeds("test", "--save", self.tasks()[0])
                saved = (self.folder / "teams/desk.test.yaml").read_text()
                self.assertEqual("\n    pattern:" in saved, bool(words) or scene is PLAN, saved)
                results = self.results()
                self.assertTrue(results["ok"], json.dumps(results) + saved)
                changed = saved.replace(scene.answer, "Something else.")
                self.write("teams/desk.test.yaml", changed.replace("answer: Something else.", f"answer: {scene.answer}"))
                self.assertFalse(self.results()["ok"])  # it can fail

    def test_a_case_names_the_pattern_that_the_team_begins_with(self):
        self.write("cadre.yaml", "name: desk\n")
        self.write("teams/desk.json", team_of(PARALLEL) | {"tools": [], "agents": [
            {"name": name, "role": "x", "prompt": "y"} for name in ("boss", "writer", "reviewer", "tester")]})
        script = [says(name, "Here.") for name in ("writer", "reviewer", "tester")] + [says("boss", "All three.")]
        case = {"name": "all", "pattern": "all", "input": "Go.", "script": script, "expect": {"answer": "All three."}}
        self.write("teams/desk.test.yaml", {"cases": [case]})
        self.assertTrue(self.results()["ok"])
        self.write("teams/desk.test.yaml", {"cases": [{**case, "pattern": "al"}]})
        done = self.cadre("test")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('the team desk has no collaboration pattern called "al"; did you mean all?', done.stdout + done.stderr)

    def test_what_a_recording_plays_again_has_what_was_delegated(self):
        self.open_scene(HIERARCHICAL)
        self.succeeds("run", "team.json", "--quiet", "--record", "tape.yaml", "Write about tea.")
        tape = (self.folder / "tape.yaml").read_text()
        for words in ("Written.", "Tested.", "Merged."):
            self.assertIn(words, tape)
        again = self.succeeds("run", "team.json", "--quiet", "--model", "replay:tape.yaml", "Write about tea.", env={"OPENAI_API_KEY": ""})
        self.assertEqual(again, "Merged.\n")


if __name__ == "__main__":
    unittest.main()
