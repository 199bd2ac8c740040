#include "guardrails/stream_guard.hpp"

#include "base/random.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::guardrails;

namespace {

Rule rule(Kind kind, boost::json::value value = nullptr)
{
    return {.kind = kind, .value = std::move(value)};
}

std::shared_ptr<const PolicySet> set_of(Action action, std::vector<Rule> rules)
{
    Policy policy{.name = "house", .rules = std::move(rules), .action = action};
    return PolicySet::compile({std::move(policy)});
}

std::shared_ptr<const PolicySet> words(Action action, std::initializer_list<boost::json::value_ref> list)
{
    return set_of(action, {rule(Kind::keywords, boost::json::array(list))});
}

struct Streamed {
    std::string text{};
    bool blocked = false;
    Verdict verdict{};
};

Streamed stream(const std::shared_ptr<const PolicySet>& set, const std::vector<std::string_view>& chunks)
{
    StreamGuard guard(set, Place::output);
    Streamed all;
    for (const std::string_view chunk : chunks) all.text += guard.feed(chunk);
    all.text += guard.finish();
    all.blocked = guard.blocked();
    all.verdict = guard.verdict();
    return all;
}

std::vector<std::string_view> bytes_of(std::string_view text)
{
    std::vector<std::string_view> chunks;
    for (std::size_t i = 0; i < text.size(); ++i) chunks.push_back(text.substr(i, 1));
    return chunks;
}

std::vector<std::string_view> cut_at_random(std::string_view text, Random& random)
{
    std::vector<std::string_view> chunks;
    while (!text.empty()) {
        const std::size_t size = std::min<std::size_t>(text.size(), 1 + random.below(9));
        chunks.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return chunks;
}

/// All kinds of rules that a stream can follow, each with its own action.
std::shared_ptr<const PolicySet> mixed(Action words_action, Action pattern_action, Action pii_action, Action url_action)
{
    return PolicySet::compile({
        {.name = "words",
         .rules = {rule(Kind::keywords, {"secret", "top secret", "hunter2", "机密", "über"})},
         .action = words_action},
        {.name = "patterns",
         .rules = {rule(Kind::regex, R"(\bkey-[0-9a-f]{4,8}\b)"), rule(Kind::regex, "^hello"),
                   rule(Kind::regex, R"(bye$)"), rule(Kind::regex, "aa|aab"), rule(Kind::regex, R"((?m)^- x)")},
         .action = pattern_action},
        {.name = "people", .rules = {rule(Kind::pii)}, .action = pii_action},
        {.name = "links", .rules = {rule(Kind::urls, {"example.com"})}, .action = url_action},
        {.name = "notes",
         .rules = {rule(Kind::keywords, {"note", "key"}), rule(Kind::max_length, 40)},
         .action = Action::warn},
    });
}

std::string random_text(Random& random)
{
    constexpr const char* pieces[] = {"secret",
                                      "top",
                                      " ",
                                      " ",
                                      "  ",
                                      "\n",
                                      "hunter2",
                                      "HUNTER",
                                      "2",
                                      "机密",
                                      "密",
                                      "Über",
                                      "ü",
                                      "key-",
                                      "12ab",
                                      "ab",
                                      "hello",
                                      "bye",
                                      "a",
                                      "a",
                                      "b",
                                      "- x",
                                      "ann@example.org",
                                      "@",
                                      ".",
                                      "com",
                                      "+49",
                                      "30",
                                      "1234567",
                                      "-",
                                      "(030)",
                                      "4111 1111 1111 1111",
                                      "4111",
                                      "1111",
                                      "123-45-6789",
                                      "DE89 3704 0044 0532 0130 00",
                                      "DE89",
                                      "3704",
                                      "192.168.1.10",
                                      ":",
                                      "80",
                                      "fe80::1",
                                      "::",
                                      "00:1a:2b:3c:4d:5e",
                                      "0a-",
                                      "https://example.com/x",
                                      "https://evil.example/?q=",
                                      "//",
                                      "www.",
                                      "(",
                                      ")",
                                      "note",
                                      "\u200B",
                                      "\u00AD",
                                      "ｓｅｃｒｅｔ",
                                      "\u3000",
                                      "\xFF",
                                      "\xE6\x9C",
                                      "\xC3",
                                      "é",
                                      "😀",
                                      "_",
                                      "/",
                                      "\u2028",
                                      "ſ",
                                      "x",
                                      "1",
                                      "23",
                                      "(",
                                      ")",
                                      "0049",
                                      " / ",
                                      "from:",
                                      "\t"};
    std::string text;
    for (std::uint64_t n = random.below(16); n > 0; --n) text += pieces[random.below(std::size(pieces))];
    return text;
}

}  // namespace

// 400 texts, each cut at every byte; CADRE_LONG=1 for 100,000.
TEST_CASE("stream: what is released is what the whole check passes on, wherever the text is cut")
{
    const std::shared_ptr<const PolicySet> sets[] = {
        mixed(Action::rewrite, Action::rewrite, Action::rewrite, Action::rewrite),
        mixed(Action::rewrite, Action::rewrite, Action::warn, Action::log),
        mixed(Action::warn, Action::warn, Action::rewrite, Action::warn),
        mixed(Action::block, Action::rewrite, Action::rewrite, Action::rewrite),
        mixed(Action::rewrite, Action::block, Action::block, Action::warn),
        mixed(Action::ask, Action::rewrite, Action::rewrite, Action::block),
        set_of(Action::rewrite, {rule(Kind::pii)}),
        set_of(Action::rewrite, {rule(Kind::max_length, 9), rule(Kind::keywords, {"secret", "1111"})}),
        set_of(Action::block, {rule(Kind::max_length, 30), rule(Kind::min_length, 3)}),
    };
    for (const auto& set : sets) REQUIRE(set->remarks().empty());
    SeededRandom random(11);
    std::size_t masked = 0, stopped = 0;
    const int rounds = std::getenv("CADRE_LONG") ? 100'000 : 400;
    std::size_t cuts = 0;
    for (int round = 0; round < rounds; ++round) {
        const std::string text = random_text(random);
        for (const auto& set : sets) {
            const Verdict whole = check(*set, Place::output, text);
            const std::string expected = whole.text.value_or(text);
            const Streamed one = stream(set, {text});
            std::vector<Streamed> cut_somewhere{one, stream(set, bytes_of(text)),
                                                stream(set, cut_at_random(text, random))};
            for (std::size_t at = 1; at < text.size(); ++at)
                cut_somewhere.push_back(stream(set, {text.substr(0, at), text.substr(at)}));
            cuts += cut_somewhere.size();
            for (const Streamed& cut : cut_somewhere) {
                const bool blocks = whole.action == Action::block;
                const std::string passed =
                    whole.action == Action::ask ? cut.text + cut.verdict.text.value_or("") : cut.text;
                const bool same = cut.blocked == blocks && cut.text == one.text && cut.verdict.action == whole.action &&
                                  (blocks || (passed == expected && cut.verdict.checks.size() == whole.checks.size()));
                masked += expected != text;
                stopped += blocks;
                if (same) continue;
                CAPTURE(text);
                CAPTURE(expected);
                CAPTURE(cut.text);
                CAPTURE(one.text);
                CAPTURE(std::string(name_of(whole.action)));
                CAPTURE(std::string(name_of(cut.verdict.action)));
                CAPTURE(&set - &sets[0]);
                CHECK(same);
                return;
            }
        }
    }
    CHECK(masked > 300);
    CHECK(stopped > 300);
    std::fputs(fmt::format("stream: {} texts, cut in {} ways\n", rounds, cuts).c_str(), stdout);
    CHECK(cuts > static_cast<std::size_t>(rounds) * std::size(sets) * 10);
}

TEST_CASE("stream: a policy that a stream breaks blocks it before a byte of the phrase has left")
{
    const Streamed all = stream(words(Action::block, {"hunter2"}), {"pass: hun", "ter2 ok"});
    CHECK(all.text == "pass: ");
    CHECK(all.blocked);
    REQUIRE(all.verdict.checks.size() == 1);
    CHECK(all.verdict.checks[0].status == model::CheckStatus::failed);
    CHECK(all.verdict.checks[0].policy_violated == "house");

    const Streamed warned = stream(words(Action::warn, {"hunter2"}), {"pass: hun", "ter2 ok"});
    CHECK(warned.text == "pass: hunter2 ok");
    CHECK(warned.verdict.checks[0].status == model::CheckStatus::warning);
}

TEST_CASE("stream case 1: one byte a chunk, a zero-width space in the word")
{
    const Streamed all = stream(words(Action::rewrite, {"hunter2"}), bytes_of("my hun\u200Bter2!"));
    CHECK(all.text == "my [redacted]!");
    CHECK(stream(words(Action::block, {"hunter2"}), bytes_of("my hun\u200Bter2!")).text == "my ");
}

TEST_CASE("stream case 2: full-width letters are the letters that they look like")
{
    CHECK(stream(words(Action::rewrite, {"secret"}), bytes_of("ｓｅｃｒｅｔ plan")).text == "[redacted] plan");
    CHECK(stream(words(Action::rewrite, {"ＳＥＣＲＥＴ"}), {"a secret"}).text == "a [redacted]");
}

TEST_CASE("stream case 3: a pattern that is alive at the end is decided there")
{
    const auto set =
        set_of(Action::rewrite, {rule(Kind::regex, R"(\bkey-[0-9a-f]{4,8}\b)"), rule(Kind::regex, "bye$")});
    CHECK(stream(set, {"use key-12", "ab"}).text == "use [redacted]");
    CHECK(stream(set, {"use key-12"}).text == "use key-12");
    CHECK(stream(set, {"good", " bye"}).text == "good [redacted]");
    CHECK(stream(set, {"good bye", " now"}).text == "good bye now");
}

TEST_CASE("stream case 4: a swap within a held word decides by the new policies, from where the word began")
{
    StreamGuard guard(words(Action::block, {"hunter2"}), Place::output);
    CHECK(guard.feed("a hun") == "a ");
    CHECK(guard.swap(words(Action::rewrite, {"hunter3"})) == "");
    CHECK(guard.feed("ter2 and hunter3 ") == "hunter2 and [redacted] ");
    CHECK(guard.swap(words(Action::block, {"other"})) == "");
    CHECK(guard.feed("hunter2 ot") == "hunter2 ");
    CHECK(guard.swap(PolicySet::compile({})) == "ot");
    CHECK(guard.feed("her") + guard.finish() == "her");
    CHECK(!guard.blocked());
    CHECK(guard.verdict().checks.size() == 1);  // what the second set found

    StreamGuard edges(PolicySet::compile({}), Place::output);
    CHECK(edges.feed("xx") == "xx");
    CHECK(edges.swap(words(Action::block, {"key"})) == "");
    CHECK(edges.feed("key ") == "key ");  // `xxkey` is another word
}

TEST_CASE("stream case 10: a pattern of 10 kB, and one that others take exponential time for")
{
    std::string large;
    for (int i = 0; i < 1000; ++i) large.append(i == 0 ? "" : "|").append("word" + std::to_string(i * 7919) + "x");
    REQUIRE(large.size() > 10'000);
    const auto set =
        set_of(Action::rewrite, {rule(Kind::regex, boost::json::string(large)), rule(Kind::regex, "(a*)*b")});
    REQUIRE(set->remarks().empty());
    const std::string text = std::string(1 << 20, 'a') + " word7919x.";
    CHECK(check(*set, Place::output, text).text == std::string(1 << 20, 'a') + " [redacted].");
    CHECK(stream(set, {text}).text == std::string(1 << 20, 'a') + " [redacted].");
    CHECK(stream(set, {std::string(1 << 20, 'a'), "b!"}).text == "[redacted]!");
}

TEST_CASE("stream: where a pattern could hold text without end, the answer is checked whole")
{
    const auto set = set_of(Action::rewrite, {rule(Kind::regex, "begin.*end"), rule(Kind::regex, R"(\p{Greek}+)")});
    REQUIRE(set->remarks().size() == 2);
    CHECK(set->remarks()[0].text.find("blanks") != std::string::npos);
    CHECK(set->remarks()[1].text.find("Unicode classes") != std::string::npos);
    StreamGuard guard(set, Place::output);
    CHECK(guard.feed("free text, ") == "");
    CHECK(guard.feed("begin x ") == "");
    CHECK(guard.feed("end αβγ") == "");
    CHECK(guard.finish() == "free text, [redacted] [redacted]");
    CHECK(guard.verdict().action == Action::rewrite);
}

TEST_CASE("stream: lengths: nothing before there is enough, nothing after there is too much")
{
    StreamGuard least(set_of(Action::block, {rule(Kind::min_length, 5)}), Place::output);
    CHECK(least.feed("abcd") == "");
    CHECK(least.feed("ef") == "abcdef");

    const Streamed few = stream(set_of(Action::block, {rule(Kind::min_length, 5)}), {"äöüß"});
    CHECK(few.blocked);
    CHECK(few.text == "");

    CHECK(stream(set_of(Action::rewrite, {rule(Kind::max_length, 3)}), {"äö", "üß"}).text == "äöü");
    const Streamed many = stream(set_of(Action::block, {rule(Kind::max_length, 3)}), {"äöüß"});
    CHECK(many.blocked);
    CHECK(many.text == "äöü");
}

TEST_CASE("stream: what somebody is asked about is held with all that follows it")
{
    StreamGuard guard(words(Action::ask, {"refund"}), Place::output);
    CHECK(guard.feed("I will ") == "I will ");
    CHECK(guard.feed("refund you ") == "");
    CHECK(guard.feed("today") == "");
    CHECK(guard.finish() == "");
    CHECK(guard.verdict().action == Action::ask);
    CHECK(guard.verdict().text == "refund you today");
}

TEST_CASE("stream: text is not held longer than its word")
{
    StreamGuard guard(set_of(Action::rewrite, {rule(Kind::pii), rule(Kind::keywords, {"secret"})}), Place::output);
    CHECK(guard.feed("mail ann@exam") == "mail ");
    CHECK(guard.held() == 8);
    CHECK(guard.feed("ple.org today") == "[EMAIL] ");
    CHECK(guard.feed(" and") == "today ");
    CHECK(guard.finish() == "and");
}
