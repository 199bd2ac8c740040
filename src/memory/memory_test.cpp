// The cases that a memory must get right: merging, contradictions, walls between people. forgetting_test.cpp has the others.
#include "base/error.hpp"
#include "base/random.hpp"
#include "memory/memory_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace cadre;
using namespace cadre::memory;
using namespace cadre::memory::testing;
using model::MemoryType;

namespace {

/// Another one, whose vectors say nothing to the usual one.
class OtherEncoder final : public text::Encoder {
public:
    std::string id() const override { return "other-v1"; }
    std::vector<std::vector<float>> encode(std::span<const std::string_view> texts) const override
    {
        auto vectors = words_.encode(texts);
        for (auto& vector : vectors) std::ranges::reverse(vector);
        return vectors;
    }

private:
    text::embed::HashedEncoder words_;
};

doctest::String error_of(const std::function<void()>& act)
{
    try {
        act();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

// MEM-14 U
TEST_CASE("memory, case 1: one fact in nine wordings is one item with nine sources")
{
    Bench bench;
    const char* const wordings[] = {
        "The deploy key of the server expires on 3 May.",  "the deploy key of the server expires on 3 May",
        "The deploy key of the server expires on May 3!",  "Deploy keys of the server expire on 3 May",
        "The server's deploy key will expire on 3 May",    "On 3 May the deploy key of the server expires.",
        "The deploy key of this server expires on 03 May", "It is the deploy key of the server that expires on 3 May.",
        "The deploy key for the server expires on May 3rd"};
    for (const char* wording : wordings) {
        CAPTURE(wording);
        const Kept kept = bench.keep(wording);
        CHECK(kept.change == (bench.said == 1 ? Change::created : Change::merged));
    }
    const auto items = bench.items();
    REQUIRE(items.size() == 1);
    CHECK(items[0].told == 9);
    CHECK(items[0].sources.size() == 9);
    CHECK(items[0].text == wordings[0]);
    bench.restart();
    CHECK(bench.items() == items);
    CHECK(bench.documents("memory") == 1);
    CHECK(bench.documents("vector") == 1);
}

TEST_CASE("memory, case 2: the same subject with another date, number or denied is kept twice and flagged, more detail "
          "is not")
{
    Bench bench;
    const Kept third = bench.keep("The review of the budget is on 3 May");
    const Kept fourth = bench.keep("The review of the budget is on 4 May");
    CHECK(fourth.change == Change::conflict);
    CHECK(fourth.item.conflicts == std::vector{third.item.id});
    CHECK(bench.keep("The cache server has 16 GB of memory").change == Change::created);
    CHECK(bench.keep("The cache server has 32 GB of memory").change == Change::conflict);
    CHECK(bench.keep("The printer works in the office").change == Change::created);
    CHECK(bench.keep("The printer does not work in the office").change == Change::conflict);
    CHECK(bench.keep("Send the monthly report to Anna").change == Change::created);
    CHECK(bench.keep("Send the monthly report to Bob").change == Change::created);
    const auto hits = bench.find("When is the review of the budget?");
    REQUIRE(hits.size() == 2);
    for (const Hit& hit : hits) CHECK(hit.item.conflicts.size() == 1);
    bench.restart();
    CHECK(bench.items().size() == 8);
}

TEST_CASE("memory, case 3: the same text of two tenants and two users is four items, and each finds its own")
{
    Bench bench;
    std::set<std::string> ids;
    for (const char* tenant : {"acme", "zeta"})
        for (const char* user : {"ann", "bob"})
            ids.insert(bench.keep("the door code is 4711", Bench::of(user, tenant)).item.id);
    CHECK(ids.size() == 4);
    for (const char* tenant : {"acme", "zeta"})
        for (const char* user : {"ann", "bob"}) {
            const auto hits = bench.find("door code", Bench::of(user, tenant));
            REQUIRE(hits.size() == 1);
            CHECK(hits[0].item.scope.user == user);
            CHECK(hits[0].item.scope.tenant == tenant);
        }
}

TEST_CASE(
    "memory, case 4: with another encoder 20,000 items are found by words, and by its vectors once those are made")
{
    Bench bench;
    for (const char* user : {"ann", "bob"}) {
        storage::Document document;
        std::vector<storage::Document> all;
        Writing writing;
        for (int i = 0; i < 10'000; ++i) {
            Item item{.scope = Bench::of(user), .text = "note " + std::to_string(i) + " of the archive"};
            item.id = id_of(item.scope, item.type, item.text);
            writing.put(item, Time());
        }
        bench.wait(bench.store.put_all(std::move(writing.documents)));
    }
    bench.restart(std::make_shared<const OtherEncoder>());
    for (const char* user : {"ann", "bob"}) {
        auto hits = bench.find("note 777", Bench::of(user));
        REQUIRE_FALSE(hits.empty());
        CHECK(hits[0].item.text == "note 777 of the archive");
    }
    bench.wait(bench.memory->until_mended());
    CHECK(bench.documents("vector") == 20'000);
    bench.restart(std::make_shared<const text::embed::HashedEncoder>());  // and back: those of the other say nothing
    CHECK(bench.find("note 777")[0].item.text == "note 777 of the archive");
    bench.wait(bench.memory->until_mended());
    CHECK(bench.wait(bench.store.list("vector", key_of(Bench::ann()), 1))[0].text.find("words-256-v1") !=
          std::string::npos);
}

TEST_CASE("memory, case 5: nobody ever finds what another tenant, user or session was told")
{
    const char* const tenants[] = {"acme", "zeta"};
    const char* const users[] = {"ann", "bob", "", "ann\nbob"};
    const char* const sessions[] = {"", "s1", "s2"};
    std::vector<Reader> readers;
    for (const char* tenant : tenants)
        for (const char* user : users)
            for (const char* session : sessions)
                for (const char* agent : {"writer", "critic"})
                    readers.push_back({.tenant = tenant,
                                       .user = user,
                                       .session = session,
                                       .task = std::string("t-") + tenant + user + session,
                                       .project = "/p",
                                       .team = "team",
                                       .agent = agent});
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Bench bench;
        std::uint64_t chance = seed * 7919;
        const auto draw = [&](std::size_t below) {
            chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
            return static_cast<std::size_t>(chance >> 33) % below;
        };
        std::map<std::string, std::pair<Reader, std::string>> told;  // by id: who told it, and where
        for (int i = 0; i < 60; ++i) {
            const Reader& reader = readers[draw(readers.size())];
            const char* const kinds[] = {"", "task", "session", "user", "agent"};
            const char* const kind = kinds[draw(5)];
            Scope scope;
            try {
                scope = scope_for(reader, kind);
            } catch (const Error&) {
                continue;
            }
            const Kept kept = bench.keep("the secret word number " + std::to_string(draw(9)), scope);
            told.emplace(kept.item.id, std::pair(reader, kind));
        }
        for (const Reader& reader : readers) {
            const auto found = bench.wait(
                bench.memory->search(readable(reader), {.text = "secret word number", .limit = 100, .threshold = 0}));
            for (const Hit& hit : found.hits) {
                const Scope& scope = hit.item.scope;
                CHECK(scope.tenant == reader.tenant);
                if (scope.kind == ScopeKind::task) CHECK(scope.name == reader.task);
                else CHECK(scope.user == reader.user);
                if (scope.kind == ScopeKind::session) CHECK(scope.name == reader.session);
                if (scope.kind == ScopeKind::agent) CHECK(scope.name == reader.agent);
                CHECK(told.at(hit.item.id).first.user == reader.user);
                CHECK(told.at(hit.item.id).first.tenant == reader.tenant);
            }
        }
    }
}

TEST_CASE("memory: a team's is read by all who run it, only there, and only what was meant for it")
{
    const Reader ann{.tenant = "t", .user = "ann", .task = "1", .project = "/p", .team = "press", .agent = "writer"};
    Reader bob = ann;
    bob.user = "bob", bob.task = "2";
    Bench bench;
    CHECK(bench.keep("style: short sentences", scope_for(ann, "team")).item.scope.user == "");
    CHECK(scope_for(ann, "").kind == ScopeKind::user);
    const auto found_by = [&](const Reader& reader) {
        return bench.wait(bench.memory->search(readable(reader), {.text = "short sentences"})).hits.size();
    };
    CHECK(found_by(bob) == 1);
    bob.project = "/other";
    CHECK(found_by(bob) == 0);
    bob = ann;
    bob.tenant = "u";
    CHECK(found_by(bob) == 0);
    CHECK(error_of([&] { scope_for(ann, "session"); }) == doctest::Contains("there is no session here"));
    CHECK(error_of([&] { scope_for(ann, "world"); }) == doctest::Contains("task, session, user, agent, team"));
}

// MEM-13 U
TEST_CASE("memory, case 6: a threshold of 1 finds the very same text alone")
{
    Bench bench;
    bench.keep("the backup runs at midnight");
    bench.keep("the backup of the mail runs at noon");
    const auto hits = bench.find("The backup runs at midnight", Bench::ann(), 1.0);
    REQUIRE(hits.size() == 1);
    CHECK(hits[0].relevance == 1.0);
    CHECK(bench.find("when does the backup run", Bench::ann(), 1.0).empty());
    CHECK(bench.find("when does the backup run").size() == 2);
    CHECK(bench.find("when does the backup run")[0].relevance < 1);
    CHECK(bench.find("giraffes").empty());
}

TEST_CASE("memory, case 9: a note of 1 MiB is refused with the limit, and so is what is no text")
{
    Bench bench;
    const doctest::String large = error_of([&] { bench.keep(std::string(1 << 20, 'x')); });
    CHECK(large == doctest::Contains("8192 bytes at most"));
    CHECK(error_of([&] { bench.keep("\xff\xfe"); }) == doctest::Contains("not UTF-8"));
    CHECK(error_of([&] { bench.keep(" . "); }) == doctest::Contains("no text"));
    CHECK(bench.documents("memory") == 0);
    CHECK(bench.keep("the key is sk-proj-abc123DEF456ghi789").item.text.find("DEF456") == std::string::npos);
}

TEST_CASE("memory: the same effect again changes nothing and answers as it did")
{
    Bench bench;
    const Source source{.task = "t", .step = "use:3.1"};
    const auto say = [&](const char* text) {
        return bench.wait(bench.memory->remember(Bench::ann(), {.text = text}, source));
    };
    CHECK(say("plums are blue").change == Change::created);
    bench.restart();
    CHECK(say("plums are blue").change == Change::created);
    const auto items = bench.items();
    REQUIRE(items.size() == 1);
    CHECK(items[0].told == 1);
    CHECK(bench.wait(bench.memory->remember(Bench::ann(), {.text = "plums are blue"}, {.task = "t", .step = "use:4.0"}))
              .change == Change::merged);
    CHECK(bench.wait(bench.memory->remember(Bench::ann(), {.text = "plums are blue"}, {.task = "t", .step = "use:4.0"}))
              .change == Change::merged);
    CHECK(bench.items()[0].told == 2);
}

TEST_CASE("memory: by words alone where meaning is not wanted, and no vector is made")  // MEM-07 U
{
    Bench bench;
    bench.wait(bench.memory->remember(Bench::ann(), {.text = "the cat sleeps on the mat", .semantic = false}, {}));
    CHECK(bench.documents("vector") == 0);
    const auto found = bench.wait(bench.memory->search({Bench::ann()}, {.text = "sleeping cats", .semantic = false}));
    CHECK(found.encoder.empty());
    REQUIRE(found.hits.size() == 1);
    CHECK(found.hits[0].relevance == 1.0);  // both words are there
    CHECK(bench.find("sleeping cats").size() == 1);
    bench.wait(bench.memory->until_mended());
    CHECK(bench.documents("vector") == 1);
}
