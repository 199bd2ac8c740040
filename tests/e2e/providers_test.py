#!/usr/bin/env python3
"""Tasks with models of vendors, whom mock-llm plays: answers, money, faults, waiting, budgets, keys and crashes."""
import http.server
import json
import os
import signal
import threading
import time
import unittest

from home import AGENT, CONFLICT, INVALID, LIMIT, PAUSED, UPSTREAM
from mock_server import Mock
from terminal import TerminalHome

TIMEOUT, UNAUTHORIZED = 7, 3
KEY = "sk-proj-abcdefghijklmnopqrstuvwx1234"
OPENAI, ANTHROPIC = "openai/gpt-5-mini", "anthropic/claude-haiku-4-5"
BOTH = (OPENAI, ANTHROPIC)
HELLO = {"text": "Hello.", "chunks": 3, "times": "any", "usage": {"input": 100, "output": 10}}
# dollars for a million tokens, as providers.json has them
PRICES = {OPENAI: (0.25, 2.0), ANTHROPIC: (1.0, 5.0)}


def cost(model, tokens_in, tokens_out):
    return (tokens_in * PRICES[model][0] + tokens_out * PRICES[model][1]) / 1e6


class Vendors(Mock):
    def vendor(self, entries, name="script.json"):
        """A server, and the variables that lead to it; what it was asked is in self.asked()."""
        self.requests = self.folder / (name + ".asked")
        self.requests.touch()
        process = self.serve(entries, "--requests", self.requests, name=name)
        self.env |= {"OPENAI_BASE_URL": self.url + "/v1", "ANTHROPIC_BASE_URL": self.url, "OPENAI_API_KEY": KEY,
                     "ANTHROPIC_API_KEY": KEY}
        return process

    def listen(self, handler):
        """A vendor of our own making."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.headers = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.env |= {"OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1", "OPENAI_API_KEY": KEY}
        return server

    def asked(self, file=None):
        return [json.loads(line) for line in (file or self.requests).read_text().splitlines()]

    def agent(self, name="researcher", **llm):
        """An agent whose model is configured in its file."""
        config = {"provider": "openai", "model": "gpt-5-mini", **llm}
        self.write(f"agents/{name}.json", {**AGENT, "name": name, "llm_config": config})

    def go(self, *words, model=None, agent="researcher", env=None):
        choice = ["--model", model] if model else []
        return self.cadre("run", "--agent", agent, *choice, *words, "Go.", env=env)

    def newest(self):
        return json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"][0]["id"]


class Answers(Vendors):

    def test_text_usage_and_money(self):
        self.vendor([HELLO])
        for model in BOTH:
            with self.subTest(model):
                done = self.go(model=model)
                self.assertEqual((done.returncode, done.stdout), (0, "Hello.\n"), done.stderr)
                task = self.newest()
                usage = self.show(task)["usage"]
                self.assertEqual((usage["model_calls"], usage["input_tokens"], usage["output_tokens"]), (1, 100, 10))
                self.assertAlmostEqual(usage["cost_usd"], cost(model, 100, 10))
                steps = [span for span in json.loads(self.succeeds("trace", task, "--json"))["spans"] if span["kind"] == "step"]
                self.assertAlmostEqual(steps[0]["cost_usd"], cost(model, 100, 10))
                self.assertEqual((steps[0]["input_tokens"], steps[0]["output_tokens"]), (100, 10))

    def test_tools_in_parallel(self):
        calls = [{"name": "calculator", "arguments": {"expression": "2+3"}},
                 {"name": "calculator", "arguments": {"expression": "6*7"}}]
        self.vendor([{"when": {"after_tool": False}, "text": "Two sums.", "tool_calls": calls, "times": "any"},
                     {"when": {"after_tool": True}, "text": "5 and 42.", "times": "any"}])
        for model in BOTH:
            with self.subTest(model):
                done = self.go(model=model)
                self.assertEqual((done.returncode, done.stdout), (0, "5 and 42.\n"), done.stderr)
                kinds = [kind for kind in self.kinds(self.newest()) if kind.startswith("tool")]
                self.assertEqual(sorted(kinds), ["tool_call"] * 2 + ["tool_result"] * 2)
        openai, anthropic = self.asked()[1]["messages"], self.asked()[3]["messages"]
        self.assertEqual([message["content"] for message in openai if message["role"] == "tool"], ["5", "42"])
        ids = [call["id"] for call in openai[-3]["tool_calls"]]
        self.assertEqual([message["tool_call_id"] for message in openai[-2:]], ids)
        self.assertEqual(len(set(ids)), 2)
        results = [block for block in anthropic[-1]["content"] if block["type"] == "tool_result"]
        self.assertEqual([block["tool_use_id"] for block in results],
                         [block["id"] for block in anthropic[-2]["content"] if block["type"] == "tool_use"])

    # AGENT-04 E
    def test_the_prompt_of_the_agent_comes_first(self):
        self.vendor([HELLO])
        for model in BOTH:
            self.go(model=model)
        openai, anthropic = self.asked()
        first = openai["messages"][0]
        self.assertEqual((first["role"], first["content"]), ("developer", AGENT["prompt"]))
        self.assertEqual(anthropic["system"][0]["text"], AGENT["prompt"])
        for request in (openai, anthropic):
            self.assertEqual(request["messages"][-1]["role"], "user")
            self.assertTrue(request["stream"])

    # AGENT-26 E
    def test_max_tokens_is_sent_when_it_is_set(self):
        self.vendor([HELLO])
        self.agent()
        self.go()
        self.agent(max_tokens=321)
        self.go()
        plain, limited = self.asked()
        self.assertNotIn("max_tokens", plain)
        self.assertNotIn("max_completion_tokens", plain)
        self.assertEqual(limited["max_completion_tokens"], 321)

    # AGENT-09 E, AGENT-27 E
    def test_requests_go_to_the_address_that_is_configured(self):
        self.vendor([HELLO])
        for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
            del self.env[variable]
        self.agent(base_url=self.url + "/v1", model="my-model")
        self.assertEqual(self.go().stdout, "Hello.\n")
        self.assertEqual(self.asked()[0]["model"], "my-model")

    # AGENT-30 E
    def test_two_clients_and_each_request_reaches_its_own_server(self):
        self.vendor([{**HELLO, "text": "Left."}], "left.json")
        left, left_asked = self.url, self.requests
        self.vendor([{**HELLO, "text": "Right."}], "right.json")
        right, right_asked = self.url, self.requests
        self.agent("lefty", key="left", base_url=left + "/v1")
        self.agent("righty", key="right", base_url=right + "/v1")
        self.assertEqual((self.go(agent="righty").stdout, self.go(agent="lefty").stdout), ("Right.\n", "Left.\n"))
        self.write("home/config/providers.yaml", json.dumps({"providers": {
            "port": {"base_url": left + "/v1", "needs_key": False}, "starboard": {"base_url": right + "/v1", "needs_key": False}}}))
        self.assertEqual((self.go(model="port/m").stdout, self.go(model="starboard/m").stdout), ("Left.\n", "Right.\n"))
        self.assertEqual((len(self.asked(left_asked)), len(self.asked(right_asked))), (2, 2))


class Faults(Vendors, TerminalHome):
    def test_a_vendor_that_wants_us_to_wait_is_waited_for_and_that_is_seen(self):
        for model in BOTH:
            self.vendor([{"fail": {"status": 429, "retry_after": 1}}, {"text": "Hello."}], model.split("/")[0] + ".json")
            started = time.monotonic()
            done = self.go(model=model)
            self.assertEqual((done.returncode, done.stdout), (0, "Hello.\n"), done.stderr)
            self.assertGreaterEqual(time.monotonic() - started, 1)
            self.assertRegex(done.stderr, r"(?m)^researcher is throttled until \d\d:\d\d:\d\d$")
            self.assertEqual(len(self.asked()), 2)
            usage = self.show(self.newest())["usage"]
            self.assertEqual(usage["model_calls"], 1)  # to wait is not to try again

    def test_waiting_is_seen_on_a_terminal(self):
        self.vendor([{"fail": {"status": 429, "retry_after": 1}}, {"text": "Hello."}])
        seen, code = self.talk("run", "--agent", "researcher", "--model", OPENAI, "Go.")
        self.assertEqual(code, 0, seen)
        self.assertIn("researcher is throttled until ", seen)

    # AGENT-29 E
    def test_a_policy_of_two_retries_makes_three_requests(self):
        self.vendor([{"fail": {"status": 503}, "times": "any"}])
        for policy, requests in (({"max_retries": 2, "delay": 0.05}, 3), ({"max_retries": 0}, 1), ({"delay": 0.01}, 3)):
            with self.subTest(policy):
                before = len(self.asked())
                self.agent(retry_policy=policy)
                done = self.go()
                self.assertEqual((done.returncode, done.stdout), (UPSTREAM, ""))
                self.assertIn("openai is overloaded (status 503)", done.stderr)
                self.assertEqual(len(self.asked()) - before, requests)

    def test_what_will_not_get_better_is_not_tried_again(self):
        self.vendor([{"fail": {"status": 401, "message": f"Incorrect API key provided: {KEY}"}, "times": "any"}])
        done = self.go(model=OPENAI)
        self.assertEqual(done.returncode, UNAUTHORIZED)
        self.assertIn("openai does not accept the key; set OPENAI_API_KEY to a key of openai", done.stderr)
        self.assertNotIn(KEY, done.stderr)
        self.assertEqual(len(self.asked()), 1)

    # AGENT-28 E
    def test_a_silent_server_is_given_up(self):
        self.vendor([{"stall_ms": 60_000, "times": "any"}])
        self.agent(timeout=1, retry_policy={"max_retries": 0})
        started = time.monotonic()
        done = self.go()
        self.assertEqual(done.returncode, TIMEOUT, done.stderr)
        self.assertIn("timed out", done.stderr)
        self.assertTrue(1 <= time.monotonic() - started < 20)

    def test_a_stream_that_is_cut_before_or_after_its_first_text(self):
        for after in (0, 2):
            for model in BOTH:
                with self.subTest(after=after, model=model):
                    self.vendor([{"text": "abcdef", "chunks": 3, "broken": {"how": "cut", "after": after}}, {"text": "Hello."}],
                                f"{after}-{model.split('/')[0]}.json")
                    done = self.go(model=model)
                    self.assertEqual((done.returncode, done.stdout), (0, "Hello.\n"), done.stderr)
                    self.assertEqual(len(self.asked()), 2)
                    events = {event["type"]: event for event in self.events(self.newest())}
                    again = events["event_recovery"]["details"]  # the retry is another step
                    self.assertEqual(again["instead_of"], events["event_agent_start"]["step_id"])
                    self.assertEqual(again["step_id"], events["event_agent_complete"]["step_id"])
                    self.assertNotEqual(again["step_id"], again["instead_of"])

    def test_what_was_shown_of_an_answer_that_broke_off_is_told_from_the_answer(self):
        # slowly, because who watches a task comes a moment after it has begun
        self.vendor([{"text": "This is not it.", "chunks": 3, "pace_ms": 300, "broken": {"how": "cut", "after": 2}}, {"text": "This is it."}])
        self.agent(retry_policy={"delay": 0.5})  # so that a busy machine draws it before the next attempt takes its place
        seen, code = self.talk("run", "--agent", "researcher", "Go.")
        self.assertEqual(code, 0, seen)
        self.assertIn("retrying", seen)
        self.assertTrue(seen.index("This is no") < seen.index("retrying") < seen.index("This is it."))

    def test_nonsense_is_an_error_with_a_name(self):
        for how, says in (("malformed", "cannot be understood"), ("content_type", "answers with a web page")):
            for model in BOTH:
                with self.subTest(how=how, model=model):
                    self.vendor([{"text": "abcdef", "chunks": 3, "broken": {"how": how}, "times": "any"}],
                                f"{how}-{model.split('/')[0]}.json")
                    self.agent(provider=model.split("/")[0], model=model.split("/")[1], retry_policy={"delay": 0.01})
                    done = self.go()
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn(says, done.stderr)
                    self.assertEqual(self.status(self.newest()), "failed")

    def test_another_model_stands_in(self):
        self.vendor([{"fail": {"status": 500}, "times": "any"}], "broken.json")
        broken_asked, broken = self.requests, self.env["OPENAI_BASE_URL"]
        self.vendor([HELLO], "works.json")
        self.env["OPENAI_BASE_URL"] = broken
        self.agent(fallback=[ANTHROPIC], retry_policy={"max_retries": 1, "delay": 0.01})
        done = self.go()
        self.assertEqual((done.returncode, done.stdout), (0, "Hello.\n"), done.stderr)
        self.assertEqual((len(self.asked(broken_asked)), len(self.asked())), (2, 1))
        self.assertEqual(self.asked()[0]["model"], "claude-haiku-4-5")
        self.assertAlmostEqual(self.show(self.newest())["usage"]["cost_usd"], cost(ANTHROPIC, 100, 10))


class Seen(http.server.BaseHTTPRequestHandler):
    """Keeps the headers, and answers in one piece."""

    def do_POST(self):
        self.server.headers.append(dict(self.headers))
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": "Whole."}, "finish_reason": "stop"}],
                           "usage": {"prompt_tokens": 3, "completion_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Held(Seen):
    """Answers when the test lets it."""

    def do_POST(self):
        self.server.has_come.set()
        self.server.may_answer.wait(LIMIT)
        super().do_POST()


class Results(Vendors):
    # TASK-06 E
    def test_a_task_has_a_result_when_it_is_completed_and_none_while_it_runs(self):
        server = self.listen(Held)
        server.has_come, server.may_answer = threading.Event(), threading.Event()
        process = self.start("run", "--agent", "researcher", "--model", OPENAI, "Go.")
        self.assertTrue(server.has_come.wait(LIMIT))
        task = self.only_task()
        file = self.home / "tasks" / task / "task.json"
        self.until(file.exists, "the file, which is written once a second")
        told = self.show(task)["task"]
        self.assertEqual((told["status"], told["reply"]), ("running", None))
        told = json.loads(file.read_text())
        self.assertEqual((told["status"], told["result"]), ("running", None))
        server.may_answer.set()
        self.assertEqual(self.end(process)[2], 0)
        self.assertEqual(self.show(task)["task"]["reply"]["text"], "Whole.")
        told = json.loads(file.read_text())
        self.assertEqual((told["status"], told["result"]), ("completed", "Whole."))


class Keys(Vendors):
    def expect_no_key_at_home(self, *texts):
        for file in self.home.rglob("*"):
            if file.is_file():
                self.assertNotIn(KEY.encode(), file.read_bytes(), file)
        for text in texts:
            self.assertNotIn(KEY, text)

    # AGENT-10 F
    def test_a_key_reaches_the_vendor_and_nothing_else(self):
        server = self.listen(Seen)
        done = self.go("--json", model=OPENAI)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(server.headers[0]["Authorization"], f"Bearer {KEY}")
        task = self.newest()
        self.expect_no_key_at_home(done.stdout, done.stderr, self.succeeds("show", task, "--json"),
                                   self.succeeds("trace", task, "--json"), self.succeeds("tail", task, "--json"))

    # AGENT-10 F
    def test_a_key_that_the_vendor_repeats_is_hidden(self):
        self.vendor([{"fail": {"status": 400, "message": f"what is {KEY}?"}, "times": "any"}])
        done = self.go(model=OPENAI)
        self.assertNotEqual(done.returncode, 0)
        self.expect_no_key_at_home(done.stdout, done.stderr, self.succeeds("show", self.newest()))

    def test_a_secret_in_a_header_that_the_vendor_repeats_is_hidden(self):
        self.env |= {"GATEWAY_TOKEN": "zebra-lamp-canary"}
        self.vendor([{"fail": {"status": 400, "message": "what is zebra-lamp-canary?"}, "times": "any"}])
        self.write("config/providers.yaml", {"providers": {"acme": {
            "base_url": self.url + "/v1", "needs_key": False, "headers": {"X-Gateway-Token": "Token ${GATEWAY_TOKEN}"}}}})
        done = self.go("--budget", "100000tokens", model="acme/large")
        self.assertIn("what is", done.stderr)
        self.assertNotIn("zebra-lamp", done.stderr + self.succeeds("show", self.newest()))

    def test_an_address_with_a_password_is_refused_and_not_shown(self):
        self.env |= {"OPENAI_BASE_URL": "http://bob:hunter2canary@127.0.0.1:9/v1", "OPENAI_API_KEY": KEY}
        done = self.go(model=OPENAI)
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("OPENAI_BASE_URL has more than an address", done.stderr)
        self.assertNotIn("hunter2", done.stderr + self.succeeds("models", "openai") + self.succeeds("models", "openai", "--json"))

    def test_nobody_pays_with_the_key_of_another_project(self):
        self.vendor([{"text": "Slow.", "chunks": 5, "pace_ms": 600, "times": "any"}])
        first = self.start("run", "--json", "--agent", "researcher", "--model", OPENAI, "Go.")
        self.until(lambda: len(self.asked()) == 1, "the first request")
        done = self.go(model=OPENAI, env={"OPENAI_API_KEY": "sk-another-key-0123456789abcdef"})
        self.assertEqual(done.returncode, CONFLICT, done.stderr)
        self.assertIn("with another key or address than you do here", done.stderr)
        self.assertEqual(self.end(first)[2], 0)
        self.assertEqual(len(self.asked()), 1)

    def test_a_key_that_is_missing_is_named(self):
        done = self.go(model=OPENAI)
        self.assertEqual(done.returncode, UNAUTHORIZED)
        self.assertIn("OPENAI_API_KEY is not set", done.stderr)


class Money(Vendors):
    def test_a_budget_stops_before_the_call_that_would_exceed_it(self):
        self.vendor([{"when": {"after_tool": False}, "tool_calls": [{"name": "calculator", "arguments": {"expression": "2+3"}}],
                      "usage": {"input": 1200, "output": 400}}, {"when": {"after_tool": True}, "text": "5."}])
        done = self.go("--budget", "$0.0015", model=OPENAI)
        self.assertEqual((done.returncode, done.stdout), (PAUSED, ""), done.stderr)
        self.assertEqual(len(self.asked()), 1)
        # the answer may be as long as the money lasts, and no longer
        most = self.asked()[0]["max_completion_tokens"]
        self.assertTrue(256 <= most <= 0.0015 / 2e-6, most)
        task = self.newest()
        self.assertAlmostEqual(self.show(task)["usage"]["cost_usd"], cost(OPENAI, 1200, 400))
        self.assertIn("the budget of $0.0015 is used up", done.stderr)
        self.assertRegex(done.stderr, r"cadre resume \w{8} --budget '\$0\.01'")
        self.assertEqual(self.succeeds("resume", task, "--budget", "$0.01"), "5.\n")

    def test_a_budget_that_is_too_small_for_one_call_sends_nothing(self):
        self.vendor([HELLO])
        done = self.go("--budget", "$0.0001", model=OPENAI)
        self.assertEqual(done.returncode, PAUSED, done.stderr)
        self.assertEqual(self.asked(), [])

    def test_a_failure_costs_no_money(self):
        self.vendor([{"fail": {"status": 503}}, HELLO])
        self.agent(retry_policy={"delay": 0.01})
        done = self.go("--budget", "$0.002")
        self.assertEqual((done.returncode, done.stdout), (0, "Hello.\n"), done.stderr)

    def test_dollars_for_a_model_without_a_price_are_refused(self):
        self.vendor([HELLO])
        done = self.go("--budget", "$1", model="openai/gpt-of-tomorrow")
        self.assertEqual(done.returncode, INVALID, done.stderr)
        self.assertIn("no price is known for openai/gpt-of-tomorrow", done.stderr)
        self.assertIn("config/providers.yaml", done.stderr)
        self.assertEqual(self.asked(), [])
        self.assertEqual(self.go(model="openai/gpt-of-tomorrow").stdout, "Hello.\n")
        self.write("home/config/providers.yaml", "providers:\n  openai:\n    models:\n"
                   "      gpt-of-tomorrow: {input_price: 1, output_price: 2}\n")
        self.assertEqual(self.go("--budget", "$1", model="openai/gpt-of-tomorrow").stdout, "Hello.\n")


class Crashes(Vendors, TerminalHome):
    def test_a_call_whose_end_is_not_known_counts_as_spent(self):
        self.vendor([{"text": "Slow and long.", "chunks": 12, "pace_ms": 500, "times": "any"}])
        process = self.start("run", "--json", "--agent", "researcher", "--model", OPENAI, "--budget", "$0.01", "Go.")
        self.until(lambda: len(self.asked()) == 1, "the call")
        process.send_signal(signal.SIGKILL)
        self.end(process)
        task = self.only_task()
        self.assertEqual(self.cadre("resume", task).returncode, PAUSED)
        self.assertEqual(len(self.asked()), 1)
        self.assertIn("In doubt  $0.0100", self.succeeds("show", task))
        self.assertAlmostEqual(self.show(task)["usage"]["in_doubt_cost_usd"], 0.01, places=4)

    def test_a_call_that_is_on_record_is_not_billed_again(self):
        self.vendor([{"when": {"after_tool": False}, "tool_calls": [{"name": "calculator", "arguments": {"expression": "2+3"}}],
                      "usage": {"input": 100, "output": 10}},
                     {"when": {"after_tool": True}, "text": "The sum is 5.", "chunks": 12, "pace_ms": 500,
                      "usage": {"input": 200, "output": 20}},
                     {"when": {"after_tool": True}, "text": "The sum is 5.", "usage": {"input": 200, "output": 20}}])
        kill = lambda terminal: os.kill(os.tcgetpgrp(terminal), signal.SIGKILL)
        seen, code = self.talk("run", "--agent", "researcher", "--model", OPENAI, "What is 2+3?", says=[("The", kill)])
        self.assertEqual((code, len(self.asked())), (-signal.SIGKILL, 2), seen)  # in the middle of its stream
        task = self.only_task()
        self.assertAlmostEqual(self.show(task)["usage"]["cost_usd"], cost(OPENAI, 100, 10))
        self.assertEqual(self.succeeds("resume", task), "The sum is 5.\n")
        first = [request for request in self.asked() if not any(m["role"] == "tool" for m in request["messages"])]
        self.assertEqual((len(first), len(self.asked())), (1, 3))
        usage = self.show(task)["usage"]
        self.assertAlmostEqual(usage["cost_usd"], cost(OPENAI, 300, 30))
        self.assertEqual((usage["input_tokens"], usage["output_tokens"]), (300, 30))
        self.assertIn(f"${cost(OPENAI, 300, 30):.4f}", self.succeeds("show", task))
        self.succeeds("replay", task)
        self.assertEqual(len(self.asked()), 3)


if __name__ == "__main__":
    unittest.main()
