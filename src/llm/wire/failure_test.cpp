#include "llm/wire/failure.hpp"

#include "llm/test_http.hpp"
#include "llm/wire/retry_after.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::llm;
using namespace cadre::llm::test;

TEST_CASE("failures: what a vendor says becomes a code, whether to try again, and a fix")
{
    struct {
        const char* provider;
        int status;
        const char* body;
        const char* comes;
    } const cases[] = {
        {"openai", 401,
         R"({"error":{"message":"Incorrect API key provided: sk-test-0123456789abcdef","type":"invalid_request_error","code":"invalid_api_key"}})",
         "unauthorized: openai does not accept the key; set OPENAI_API_KEY to a key of openai: \"Incorrect API key "
         "provided: [redacted]\""},
        {"anthropic", 401,
         R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"})",
         "unauthorized: anthropic does not accept the key; set ANTHROPIC_API_KEY to a key of anthropic: \"invalid "
         "x-api-key\" (request req_1)"},
        {"openai", 403, R"({"error":{"message":"Country not supported"}})",
         "forbidden: openai does not allow this: \"Country not supported\""},
        {"openai", 404, R"({"error":{"message":"The model `gpt-5-mni` does not exist","code":"model_not_found"}})",
         "not_found: openai has no model \"gpt-5-mni\"; did you mean \"gpt-5-mini\"?: \"The model `gpt-5-mni` does not "
         "exist\"; `models openai --live` lists those it has"},
        {"deepseek", 400, R"({"error":{"message":"Model Not Exist","type":"invalid_request_error"}})",
         "not_found: deepseek has no model \"gpt-5-mni\": \"Model Not Exist\"; `models deepseek --live` lists "
         "those it has"},
        {"ollama", 404, R"({"error":"model 'gpt-5-mni' not found, try pulling it first"})",
         "not_found: ollama has no model \"gpt-5-mni\": \"model 'gpt-5-mni' not found, try pulling it first\"; "
         "`models ollama --live` lists those it has"},
        {"vllm", 404, R"({"detail":"Not Found"})",
         "not_found: vllm knows nothing at http://127.0.0.1:8000/v1; is the base_url right?: \"Not Found\""},
        {"openai", 400,
         R"({"error":{"message":"This model's maximum context length is 128000 tokens.","code":"context_length_exceeded"}})",
         "too_large: the conversation is longer than openai/gpt-5-mni can read: \"This model's maximum context length "
         "is 128000 tokens.\""},
        {"anthropic", 400,
         R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})",
         "too_large: the conversation is longer than anthropic/gpt-5-mni can read (200000 tokens): \"prompt is too "
         "long: 210000 tokens > 200000 maximum\""},
        {"llamacpp", 400,
         R"({"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}})",
         "too_large: the conversation is longer than llamacpp/gpt-5-mni can read: \"the request exceeds the available "
         "context size\""},
        {"anthropic", 413,
         R"({"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}})",
         "too_large: the request is too large for anthropic: \"Request exceeds the maximum size\""},
        {"openai", 400, R"({"error":{"message":"Unsupported value: 'temperature'","param":"temperature"}})",
         "invalid: openai refuses the request (status 400): \"Unsupported value: 'temperature'\""},
        {"vllm", 422, R"({"detail":[{"loc":["body"],"msg":"bad"}]})",
         R"(invalid: vllm refuses the request (status 422): "[{\"loc\":[\"body\"],\"msg\":\"bad\"}]")"},
        {"deepseek", 402, R"({"error":{"message":"Insufficient Balance"}})",
         "forbidden: deepseek: the account of this key has no credit left: \"Insufficient Balance\""},
        {"openai", 429,
         R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}})",
         "forbidden: openai: the account of this key has no credit left: \"You exceeded your current quota\""},
        {"openai", 429, R"({"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}})",
         "rate_limited!: openai is asked too often: \"Rate limit reached\""},
        {"gemini", 429, R"([{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}])",
         "rate_limited!: gemini is asked too often: \"Quota exceeded\""},
        {"openai", 408, "", "timeout!: openai waited too long for the request"},
        {"openai", 409, "{}", "conflict!: openai could not do this now"},
        {"openai", 500, R"({"error":{"message":"","type":"server_error"}})",
         "upstream!: openai failed (status 500): \"server_error\""},
        {"openai", 501, "", "upstream: openai cannot do this (status 501)"},
        {"openai", 502, "<html><body>Bad Gateway</body></html>",
         "upstream!: openai failed (status 502): \"a web page\"; is the base_url right?"},
        {"openai", 503, "upstream connect error",
         "upstream!: openai is overloaded (status 503): \"upstream connect error\""},
        {"openai", 504, "", "timeout!: openai took too long (status 504)"},
        {"anthropic", 529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
         "upstream!: anthropic is overloaded (status 529): \"Overloaded\""},
        {"openai", 418, "\xFF\x01 tea",
         "invalid: openai refuses the request (status 418): \"\xEF\xBF\xBD\\u0001 tea\""},
        {"openai", 304, "", "upstream: openai sends us elsewhere (status 304); set its base_url to where it is"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.provider);
        CAPTURE(c.status);
        CAPTURE(c.body);
        CHECK(outcome(endpoint(c.provider, "gpt-5-mni"), {.status = c.status, .pieces = {c.body}}) == c.comes);
    }
}

