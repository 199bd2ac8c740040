#!/usr/bin/env python3
"""Messages over SMS and WhatsApp, from a signed webhook to an answer at the vendor and its status; duplicates, consent, kills."""
import json
import os
import unittest

from home import UPSTREAM
from mock_vendors import PUBLIC, SECRETS, Vendors

LONG = bool(os.environ.get("CADRE_LONG"))
CHECK = "Check my timesheet"
HOURS = "You've logged 32/40 hours this week. Great progress!"
FAKE_TIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"  # Debian's faketime
TOMORROW = {"LD_PRELOAD": FAKE_TIME, "FAKETIME": "+25h", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
SMS = {"MessageSid": "SM1", "From": "+14155550100", "To": "+14155550199", "Body": CHECK}


class Channels(Vendors):
    def test_a_message_comes_in_an_answer_goes_out_and_its_status_comes_back(self):
        self.mock()
        self.server()
        for account, sender in (("sms", "+14155550100"), ("wa", "16505551234")):
            self.assertEqual(self.say(CHECK, sender, account, name="Ann"), [200])
        by_account = {one["account"]: one for one in self.until_sent(2)}
        self.assertEqual((by_account["sms"]["to"], by_account["sms"]["text"]), ("+14155550100", "Hi Ann, " + HOURS))
        self.assertEqual((by_account["wa"]["to"], by_account["wa"]["text"]), ("16505551234", "Hi Ann, " + HOURS))
        self.assertTrue(by_account["wa"]["reply_to"].startswith("wamid."))
        for task in self.until_ended(2):
            self.until(lambda: [one["status"] for one in self.deliveries(task)] == ["delivered"], "it is delivered")
            account = self.deliveries(task)[0]["account"]
            self.assertEqual(self.deliveries(task)[0]["id"], by_account[account]["id"])
            state = self.get(f"/messages/{task}").json
            self.assertEqual(state["execution_plan"]["channel"], {"sms": "sms", "wa": "whatsapp"}[account])
            self.assertEqual(state["execution_plan"]["user_message"], CHECK)
            self.assertTrue(state["execution_plan"]["context"]["user_name"], "Ann")

    def test_long_answers_leave_piece_by_piece_in_order(self):
        self.mock()
        self.server()
        self.say("Hours by day")
        task = self.until_ended(1)[0]
        formatted = self.get(f"/messages/{task}").json["formatted_response"]
        self.assertGreater(len(formatted["parts"]), 1)
        self.assertEqual([one["text"] for one in self.sent()], [part["content"] for part in formatted["parts"]])
        self.until(lambda: {one["status"] for one in self.deliveries(task)} == {"delivered"}, "all are delivered")
        self.assertEqual([one["id"] for one in self.deliveries(task)], [one["id"] for one in self.sent()])

    def test_what_comes_several_times_is_answered_once(self):
        self.mock("--twice")
        self.server()
        self.assertEqual(self.say(CHECK, id="SM77", copies=8), [200] * 8)  # at the same moment
        self.until_ended(1)
        self.assertEqual(self.say(CHECK, id="SM77", copies=2), [200, 200])  # and later
        self.assertEqual(self.say(CHECK, "16505551234", "wa", id="wamid.1", copies=8), [200] * 8)
        self.until_ended(2)
        self.assertEqual(len(self.sent()), 2)

    def test_messages_within_the_merge_window_are_one_turn_and_a_conversation_goes_on(self):
        self.write_accounts(merge=1500)
        self.mock()
        self.server()
        self.say("Good morning!")
        self.say(CHECK)
        self.say("Hours by day", "+14155550111")
        first = [self.get(f"/messages/{task}").json["execution_plan"] for task in self.until_ended(2)]
        self.assertEqual({plan["user_message"] for plan in first}, {"Good morning!\n" + CHECK, "Hours by day"})
        self.say("And again: " + CHECK)
        self.until(lambda: len(self.tasks()) == 3, "a third turn")
        last = self.get(f"/messages/{self.until_ended(3)[-1]}").json["execution_plan"]
        self.assertEqual([one["content"] for one in last["context"]["previous_messages"]], ["Good morning!\n" + CHECK, HOURS])

    def test_who_says_stop_gets_nothing_more_till_they_say_start(self):
        self.mock("--statuses", "none")
        self.server()
        self.assertEqual(self.say("Stop."), [200])
        self.assertIn("no more messages", self.until_sent(1)[0]["text"])
        self.say(CHECK)
        self.say("start")
        self.assertIn("messages from us again", self.until_sent(2)[1]["text"])
        self.say("HELP")
        self.assertIn("you will get an answer", self.until_sent(3)[2]["text"])
        self.assertEqual(self.tasks(), [])
        self.say("Hello! " + CHECK)
        self.until_ended(1)
        # the vendor has answered this one itself
        self.assertEqual(self.twilio({**SMS, "MessageSid": "SM5", "Body": "STOP", "OptOutType": "STOP"}).status, 200)
        self.say("Anybody? " + CHECK)
        self.say(CHECK, "+14155550111")
        self.until_ended(2)
        self.assertEqual(len(self.sent()), 5)

    def test_who_opts_out_while_the_answer_is_made_is_not_sent_it(self):
        self.mock()
        self.server()
        self.faults("stop")
        self.say(CHECK)
        self.until(lambda: [task["status"] for task in self.tasks()] == ["failed"], "the vendor refuses it")
        self.say("Hello? " + CHECK)  # the vendor said that they want nothing
        self.say(CHECK, "+14155550111")
        self.until(lambda: len(self.tasks()) == 2, "somebody else is answered")
        self.assertEqual(len(self.until_sent(1)), 1)

    def test_what_is_not_signed_is_refused_and_nothing_of_it_is_kept(self):
        self.server()
        tampered = [
            lambda: self.twilio(SMS, token="another"),
            lambda: self.twilio(SMS, url=f"http://127.0.0.1:{self.port}"),  # signed for Host, which anybody can choose
            lambda: self.ask("POST", "/channels/sms/webhook", raw="MessageSid=SM1&From=1&Body=x", token=None),
            lambda: self.ask("POST", "/channels/sms/webhook", raw="MessageSid=SM1&From=1&Body=x"),  # a token is no signature
            lambda: self.meta({"object": "whatsapp_business_account", "entry": []}, secret="another"),
            lambda: self.ask("GET", "/channels/wa/webhook?hub.mode=subscribe&hub.verify_token=x&hub.challenge=1", token=None),
            lambda: self.ask("GET", "/channels/sms/webhook", token=None),
        ]
        for send in tampered:
            refused = send()
            self.assertEqual((refused.status, refused.json["reason"]), (403, "not_signed"), refused.text)
        self.assertEqual(self.ask("POST", "/channels/other/webhook", raw="x", token=None).status, 404)
        self.assertEqual(self.tasks(), [])
        self.assertEqual(self.twilio(SMS).status, 200)

    def test_ten_failures_a_minute_are_told_and_good_ones_still_come_in(self):
        self.server()
        statuses = [self.twilio(SMS, token="another").status for _ in range(12)]
        self.assertEqual(statuses, [403] * 10 + [429] * 2)
        late = self.twilio(SMS, token="another")
        self.assertEqual(late.json["reason"], "too_many_unsigned")
        self.assertGreater(int(late.headers["Retry-After"]), 0)
        self.assertEqual(self.twilio(SMS).status, 200)

    def test_webhooks_are_answered_as_each_vendor_wants_it_whatever_their_host_is(self):
        self.server()
        taken = self.twilio(SMS, headers={"Host": "anything.example", "X-Forwarded-Host": "evil.example"})
        self.assertEqual((taken.status, taken.headers["Content-Type"], taken.text), (200, "text/xml", b"<Response/>"))
        taken = self.meta({"object": "whatsapp_business_account", "entry": []})
        self.assertEqual((taken.status, taken.text), (200, b""))
        where = "/channels/wa/webhook?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token="
        shaken = self.ask("GET", where + SECRETS["WA_VERIFY"], token=None)
        self.assertEqual((shaken.status, shaken.headers["Content-Type"], shaken.text), (200, "text/plain", b"1158201444"))
        # bytes are signed as they came: an escape that means the same is another body
        self.assertEqual(self.meta(b'{"t":"caf\\u00e9"}').status, 200)
        self.assertEqual(self.get("/tasks", headers={"Host": "anything.example"}).status, 421)

    def test_what_is_too_large_or_no_form_is_refused_before_its_signature_is_looked_at(self):
        self.server()
        self.assertEqual(self.twilio({**SMS, "Body": "x" * 70_000}).status, 413)
        self.assertEqual(self.twilio({f"f{i}": "" for i in range(600)}).status, 413)
        self.assertEqual(self.ask("POST", "/channels/sms/webhook", raw="Body=%zz", token=None,
                                  headers={"X-Twilio-Signature": "x"}).status, 400)
        deep = b"[" * 500 + b"]" * 500
        self.assertEqual(self.meta(deep).status, 413)
        self.assertEqual(self.meta(b" " * (3 << 20) + b"{}").status, 413)

    def test_who_wrote_more_than_a_day_ago_gets_a_template_on_whatsapp_or_nothing(self):
        self.assertTrue(os.path.exists(FAKE_TIME), "faketime is not installed")
        for template, sent in (("", []), ("window_template: {name: answer_is_ready}", [(True, "answer_is_ready")])):
            self.write_accounts(*filter(None, [template]))
            mock = self.mock()
            server = self.server(env={"CADRE_CRASH_AT": "turn_started:1"})
            self.say(f"{CHECK} {template}", "16505551234", "wa")
            self.end(server)
            server = self.server(env=TOMORROW)
            self.until(lambda: self.tasks()[0]["status"] == ("completed" if sent else "failed"), "it has ended")
            self.assertEqual([(one["template"], one["text"]) for one in self.sent()], sent)
            if not sent:
                self.assertIn("window_closed", json.dumps(self.get(f"/tasks/{self.tasks()[0]['id']}").json))
            self.stop(server)
            self.stop(mock)

    def test_a_kill_anywhere_between_webhook_and_answer_loses_and_doubles_nothing(self):
        self.mock("--statuses", "none")  # so that the vendor's list alone can tell what became of it
        kills = count = 0
        points = ["message_kept:1", "turn_started:1", "turn_noted:1"]
        points += [f"{point}:{number}" for point in ("before_dispatch", "after_dispatch")
                   for number in range(1, 8)]
        if LONG:
            points += [f"{point}:{number}" for point in ("before_commit", "after_commit") for number in range(1, 60)]
        for point in points:
            server = self.server(env={"CADRE_CRASH_AT": point})
            count += 1
            sender = f"+1415555{count:04}"
            answers = self.say_or_die(server, sender)
            if server.poll() is None:  # it was not reached
                self.until_ended(count)
            self.stop_or_dead(server)
            kills += server.returncode != 0
            server = self.server()
            if answers != [200]:  # it was not acknowledged, so the vendor repeats it
                self.assertEqual(self.say(CHECK, sender, id=f"SM{count}"), [200])
            self.until_ended(count)
            mine = [one for one in self.sent() if one["to"] == sender]
            self.assertEqual([one["text"] for one in mine], [HOURS], point)
            self.stop(server)
        self.assertGreater(kills, 8)

    def say_or_die(self, server, sender):
        number = int(sender[-4:])
        answers = self.say(CHECK, sender, id=f"SM{number}")
        self.until(lambda: server.poll() is not None or any(one["to"] == sender for one in self.sent()), "it is dead or done")
        return answers

    def stop_or_dead(self, server):
        if server.poll() is None:
            self.stop(server)
        else:
            self.end(server)

    def test_what_the_vendor_took_without_saying_so_is_found_in_its_list_or_by_its_status(self):
        mock = self.mock("--statuses", "none")
        self.server()
        for number, fault in enumerate(("lost", "cut"), 1):
            self.faults(fault)
            self.say(CHECK, f"+1415555000{number}")
            self.until_ended(number)
        self.assertEqual(len(self.sent()), 2)
        self.stop(mock)
        self.mock()  # Meta has no list; its status names the message
        self.faults("cut")
        self.say(CHECK, "16505551234", "wa")
        task = self.until_ended(3)[-1]
        self.assertEqual(len(self.sent()), 1)
        self.assertEqual([one["id"] for one in self.deliveries(task)], [self.sent()[0]["id"]])

    def test_what_cannot_be_found_out_is_asked_and_a_person_settles_it(self):
        self.mock("--statuses", "none")
        self.server()
        for number, (answer, sent) in enumerate(((("--happened", "wamid.1"), 1), (("--not-happened",), 3)), 1):
            self.faults("cut")
            self.say(CHECK, f"1650555123{number}", "wa")
            self.until(lambda: any(task["status"] == "waiting" for task in self.tasks()), "a person is asked")
            task = next(task["id"] for task in self.tasks() if task["status"] == "waiting")
            asked = json.loads(self.succeeds("inbox", "--json"))["waiting"]
            self.assertEqual(asked[0]["request"]["type"], "outcome_unknown")
            self.assertIn("no status named it within", json.dumps(asked[0]))
            self.succeeds("answer", task, *answer)
            self.until(lambda: self.get(f"/tasks/{task}").json["status"] == "completed", "it goes on")
            self.assertEqual(len(self.sent()), sent, answer)

    def test_an_account_may_send_again_or_give_up_instead(self):
        for policy, sent, status in (("resend", 2, "completed"), ("drop", 1, "failed")):
            self.write_accounts(f"on_unknown: {policy}")
            mock = self.mock("--statuses", "none")
            server = self.server()
            self.faults("cut")
            self.say(f"{policy}! {CHECK}", "16505551234", "wa")
            self.until(lambda: self.tasks() and self.tasks()[0]["status"] == status, policy)
            self.assertEqual(len(self.sent()), sent, policy)
            self.stop(server)
            self.stop(mock)

    def test_secrets_are_written_nowhere(self):
        self.mock()
        self.server(env={"CADRE_LOG_LEVEL": "debug"})
        self.faults("ok", "expired", "ok")
        self.say(CHECK)
        self.say(CHECK, "16505551234", "wa")
        self.twilio(SMS, token="another")
        self.until_sent(1)
        for file in self.home.rglob("*"):
            if file.is_file():
                for secret in SECRETS.values():
                    self.assertNotIn(secret.encode(), file.read_bytes(), file)

    def test_faulty_accounts_are_told_with_their_places_by_check_and_serve_alike(self):
        cases = [
            ("vendor: twilio", "vendor: pigeon", 'accounts.sms.vendor: "pigeon" is none of twilio, meta'),
            ('"${WA_SECRET}"', '"${NOBODY_SET_THIS}"', "the variable NOBODY_SET_THIS is not set"),
            ("merge_window_ms: 50", "merge_windows: 50", "accounts.sms.merge_windows: is not a field"),
            ("public_url: https", "public_url: http", "must be https"),
            ('"${TWILIO_TOKEN}"', '"f00ba4f00ba4f00ba4"', "a secret is written here in plain text"),
        ]
        for old, new, says in cases:
            self.write_accounts()
            path = self.folder / "config/accounts.yaml"
            self.assertIn(old, path.read_text())
            path.write_text(path.read_text().replace(old, new))
            for words in (("check",), ("serve", "--listen", f"127.0.0.1:{self.port}")):
                done = self.cadre(*words)
                self.assertEqual(done.returncode, 2, f"{words} {new} {done.stderr}")
                self.assertIn(says, done.stdout + done.stderr, words)
                self.assertRegex(done.stdout + done.stderr, r"config/accounts.yaml:\d+:\d+: ", words)
        self.write_accounts("team: nobody")
        self.assertIn('accounts.sms.team: unknown team "nobody"', self.cadre("check").stdout)

    def test_a_probe_comes_through_the_running_server(self):
        path = self.folder / "config/accounts.yaml"
        path.write_text(path.read_text().replace(PUBLIC, f"http://127.0.0.1:{self.port}"))
        self.assertIn(f"http://127.0.0.1:{self.port}/channels/sms/webhook", self.succeeds("channels", "list"))
        self.assertEqual(self.cadre("channels", "test", "sms").returncode, UPSTREAM)
        self.server()
        for account in ("sms", "wa"):
            self.assertIn("takes webhooks", self.succeeds("channels", "test", account))
        refused = self.cadre("channels", "test", "sms", env={"TWILIO_TOKEN": "another"})
        self.assertEqual(refused.returncode, 3)
        self.assertIn("does not take the signature", refused.stderr)
        self.assertEqual(self.cadre("channels", "test", "other").returncode, 4)
        self.assertEqual(self.tasks(), [])


if __name__ == "__main__":
    unittest.main()
