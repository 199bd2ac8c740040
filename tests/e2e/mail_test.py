#!/usr/bin/env python3
"""Messages by mail: handed over by LMTP, answered in their thread at a mail server; duplicates, machines, reports, kills."""
import email.message
import http.client
import json
import os
import shutil
import smtplib
import subprocess
import threading
import unittest

from home import ROOT
from serve import Serve, free_port

NODE = os.environ.get("CADRE_NODE", str(ROOT / "tests/node/node_modules/.bin/node"))
CHECK = "Check my timesheet"
ENDED = ("completed", "failed")
HOURS = "You've logged 32/40 hours this week. Great progress!"


def mail(sender, text=CHECK, id="m1", **headers):
    message = email.message.EmailMessage()
    message["From"] = f"Ann <{sender}>"
    message["To"] = "help@example.com"
    message["Subject"] = headers.pop("Subject", "My hours")
    message["Message-ID"] = f"<{id}@example.org>"
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(text)
    return message


class Mail(Serve):
    """The example project of messages, with an account at a mail server."""
    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "examples/messages", self.folder, dirs_exist_ok=True)
        self.port = free_port()
        self.mails = []
        self.mail_port = self.mail_server()
        self.write_account()

    def write_account(self, *more):
        self.write("config/accounts.yaml", f"""public_url: https://cadre.example
accounts:
  help: {{vendor: smtp, channel: email, url: "smtp://127.0.0.1:{self.mail_port}", from: help@example.com,
         listen: "127.0.0.1:{self.port}", merge_window_ms: 50, evidence_wait_ms: 300{"".join(", " + one for one in more)}}}
""")

    def mail_server(self):
        process = subprocess.Popen([NODE, str(ROOT / "tests/node/mail_server.mjs")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.processes.append(process)
        port = json.loads(process.stdout.readline())

        def read():
            for line in process.stdout:
                self.mails.append(json.loads(line))
        threading.Thread(target=read, daemon=True).start()
        return port

    def hand_over(self, message, sender="ann@example.org", to="help@example.com"):
        with smtplib.LMTP("127.0.0.1", self.port) as server:
            server.sendmail(sender, [to], message.as_bytes())

    def until_mails(self, count):
        self.until(lambda: len(self.mails) >= count, f"{count} mails at the mail server")
        return self.mails

    def tasks(self):
        answers = []

        def answered():
            answers.append(self.get("/tasks?limit=100"))
            return answers[-1].status != 429  # who looks so often is told to wait
        self.until(answered, "tasks are told")
        return answers[-1].json["tasks"]

    def until_ended(self, count, status="completed"):
        def ended():
            tasks = self.tasks()
            return len(tasks) >= count and all(task["status"] == status for task in tasks)
        self.until(ended, f"{count} tasks have ended")
        self.assertEqual(len(self.tasks()), count)
        return [task["id"] for task in reversed(self.tasks())]

    def deliveries(self, task):
        return self.get(f"/messages/{task}").json.get("ext", {}).get("deliveries", [])

    def test_a_mail_is_answered_in_its_thread_and_a_report_says_that_it_did_not_arrive(self):
        self.serve()
        self.hand_over(mail("ann@example.org", In_Reply_To="<m0@example.org>", References="<m0@example.org>", Subject="RE: My hours"))
        answer = self.until_mails(1)[0]
        self.assertEqual((answer["from"], answer["to"], answer["subject"]), ("help@example.com", "ann@example.org", "Re: My hours"))
        self.assertIn(HOURS, answer["text"])
        self.assertIn("32/40", answer["html"])
        self.assertEqual((answer["in_reply_to"], answer["references"]), ("<m1@example.org>", ["<m0@example.org>", "<m1@example.org>"]))
        self.assertEqual(answer["auto_submitted"], "auto-replied")
        task = self.until_ended(1)[0]
        delivery = self.deliveries(task)[0]
        self.assertEqual((f"<{delivery['id']}>", delivery["status"]), (answer["id"], "accepted"))
        plan = self.get(f"/messages/{task}").json["execution_plan"]
        self.assertEqual((plan["channel"], plan["user_message"]), ("email", CHECK))

        self.hand_over(mail("ann@example.org", f"And now: {CHECK}\n\nOn Monday, help wrote:\n> {HOURS}\n", "m2",
                            In_Reply_To=answer["id"], References=f"<m0@example.org> <m1@example.org> {answer['id']}"))
        again = self.until_mails(2)[1]
        self.assertEqual(again["references"], ["<m0@example.org>", "<m1@example.org>", answer["id"], "<m2@example.org>"])
        self.until_ended(2)

        report = email.message.Message()
        report["From"] = "MAILER-DAEMON@mx.example.org"
        report["Content-Type"] = 'multipart/report; report-type=delivery-status; boundary="a"'
        report.set_payload("--a\n\nSorry.\n--a\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.org\n\n"
                           "Final-Recipient: rfc822; ann@example.org\nAction: failed\nStatus: 5.1.1\n\n"
                           f"--a\nContent-Type: text/rfc822-headers\n\nMessage-ID: {answer['id']}\n\n--a--\n")
        self.hand_over(report, sender="")
        self.until(lambda: self.deliveries(task)[0]["status"] == "failed", "the report is noted")
        self.assertIn("5.1.1", self.deliveries(task)[0]["error"])
        self.assertEqual(len(self.tasks()), 2)

    def test_what_is_handed_over_twice_is_answered_once_and_what_a_machine_wrote_never(self):
        server = self.serve()
        for _ in range(3):
            self.hand_over(mail("ann@example.org"))
        self.until_ended(1)
        self.stop(server)
        self.serve()
        self.hand_over(mail("ann@example.org"))
        for number, headers in enumerate(({"Auto_Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"List_Id": "<l.example.org>"},
                                          {"X_Auto_Response_Suppress": "All"})):
            self.hand_over(mail("bob@example.org", id=f"machine{number}", **headers))
        self.hand_over(mail("bob@example.org", id="bounce"), sender="")
        self.hand_over(mail("help@example.com", id="own"))
        self.hand_over(mail("no-reply@example.org", id="noreply"))
        self.hand_over(mail("carl@example.org", id="m9"))  # taken after all of them
        self.until_ended(2)
        self.assertEqual([one["to"] for one in self.mails], ["ann@example.org", "carl@example.org"])

    def test_what_cannot_be_a_mail_of_ours_is_refused_at_once(self):
        self.serve()
        with self.assertRaises(smtplib.SMTPRecipientsRefused):
            self.hand_over(mail("ann@example.org"), to="other@example.com")
        with self.assertRaises(smtplib.SMTPDataError) as refused:
            self.hand_over(email.message.Message())
        self.assertEqual(refused.exception.smtp_code, 554)
        self.assertEqual(self.tasks(), [])

    def test_with_a_mail_server_that_knows_senders_nobody_else_is_answered(self):
        self.write_account("authserv_id: mx.example.com")
        self.serve()
        self.hand_over(mail("ann@example.org", id="forged", Authentication_Results="evil.example; dmarc=pass"))
        self.hand_over(mail("ann@example.org", id="unknown"))
        self.hand_over(mail("ann@example.org", id="good", Authentication_Results="mx.example.com; dmarc=pass header.from=example.org"))
        self.until_ended(1)
        self.assertEqual([one["in_reply_to"] for one in self.mails], ["<good@example.org>"])

    def test_what_the_mail_server_refuses_fails_and_what_it_does_not_confirm_is_asked(self):
        self.serve()
        self.hand_over(mail("nobody@example.org"))
        task = self.until_ended(1, "failed")[0]
        self.assertIn("no such user", json.dumps(self.get(f"/tasks/{task}").json))
        self.hand_over(mail("cut@example.org", id="m2"))
        self.until(lambda: any(task["status"] == "waiting" for task in self.tasks()), "a person is asked")
        task = next(task["id"] for task in self.tasks() if task["status"] == "waiting")
        self.assertEqual(len(self.mails), 1)
        self.succeeds("answer", task, "--happened", self.mails[0]["id"])
        self.until(lambda: self.get(f"/tasks/{task}").json["status"] == "completed", "it continues")
        self.assertEqual(len(self.mails), 1)
        self.write_account("on_unknown: resend")
        self.hand_over(mail("cut@example.net", id="m3"))
        self.until(lambda: len(self.mails) >= 3, "it is sent again")
        self.assertEqual(self.mails[1]["id"], self.mails[2]["id"])  # so that their program can tell

    def test_a_kill_anywhere_between_mail_and_answer_loses_and_doubles_nothing(self):
        kills = 0
        points = ["message_kept:1", "turn_started:1", "turn_noted:1"]
        points += [f"{point}:{number}" for point in ("before_dispatch", "after_dispatch") for number in (1, 4, 5, 6)]
        for count, point in enumerate(points, 1):
            sender = f"ann{count}@example.org"
            server = self.serve(env={"CADRE_CRASH_AT": point})
            taken = self.taken(mail(sender, id=f"kill{count}"))
            self.until(lambda: server.poll() is not None or self.at_rest(count), f"{point}: it is dead or done")
            kills += server.poll() is not None
            if server.poll() is None:
                self.stop(server)
            else:
                self.end(server)
            server = self.serve()
            if not taken:  # so the mail server does it again
                self.hand_over(mail(sender, id=f"kill{count}"))
            self.until(lambda: self.at_rest(count), f"{point}: it is at rest")
            waiting = [task["id"] for task in self.tasks() if task["status"] == "waiting"]
            sent = [one for one in self.mails if one["to"] == sender]
            self.assertEqual(len(sent) if not waiting else 1, 1, point)
            for task in waiting:  # mail servers cannot be asked, so a person looks whether it is there
                self.assertLessEqual(len(sent), 1, point)
                self.succeeds("answer", task, *(["--happened", sent[0]["id"]] if sent else ["--not-happened"]))
                self.until(lambda: self.get(f"/tasks/{task}").json["status"] in ENDED, "it continues")
            self.assertEqual([HOURS in one["text"] for one in self.mails if one["to"] == sender], [True], point)
            self.stop(server)
        self.assertGreater(kills, 5)

    def at_rest(self, count):
        try:
            statuses = [task["status"] for task in self.tasks()]
        except (OSError, http.client.HTTPException):
            return False  # it dies at this moment
        return len(statuses) == count and all(status in (*ENDED, "waiting") for status in statuses)

    def taken(self, message):
        """Whether the server said so before it died."""
        try:
            self.hand_over(message)
            return True
        except (smtplib.SMTPServerDisconnected, ConnectionError):
            return False


if __name__ == "__main__":
    unittest.main()
