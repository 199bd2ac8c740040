#!/usr/bin/env python3
"""The scenarios and hard cases of questions to data domains on the real program, by the command line and over HTTP, with kills."""
import json
import re
import signal
import sys
import threading
import time
import unittest

from doors import Doors, later
from home import CADRE, ROOT, wait_until

SESSION = "550e8400-e29b-41d4-a716-446655440000"
QUESTION = "How are we doing?"


def decides(*domains, confidence=0.9, **more):
    return {"when": {"agent": "router"}, "json": {"identified_domains": list(domains), "reasoning": "So.", "confidence": confidence, **more},
            "times": "any"}


def answers(text="All is well.", suggestions=(), **more):
    return {"when": {"agent": "analyst"}, "json": {"answer": text, "suggestions": [{"domain": d, "text": t} for d, t in suggestions]},
            "times": "any", **more}


# An MCP server with one tool, which has a lot to say.
BIG = """import json, sys
for line in sys.stdin:
    request = json.loads(line)
    results = {"initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "big", "version": "1"}},
               "tools/list": {"tools": [{"name": "query_stock", "description": "Rows.", "annotations": {"readOnlyHint": True},
                                         "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}}]},
               "tools/call": {"content": [{"type": "text", "text": json.dumps([{"row": 123456789}] * 280000)}]}}
    if "id" in request:
        said = {"result": results[request["method"]]} if request["method"] in results else {"error": {"code": -32601, "message": "no"}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **said}), flush=True)
"""


