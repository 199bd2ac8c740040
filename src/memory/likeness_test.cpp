#include "memory/likeness.hpp"
#include "memory/ranking.hpp"
#include "memory/summary.hpp"
#include "memory/vector.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace cadre;
using namespace cadre::memory;

TEST_CASE("likeness: the same, something else, or something else of the same")
{
    struct {
        const char* one;
        const char* other;
        Likeness likeness;
    } const cases[] = {
        {"The key expires on 3 May", "the keys expire on May 3rd.", Likeness::same},
        {"The key expires on 3 May", "The key expires on 4 May", Likeness::contradicting},
        {"The key expires on 3 May", "The key expires on 3 May 2026", Likeness::different},  // says more
        {"The key expires", "The key never expires", Likeness::contradicting},
        {"The key doesn't expire", "The key does not expire", Likeness::same},
        {"Ann likes tea", "Ann likes coffee", Likeness::different},
        {"Please write to Ann about the invoice", "Please write to Bob about the invoice", Likeness::different},
        {"Der Schlüssel läuft nicht ab", "Der Schlüssel läuft ab", Likeness::contradicting},
        {"42", "43", Likeness::different},
        {"", "", Likeness::different},
    };
    for (const auto& one : cases) {
        CAPTURE(one.one);
        CAPTURE(one.other);
        CHECK(compare(said_in(one.one), said_in(one.other), 0) == one.likeness);
        CHECK(compare(said_in(one.other), said_in(one.one), 0) == one.likeness);
    }
    CHECK(compare(said_in("the big dog"), said_in("a large hound"), 0.93) == Likeness::same);
    CHECK(compare(said_in("the big dog"), said_in("a large hound"), 0.91) == Likeness::different);
    CHECK(compare(said_in("3 big dogs"), said_in("4 large hounds"), 0.93) == Likeness::contradicting);
}

TEST_CASE("ranking: what fits comes first, fresh before old, and no two say the same while others are left")
{
    const Time now = Time() + std::chrono::days(1000);
    const auto candidate = [&](const char* id, double rank, double relevance, Vector vector, int days) {
        auto item = std::make_shared<Item>(Item{.id = id, .text = id});
        item->updated_at = now - std::chrono::days(days);
        return Candidate{.item = item, .vector = std::move(vector), .rank = rank, .relevance = relevance};
    };
    const auto ids = [](const std::vector<Candidate>& all) {
        std::string text;
        for (const Candidate& one : all) text += one.item->id;
        return text;
    };
    const std::vector<Candidate> all{candidate("c", 0.03, 0.6, {0, 1}, 0), candidate("a", 0.04, 0.9, {1, 0}, 0),
                                     candidate("b", 0.04, 0.88, {1, 0}, 0), candidate("d", 0.01, 0.2, {0, 1}, 0)};
    CHECK(ids(ranked(all, now, {})) == "abc");                                  // d fits too little
    CHECK(ids(ranked(all, now, {.limit = 2})) == "ac");                         // b repeats a
    CHECK(ids(ranked({all.rbegin(), all.rend()}, now, {.limit = 2})) == "ac");  // in whatever order they come
    CHECK(ids(ranked(all, now, {.limit = 9, .threshold = 0})) == "abcd");
    CHECK(ranked({}, now, {}).empty());
    const std::vector<Candidate> aged{candidate("x", 0.04, 0.8, {1, 0}, 90), candidate("y", 0.04, 0.8, {0, 1}, 1)};
    CHECK(ids(ranked(aged, now, {})) == "yx");
    const std::vector<Candidate> right{candidate("x", 0.04, 0.9, {1, 0}, 900), candidate("y", 0.03, 0.4, {0, 1}, 0)};
    CHECK(ids(ranked(right, now, {})) == "xy");  // old and right before new and beside the point
    CHECK(freshness(now - std::chrono::days(30), now) == doctest::Approx(0.5));
    CHECK(freshness(now + std::chrono::days(30), now) == doctest::Approx(1));  // a clock that was set back
}

TEST_CASE("vectors: a byte for each number loses nothing that a search could see, and what is damaged is none")
{
    std::vector<float> vector;
    for (int i = 0; i < 384; ++i) vector.push_back(std::sin(static_cast<float>(i) * 0.37F) / 14);
    float length = 0, product = 0;
    const Vector again = opened(kept("e", vector));
    REQUIRE(again.size() == 384);
    float own = 0;
    for (std::size_t i = 0; i < 384; ++i) {
        length += vector[i] * vector[i];
        own += again[i] * again[i];
        product += vector[i] * again[i];
    }
    CHECK(product / std::sqrt(length) > 0.9995);
    CHECK(own == doctest::Approx(1));
    CHECK(opened({.encoder = "e", .scale = 1, .data = "%%%"}).empty());
    CHECK(opened(kept("e", std::vector<float>(8, 0.F))).empty());
    CHECK(opened({}).empty());
}

TEST_CASE("summaries: the sentences that say most, each once, in order, and never more than fits")
{
    const auto member = [](std::string text, int at) {
        auto item = std::make_shared<Item>(Item{.id = text, .text = std::move(text)});
        item->created_at = Time(Millis(at));
        return Member{.item = item};
    };
    const auto groups = clusters({member("The disk of the shop is full. Ann was told.", 2),
                                  member("The disk of the shop is full.", 1), member("Bob is on holiday.", 3)});
    REQUIRE(groups.size() == 1);
    CHECK(groups[0][0].item->text == "The disk of the shop is full.");
    CHECK(summary_of(groups[0]) == "The disk of the shop is full. Ann was told.");
    CHECK(topic_of(groups[0]) == "disk shop full");
    std::vector<Member> many;
    for (int i = 0; i < 100; ++i)
        many.push_back(member("Event " + std::to_string(i) + " of the long day " + std::string(40, 'a' + i % 26), i));
    CHECK(summary_of(many).size() <= kMostSummary);
    CHECK(summary_of({}).empty());
    CHECK(clusters({}).empty());
}
