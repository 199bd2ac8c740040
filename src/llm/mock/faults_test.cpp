// Our client against mock-llm, over both APIs: what goes wrong has a name, and says whether asking again may help.
#include "llm/mock/test_vendor.hpp"

#include <doctest/doctest.h>

#include <span>

using namespace cadre;
using namespace cadre::llm;
using namespace cadre::llm::test;

namespace {

/// For cases in which it passes.
constexpr Millis kShort{200};

struct Case {
    std::string name;
    std::string script;
    Code code;
    bool transient;
    const char* says;
    const char* heard = "";  // before it failed
    std::optional<Millis> retry_after{};
    Millis silence{10'000};
};

void check(const Case& expected, const Outcome& outcome)
{
    if (!outcome.error) {
        FAIL_CHECK("answers: " << outcome.completion.text);
        return;
    }
    const ModelError& error = *outcome.error;
    CAPTURE(std::string(error.what()));
    CHECK(name_of(error.code()) == name_of(expected.code));
    CHECK(error.transient() == expected.transient);
    CHECK(error.what() == doctest::Contains(expected.says));
    CHECK(outcome.heard.text() == expected.heard);
    CHECK(error.shown() == !outcome.heard.list.empty());
    CHECK(error.retry_after() == expected.retry_after);
    CHECK(error.dispatched());
}

const Case kSpecial[] = {
    {"fractions", "fail: {status: 429, retry_after: 1.5}", Code::rate_limited, true, "too often", "", Millis(1500)},
    {"at once", "fail: {status: 503, retry_after: 0}", Code::upstream, true, "overloaded", "", Millis(0)},
    {"only seconds", R"(fail: {status: 429}, headers: {Retry-After: "7"})", Code::rate_limited, true, "", "",
     Millis(7000)},
    {"a date gone by", R"(fail: {status: 429}, headers: {Retry-After: "Sat, 01 Jan 2000 00:00:00 GMT"})",
     Code::rate_limited, true, "", "", Millis(0)},
    {"no date", "fail: {status: 429}, headers: {Retry-After: soon}", Code::rate_limited, true, ""},
    {"the vendor says no", R"(fail: {status: 500, retry_after: 1}, headers: {x-should-retry: "false"})", Code::upstream,
     false, "(status 500)"},
    {"the vendor says yes", R"(fail: {status: 400, retry_after: 1}, headers: {x-should-retry: "true"})", Code::invalid,
     true, "(status 400)", "", Millis(1000)},
    {"too long to read", "fail: {status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum'}",
     Code::too_large, false, "the conversation is longer than"},
    {"no money", "fail: {status: 400, message: Your credit balance is too low}", Code::forbidden, false,
     "has no credit left"},
    {"a key", "fail: {status: 401, message: not sk-test-0123456789abcdef}", Code::unauthorized, false,
     "\"not [redacted]\""},
    {"a foreign message", R"(fail: {status: 500, message: "nö 🙂\n\e[31m\"x\""})", Code::upstream, true,
     R"("nö 🙂\n\u001b[31m\"x\"")"},
    {"a long message", "fail: {status: 500, message: '" + std::string(5000, 'm') + "'}", Code::upstream, true,
     "mmm…\""},
    {"a late failure", "fail: {status: 500}, delay_ms: 30", Code::upstream, true, "(status 500)"},
};

const Case kBroken[] = {
    {"cut at once", "text: abcd, chunks: 2, broken: {how: cut}", Code::upstream, true, "cut off"},
    {"cut after text", "text: abcd, chunks: 2, broken: {how: cut, after: 1}", Code::upstream, true, "cut off", "ab"},
    {"cut before the end", "text: abcd, chunks: 2, broken: {how: cut, after: 2}", Code::upstream, true, "cut off",
     "abcd"},
    {"cut after thoughts", "reasoning: hm, text: abcd, broken: {how: cut}", Code::upstream, true, "cut off"},
    {"cut in a call", "tool_calls: [{name: add, arguments: {a: 1}}], broken: {how: cut, after: 1}", Code::upstream,
     true, "cut off"},
    {"cut before the end of a call", "tool_calls: [{name: add, arguments: {a: 1}}], broken: {how: cut, after: 2}",
     Code::upstream, true, "cut off"},
    {"cut at a character", "text: äöü, truncate_after: 2", Code::upstream, true, "cut off", "äö"},
    {"cut before all characters", "text: abcd, truncate_after: 0", Code::upstream, true, "cut off"},
    {"cut after all characters", "text: abcd, truncate_after: 9", Code::upstream, true, "cut off", "abcd"},
    {"cut after more than there is", "text: abcd, broken: {how: cut, after: 9}", Code::upstream, true, "cut off",
     "abcd"},
    {"an error at once", "text: abcd, broken: {how: error}", Code::upstream, true, "scripted error (suite.yaml:"},
    {"an error after text", "text: abcd, chunks: 2, broken: {how: error, after: 1}", Code::upstream, true,
     "scripted error (suite.yaml:", "ab"},
    {"an error in a call", "tool_calls: [{name: add}], broken: {how: error, after: 1}", Code::upstream, true,
     "scripted error (suite.yaml:"},
    {"malformed at once", "text: abcd, broken: {how: malformed}", Code::malformed, true, "cannot be understood"},
    {"malformed after text", "text: abcd, chunks: 2, broken: {how: malformed, after: 1}", Code::malformed, true,
     "cannot be understood", "ab"},
    {"malformed at the end", "text: abcd, chunks: 2, broken: {how: malformed, after: 2}", Code::malformed, true,
     "cannot be understood", "abcd"},
    {"malformed call", "tool_calls: [{name: add, arguments: {a: 1}}], broken: {how: malformed, after: 1}",
     Code::malformed, true, "cannot be understood"},
    {"a page", "text: abcd, broken: {how: content_type}", Code::upstream, false, "a web page"},
    {"oversized", "text: abcd, broken: {how: oversized}", Code::too_large, false, "more than"},
    {"hung up", "stall_ms: 20", Code::upstream, true, ""},
    {"a pause, and cut", "text: abcd, chunks: 2, broken: {how: stall, after: 1, ms: 20}", Code::upstream, true,
     "cut off", "ab"},
};

const Case kSilent[] = {
    {"silence", "stall_ms: 60000", Code::timeout, true, "200 ms", "", {}, kShort},
    {"too late", "text: abcd, delay_ms: 60000", Code::timeout, true, "200 ms", "", {}, kShort},
    {"silence before text",
     "text: abcd, broken: {how: stall, ms: 60000}",
     Code::timeout,
     true,
     "200 ms",
     "",
     {},
     kShort},
    {"silence after text",
     "text: abcd, chunks: 2, broken: {how: stall, after: 1, ms: 60000}",
     Code::timeout,
     true,
     "200 ms",
     "ab",
     {},
     kShort},
    {"silence in a call",
     "tool_calls: [{name: add}], broken: {how: stall, after: 1, ms: 60000}",
     Code::timeout,
     true,
     "200 ms",
     "",
     {},
     kShort},
};

void check_all(std::span<const Case> cases)
{
    std::string script;
    for (const Case& c : cases) script += entry(c.name, c.script);
    Vendor vendor(script);
    for (const Case& c : cases)
        for (const Api& api : kApis) {
            CAPTURE(c.name);
            CAPTURE(api.provider);
            check(c, vendor.ask(vendor.at(api, c.silence), saying(c.name)));
            CHECK(vendor.http().open() == vendor.http().idle());  // what is spoilt is closed
        }
    CHECK(vendor.left_over().empty());
}

}  // namespace

TEST_CASE("suite: each status has its meaning, and Retry-After counts where asking again may help")
{
    struct {
        int status;
        Code code;
        bool transient;
        const char* says;
    } const statuses[] = {
        {400, Code::invalid, false, "refuses the request (status 400)"},
        {401, Code::unauthorized, false, "_API_KEY"},
        {402, Code::forbidden, false, "no credit left"},
        {403, Code::forbidden, false, "does not allow this"},
        {404, Code::not_found, false, "has no model"},
        {408, Code::timeout, true, "waited too long"},
        {409, Code::conflict, true, "could not do this now"},
        {413, Code::too_large, false, "the request is too large"},
        {422, Code::invalid, false, "refuses the request (status 422)"},
        {429, Code::rate_limited, true, "asked too often"},
        {500, Code::upstream, true, "failed (status 500)"},
        {502, Code::upstream, true, "failed (status 502)"},
        {503, Code::upstream, true, "overloaded (status 503)"},
        {504, Code::timeout, true, "took too long (status 504)"},
        {529, Code::upstream, true, "overloaded (status 529)"},
    };
    std::string script;
    for (const auto& s : statuses) {
        script += entry(fmt::format("{}", s.status), fmt::format("fail: {{status: {}}}", s.status));
        script +=
            entry(fmt::format("{} later", s.status), fmt::format("fail: {{status: {}, retry_after: 2}}", s.status));
    }
    Vendor vendor(script);
    for (const auto& s : statuses)
        for (const Api& api : kApis)
            for (const bool later : {false, true}) {
                CAPTURE(s.status);
                CAPTURE(api.provider);
                CAPTURE(later);
                const std::string name = fmt::format("{}{}", s.status, later ? " later" : "");
                const Outcome outcome = vendor.ask(vendor.at(api), saying(name));
                Case expected{.name = "", .script = "", .code = s.code, .transient = s.transient, .says = s.says};
                if (later && s.transient) expected.retry_after = Millis(2000);
                check(expected, outcome);
                REQUIRE(outcome.error);
                // who only gave up waiting does not know whether somebody behind it has answered
                const bool may_be_billed = s.status == 408 || s.status == 502 || s.status == 504;
                CHECK(outcome.error->fault().refused == !may_be_billed);
                CHECK(outcome.error->what() == doctest::Contains(api.provider.c_str()));
                CHECK(outcome.error->what() == doctest::Contains("\"scripted failure (suite.yaml:"));
                CHECK(outcome.error->what() == doctest::Contains("(request req_"));
            }
    CHECK(vendor.left_over().empty());
    CHECK(vendor.http().open() == 1);  // who refuses in good order is asked over the same connection again
}

TEST_CASE("suite: what vendors say beside a status")
{
    check_all(kSpecial);
}

TEST_CASE("suite: answers that are spoilt on their way")
{
    check_all(kBroken);
}

TEST_CASE("suite: silence is borne for as long as it was said")
{
    check_all(kSilent);
}

TEST_CASE("suite: a request that no entry answers is wrong, and says what comes nearest")
{
    Vendor vendor(entry("right", "text: Hi"));
    for (const Api& api : kApis) {
        CAPTURE(api.provider);
        const Case expected{
            .name = "", .script = "", .code = Code::invalid, .transient = false, .says = "no entry of suite.yaml"};
        check(expected, vendor.ask(vendor.at(api), saying("wrong")));
        CHECK(vendor.ask(vendor.at(api), saying("right")).completion.text == "Hi");
    }
}

TEST_CASE("suite: what failed once works the next time, whatever the failure left behind")
{
    const std::string failures[] = {"fail: {status: 503}",
                                    "text: abcd, chunks: 2, broken: {how: cut, after: 1}",
                                    "text: abcd, broken: {how: malformed}",
                                    "text: abcd, broken: {how: content_type}",
                                    "text: abcd, broken: {how: error}",
                                    "stall_ms: 5"};
    std::string script;
    for (const std::string& failure : failures)
        script += entry(failure, failure) + entry(failure, "text: Now it works.");
    Vendor vendor(script);
    for (const std::string& failure : failures) {
        CAPTURE(failure);
        for (const int round : {1, 2})
            for (const Api& api : kApis) {
                CAPTURE(api.provider);
                const Outcome outcome = vendor.ask(vendor.at(api), saying(failure));
                CHECK(outcome.error.has_value() == (round == 1));
                CHECK(outcome.completion.text == (round == 1 ? "" : "Now it works."));
            }
    }
    CHECK(vendor.left_over().empty());
}
