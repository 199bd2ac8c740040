#include "text/tokens.hpp"

#include "base/error.hpp"
#include "support/error_of.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

using namespace cadre;
using namespace cadre::text;
using test::error_of;

namespace {

const Vocabulary* both[] = {find_vocabulary(Encoding::o200k_base), find_vocabulary(Encoding::cl100k_base)};

constexpr const char* kWithout = "built without the vocabularies of gpt-tokenizer";

}  // namespace

TEST_CASE("tokens: known texts have the numbers that tiktoken gives them")
{
    if (!both[0] || !both[1]) return test::skip(kWithout);
    struct {
        std::string_view text;
        std::vector<Token> o200k;
        std::vector<Token> cl100k;
    } const cases[] = {
        {"", {}, {}},
        {"hello world", {24912, 2375}, {15339, 1917}},
        {"tiktoken is great!", {83, 8251, 2488, 382, 2212, 0}, {83, 1609, 5963, 374, 2294, 0}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(encode(c.text, *both[0]) == c.o200k);
        CHECK(encode(c.text, *both[1]) == c.cl100k);
    }
    CHECK(both[0]->size() == 199'998);
    CHECK(both[1]->size() == 100'256);
}

TEST_CASE("tokens: any bytes are counted, and come back")
{
    if (!both[0] || !both[1]) return test::skip(kWithout);
    const std::string texts[] = {"\xff",
                                 "a\xc3",
                                 "\xe2\x82",
                                 "\xed\xa0\x80x",
                                 "\xf4\x90\x80\x80 1",
                                 std::string(300, '\x80'),
                                 std::string("\0\0a", 3),
                                 "gut \xfc"
                                 "ber 'S \xc0\xaf"};
    for (const std::string& text : texts)
        for (const Vocabulary* vocabulary : both) {
            const std::vector<Token> tokens = encode(text, *vocabulary);
            CHECK(decode(tokens, *vocabulary) == text);
            CHECK(count_tokens(text, *vocabulary) == tokens.size());
        }
    CHECK(error_of([] { decode(std::vector<Token>{200'000}, *both[0]); }) == doctest::Contains("has no token 200000"));
}

TEST_CASE("tokens: a run without end takes no more than a moment")
{
    if (!both[0] || !both[1]) return test::skip(kWithout);
    CHECK(count_tokens(std::string(1'000'000, 'a'), *both[0]) == 125'000);  // quadratic, it would not end in time
    for (const Vocabulary* vocabulary : both)
        for (const std::string unit : {"a", " ", "A", "\u0301", "\n", "=", "\u4f60", "\xff", "\u00aaA", " \u0301A"}) {
            std::string text;
            while (text.size() < 50'000) text += unit;
            CAPTURE(unit);
            const std::size_t count = count_tokens(text, *vocabulary);
            CHECK(count > text.size() / 130);
            CHECK(count <= text.size());
        }
}

TEST_CASE("tokens: threads share one vocabulary")
{
    if (!both[0]) return test::skip(kWithout);
    std::size_t counts[4] = {};
    std::vector<std::jthread> threads;
    for (std::size_t& count : counts)
        threads.emplace_back([&count] {
            for (int i = 0; i < 100; ++i)
                count += count_tokens("One vocabulary, made once.", Encoding::o200k_base).tokens;
        });
    threads.clear();
    for (const std::size_t count : counts) CHECK(count == counts[0]);
}

TEST_CASE("tokens: a count says whether it is estimated")
{
    const TokenCount unknown = count_tokens("hello world", std::nullopt);
    CHECK(unknown.estimated);
    CHECK(unknown.tokens == 2);
    CHECK(count_tokens("hello world", Encoding::o200k_base).estimated == !has_vocabulary(Encoding::o200k_base));
    CHECK(find_encoding("cl100k_base") == Encoding::cl100k_base);
    CHECK(!find_encoding("claude"));
}

TEST_CASE("tokens: estimates follow their rule")
{
    struct {
        std::string_view text;
        std::size_t tokens;
    } const cases[] = {
        {"", 0},
        {" ", 1},
        {"a", 1},
        {"sixsix", 1},
        {"sevenly", 2},
        {"a word", 2},
        {"1234", 2},
        {"!!!", 2},
        {"\u4f60\u597d", 2},
        {"\u0436\u0436\u0436\u0436\u0436", 2},
        {"\xff\xff\xff", 2},
        {"x        y", 3},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(estimate_tokens(c.text) == c.tokens);
    }
}

TEST_CASE("tokens: estimates of prose and code are near the truth")
{
    if (!both[0]) return test::skip(kWithout);
    const std::string_view texts[] = {
        "The committee met on 14 March and decided, after a long discussion, to postpone the vote until everyone had "
        "read it.",
        "for (std::size_t i = 0; i < names.size(); ++i) {\n    if (names[i].empty()) continue;\n    total += "
        "price(names[i]);\n}\n",
        "Der Ausschuss hat nach langer Beratung beschlossen, die Abstimmung zu verschieben, bis alle den Bericht "
        "gelesen haben.",
        "Комитет после долгого обсуждения решил отложить голосование, пока все не прочитают отчёт.",
        "委员会经过长时间的讨论，决定推迟投票，直到所有人都读完报告。",
        R"({"name":"search","arguments":{"query":"weather in Berlin","limit":10,"fields":["title","url"]}})",
    };
    for (const std::string_view text : texts) {
        CAPTURE(text);
        const auto exact = static_cast<double>(count_tokens(text, *both[0]));
        const auto estimate = static_cast<double>(estimate_tokens(text));
        CHECK(estimate > exact * 0.75);
        CHECK(estimate < exact * 1.5);
    }
}
