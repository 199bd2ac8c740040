// Stand-ins for the rooms that runs ask something of. What they did stands outside the engine, so it survives a crash of it.
#pragma once

#include "engine/compactor.hpp"
#include "engine/send_evidence.hpp"
#include "engine/test_cut.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace cadre::engine::testing {

/// One item for one text, whoever says it; the effect that made it is told the same again.
class FakeMemory final : public MemoryPort {
public:
    struct Item {
        std::string text;
        std::string source;
    };
    bool is_remote() const override { return remote; }
    Async<Recall> recall(MemoryOwner, MemoryQuery query) override
    {
        ++recalls;
        Recall found{.encoder = "words"};
        for (const auto& [id, item] : items)
            if (item.text.find(query.text) != std::string::npos)
                found.hits.push_back({.id = id, .type = "semantic", .text = item.text, .score = 0.5});
        co_return found;
    }
    Async<Remembered> remember(MemoryOwner owner, MemoryNote note) override
    {
        const std::string id = "mem_" + note.text;
        const std::string source = to_string(owner.task) + owner.path;
        const auto [place, is_new] = items.try_emplace(id, Item{note.text, source});
        const bool is_own = is_new || place->second.source == source;
        co_return Remembered{id, is_own ? MemoryChange::created : MemoryChange::merged};
    }

    std::map<std::string, Item> items;
    int recalls = 0;
    bool remote = false;
};

class FakeArtifacts final : public ArtifactPort {
public:
    Async<KeptBlob> keep(Id, ArtifactDraft draft) override
    {
        if (delay.count() > 0) co_await sleep_for(delay);
        const std::string sha = to_hex(sha256(draft.content));
        blobs.insert(sha);
        co_return KeptBlob{.path = draft.path,
                           .sha256 = sha,
                           .size = static_cast<std::int64_t>(draft.content.size()),
                           .mime_type = "text/plain"};
    }

    Async<FoundFiles> collect(Id, std::vector<std::string>, bool) override
    {
        if (delay.count() > 0) co_await sleep_for(delay);
        co_return found;
    }

    std::set<std::string> blobs;
    FoundFiles found;
    Millis delay{0};
};

class FakeSender final : public Sender, public SendWitness {
public:
    bool takes_key(const std::string& channel) const override { return channel == "mail"; }
    Async<Sent> send(Outgoing message, std::string key) override
    {
        dispatched.push_back(key);
        co_await sleep_for(Millis(20));
        if (fails) fails(message);
        co_return Sent{"id of " + message.content};
    }
    Async<std::string> refusal(Outgoing) override { co_return refuses; }
    Async<SendEvidence> look(Outgoing message, std::string key, Time since) override
    {
        looked_for.push_back(key);
        looked_since = since;
        if (finds) co_return SendEvidence{.happened = Sent{"id of " + message.content}};
        co_return SendEvidence{.give_up = gives_up, .looked = "it is not in the list"};
    }

    std::vector<std::string> dispatched;
    std::function<void(const Outgoing&)> fails;
    std::string refuses;
    bool finds = false, gives_up = false;
    std::vector<std::string> looked_for;
    Time looked_since{};
};

/// Looks for a word; what follows from it can change at any time.
class FakeGuard final : public Guard {
public:
    bool watches(const std::shared_ptr<const model::Team>&, std::string_view, Place place) override
    {
        return places.contains(place);
    }
    std::unique_ptr<StreamCheck> stream(const GuardedText&) override { return nullptr; }
    Async<GuardVerdict> check(GuardedText text) override
    {
        ++asked;
        GuardVerdict verdict{.policy = "v" + std::to_string(static_cast<int>(action))};
        if (text.text.find(word) == std::string::npos) co_return verdict;
        verdict.action = action;
        model::GuardrailCheck found{.check_id = "c1", .status = model::CheckStatus::failed};
        found.policy_violated = "words";
        verdict.checks = {found};
        if (action == GuardAction::rewrite) verdict.text = R"({"n":7})";
        co_return verdict;
    }

    std::set<Place> places{Place::tool_call, Place::output};
    std::string word = "bad";
    GuardAction action = GuardAction::warn;
    int asked = 0;
};

/// Keeps the first message and what comes last; a model sums up the rest.
class FakeCompactor final : public Compactor {
public:
    bool is_full(const Window& window) override
    {
        ++asked;
        return window.request.messages.size() > most;
    }
    Async<Compaction> plan(Run&, const Agent&, const Window& window) override
    {
        co_return Compaction{.upto = static_cast<std::int64_t>(window.request.messages.size()) - 1,
                             .kept = {0},
                             .tokens_before = 1000,
                             .tokens_after = 100,
                             .sums_up = true};
    }
    Async<> sum_up(Run& run, const Agent& agent, const Window&, Compaction& plan) override
    {
        run.tell("Sum up " + std::to_string(plan.upto) + " messages.");
        plan.summary = "Before: " + (co_await run.think(agent)).text;
    }
    std::optional<std::int64_t> measure(const Window&) override { return std::nullopt; }

    std::size_t most = 3;
    int asked = 0;
};

class FakeRouter final : public Router {
public:
    bool is_remote() const override { return false; }
    Async<Routed> route(RouteQuery query) override
    {
        ++asked;
        co_return Routed{{.query = query.text, .targets = {query.catalogue.front().name}, .confidence = 0.9}, "words"};
    }
    int asked = 0;
};

/// A stage with all of them, which outlive a crash of the engine as their rooms' stores do.
struct Seams : Stage {
    explicit Seams(const std::function<Async<model::Reply>(Run&)>& pattern) : Stage(pattern)
    {
        model->answer = [](const llm::Request& request) {
            return says("re " + std::to_string(request.messages.size()) + " " + request.messages.back()->text);
        };
        env->memory = &memory;
        env->artifacts = &artifacts;
        env->sender = &sender;
        env->router = &router;
        env->guardrails = &guard;
        env->compactor = &compactor;
    }
    ~Seams() { crash(); }

    FakeMemory memory;
    FakeArtifacts artifacts;
    FakeSender sender;
    FakeRouter router;
    FakeGuard guard;
    FakeCompactor compactor;
};

inline std::vector<std::string> events_in(const std::vector<storage::Record>& records)
{
    std::vector<std::string> types;
    std::uint32_t count = 0;
    for (const storage::Record& record : records) {
        const auto events = events_of(record);
        CHECK(record.event_seq == count + events.size());  // as many as it says
        count = record.event_seq;
        for (const std::string& json : events) types.emplace_back(boost::json::parse(json).at("type").as_string());
    }
    return types;
}

inline std::ptrdiff_t count_of(const std::vector<std::string>& types, std::string_view type)
{
    return std::ranges::count(types, type);
}

inline std::vector<storage::Record> journal_of(Seams& world, const Id& id)
{
    CHECK(world.finish(id).status == model::TaskStatus::completed);
    return world.records(id);
}

}  // namespace cadre::engine::testing
