#!/usr/bin/env python3
"""Messages over the command line and HTTP: the example of document 001, channels and style that change, kills, logs."""
import contextlib
import json
import os
import shutil
import sqlite3
import unittest

from home import ROOT
from serve import Serve

LONG = bool(os.environ.get("CADRE_LONG"))
POINTS = ("before_commit", "after_commit", "after_intent", "before_dispatch", "after_dispatch", "after_outcome")
CHECK = "Check my timesheet"
HOURS = "You've logged 32/40 hours this week. Great progress!"
GRACEFUL = "I cannot tell you that for certain right now. Please ask the office."


class Messages(Serve):
    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "examples/messages", self.folder, dirs_exist_ok=True)

    def state(self, *words):
        return json.loads(self.succeeds("message", "--json", *words))

    def log(self):
        lines = (self.home / "logs/cadre.log").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def edit(self, file, old, new):
        path = self.folder / file
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))

    # CONV-70 E, CONV-67 E, CONV-68 E, CONV-60 E, CONV-63 E
    def test_the_example_of_document_001_runs_with_the_values_that_it_shows(self):
        state = self.state("--channel", "sms", CHECK)
        self.assertEqual(list(state), ["request_id", "execution_plan", "scorecard", "timesheet_data", "composed_response",
                                       "formatted_response", "validation_result", "refinement_count", "final_response",
                                       "status", "created_at", "completed_at"])
        self.assertEqual(state["final_response"], HOURS)
        self.assertEqual(state["status"], "completed")
        self.assertTrue(state["completed_at"])
        self.assertEqual(state["timesheet_data"]["hours_logged"], 32)
        plan = state["execution_plan"]
        self.assertEqual((plan["user_message"], plan["channel"], plan["requires_timesheet_data"]), (CHECK, "sms", True))
        self.assertEqual([step["agent"] for step in plan["steps"]], ["timesheet", "planner", "branding", "quality"])
        self.assertTrue(state["scorecard"]["overall_passed"])
        self.assertEqual([one["id"] for one in state["scorecard"]["criteria"]], ["answers_question", "correct_format"])
        formatted = state["formatted_response"]
        self.assertEqual((formatted["content"], formatted["is_split"], formatted["parts"]), (HOURS, False, []))
        self.assertEqual((formatted["metadata"]["emojis_used"], formatted["metadata"]["markdown_removed"]), ([], False))
        self.assertEqual(state["validation_result"]["scorecard_id"], "scorecard-" + state["request_id"])
        self.assertEqual((state["validation_result"]["passed"], state["validation_result"]["feedback"]), (True, None))

    # CONV-42 E, CONV-44 E, CONV-45 E, CONV-46 E, CONV-39 E, CONV-51 E
    def test_each_channel_shows_it_in_its_own_way(self):
        sms = self.state("--channel", "sms", "--name", "Ann", "Hours by day")["formatted_response"]
        self.assertTrue(sms["is_split"])
        self.assertTrue(sms["metadata"]["markdown_removed"])
        self.assertEqual(sms["metadata"]["emojis_used"], [])
        for number, part in enumerate(sms["parts"], 1):
            self.assertLessEqual(len(part["content"]), 160)
            self.assertEqual((part["sequence"], part["continuation_indicator"]), (number, f"({number}/{len(sms['parts'])})"))
            self.assertTrue(part["content"].endswith(part["continuation_indicator"]))
        whatsapp = self.state("--channel", "whatsapp", "Hours by day")["formatted_response"]["content"]
        self.assertIn("*This week*\n\nYou've logged *32* of 40 hours; 8 are left. 🎉\n\nDay: Mon\nHours: 8", whatsapp)
        mail = self.state("--channel", "email", "Hours by day")["formatted_response"]
        self.assertIn("<strong>32</strong>", mail["metadata"]["html"])
        self.assertIn("| Mon | 8 |", mail["content"])
        teams = self.state("--channel", "teams", "Hours by day")["formatted_response"]
        card = json.loads(teams["content"])
        self.assertEqual((card["type"], card["version"]), ("AdaptiveCard", "1.5"))
        self.assertIn("Table", [element["type"] for element in card["body"]])
        self.assertIn("Mon", teams["metadata"]["text"])

    # STORE-20 C, CONV-57 E, CONV-52 E, CONV-50 E
    def test_what_files_say_counts_from_the_next_message_on(self):
        self.edit("agents/config/channels.yaml", "max_length: 160", "max_length: 40")
        self.edit("agents/config/style_guide.yaml", "sign_off: false", "sign_off: true")
        said = self.succeeds("message", "--quiet", "--channel", "sms", "--name", "Ann", CHECK)
        self.assertEqual(said, "Hi Ann, You've logged 32/40 hours (1/3)\nthis week. Great progress! (2/3)\nAcme Time (3/3)\n")
        self.edit("agents/config/style_guide.yaml", "greeting: true", "greeting: false")
        self.edit("agents/config/channels.yaml", "split_strategy: sentence", "split_strategy: word")
        said = self.succeeds("message", "--quiet", "--channel", "sms", "--name", "Ann", CHECK)
        self.assertEqual(said, "You've logged 32/40 hours this (1/2)\nweek. Great progress!\n\nAcme Time (2/2)\n")
        (self.folder / "agents/config/channels.yaml").write_text(
            "channels: [{channel: whatsapp, supports_markdown: true, markdown_features: [italic]}]\n")
        whatsapp = self.succeeds("message", "--quiet", "--channel", "whatsapp", "Hours by day")
        self.assertIn("You've logged 32 of 40 hours", whatsapp)
        self.edit("agents/config/channels.yaml", "whatsapp, supports", "sms, supports")
        done = self.cadre("message", "--channel", "sms", CHECK)
        self.assertEqual(done.returncode, 2)
        self.assertIn("agents/config/channels.yaml:1:", done.stderr)

    # CONV-34 E, CONV-66 E, TRACE-33 F, TRACE-39 E, TRACE-40 E, TRACE-42 F, STORE-19 F, TRACE-23 F, TRACE-32 F
    def test_an_invented_number_is_not_sent_and_logs_say_why_without_personal_data(self):
        asked = "How much overtime have I got? I am ann@mail.example, +14155550123"
        done = self.cadre("message", "--channel", "sms", asked)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, GRACEFUL + "\n")
        self.assertIn("nothing says 57", done.stderr)
        lines = self.log()
        failures = [json.loads(line["entry"]) for line in lines if line["message"] == "validation_failure"]
        self.assertEqual(len(failures), 1)
        self.assertEqual(failures[0]["final_outcome"], GRACEFUL)
        self.assertEqual((failures[0]["refinement_attempted"], failures[0]["refinement_succeeded"]), (True, False))
        self.assertIn("nothing says 57", failures[0]["failure_reason"])
        self.assertEqual(len(failures[0]["validation_results"]), len(failures[0]["scorecard"]["criteria"]))
        steps = [json.loads(line["entry"]) for line in lines if line["message"] == "agent_interaction"]
        self.assertEqual([(one["agent_name"], one["action"]) for one in steps],
                         [("timesheet", "extract_hours"), ("planner", "compose_response"), ("branding", "format_for_channel"),
                          ("quality", "validate"), ("planner", "compose_response"), ("branding", "format_for_channel"),
                          ("quality", "validate")])
        text = (self.home / "logs/cadre.log").read_text()
        self.assertNotIn("mail.example", text)
        self.assertNotIn("5550123", text)
        self.assertIn("[EMAIL]", text)

    # TRACE-26 E, TRACE-27 E
    def test_what_went_in_and_what_came_out_are_logged_without_personal_data(self):
        self.edit("scripts/messages.yaml", "You have 57 hours of overtime.", "Nobody knows. Ask bob@office.example, +14155550199.")
        self.cadre("message", "--channel", "sms", "How much overtime have I got? I am ann@mail.example, +14155550123")
        entries = [json.loads(line["entry"]) for line in self.log() if line["message"] == "agent_interaction"]
        for side in ("input_data", "output_data"):
            said = json.dumps([entry[side] for entry in entries])
            for mask, secrets in (("[EMAIL]", ("mail.example", "office.example")), ("[PHONE]", ("5550123", "5550199"))):
                self.assertIn(mask, said, side)
                for secret in secrets:
                    self.assertNotIn(secret, said, side)

    # CONV-07 E, CONV-02 E, CONV-59 E
    def test_over_http_with_a_conversation(self):
        server = self.serve()
        wait = {"Prefer": "wait=30"}
        session = "550e8400-e29b-41d4-a716-446655440000"
        answer = self.post("/messages", {"user_message": CHECK, "channel": "sms", "session_id": session}, headers=wait)
        self.assertEqual(answer.status, 201, answer.text)
        self.assertEqual(answer.json["final_response"], HOURS)
        where = answer.headers["Location"]
        self.assertEqual(where, "/messages/" + answer.json["request_id"])
        self.assertEqual(self.get(where).json, answer.json)
        again = self.post("/messages", {"user_message": "Hours by day", "channel": "sms", "session_id": session}, headers=wait)
        said = again.json["execution_plan"]["context"]["previous_messages"]
        self.assertEqual([one["content"] for one in said], [CHECK, HOURS])

        for body, pointer in (({"channel": "sms"}, "user_message"), ({"user_message": "x", "channel": "fax"}, "channel"),
                              ({"user_message": "", "channel": "sms"}, "user_message"),
                              ({"user_message": "x", "channel": "sms", "to": "y"}, "to")):
            refused = self.post("/messages", body)
            self.assertEqual(refused.status, 422, refused.text)
            self.assertIn(pointer, refused.text.decode())
        self.assertEqual(self.get("/messages/abc").status, 404)
        self.assertEqual(self.get("/messages/550e8400-e29b-41d4-a716-446655440009").status, 404)
        self.stop(server)

    # STORE-18 E
    def test_conversations_can_be_read_with_sql(self):
        session = "550e8400-e29b-41d4-a716-446655440000"
        self.succeeds("message", "--quiet", "--session", session, "--channel", "sms", CHECK)
        self.succeeds("message", "--quiet", "--session", session, "--channel", "sms", "Hours by day")
        self.succeeds("message", "--quiet", "--channel", "teams", CHECK)
        with contextlib.closing(sqlite3.connect(f"file:{self.home / 'cadre.db'}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT channel, role, content FROM conversation_context WHERE conversation_id = ? "
                                    "ORDER BY created_at, role DESC", (session,)).fetchall()
            self.assertEqual(rows[:2], [("sms", "user", CHECK), ("sms", "assistant", HOURS)])
            self.assertEqual([row[1] for row in rows], ["user", "assistant"] * 2)
            talks = database.execute("SELECT id, channel, messages FROM conversations ORDER BY messages DESC").fetchall()
            self.assertEqual(talks[0], (session, "sms", 2))
            self.assertEqual([talk[1:] for talk in talks[1:]], [("teams", 1)])

    def test_the_four_agents_can_be_replaced_and_none_may_be_missing(self):
        self.assertIn("teams/conversation.yaml", self.succeeds("init", "--team", "conversation"))
        self.succeeds("check")
        self.assertEqual(self.succeeds("message", "--quiet", "--channel", "sms", CHECK), HOURS + "\n")
        self.assertEqual(self.cadre("init", "--team", "conversation").returncode, 5)
        self.assertIn("conversation", self.cadre("init", "--team", "writers").stderr)
        self.edit("teams/conversation.yaml", "name: quality", "name: judge")
        done = self.cadre("message", "--channel", "sms", CHECK)
        self.assertEqual(done.returncode, 2)
        self.assertIn('there is no agent "quality"', done.stderr)

    def test_wrong_words_say_what_is_right(self):
        self.assertIn("--channel sms, email, whatsapp, teams", self.cadre("message", CHECK).stderr)
        self.assertIn('"fax" is none of the channels', self.cadre("message", "--channel", "fax", CHECK).stderr)

    # CONV-11 E
    def test_a_message_that_is_killed_anywhere_is_answered_when_it_is_resumed(self):
        count = 0
        for point in ("after_commit", "before_dispatch", "after_outcome") if not LONG else POINTS:
            for number in range(1, 200, 1 if LONG else 3):
                done = self.cadre("message", "--quiet", "--channel", "sms", CHECK, env={"CADRE_CRASH_AT": f"{point}:{number}"})
                if done.returncode == 0:
                    break
                tasks = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]
                open_ones = [task["id"] for task in tasks if task["status"] not in ("completed", "failed")]
                if not open_ones:  # it died before the message was accepted, or after it was answered
                    continue
                self.assertIn(HOURS, self.succeeds("resume", "--quiet", open_ones[0]))
                self.succeeds("replay", open_ones[0])
                count += 1
        self.assertGreater(count, 3)


if __name__ == "__main__":
    unittest.main()
