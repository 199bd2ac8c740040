#include "model/checkpoint.hpp"

#include "base/sim_loop.hpp"
#include "model/human.hpp"
#include "model/wire_name.hpp"
#include "support/entity.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

TEST_CASE("a checkpoint follows only a lower number of the same task")  // CKPT-06 U
{
    const Checkpoint last{.id = "one", .task = "t", .seq = 3};
    CHECK_NOTHROW(check_follows(last, {.id = "two", .task = "t", .seq = 4}));
    CHECK(error_of([&] { check_follows(last, {.id = "two", .task = "t", .seq = 3}); }) ==
          "conflict: checkpoint 3 cannot follow checkpoint 3 of task t");
    CHECK(error_of([&] { check_follows(last, {.id = "two", .task = "t", .seq = 2}); }) ==
          "conflict: checkpoint 2 cannot follow checkpoint 3 of task t");
    CHECK(error_of([&] { check_follows(last, {.id = "two", .task = "u", .seq = 4}); }) ==
          "conflict: checkpoint two is of another task than one");
    CHECK(problems_with<Checkpoint>("seq", "-1") == "seq: must be at least 0, is -1");
}

TEST_CASE("a checkpoint waits for a person and is resumed once")
{
    Checkpoint checkpoint = from_text<Checkpoint>(description_of<Checkpoint>().example);
    checkpoint.awaiting_human = false;
    CHECK(state_of(checkpoint) == CheckpointState::created);
    CHECK(error_of([&] { resume(checkpoint, checkpoint.created_at); }) ==
          "conflict: a checkpoint cannot go from created to resumed; only to awaiting_human");
    await_human(checkpoint);
    CHECK(state_of(checkpoint) == CheckpointState::awaiting_human);
    resume(checkpoint, checkpoint.created_at + std::chrono::hours(1));
    CHECK(state_of(checkpoint) == CheckpointState::resumed);
    CHECK(problems_of(checkpoint).text() == "");
    CHECK(error_of([&] { resume(checkpoint, checkpoint.created_at); }) ==
          "conflict: a checkpoint cannot go from resumed to resumed; resumed is final");
}

TEST_CASE("a checkpoint's times and flags fit together")
{
    CHECK(problems_with<Checkpoint>("resumed_at", "\"2026-01-12T08:00:00Z\"") ==
          "resumed_at: must not be before created_at");
    auto checkpoint = from_text<Checkpoint>(description_of<Checkpoint>().example);
    checkpoint.awaiting_human = false;
    checkpoint.resumed_at = checkpoint.created_at;
    CHECK(problems_of(checkpoint).text() == "resumed_at: is only for a checkpoint that waited for a person");
    CHECK(default_of<Checkpoint>("awaiting_human") == "false");
}

TEST_CASE("a person's verb is read in both spellings, and is one verb inside")
{
    struct {
        const char *verb, *participle;
        HumanVerb means;
    } const cases[] = {
        {"approve", "approved", HumanVerb::approve},
        {"reject", "rejected", HumanVerb::reject},
        {"modify", "modified", HumanVerb::modify},
        {"timeout", "timeout", HumanVerb::timeout},
    };
    for (const auto& c : cases) {
        CAPTURE(c.verb);
        CHECK(find_named<HumanVerb>(c.verb) == c.means);
        CHECK(find_named<HumanVerb>(c.participle) == c.means);
        CHECK(wire_name(c.means) == c.verb);
        CHECK(participle(c.means) == c.participle);
    }
    CHECK(!find_named<HumanVerb>("yes"));
    CHECK(participle(HumanVerb::happened) == "modified");
    CHECK(participle(HumanVerb::not_happened) == "approved");
}

TEST_CASE("an unknown outcome is not approved: it happened or it did not")
{
    using enum HumanVerb;
    for (const auto type : {HumanRequestType::approval, HumanRequestType::feedback, HumanRequestType::escalation}) {
        for (const auto verb : {approve, reject, modify, timeout}) CHECK(suits(type, verb));
        for (const auto verb : {happened, not_happened}) CHECK(!suits(type, verb));
    }
    for (const auto verb : {happened, not_happened, reject, timeout})
        CHECK(suits(HumanRequestType::outcome_unknown, verb));
    for (const auto verb : {approve, modify}) CHECK(!suits(HumanRequestType::outcome_unknown, verb));
    CHECK(problems_with<HumanRequest>("answer", R"({"verb":"happened"})") ==
          "answer.verb: \"happened\" is not an answer to a request of type approval");
    CHECK(problems_with<HumanRequest>("answer", R"({"verb":"approved","message":"go"})") == "");
    CHECK(problems_with<HumanRequest>("type", "\"question\"") ==
          "type: \"question\" is none of approval, feedback, escalation, outcome_unknown");
    CHECK(problems_with<HumanRequest>("timeout_ms", "0") == "timeout_ms: must be at least 1, is 0");
    for (const char* field : {"id", "task", "checkpoint", "type", "agent"})
        CHECK(problems_without<HumanRequest>(field) == std::string(field) + ": is required");
}
