#include "engine/earlier_calls.hpp"

#include "engine/recorded.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using storage::RecordKind;

namespace {

storage::Record record(std::uint32_t seq, RecordKind kind, const char* path, const char* body)
{
    storage::Record made;
    made.seq = seq;
    made.kind = kind;
    made.path = path;
    made.body = body;
    return made;
}

}  // namespace

TEST_CASE("earlier calls: turns and marks come from the journal, wherever in it they are")
{
    const Recorded recorded({
        record(1, RecordKind::created, "", R"({"mark":"not one"})"),
        record(2, RecordKind::intent, "worker/think:1", R"({"effect":"think","agent":"a","nth":1})"),
        record(
            3, RecordKind::attempt_failed, "worker/think:1",
            R"x({"effect":"think","error":{"code":"upstream","message":"the scripted model fails with status 500 (s:1)"}})x"),
        record(4, RecordKind::intent, "worker/think:1", R"({"effect":"think","agent":"a","nth":1})"),
        record(5, RecordKind::outcome, "worker/think:1", R"({"effect":"think","text":"x","mark":"s:2"})"),
        record(6, RecordKind::intent, "worker/use:1", R"({"effect":"use","agent":"a","nth":9})"),
        record(7, RecordKind::outcome, "worker/use:1", R"({"effect":"use","mark":"a tool's"})"),
        record(8, RecordKind::node_done, "worker", R"("x")"),
        record(9, RecordKind::intent, "branch:1.0/think:1", R"({"effect":"think","agent":"a","nth":3})"),
        record(10, RecordKind::outcome, "branch:1.0/think:1", R"({"effect":"think","text":"the answer of a vendor"})"),
        record(11, RecordKind::intent, "think:1", R"({"effect":"think","agent":"b","nth":1})"),
    });
    const EarlierCalls calls = earlier_calls(recorded);
    CHECK(calls.turns == std::map<std::string, int, std::less<>>{{"a", 3}, {"b", 1}});
    REQUIRE(calls.answered);
    REQUIRE(calls.answered->size() == 2);
    CHECK(calls.answered->at(0).attempt == 1);
    CHECK(calls.answered->at(0).mark == "the scripted model fails with status 500 (s:1)");
    CHECK(calls.answered->at(1).agent == "a");
    CHECK(calls.answered->at(1).attempt == 2);
    CHECK(calls.answered->at(1).mark == "s:2");
    CHECK_FALSE(earlier_calls(Recorded{}).answered);
}
