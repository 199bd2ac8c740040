#include "sim/rooms.hpp"

#include "base/async.hpp"
#include "base/sha256.hpp"
#include "base/timeout.hpp"
#include "engine/compactor.hpp"
#include "engine/run.hpp"
#include "sim/seams.hpp"
#include "sim/simulation.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::sim {

namespace {

using namespace std::chrono_literals;

/// How long a policy stays what it is.
constexpr std::int64_t kPolicyMillis = 7'000;

struct WorldRooms final : Rooms,
                          engine::MemoryPort,
                          engine::ArtifactPort,
                          engine::Sender,
                          engine::Guard,
                          engine::Compactor {
    WorldRooms(Simulation& s, Worker& w) : simulation(s), worker(w) {}

    void furnish(engine::Env& env) override
    {
        env.memory = this;
        env.artifacts = this;
        env.sender = this;
        env.guardrails = this;
        env.compactor = this;
    }

    /// The way there. Who died on it never arrives.
    Async<> travel(const char* point = nullptr)
    {
        if (point) simulation.at_crash_point(point);
        if (worker.freezing) co_await yield();
        if (worker.dead) co_await sleep_for(Millis::max());
        co_await sleep_for(simulation.world_chance().between(0ms, 400ms));
    }
    std::uint64_t policy() const
    {
        const auto at = simulation.now().time_since_epoch();
        return hash_of(simulation.seed(),
                       std::to_string(std::chrono::duration_cast<Millis>(at).count() / kPolicyMillis)) %
               4;
    }

    // ---- memory ----

    bool is_remote() const override { return false; }
    Async<engine::Recall> recall(engine::MemoryOwner owner, engine::MemoryQuery query) override
    {
        co_await travel();
        engine::Recall found{.encoder = "sim"};
        for (const Noted& note : simulation.ledger().notes)
            if (note.tenant == owner.tenant && found.hits.size() < static_cast<std::size_t>(query.limit))
                found.hits.push_back({.id = note.id, .type = "semantic", .text = note.text, .score = 0.5});
        co_await travel();
        co_return found;
    }
    /// Who asks again is told what it was told before.
    Async<engine::Remembered> remember(engine::MemoryOwner owner, engine::MemoryNote note) override
    {
        co_await travel();
        auto& notes = simulation.ledger().notes;
        const std::string id = fmt::format("mem_{:x}", hash_of(0, to_string(owner.task) + owner.path));
        if (std::ranges::find(notes, id, &Noted::id) == notes.end())
            notes.push_back({.id = id, .tenant = owner.tenant, .task = owner.task, .text = note.text});
        else simulation.count("remembered again");
        co_await travel("after_dispatch");
        co_return engine::Remembered{.id = id};
    }

    // ---- files ----

    Async<engine::KeptBlob> keep(Id, engine::ArtifactDraft draft) override
    {
        co_await travel();
        co_await travel("before_dispatch");
        engine::KeptBlob blob{.path = draft.path,
                              .sha256 = to_hex(sha256(draft.content)),
                              .size = static_cast<std::int64_t>(draft.content.size()),
                              .mime_type = "text/plain"};
        simulation.ledger().blobs.insert(blob.sha256);
        co_await travel();
        co_return blob;
    }

    Async<engine::FoundFiles> collect(Id, std::vector<std::string>, bool) override { co_return engine::FoundFiles{}; }

    // ---- messages ----

    bool takes_key(const std::string& channel) const override { return channel == kMail; }
    Async<engine::Sent> send(engine::Outgoing message, std::string key) override
    {
        if (worker.freezing) co_await yield();
        if (worker.dead) co_await sleep_for(Millis::max());
        Chance& chance = simulation.world_chance();
        const std::uint64_t salt = hash_of(simulation.seed(), message.content);
        const Millis takes = chance.between(0ms, 2s);
        const bool again = takes_key(message.channel) && simulation.ledger().effect_of(key);
        Dispatch dispatch{.key = key,
                          .tool = message.channel,
                          .worker = worker.name,
                          .arguments = {{"content", message.content}},
                          .at = simulation.now(),
                          .result = fmt::format("sent:{}", salt % 10'000)};
        if (!again) dispatch.effect_at = simulation.now() + takes / 2;
        const std::string id = dispatch.result;
        simulation.dispatched(std::move(dispatch), worker);
        co_await sleep_for(takes);
        co_return engine::Sent{id};
    }

    // ---- guardrails ----

    bool watches(const std::shared_ptr<const model::Team>&, std::string_view, engine::Place place) override
    {
        return place == engine::Place::tool_call || place == engine::Place::output;
    }
    std::unique_ptr<engine::StreamCheck> stream(const engine::GuardedText&) override { return nullptr; }
    Async<engine::GuardVerdict> check(engine::GuardedText text) override
    {
        co_await travel();
        engine::GuardVerdict verdict{.policy = fmt::format("v{}", policy())};
        if (!text.text.starts_with(kSuspicious) || policy() == 0) co_return verdict;
        constexpr engine::GuardAction kActions[] = {engine::GuardAction::log, engine::GuardAction::warn,
                                                    engine::GuardAction::block};
        verdict.action = kActions[policy() - 1];
        model::GuardrailCheck found{.check_id = "c1", .status = model::CheckStatus::failed};
        found.policy_violated = verdict.policy;
        verdict.checks = {found};
        co_return verdict;
    }

    // ---- windows ----

    bool is_full(const engine::Window& window) override
    {
        const auto long_ones = std::ranges::count_if(window.request.messages,
                                                     [](const auto& one) { return one->text.starts_with(kLong); });
        return long_ones >= 3 && policy() % 2 == 1;
    }
    Async<engine::Compaction> plan(engine::Run&, const engine::Agent&, const engine::Window& window) override
    {
        co_return engine::Compaction{.upto = static_cast<std::int64_t>(window.request.messages.size()) - 1,
                                     .kept = {0},
                                     .tokens_before = 100,
                                     .tokens_after = 10,
                                     .sums_up = true};
    }
    Async<> sum_up(engine::Run& run, const engine::Agent& agent, const engine::Window&,
                   engine::Compaction& plan) override
    {
        run.tell(fmt::format("sum up {}", plan.upto));
        plan.summary = "before: " + (co_await run.think(agent)).text;
        simulation.count("compacted");
    }
    std::optional<std::int64_t> measure(const engine::Window&) override { return std::nullopt; }

    Simulation& simulation;
    Worker& worker;
};

}  // namespace

std::unique_ptr<Rooms> rooms_of(Simulation& simulation, Worker& worker)
{
    return std::make_unique<WorldRooms>(simulation, worker);
}

}  // namespace cadre::sim
