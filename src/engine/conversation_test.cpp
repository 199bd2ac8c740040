#include "engine/conversation.hpp"

#include "engine/test_world.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;

namespace {

/// A chain of turns, in a store; the newest key.
std::string chain_of(World& world, std::size_t turns, std::size_t length = 1)
{
    std::optional<std::string> before;
    for (std::size_t i = 1; i <= turns; ++i) {
        const std::string text = std::to_string(i) + std::string(length, '.');
        Turn turn{before, {{model::Role::user, "q" + text}, {model::Role::assistant, "a" + text}}};
        before = world.wait(keep(world.store, turn));
    }
    return *before;
}

}  // namespace

TEST_CASE("conversation: a turn is the same text everywhere, and reads back")
{
    const Turn first{std::nullopt, {{model::Role::user, "Hi \"you\""}, {model::Role::assistant, "Hello"}}};
    CHECK(document_text(first) ==
          R"({"before":null,"messages":[{"role":"user","text":"Hi \"you\""},{"role":"assistant","text":"Hello"}]})");
    CHECK(turn_from(document_text(first)) == first);
    const Turn second{key_of(document_text(first)), {{model::Role::user, "And?"}}};
    CHECK(turn_from(document_text(second)) == second);
}

TEST_CASE("conversation: what is no turn is refused")
{
    for (const char* text :
         {"", "[]", "{}", R"({"before":null})", R"({"before":7,"messages":[]})", R"({"before":"abc","messages":[]})",
          R"({"before":null,"messages":[7]})", R"({"before":null,"messages":[{"role":"system","text":"x"}]})",
          R"({"before":null,"messages":[{"role":"user"}]})"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(turn_from(text), Error);
    }
}

TEST_CASE("conversation: a run hears the newest turns that fit, cut at a turn's boundary")  // STATE-25 U
{
    World world;
    HistoryWalk three(chain_of(world, 3));
    CHECK(world.wait(read_all(world.store, three)).size() == 3);
    CHECK(three.messages().front() == TurnMessage{model::Role::user, "q1."});
    CHECK(three.messages().back() == TurnMessage{model::Role::assistant, "a3."});
    CHECK(three.history().size() == 6);

    HistoryWalk many(chain_of(world, 150));
    world.wait(read_all(world.store, many));
    CHECK(many.messages().size() == kMaxHistoryMessages);
    CHECK(many.messages().front().text == "q51.");

    HistoryWalk odd(chain_of(world, 3), {.messages = 5});
    world.wait(read_all(world.store, odd));
    CHECK(odd.messages().size() == 4);

    HistoryWalk large(chain_of(world, 4, 200'000));  // 400 KB each
    const auto documents = world.wait(read_all(world.store, large));
    CHECK(large.messages().size() == 4);
    CHECK(documents.size() == 3);  // with the one that shows where to cut
}

TEST_CASE("conversation: what was said stays as it was, byte for byte, whatever is said later")  // STATE-21 U
{
    static_assert(std::is_const_v<History::value_type::element_type>);  // whoever hears it cannot change it
    World world;
    HistoryWalk first(chain_of(world, 2));
    const auto before = world.wait(read_all(world.store, first));
    REQUIRE(before.size() == 2);
    std::string key = before.back().key;
    for (const bool summed : {false, true, false}) {
        Turn later{key, {{model::Role::user, "q"}, {model::Role::assistant, "a"}}};
        if (summed) later.instead = {{model::Role::user, "in short"}};
        key = world.wait(keep(world.store, later));
    }
    HistoryWalk whole(key, {.to_the_first = true});
    const auto after = world.wait(read_all(world.store, whole));
    REQUIRE(after.size() == 5);
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(after[i].key == before[i].key);
        CHECK(after[i].text == before[i].text);
    }
    CHECK(whole.messages().front() == first.messages().front());
}

TEST_CASE("conversation: a lost or changed turn is an error, not a shorter conversation")
{
    World world;
    const std::string key = chain_of(world, 3);
    HistoryWalk walk(key);
    CHECK_THROWS_AS(walk.take(R"({"before":null,"messages":[]})"), Error);
    const Turn newest = turn_from(world.wait(world.store.find(std::string(kConversationDocument), key))->text);
    world.wait(world.store.remove(std::string(kConversationDocument), *newest.before));
    HistoryWalk again(key);
    CHECK_THROWS_AS(world.wait(read_all(world.store, again)), Error);
}

TEST_CASE("conversation: a run goes back no further than to a summary, and whoever wants all of it passes that by")
{
    World world;
    const std::string before = chain_of(world, 3);
    const Turn summed{
        before, {{model::Role::user, "q4"}, {model::Role::assistant, "a4"}}, {{model::Role::user, "in short"}}};
    CHECK(turn_from(document_text(summed)) == summed);
    CHECK(document_text(summed).ends_with(R"(,"instead":[{"role":"user","text":"in short"}]})"));
    const std::string key = world.wait(keep(world.store, summed));
    HistoryWalk walk(key);
    CHECK(world.wait(read_all(world.store, walk)).size() == 1);
    REQUIRE(walk.messages().size() == 3);
    CHECK(walk.messages().front().text == "in short");
    HistoryWalk whole(key, {.to_the_first = true});
    world.wait(read_all(world.store, whole));
    REQUIRE(whole.messages().size() == 8);
    CHECK(whole.messages().front().text == "q1.");
    CHECK_THROWS_AS(turn_from(R"({"before":null,"messages":[],"instead":7})"), Error);
}

TEST_CASE("window, case 8: where a session of 5,000 turns begins, one document is read")
{
    World world;
    Turn newest{chain_of(world, 4'999), {{model::Role::user, "q"}, {model::Role::assistant, "a"}}};
    newest.instead = {{model::Role::user, "q1."}, {model::Role::user, "in short"}};
    HistoryWalk walk(world.wait(keep(world.store, newest)));
    CHECK(world.wait(read_all(world.store, walk)).size() == 1);
    CHECK(walk.messages().size() == 4);
}