class AskCases(Doors):
    EXAMPLE = "shop"
    SCRIPT = "scripts/shop.yaml"

    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        (self.folder / "bin/cadre").symlink_to(CADRE)
        self.env["PATH"] = f"{self.folder}/bin:{self.env['PATH']}"

    def shop(self, domains, *, related=None, **options):
        """Domains with a tool each, which answers as it says there: fields of an answer of mock-mcp, or a list of them."""
        self.write("config/domains.yaml", {"ask": {"total_ms": 60000, "tool_ms": 10000, **options}, "domains": [
            {"name": name, "display_name": name.title(), "description": f"About {name}.", "capabilities": [f"{name} analysis"],
             "mcp_tools": [f"genie.query_{name}", *([f"genie.poll_{name}"] if isinstance(answer, list) else [])],
             "enabled": name != "closed", "related_domains": [one for one in domains if one != name] if related is None else related}
            for name, answer in domains.items()]})
        tools = []
        for name, answer in domains.items():
            kinds = [("query", answer)] if not isinstance(answer, list) else [("query", answer[0]), ("poll", answer[1])]
            for kind, said in kinds:
                properties = {"query": {"type": "string"}, "conversation_id": {"type": "string"}} if kind == "query" else {"message_id": {"type": "string"}}
                tools.append({"name": f"{kind}_{name}", "description": f"Answers about {name}.",
                              "input_schema": {"type": "object", "properties": properties}, "annotations": {"readOnlyHint": True},
                              "answers": [{"times": "any", **said}]})
        self.write("tools/genie.yaml", {"builtin": False, "tools": tools})

    def by_command(self, question=QUESTION, session=None):
        done = self.cadre("ask", "--json", *(["--session", session] if session else []), question)
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout)

    def over_http(self, question=QUESTION, session=SESSION):
        return self.post(f"/sessions/{session}/ask", {"question": question}).json

    def statuses(self, answer):
        return {call["domain"]: call["status"] for call in answer["tool_calls_made"]}

    # DOM-29 E
    def test_domain_2_two_domains_are_asked_at_once_unless_one_at_a_time_is_wanted(self):
        self.says(decides("stock", "prices"), answers())
        slow = {"json": {"answer": "fine"}, "delay_ms": 1500}
        self.shop({"stock": slow, "prices": slow})

        def check(through):
            answer = through()
            self.assertEqual(answer["sources"], ["stock.genie", "prices.genie"])
            times = [call["execution_time_ms"] for call in answer["tool_calls_made"]]
            self.assertGreaterEqual(min(times), 1500)
            self.assertLess(answer["total_execution_time_ms"], sum(times))
        self.at_both(check)
        self.shop({"stock": slow, "prices": slow}, max_parallel=1)
        self.assertGreaterEqual(self.by_command()["total_execution_time_ms"], 3000)

    def test_domain_3_a_question_that_is_not_clear_is_asked_back_and_goes_on_in_its_session(self):
        self.shop({"stock": {"json": {"answer": "12 kettles"}}, "prices": {"json": {"answer": "30 euros"}}})
        self.says({**decides("stock", "prices", confidence=0.4, clarification_needed=True, ambiguity_detected=True), "when": {"agent": "router", "contains": "Show me"}},
                  {**decides("prices"), "when": {"agent": "router", "contains": "of our kettles"}}, answers("A kettle is 30 euros."))

        def check(through):
            session = SESSION if through == self.by_command else SESSION[:-1] + "7"
            unclear = through("Show me performance", session)
            self.assertEqual(unclear["tool_calls_made"], [])
            self.assertRegex(unclear["answer"], r"Is it about Stock, or about Prices\?")
            clear = through("of our kettles", session)
            self.assertEqual((clear["answer"], clear["sources"]), ("A kettle is 30 euros.", ["prices.genie"]))
        self.at_both(check)
        talks = [json.loads(line) for line in [self.succeeds("sessions", "--json")]][0]["sessions"]
        self.assertEqual([talk["turns"] for talk in talks], [2, 2])

    # DOM-25 E, DOM-31 E, TOOL-48 E
    def test_domain_4_tools_that_hang_do_not_keep_the_answer(self):
        self.says(decides("stock", "prices"), answers())
        hangs = {"json": {"answer": "too late"}, "delay_ms": 600_000}
        self.shop({"stock": hangs, "prices": hangs}, tool_ms=500, total_ms=600)

        def check(through):
            begun = time.monotonic()
            answer = through()
            self.assertLess(time.monotonic() - begun, 30)
            self.assertEqual(self.statuses(answer), {"stock": "timeout", "prices": "timeout"})
            self.assertLessEqual(answer["total_execution_time_ms"], 650)
            self.assertEqual((answer["confidence"], answer["suggestions"], answer["partial_results"]), ("low", [], True))
        self.at_both(check)
        self.shop({"stock": {"json": {"answer": "12 kettles"}}, "prices": hangs}, tool_ms=500, total_ms=3000)

        def half(through):
            answer = through()
            self.assertEqual(self.statuses(answer), {"stock": "completed", "prices": "timeout"})
            self.assertIn("Missing from this answer: Prices (no answer within", answer["answer"])
            self.assertLessEqual(answer["total_execution_time_ms"], 3050)
        self.at_both(half)

    # DOM-30 E, DOM-04 E, DOM-28 E
    def test_domain_5_and_case_9_suggestions_are_about_domains_that_can_be_asked(self):
        fine = {"json": {"answer": "fine"}}
        self.shop({name: fine for name in ("stock", "prices", "customers", "closed", "returns")})
        self.says({**decides("stock"), "when": {"agent": "router", "contains": "customers analysis"}}, answers(suggestions=[
            ("closed", "What about the closed one?"), ("prices", QUESTION), ("prices", "What of prices?"), ("customers", "And customers?"),
            ("returns", "Are there returns?"), ("weather", "And the weather?")]))

        def check(through):
            self.assertEqual(through()["suggestions"], ["What of prices?", "And customers?", "Are there returns?"])
            kinds = [(event["type"], event.get("agent_name")) for event in self.events(self.tasks()[0]["id"])]
            self.assertEqual([kind for kind in kinds if "tool_call" in kind[0] or "start" in kind[0] or "task" in kind[0]],
                             [("event_task_start", None), ("event_agent_start", "router"), ("event_tool_call", "domains"),
                              ("event_agent_start", "analyst"), ("event_task_complete", None)])
        self.at_both(check)

    def test_case_1_eight_domains_two_at_a_time_four_answer_and_four_are_too_late(self):
        names = list("abcdefgh")
        self.shop({name: {"json": {"answer": "fine"}, "delay_ms": 1200} for name in names}, max_parallel=2, total_ms=4000)
        self.says(decides(*names), answers())

        def check(through):
            answer = through()
            found = [call["status"] for call in answer["tool_calls_made"]]
            self.assertEqual(found, sorted(found))  # those that answered first, then those that were too late
            self.assertEqual(set(found), {"completed", "timeout"})
            self.assertEqual(len(found), 8)
            self.assertIn("Missing from this answer: ", answer["answer"])
            self.assertLessEqual(answer["total_execution_time_ms"], 4050)
        self.at_both(check)

    def test_case_2_a_model_that_stalls_leaves_what_was_found_and_no_half_sentence(self):
        self.shop({"stock": {"json": {"answer": "12 kettles"}}, "prices": {"json": {"answer": "30 euros"}}}, total_ms=2500, tool_ms=1000)
        self.says(decides("stock"), {"when": {"agent": "analyst"}, "text": "There are many kett", "chunks": 4,
                                     "broken": {"how": "stall", "after": 3, "ms": 600_000}, "times": "any"})

        def check(through):
            answer = through()
            self.assertEqual(answer["answer"], "Stock: 12 kettles")
            self.assertEqual(answer["suggestions"], ["Would you like to know about prices analysis?"])
            self.assertLessEqual(answer["total_execution_time_ms"], 2550)
        self.at_both(check)

    def test_case_3_killed_and_back_past_its_time_it_answers_at_once_with_what_it_has(self):
        self.shop({"stock": {"json": {"answer": "12 kettles"}}, "prices": {"json": {"answer": "late"}, "delay_ms": 600_000}}, tool_ms=50_000)
        self.says(decides("stock", "prices"), answers("This would be too late."))
        process = self.start("ask", QUESTION)
        for line in process.stderr:
            if "Stock answered" in line:
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
        begun = time.monotonic()
        done = self.cadre("resume", self.open_task(), env=later("70s"))
        self.assertLess(time.monotonic() - begun, 20)
        self.assertIn("Stock: 12 kettles", done.stdout)
        self.assertIn("Missing from this answer: Prices", done.stdout)
        reply = self.show(self.tasks()[0]["id"])["task"]["reply"]
        self.assertGreaterEqual(reply["elapsed_ms"], 70_000)

    def test_domain_7_and_case_4_a_domain_that_is_disabled_meanwhile_ends_what_it_has_begun(self):
        self.shop({"stock": {"json": {"answer": "12 kettles"}, "delay_ms": 1000}, "prices": {"json": {"answer": "30 euros"}}})
        self.says(decides("stock"), answers("Twelve."))
        process = self.start("ask", "--json", QUESTION)
        wait_until(lambda: self.tasks() and any(event["type"] == "event_tool_call" for event in self.events(self.tasks()[0]["id"])), "the call")
        file = self.folder / "config/domains.yaml"
        domains = json.loads(file.read_text())
        domains["domains"][0]["enabled"] = False
        file.write_text(json.dumps(domains))
        out, err, code = self.end(process)
        self.assertEqual((code, json.loads(out)["sources"]), (0, ["stock.genie"]), err)
        self.assertEqual(self.by_command()["tool_calls_made"], [])

    def test_case_5_5_mb_of_rows_cost_the_model_little(self):
        self.shop({"stock": {}})
        self.write("tools/big.py", BIG)
        servers = self.folder / "config/mcp_servers.yaml"
        servers.write_text(servers.read_text().replace("{command: cadre, args: [mock-mcp, --script, tools/genie.yaml]}",
                                                       f"{{command: {sys.executable}, args: [tools/big.py]}}"))
        self.says(decides("stock"), answers())

        def check(through):
            answer = through()
            self.assertEqual(self.statuses(answer), {"stock": "completed"})
            usage = self.show(self.tasks()[0]["id"])["usage"]
            self.assertLess(usage["input_tokens"], 50_000)
        self.at_both(check)

    def test_case_6_a_status_word_that_is_unknown_is_a_failure_with_that_word(self):
        self.shop({"stock": [{"json": {"status": "EXECUTING", "message_id": "m_1"}}, {"json": {"status": "ON_HOLIDAY"}}],
                   "prices": {"json": {"answer": "30 euros"}}})
        self.says(decides("stock", "prices"), answers())

        def check(through):
            stock, prices = through()["tool_calls_made"]
            self.assertEqual((stock["status"], prices["status"]), ("failed", "completed"))
            self.assertIn("ON_HOLIDAY", stock["error"])
        self.at_both(check)

    def test_case_7_two_turns_at_once_are_answered_one_after_the_other(self):
        self.shop({"stock": {"json": {"answer": "fine"}, "delay_ms": 300}})
        self.says(decides("stock"), answers())
        self.serve()
        threads = [threading.Thread(target=self.over_http, args=(f"Question {number}?",)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        talk = self.get(f"/sessions/{SESSION}").json["messages"]
        self.assertEqual([message["role"] for message in talk], ["user", "assistant"] * 3)
        times = [message["timestamp"] for message in talk]
        self.assertEqual(times[1::2], sorted(times[1::2]))

    def test_case_8_an_idle_session_goes_on_after_a_restart_with_the_ids_of_two_domains(self):
        self.shop({name: {"json": {"answer": "fine", "conversation_id": f"c_{name}"}} for name in ("stock", "prices")})
        self.says(decides("stock", "prices"), answers())
        self.by_command(session=SESSION)
        done = self.cadre("ask", "--json", "--session", SESSION, "and before?", env=later("2h"))
        self.assertEqual([call["input_params"]["conversation_id"] for call in json.loads(done.stdout)["tool_calls_made"]],
                         ["c_stock", "c_prices"], done.stderr)

    def test_case_10_and_broken_decisions_go_back_with_what_is_wrong(self):
        self.shop({"stock": {"json": {"answer": "fine"}}})
        said = ('{"identified_domains": ["stock", "stock"], "reasoning": "", "confidence": 0.9}', "I think: stock",
                '{"identified_domains": ["weather"], "reasoning": "", "confidence": 0.9}',
                *[f'{{"identified_domains": ["stock"], "reasoning": "", "confidence": {confidence}}}' for confidence in ('"high"', "-0.1", "1.2", "NaN")])
        for first in said:
            with self.subTest(first):
                self.says({"when": {"agent": "router"}, "text": first}, decides("stock"), answers())
                answer = self.by_command()
                self.assertEqual(self.statuses(answer), {"stock": "completed"})
                self.assertEqual(self.show(self.tasks()[0]["id"])["usage"]["model_calls"], 3)

    def test_the_four_domains_of_the_example_need_neither_key_nor_script(self):
        self.write("cadre.yaml", "version: 1.0.0\nname: shop\nmodel: local\n")
        file = self.folder / "config/domains.yaml"
        file.write_text(file.read_text().replace("  max_parallel: 8\n", "  max_parallel: 8\n  router: local\n"))
        for question, sources in (("Cart abandonment analysis", ["customer_behavior.genie"]), ("Campaign performance", ["marketing.genie"]),
                                  ("What are our stock levels?", ["inventory.genie"])):
            with self.subTest(question):
                self.assertEqual(self.by_command(question)["sources"], sources)
        page = (ROOT / "examples/shop/README.md").read_text()
        typed, = re.findall(r'^cadre ask --model local "(.*)"$', page, re.M)
        file.write_text(file.read_text().replace("  router: local\n", ""))
        self.assertEqual(json.loads(self.succeeds("ask", "--json", "--model", "local", typed))["sources"], ["inventory.genie"])

    def test_killed_wherever_it_is_a_question_comes_to_its_answer(self):
        self.shop({"stock": {"json": {"answer": "12 kettles"}}, "prices": {"json": {"answer": "30 euros"}}})
        self.says(decides("stock", "prices"), answers())
        count = 0
        for task in self.died_everywhere("ask", "--quiet", QUESTION, step=2):
            self.assertIn("All is well.", self.succeeds("resume", "--quiet", task))
            self.succeeds("replay", task)
            count += 1
        self.assertGreater(count, 5)


if __name__ == "__main__":
    unittest.main()
