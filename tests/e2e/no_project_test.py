#!/usr/bin/env python3
"""cadre run and cadre chat in an empty folder, with whatever model is set up; and the demo, whose files and commands are real."""
import json
import unittest

from home import Home, INVALID, NOT_FOUND
from mock_server import Mock

HELLO = [{"text": "Hello.", "times": "any"}]


class NoProject(Mock):
    def setUp(self):
        super().setUp()
        self.place = self.folder / "empty"
        self.place.mkdir()

    def test_a_prompt_is_enough_where_a_model_is_named(self):
        model = self.script(HELLO)
        for words, env in ((("--model", model), {}), ((), {"CADRE_MODEL": model})):
            done = self.cadre("run", *words, "Say hello.", cwd=self.place, env=env)
            self.assertEqual((done.returncode, done.stdout), (0, "Hello.\n"), done.stderr)
            self.assertIn("the built-in assistant works, with script:", done.stderr)
        chat = self.cadre("chat", "--model", model, cwd=self.place, stdin="Hi.\n")
        self.assertEqual((chat.returncode, chat.stdout), (0, "Hello.\n"), chat.stderr)

    def test_a_provider_whose_key_is_set_answers_with_its_usual_model(self):
        self.serve(HELLO)
        env = {"OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": self.url + "/v1"}
        done = self.cadre("run", "Say hello.", cwd=self.place, env=env)
        self.assertEqual((done.returncode, done.stdout), (0, "Hello.\n"), done.stderr)
        self.assertIn("with openai/gpt-5-mini (OPENAI_API_KEY is set)", done.stderr)

    def test_without_a_model_the_local_one_works_and_says_how_to_have_another(self):
        for verb in (("run", "Hi."), ("chat",)):
            done = self.cadre(*verb, cwd=self.place, stdin="Hi.\n")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("generated: false", done.stdout)
            self.assertIn("set a key like OPENAI_API_KEY", done.stdout)
            self.assertIn("the built-in assistant works, with local (no provider's key is set", done.stderr)
        done = self.cadre("run", "Hi.", cwd=self.place, env={"OLLAMA_HOST": "127.0.0.1:1"})
        self.assertIn("ollama is set up, but not which of its models; give one with --model ollama/MODEL", done.stderr)

    def test_words_without_quotes_are_told_to_be_quoted(self):
        for words, code in ((("Write", "a", "poem"), INVALID), (("Write", "poem"), NOT_FOUND)):
            done = self.cadre("run", *words, cwd=self.place)
            self.assertEqual(done.returncode, code)
            self.assertIn('cadre run "' + " ".join(words) + '"', done.stderr)

    def test_a_project_with_files_and_no_team_says_which_there_are(self):
        self.write("cadre.yaml", "name: x\n")
        done = self.cadre("run", "Hi.")
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("there are: researcher", done.stderr)

    def test_a_team_may_leave_out_its_tools_and_its_model(self):
        self.write("team.yaml", "name: t\ndescription: d\nagents: [{name: a, role: r, prompt: p}]\n")
        model = self.script(HELLO)
        self.assertEqual(self.succeeds("run", "team.yaml", "Hi.", env={"CADRE_MODEL": model}), "Hello.\n")
        schema = json.loads(self.succeeds("schema", "team"))
        self.assertEqual(schema["required"], ["name", "description", "agents"])


class Demo(Home):
    def test_the_demo_shows_its_file_runs_the_shown_command_and_uses_the_answer(self):
        out = self.succeeds("demo")
        shown = out.index("$ cat picnic.yaml\nname: picnic\n")
        ran = out.index("$ cadre run picnic.yaml 'Plan a picnic for six and write the invitation.'")
        self.assertLess(shown, ran)
        self.assertIn("$ cadre resume ", out)
        self.assertIn("write_file", out)
        self.assertIn("The invitation is in invitation.txt", out)

    def test_a_model_in_the_environment_does_not_play_the_demo(self):
        self.assertIn("The invitation is in invitation.txt", self.succeeds("demo", env={"CADRE_MODEL": "openai/gpt-5-mini"}))


if __name__ == "__main__":
    unittest.main()
