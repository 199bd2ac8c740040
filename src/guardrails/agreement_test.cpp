// The automaton against RE2, pattern by pattern.
#include "base/random.hpp"
#include "guardrails/lazy_dfa.hpp"
#include "text/code_point.hpp"
#include "text/fold.hpp"

#include <doctest/doctest.h>
#include <re2/re2.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::guardrails;

namespace {

constexpr const char* kPatterns[] = {
    "secret",
    R"(\bhunter2\b)",
    "a|ab|abc",
    "(a*)*b",
    "x{2,4}y",
    "(?:ab){2}",
    "[a-c]+d",
    "[^a-c ]{3}",
    R"(\d{3}-\d{2})",
    R"(\w+@\w+\.\w{2,3})",
    R"(^start)",
    R"(end$)",
    R"((?m)^line)",
    R"((?m)line$)",
    R"(\Bab\B)",
    R"(\bab\B)",
    R"([[:upper:]]{2}[[:digit:]])",
    "stra(?:ss|ß)e",
    "ÄÖ?ü",
    R"(\x{1F600}+a)",
    "a.c",
    "(?s)a.c",
    R"([\w.]+:\S)",
    R"(\D\W\S)",
    R"(K{2})",
    R"([^\W\d]z)",
    R"(\Qa.b\E+)",
    R"((?P<name>q)u)",
    R"(a{0}bq)",
    R"((?:a|b)?c{1,3}d{2,})",
    R"([]a-]x)",
    R"([а-я]{3})",
    R"(\z|\b?zz)",
    "(?i)MiXeD",
    R"([\t\n ]b)",
};

std::unique_ptr<re2::RE2> judge(const std::string& pattern)
{
    re2::RE2::Options options;
    options.set_case_sensitive(false);
    options.set_longest_match(true);
    return std::make_unique<re2::RE2>(pattern, options);
}

/// Made of what the patterns are about.
std::string random_text(Random& random)
{
    constexpr const char* pieces[] = {
        "a",       "b",       "c",      "d",      "x",      "y",       "z",      "q",     "u",   "A",
        "B",       " ",       "\n",     "-",      ".",      "@",       ":",      "1",     "2",   "3",
        "k",       "K",       "ſ",      "\u212A", "secret", "hunter2", "ab",     "start", "end", "line",
        "strasse", "STRASSE", "straße", "ä",      "Ä",      "ö",       "Ü",      "ü",     "😀",  "MIXED",
        "mixed",   "zz",      "к",      "Л",      "м",      "\u200B",  "\u00AD", "ａ",    "Ｂ",  "\u3000",
        "\xFF",    "\xC3",    "_",      "\t",     "]",      "a.b",     "xx"};
    std::string text;
    for (std::uint64_t n = random.below(14); n > 0; --n) text += pieces[random.below(std::size(pieces))];
    return text;
}

}  // namespace

// 5,000 texts; CADRE_LONG=1 for 100,000.
TEST_CASE("automaton: for every pattern it matches the texts that RE2 matches")
{
    Nfa nfa;
    std::vector<std::unique_ptr<re2::RE2>> judges;
    for (const char* pattern : kPatterns) {
        CAPTURE(usual_pattern(pattern));
        const std::string usual = usual_pattern(pattern);
        ParsedPattern parsed = parse_pattern(usual);
        REQUIRE(parsed.unsupported == "");
        judges.push_back(judge(usual));
        REQUIRE(judges.back()->ok());
        REQUIRE(nfa.add(parsed.root, static_cast<std::uint32_t>(judges.size() - 1)));
    }
    nfa.seal();
    LazyDfa large(nfa), small(nfa, 20'000);  // the small one throws its states away all the time
    SeededRandom random(7);
    std::size_t matched = 0;
    const int rounds = std::getenv("CADRE_LONG") ? 100'000 : 5'000;
    for (int round = 0; round < rounds; ++round) {
        const std::string text = random_text(random);
        const std::string folded = text::fold(text).text;
        for (LazyDfa* dfa : {&large, &small}) {
            std::vector<bool> found(judges.size(), false);
            const auto mark = [&](std::uint32_t id) { found[id] = true; };
            const LazyDfa::State last = dfa->run(dfa->start(), text, mark);
            for (const std::uint32_t id : dfa->matches(dfa->step(last, nfa.end_class()))) mark(id);
            for (std::size_t i = 0; i < judges.size(); ++i) {
                const bool expected = !folded.empty() && re2::RE2::PartialMatch(folded, *judges[i]);
                if (std::string_view(kPatterns[i]).starts_with(R"(\z)"))
                    continue;  // matches the empty text, which rules refuse
                matched += expected;
                if (found[i] == expected) continue;
                CAPTURE(std::string(kPatterns[i]));
                CAPTURE(text);
                CHECK(found[i] == expected);
                return;
            }
        }
    }
    CHECK(matched > 5'000);
    CHECK(small.flushes() > 50);
    CHECK(large.flushes() == 0);
}

TEST_CASE("automaton: a letter means what it means to RE2 in any case, for every letter there is")
{
    std::size_t letters = 0;
    for (char32_t c = 0x80; c < 0x20000; ++c) {
        if (text::folded(c) == c || text::of_usual_width(c) != c) continue;
        std::string pattern, plain;
        text::append_code_point(pattern, c);
        text::append_code_point(plain, text::folded(c));
        CAPTURE(static_cast<std::uint32_t>(c));
        REQUIRE(re2::RE2::FullMatch(plain, *judge(pattern)));
        ++letters;
    }
    CHECK(letters > 1300);
}

TEST_CASE("automaton: patterns that stay open over blanks without end are told from those that do not")
{
    struct {
        const char* pattern;
        bool holds;
    } const cases[] = {{"a.*b", true},        {R"(a\s+b)", true},   {R"((?:\w+ )+x)", true}, {R"([^x]*y)", true},
                       {R"(\w+@\w+)", false}, {"a.{0,50}b", false}, {"(a*)*b", false},       {R"([^\s]+)", false},
                       {"a b c", false},      {R"(\S+)", false}};
    for (const auto& c : cases) {
        CAPTURE(std::string(c.pattern));
        CHECK(holds_over_blanks(parse_pattern(c.pattern).root) == c.holds);
    }
}

TEST_CASE("automaton: what it cannot follow is named")
{
    CHECK(parse_pattern(R"(\p{Greek}+)").unsupported == "Unicode classes");
    CHECK(parse_pattern(R"(a\C)").unsupported == "single bytes");
    CHECK_THROWS_WITH(parse_pattern("(?-i)A"), doctest::Contains("any case"));
}