TEST_CASE("failures: headers name the request, the way elsewhere, and whether to try again")
{
    const Endpoint at = endpoint("openai", "gpt-5-mini");
    CHECK(outcome(at, {.status = 500, .headers = {{"X-Request-ID", "req_9\n"}}}) ==
          "upstream!: openai failed (status 500) (request req_9\\n)");
    CHECK(outcome(at, {.status = 500, .headers = {{"x-should-retry", "false"}}}) ==
          "upstream: openai failed (status 500)");
    CHECK(outcome(at, {.status = 400, .headers = {{"x-should-retry", "true"}}}) ==
          "invalid!: openai refuses the request (status 400)");
    CHECK(outcome(at, {.status = 301, .headers = {{"Location", "https://other.example.org/"}}}) ==
          "upstream: openai sends us elsewhere (status 301, to \"https://other.example.org/\"); set its base_url to "
          "where "
          "it is");
    const std::string long_text(100'000, 'x');
    CHECK(outcome(at, {.status = 400, .pieces = {long_text}}).size() < 500);
    CHECK(outcome(at, {.status = 500, .pieces = {"half"}, .breaks = net::HttpError(Code::upstream, "cut", true)}) ==
          "upstream!: openai failed (status 500): \"half\"");
}

TEST_CASE("failures: when to ask again is read from seconds, milliseconds and dates")
{
    const Time now = time_from_iso("2026-11-16T10:00:00Z");
    struct {
        net::HttpHeaders headers;
        std::optional<Millis> after;
    } const cases[] = {
        {{}, std::nullopt},
        {{{"Retry-After", "2"}}, Millis(2000)},
        {{{"retry-after", " 1.5 "}}, Millis(1500)},
        {{{"Retry-After", "0"}}, Millis(0)},
        {{{"Retry-After", "-1"}}, std::nullopt},
        {{{"Retry-After", "nan"}}, std::nullopt},
        {{{"Retry-After", "soon"}}, std::nullopt},
        {{{"Retry-After", "1e300"}}, std::chrono::days(366)},
        {{{"Retry-After", "30"}, {"retry-after-ms", "250"}}, Millis(250)},
        {{{"Retry-After", "30"}, {"retry-after-ms", "x"}}, Millis(30'000)},
        {{{"Retry-After", "Mon, 16 Nov 2026 10:00:05 GMT"}}, Millis(5000)},
        {{{"Retry-After", "Mon, 16 Nov 2026 09:59:00 GMT"}}, Millis(0)},
        {{{"Retry-After", "Mon, 31 Feb 2026 10:00:05 GMT"}}, std::nullopt},
        {{{"Retry-After", "Mon, 16 Nov 2026 25:00:05 GMT"}}, std::nullopt},
    };
    for (const auto& c : cases) {
        CAPTURE(c.headers.empty() ? "" : c.headers[0].value);
        CHECK(retry_after_of(c.headers, now) == c.after);
    }
    const Endpoint at = endpoint("openai", "gpt-5-mini");
    CHECK(failure_of(at, 429, {{"Retry-After", "2"}}, "", now).retry_after() == Millis(2000));
    CHECK(failure_of(at, 503, {{"Retry-After", "2"}}, "", now).retry_after() == Millis(2000));
    CHECK(failure_of(at, 400, {{"Retry-After", "2"}}, "", now).retry_after() == std::nullopt);
}
