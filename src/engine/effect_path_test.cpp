#include "engine/effect_path.hpp"

#include <doctest/doctest.h>

using namespace cadre::engine;
using cadre::storage::Record;
using cadre::storage::RecordKind;

TEST_CASE("paths: what belongs to an effect has a path and says how it went")
{
    for (int kind = 1; kind < 21; ++kind) {
        const Record record{.kind = static_cast<RecordKind>(kind), .path = "use:1.0"};
        const auto name = cadre::storage::name_of(record.kind);
        CAPTURE(name);
        const bool expected = name == "intent" || name == "outcome" || name == "attempt_failed" || name == "unknown" ||
                              name == "node_done" || name == "answer";
        CHECK(belongs_to_effect(record) == expected);
        CHECK_FALSE(belongs_to_effect({.kind = record.kind}));
    }
}

TEST_CASE("paths: a number behind a node counts its visits")
{
    CHECK(outside("think:1").empty());
    CHECK(outside("review/think:1") == "review");
    CHECK(outside("review/2/think:1") == "review/2");
    CHECK(outside("review/2").empty());
    CHECK(outside("a/review/2") == "a");
    CHECK(effect_in("a/2/use:1.0") == "use");
    CHECK(effect_in("think:3") == "think");

    CHECK(lies_in("review/think:1", "review"));
    CHECK(lies_in("review/draft/2/think:1", "review"));
    CHECK(lies_in("review/2/think:1", "review/2"));
    CHECK_FALSE(lies_in("review/2/think:1", "review"));
    CHECK_FALSE(lies_in("review", "review"));
    CHECK_FALSE(lies_in("reviewer/think:1", "review"));
}
