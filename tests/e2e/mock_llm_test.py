#!/usr/bin/env python3
"""mock-llm: the vendors' own clients judge whether it is true, then its faults and its manners."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

from home import INVALID, NOT_FOUND, ROOT, UNAVAILABLE, UPSTREAM
from mock_server import Mock

NODE = os.environ.get("CADRE_NODE", str(ROOT / "tests/node/node_modules/.bin/node"))
JUDGES = ROOT / "tests/node/mock_llm_judges.mjs"

CITIES = [{"name": "weather", "arguments": {"city": "Zürich"}}, {"name": "weather", "arguments": {"city": "東京"}}]


def says(words, **entry):
    return {"when": {"contains": words}, "times": "any", **entry}


SCRIPT = [
    says("say hello", text="Hello, wörld!", chunks=3, usage={"input": 12, "output": 5}),
    says("weather in two", text="Let me see.", tool_calls=CITIES),
    {"when": {"after_tool": True, "nth": 2}, "times": "any", "text": "Sun in both."},
    says("as JSON", json={"city": "Bern"}),
    says("think", reasoning="Let me think about it.", text="Thought.",
         usage={"input": 100, "output": 50, "cached": 80, "reasoning": 7}),
    {"when": {"contains": "and now", "nth": 2}, "times": "any", "text": "Your thought came back."},
    says("no key", fail={"status": 401, "message": "Incorrect API key provided."}),
    says("no model", fail={"status": 404}),
    {"when": {"contains": "too many"}, "fail": {"status": 429, "retry_after": 1}},
    {"when": {"contains": "too many"}, "text": "At last."},
    {"when": {"contains": "broken server"}, "fail": {"status": 500}},
    {"when": {"contains": "broken server"}, "text": "Repaired."},
    says("cut", text="abcdef", chunks=3, broken={"how": "cut", "after": 2}),
    says("error in stream", text="abcdef", chunks=3, broken={"how": "error", "after": 1}),
    says("malformed", text="abcdef", chunks=3, broken={"how": "malformed", "after": 1}),
    says("stall", stall_ms=5000),
    says("slow", text="abcdef", chunks=6, pace_ms=2000),
]


class Judges(Mock):
    maxDiff = None

    def judge(self, name, script=SCRIPT):
        process = self.serve(script)
        done = subprocess.run([NODE, str(JUDGES), name, self.url], capture_output=True, text=True, timeout=120,
                              env={"PATH": os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        self.assertNotIn("threw", seen, seen.get("threw"))
        return seen, self.stop(process)

    def test_openai(self):
        seen, log = self.judge("openai")
        usage = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17,
                 "prompt_tokens_details": {"cached_tokens": 0}, "completion_tokens_details": {"reasoning_tokens": 0}}
        self.assertEqual(seen["models"], ["script"])
        self.assertEqual(seen["text"], {"content": "Hello, wörld!", "finish": "stop", "usage": usage,
                                        "object": "chat.completion", "model": "gpt-mock"})
        self.assertEqual(seen["stream"], {"pieces": ["Hell", "o, w", "örld!"], "ids": 1, "roles": ["assistant"],
                                          "finish": [None, None, None, None, "stop"], "usage": usage,
                                          "objects": ["chat.completion.chunk"]})
        self.assertTrue(seen["streamWithoutUsage"])
        calls = [["weather", {"city": "Zürich"}], ["weather", {"city": "東京"}]]
        self.assertEqual((seen["calls"], seen["callsFinish"], seen["streamedCalls"]), (calls, "tool_calls", calls))
        self.assertEqual(seen["after"], "Sun in both.")
        self.assertEqual(seen["unanswered"]["status"], 400)
        self.assertIn("did not have response messages: call_", seen["unanswered"]["message"])
        self.assertEqual((seen["parsed"], seen["reasoning"]), ({"city": "Bern"}, "Let me think about it."))
        self.assertEqual((seen["cached"]["prompt_tokens_details"]["cached_tokens"],
                          seen["cached"]["completion_tokens_details"]["reasoning_tokens"]), (80, 7))
        self.assertEqual((seen["unmatched"]["name"], seen["unmatched"]["status"]), ("BadRequestError", 400))
        self.assertIn("nearest is ", seen["unmatched"]["message"])
        self.assertRegex(seen["unmatched"]["requestID"], r"^req_\d+$")
        self.assertEqual((seen["unauthorized"]["name"], seen["unauthorized"]["code"]),
                         ("AuthenticationError", "invalid_api_key"))
        self.assertIn("Incorrect API key", seen["unauthorized"]["message"])
        self.assertEqual((seen["notFound"]["name"], seen["notFound"]["code"]), ("NotFoundError", "model_not_found"))
        self.assertEqual((seen["retried"], seen["serverError"]), ("At last.", "Repaired."))
        self.assertGreaterEqual(seen["retriedAfter"], 1000)
        self.assertLess(seen["retriedAfter"], 10_000)
        self.assertEqual(seen["noMessages"]["status"], 400)
        self.assertEqual((seen["cut"]["got"], seen["errorInStream"]["got"], seen["malformed"]["got"]), ("abcd", "ab", "ab"))
        for fault in ("cut", "errorInStream", "malformed"):
            self.assertIsNotNone(seen[fault]["problem"], fault)
        self.assertIn("scripted error (", seen["errorInStream"]["problem"]["message"])
        self.assertEqual(seen["stalled"]["name"], "APIConnectionTimeoutError")
        # who went away is not waited for
        slow = [line["request"] for line in log if "request" in line and line["request"]["gone"]]
        self.assertGreaterEqual(len(slow), 1)
        self.assertLess(slow[-1]["took_ms"], 9000)
        self.assertNotIn("judge-key", json.dumps(log))

    def test_anthropic(self):
        seen, log = self.judge("anthropic")
        self.assertEqual(seen["models"], ["script"])
        usage = {"input_tokens": 12, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        text = [{"type": "text", "text": "Hello, wörld!"}]
        self.assertEqual(seen["text"], {"content": text, "stop": "end_turn", "usage": usage, "type": "message",
                                        "role": "assistant"})
        self.assertEqual(seen["tokens"], 2)
        self.assertEqual(seen["stream"]["pieces"], ["Hell", "o, w", "örld!"])
        events = [event for event in seen["stream"]["events"] if event != "ping"]  # the client may keep them to itself
        self.assertEqual(events, ["message_start", "content_block_start", *["content_block_delta"] * 3,
                                  "content_block_stop", "message_delta", "message_stop"])
        final = seen["stream"]["final"]
        self.assertEqual((final["content"], final["stop"], final["usage"]), (text, "end_turn", usage))
        calls = [["weather", {"city": "Zürich"}], ["weather", {"city": "東京"}]]
        self.assertEqual((seen["calls"], seen["callsStop"], seen["streamedCalls"]), (calls, "tool_use", calls))
        self.assertEqual(seen["after"], "Sun in both.")
        self.assertIn("`tool_use` ids were found without `tool_result`", seen["unanswered"]["message"])
        self.assertEqual((seen["thinking"], seen["thought"], seen["sameThought"]),
                         (["thinking", "text"], "Let me think about it.", True))
        self.assertEqual((seen["cached"]["input_tokens"], seen["cached"]["cache_read_input_tokens"],
                          seen["cached"]["output_tokens"]), (20, 80, 50))
        self.assertEqual(seen["thoughtBack"], "Your thought came back.")
        self.assertIn("Invalid `signature` in `thinking` block", seen["thoughtChanged"]["message"])
        self.assertEqual((seen["unmatched"]["name"], seen["unmatched"]["status"]), ("BadRequestError", 400))
        self.assertIn("nearest is ", seen["unmatched"]["message"])
        self.assertEqual(seen["unauthorized"]["name"], "AuthenticationError")
        self.assertEqual((seen["retried"], seen["serverError"]), ("At last.", "Repaired."))
        self.assertGreaterEqual(seen["retriedAfter"], 1000)
        self.assertIn("max_tokens", seen["noTokens"]["message"])
        self.assertEqual((seen["cut"]["got"], seen["errorInStream"]["got"], seen["malformed"]["got"]), ("abcd", "ab", "ab"))
        for fault in ("cut", "errorInStream", "malformed"):
            self.assertIsNotNone(seen[fault]["problem"], fault)
        self.assertIn("scripted error (", seen["errorInStream"]["problem"]["message"])
        self.assertNotIn("judge-key", json.dumps(log))

    def test_ai(self):
        again = [entry for entry in SCRIPT if entry["when"].get("contains") == "too many"]
        seen, _ = self.judge("ai", SCRIPT + again * 2)  # three models ask
        for name in ("openai", "compatible", "anthropic"):
            with self.subTest(name):
                saw = seen[name]
                self.assertEqual(saw["text"], ["Hello, wörld!", "stop", 12, 5])
                self.assertEqual(saw["stream"], [["Hell", "o, w", "örld!"], "stop", 5])
                self.assertEqual(saw["loop"], ["Sun in both.", 2, ["Zürich: sun", "東京: sun"]])
                self.assertEqual(saw["streamedLoop"], ["Sun in both.", 2])
                self.assertEqual(saw["object"], {"city": "Bern"})
                self.assertEqual(saw["retried"], "At last.")
                self.assertGreaterEqual(saw["retriedAfter"], 1000)
                self.assertEqual(saw["unmatched"][0], 400)
                self.assertIn("nearest is ", saw["unmatched"][1])
                self.assertEqual(saw["cut"], ["abcd", True])
                if name != "openai":
                    self.assertEqual(saw["reasoning"], ["Let me think about it.", "Thought."])


class Requests(Mock):
    def test_a_request_is_matched_by_what_its_messages_say(self):
        entries = [{"when": {"nth": 2}, "text": "second"}, {"when": {"agent": "writer"}, "text": "for the writer"},
                   {"when": {"agent": "ann"}, "text": "for ann"}, {"text": "first"}]
        process = self.serve(entries)
        ask = lambda messages, **more: self.post(
            "/v1/chat/completions", {"model": "m", "messages": messages, **more})[2]["choices"][0]["message"]["content"]
        user, assistant = {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}
        self.assertEqual(ask([user]), "first")
        self.assertEqual(ask([{"role": "system", "content": "x"}, user, assistant, user]), "second")
        self.assertEqual(ask([user], model="writer"), "for the writer")
        self.assertEqual(ask([{"role": "user", "content": [{"type": "text", "text": "a"}]}], user="ann"), "for ann")
        self.assertEqual(self.stop(process)[-1]["request"]["entry"].rsplit(":")[-1], "1")

    def test_what_nothing_answers_shows_the_nearest_entry_and_what_is_left_over_is_named(self):
        process = self.serve([{"when": {"contains": "2+3"}, "text": "5"}])
        status, _, body = self.chat("2 + 3")
        self.assertEqual((status, body["error"]["type"]), (400, "invalid_request_error"))
        self.assertRegex(body["error"]["message"], r'(?s)no entry of .*script\.json answers.*nearest is .*:1: it wants "2\+3"')
        log = self.stop(process)
        self.assertEqual(log[0]["request"]["status"], 400)
        self.assertIn("left over: ", json.dumps(log[1]))

    def test_usage_is_a_quarter_of_the_bytes_unless_the_entry_says_so(self):
        self.serve([{"text": "12345", "times": 2}])
        self.assertEqual(self.chat("12345678")[2]["usage"]["prompt_tokens"], 2)
        self.assertEqual(self.chat("12345678")[2]["usage"]["completion_tokens"], 2)

    def test_paths_and_methods(self):
        self.serve([{"text": "a", "times": "any"}])
        self.assertEqual(self.post("/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "x"}]})[0], 200)
        status, _, body = self.post("/v1/embeddings", {})
        self.assertEqual(status, 404)
        self.assertIn("/v1/chat/completions", body["error"]["message"])
        self.assertEqual(self.post("/v1/models", {})[0], 405)
        for body in ("{", "[]", "{}", '{"model":"m","messages":[{"role":"king","content":"x"}]}',
                     '{"model":"m","messages":[{"role":"tool","tool_call_id":"none","content":"x"}]}'):
            self.assertEqual(self.post("/v1/chat/completions", body)[0], 400, body)
        self.assertIn("anthropic-version", json.dumps(self.post("/v1/messages", {"model": "m", "messages": []})[2]))

    def test_bodies_are_kept_as_lines(self):
        asked = self.folder / "asked.jsonl"
        process = self.serve([{"text": "a", "times": "any"}], "--requests", asked)
        self.chat("first")
        self.chat("second", temperature=0.5)
        self.post("/v1/chat/completions", "no\nJSON")
        self.stop(process)
        lines = [json.loads(line) for line in asked.read_text().splitlines()]
        self.assertEqual([lines[0]["messages"][0]["content"], lines[1]["temperature"], lines[2]], ["first", 0.5, "no\nJSON"])


class Faults(Mock):
    def test_whole_answers(self):
        entries = [{"when": {"contains": "status"}, "fail": {"status": 429, "retry_after": 0.25}, "headers": {"x-left": "0"}},
                   {"when": {"contains": "malformed"}, "text": "abc", "broken": {"how": "malformed"}},
                   {"when": {"contains": "page"}, "text": "abc", "broken": {"how": "content_type"}},
                   {"when": {"contains": "large"}, "text": "abc", "broken": {"how": "oversized", "bytes": 3_000_000}},
                   {"when": {"contains": "fine"}, "text": "abc", "headers": {"x-ratelimit-remaining-tokens": "17"}}]
        self.serve(entries)
        status, headers, body = self.chat("status")
        self.assertEqual((status, headers["Retry-After"], headers["retry-after-ms"], headers["x-left"]), (429, "1", "250", "0"))
        self.assertEqual(body["error"]["code"], "rate_limit_exceeded")
        connection = self.connect()
        self.addCleanup(connection.close)
        connection.request("POST", "/v1/chat/completions",
                           json.dumps({"model": "m", "messages": [{"role": "user", "content": "malformed"}]}))
        self.assertRaises(ValueError, json.loads, connection.getresponse().read())
        status, headers, body = self.chat("page")
        self.assertEqual((status, headers["Content-Type"], body[:6]), (200, "text/html", b"<html>"))
        self.assertEqual(len(self.chat("large")[2]), 3_000_000)
        self.assertEqual(self.chat("fine")[1]["x-ratelimit-remaining-tokens"], "17")

    def test_silence_and_broken_connections(self):
        entries = [says("before", stall_ms=150), says("cut", text="abcdef", broken={"how": "cut"}),
                   says("during", text="abcdef", chunks=3, broken={"how": "stall", "after": 1, "ms": 150}),
                   says("seven", text="cut off here", truncate_after=7),
                   says("slow", text="abc", chunks=3, pace_ms=60), says("late", text="abc", delay_ms=150)]
        self.serve(entries)
        started = time.monotonic()
        with self.assertRaises((http.client.RemoteDisconnected, ConnectionResetError)):
            self.chat("before")
        self.assertGreaterEqual(time.monotonic() - started, 0.15)
        for words in ("cut", "during"):
            self.assertRaises(http.client.IncompleteRead, self.chat, words)
        for words, text in (("during", ["ab"]), ("seven", ["cut off"])):
            with self.assertRaises(http.client.IncompleteRead) as broken:
                self.chat(words, stream=True)
            self.assertEqual(re.findall(r'"content":"([^"]+)"', broken.exception.partial.decode()), text)
            self.assertNotIn(b"[DONE]", broken.exception.partial)
        for words in ("slow", "late"):
            started = time.monotonic()
            self.assertTrue(self.chat(words, stream=True)[2].endswith(b"data: [DONE]\n\n"))
            self.assertGreaterEqual(time.monotonic() - started, 0.11)

    def test_the_same_file_is_a_model_in_the_program(self):
        done = self.run_agent([{"text": "abcdef", "broken": {"how": "content_type"}}])
        self.assertEqual((done.returncode, done.stdout), (UPSTREAM, ""))
        self.assertIn("the scripted model sent text/html (", done.stderr)


class Manners(Mock):
    def test_the_first_lines_say_where_and_what_to_export(self):
        process = self.start("mock-llm", "--script", self.write("s.yaml", "- text: a\n"))
        first, openai, anthropic = (process.stdout.readline() for _ in range(3))
        url = re.search(r"http://127\.0\.0\.1:\d+", first)[0]
        self.assertRegex(first, r"^mock-llm listens on \S+ with \S+ \(1 answer\); Ctrl-C ends it\n$")
        self.assertEqual(openai, f"export OPENAI_BASE_URL={url}/v1 OPENAI_API_KEY=mock\n")
        self.assertEqual(anthropic, f"export ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY=mock\n")
        self.url = url
        self.post("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "x"}]},
                  {"Authorization": "Bearer sk-very-secret-key-123456"})
        process.send_signal(signal.SIGTERM)
        out, err, code = self.end(process)
        self.assertEqual((out, code), ("", 0))
        self.assertRegex(err, r"^POST /v1/chat/completions 200, model m, call 1, \S+s\.yaml:1, \d+ ms\n$")

    def test_a_client_that_holds_on_does_not_hold_up_the_end(self):
        process = self.serve([says("slow", text="abcdef", chunks=6, pace_ms=60_000)])
        connection = self.connect()
        self.addCleanup(connection.close)
        connection.request("POST", "/v1/chat/completions", json.dumps(
            {"model": "m", "stream": True, "messages": [{"role": "user", "content": "slow"}]}))
        connection.getresponse().readline()
        started = time.monotonic()
        self.stop(process)
        self.assertLess(time.monotonic() - started, 10)

    def test_what_was_typed_wrong_is_named(self):
        file = self.write("s.yaml", "- text: a\n")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            for words, code, text in (([], INVALID, "--script FILE is missing"),
                                      (["--script", "none.yaml"], NOT_FOUND, "none.yaml does not exist"),
                                      (["--script", file, "--port", "x"], INVALID, '"x" is not a port'),
                                      (["--script", file, "--host", "nowhere"], INVALID, '"nowhere" is not an address'),
                                      (["--script", file, "--requests", "no/such/folder"], UNAVAILABLE, "cannot write to"),
                                      (["--script", file, "--port", taken.getsockname()[1]], UNAVAILABLE, "cannot listen at")):
                done = self.cadre("mock-llm", *words)
                self.assertEqual((done.returncode, done.stdout), (code, ""), words)
                self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
