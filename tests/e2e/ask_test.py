#!/usr/bin/env python3
"""Questions to data domains over the command line and HTTP, with a kill, and files that change meanwhile."""
import datetime
import json
import shutil
import signal
import threading
import unittest

from home import CADRE, ROOT
from serve import Serve

SESSION = "550e8400-e29b-41d4-a716-446655440000"
FAKE_TIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"  # Debian's faketime
OTHER = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"
CARTS = "What products are frequently abandoned in carts?"


class Ask(Serve):
    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "examples/shop", self.folder, dirs_exist_ok=True)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/cadre").symlink_to(CADRE)
        self.env["PATH"] = f"{self.folder}/bin:{self.env['PATH']}"

    def answer(self, *words):
        return json.loads(self.succeeds("ask", "--json", *words))

    # DOM-19 E, DOM-24 E
    def test_a_question_is_answered_with_its_sources_and_calls(self):
        answer = self.answer(CARTS)
        self.assertEqual(list(answer), ["answer", "sources", "tool_calls_made", "suggestions", "confidence",
                                        "total_execution_time_ms", "partial_results"])
        self.assertEqual(answer["sources"], ["customer_behavior.genie"])
        self.assertEqual(answer["confidence"], "high")
        self.assertFalse(answer["partial_results"])
        self.assertLess(answer["total_execution_time_ms"], 60000)
        self.assertEqual(len(answer["suggestions"]), 2)  # one is about a domain that does not exist
        call, = answer["tool_calls_made"]
        self.assertEqual((call["domain"], call["status"], call["error"]), ("customer_behavior", "completed", None))
        self.assertEqual(call["input_params"], {"query": CARTS})
        self.assertEqual(call["result"]["answer"], "Product A (25%), Product B (22%)")

    # DOM-26 E, TOOL-47 E
    def test_two_domains_at_once_one_is_polled_and_one_may_fail(self):
        answer = self.answer("Why are customers not buying our top products?")
        self.assertEqual(answer["sources"], ["customer_behavior.genie", "inventory.genie"])
        stock = answer["tool_calls_made"][1]
        self.assertEqual(stock["result"]["answer"], "Product A: 50 left, Product B: 900 left")
        self.assertGreaterEqual(stock["execution_time_ms"], 1000)
        answer = self.answer("Is Product A too dear?")
        self.assertTrue(answer["partial_results"])
        self.assertEqual(answer["confidence"], "medium")
        self.assertIn("Missing from this answer: Pricing (the price list is being updated).", answer["answer"])

    # DOM-17 E, TOOL-50 E
    def test_a_conversation_goes_on_at_the_domains_and_in_the_session(self):
        self.answer("--session", SESSION, CARTS)
        follow_up = self.answer("--session", "550e", "and for last month?")
        self.assertEqual(follow_up["tool_calls_made"][0]["input_params"]["conversation_id"], "c_17")
        unclear = self.answer("Show me performance")
        self.assertEqual(unclear["tool_calls_made"], [])
        self.assertIn("Is it about Marketing, or about Customer Behavior?", unclear["answer"])

    # DOM-02 C, DOM-05 C, DOM-06 C
    def test_check_finds_what_is_wrong_with_domains_where_it_stands(self):
        file = self.folder / "config/domains.yaml"
        lines = file.read_text()
        file.write_text(lines.replace("related_domains: [customer_behavior]", "related_domains: [customers]")
                        .replace("name: pricing", "name: Pricing", 1)
                        .replace("genie.query_campaigns", "genies.query_campaigns")
                        .replace("tool_ms: 10000", "tool_ms: 0"))
        done = self.cadre("check")
        self.assertEqual(done.returncode, 2)
        found = done.stdout + done.stderr
        for words in ('config/domains.yaml:4:12: error: ask.tool_ms', 'unknown domain "customers"', "domains[2].name",
                      'unknown tool "genies.query_campaigns", did you mean "genie.query_campaigns"?'):
            self.assertIn(words, found)
        done = self.cadre("ask", CARTS)
        self.assertEqual(done.returncode, 2)
        self.assertIn("domains.yaml:4:12", done.stderr)

    # DOM-08 C, DOM-07 E, STATE-20 E, STATE-28 E, STATE-34 E, STORE-21 E, STORE-23 F
    def test_over_http_and_a_domain_that_is_disabled_meanwhile(self):
        server = self.serve()
        answer = self.post(f"/sessions/{SESSION}/ask", {"question": CARTS})
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.json["sources"], ["customer_behavior.genie"])
        again = self.post(f"/sessions/{SESSION}/ask", {"question": "and for last month?"})
        self.assertIn("the other way round", again.json["answer"])
        talk = self.get(f"/sessions/{SESSION}").json
        self.assertEqual([m["role"] for m in talk["messages"]], ["user", "assistant"] * 2)
        self.assertEqual(talk["messages"][1]["tool_calls"][0]["domain"], "customer_behavior")
        self.assertEqual(talk["messages"][1]["metadata"]["domains"], ["customer_behavior"])
        self.assertIsNone(talk["messages"][0]["tool_calls"])
        self.assertEqual(talk["metadata"]["domains_accessed"], ["customer_behavior"])
        self.assertEqual(talk["last_updated"], talk["messages"][3]["timestamp"])
        self.assertGreaterEqual(talk["messages"][1]["metadata"]["execution_time_ms"], 0)
        self.assertEqual(self.get(f"/sessions/{OTHER}").status, 404)
        both = self.post(f"/sessions/{OTHER}/ask", {"question": "Why are customers not buying our top products?"})
        self.assertEqual(len(both.json["tool_calls_made"]), 2)
        other = self.get(f"/sessions/{OTHER}").json
        self.assertEqual(other["metadata"]["domains_accessed"], ["customer_behavior", "inventory"])
        self.assertEqual(other["messages"][1]["metadata"]["domains"], ["customer_behavior", "inventory"])

        self.assertEqual(self.post(f"/sessions/{SESSION}/ask", {}).status, 422)
        self.assertEqual(self.post("/sessions/abc/ask", {"question": CARTS}).status, 422)

        file = self.folder / "config/domains.yaml"
        file.write_text(file.read_text().replace("name: customer_behavior\n", "name: customer_behavior\n    enabled: false\n"))
        answer = self.post(f"/sessions/{SESSION}/ask", {"question": CARTS})
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.json["tool_calls_made"], [])
        self.stop(server)

    # STATE-33 E
    def test_an_idle_conversation_is_resumed_two_hours_later(self):
        self.answer("--session", SESSION, CARTS)
        later = {"LD_PRELOAD": FAKE_TIME, "FAKETIME": "+2h", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        done = self.cadre("ask", "--json", "--session", SESSION, "and for last month?", env=later)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["tool_calls_made"][0]["input_params"]["conversation_id"], "c_17")
        self.serve()
        talk = self.get(f"/sessions/{SESSION}").json
        self.assertEqual([m["role"] for m in talk["messages"]], ["user", "assistant"] * 2)
        hours = [datetime.datetime.fromisoformat(talk[name]) for name in ("created_at", "last_updated")]
        self.assertGreater(hours[1] - hours[0], datetime.timedelta(hours=1, minutes=59))

    def test_a_question_that_is_killed_is_answered_when_it_is_resumed(self):
        tools = self.folder / "tools/genie.yaml"
        tools.write_text(tools.read_text().replace("delay_ms: 50", "delay_ms: 2000"))
        process = self.start("ask", CARTS)
        self.assertIn("asking Customer Behavior", process.stderr.readline())
        process.send_signal(signal.SIGKILL)
        process.wait()
        task = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"][0]["id"]
        self.assertIn("Product A (25%)", self.succeeds("resume", task))

    def test_two_questions_at_once_in_one_session_are_answered_one_after_the_other(self):
        server = self.serve()

        answers = {}

        def send(question):
            answers[question] = self.post(f"/sessions/{SESSION}/ask", {"question": question})

        threads = [threading.Thread(target=send, args=(question,)) for question in (CARTS, "Is Product A too dear?")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([answers[question].status for question in answers], [200, 200])
        talk = self.get(f"/sessions/{SESSION}").json
        self.assertEqual([m["role"] for m in talk["messages"]], ["user", "assistant"] * 2)
        self.stop(server)


if __name__ == "__main__":
    unittest.main()
