// What the records of effects say: for every kind of effect, the body of its intent and that of its outcome beyond what all have.
// `members` are spelled and ordered as they stand in journals, for ever: new ones are optional, and no name is used again.
#pragma once

#include "base/time.hpp"
#include "engine/artifact_port.hpp"
#include "engine/body_field.hpp"
#include "engine/budget.hpp"
#include "engine/compactor.hpp"
#include "engine/effect.hpp"
#include "engine/guard.hpp"
#include "engine/memory_port.hpp"
#include "model/decision.hpp"
#include "model/event.hpp"
#include "model/human.hpp"
#include "model/part.hpp"
#include "model/reply.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cadre::engine {

struct Attempt;
struct Effect;

// ---- intents ----

struct ThinkIntent {
    Text agent{};
    Text step{};
    std::int64_t nth = 0;                       // model call of that agent
    Lazy<std::vector<std::uint32_t>> inputs{};  // records with instructions that it took in
    Text model{};                               // that stands in for the first

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("step", self.step);
        member("nth", self.nth);
        member("inputs", self.inputs);
        member("model", self.model);
    }
};

struct UseIntent {
    Text agent{};
    Lazy<model::ToolCall> call{};

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("call", self.call);
    }
};

struct AskIntent {
    Lazy<Time> due{};
    Lazy<model::HumanRequest> request{};

    static void members(auto& self, auto&& member)
    {
        member("due", self.due);
        member("request", self.request);
    }
};

struct DelegateIntent {
    Text agent{};
    Text child{};  // the task that does it

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("child", self.child);
    }
};

struct SleepIntent {
    Lazy<Time> due{};

    static void members(auto& self, auto&& member) { member("due", self.due); }
};

struct SendIntent {
    Text agent{};
    Text channel{};
    Text to{};
    Text content{};

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("channel", self.channel);
        member("to", self.to);
        member("content", self.content);
    }
};

/// Of an effect that says nothing of its own, or that has only an outcome.
template <EffectKind kind>
struct PlainIntent {
    Text agent{};

    static void members(auto& self, auto&& member) { member("agent", self.agent); }
};
using RecallIntent = PlainIntent<EffectKind::recall>;
using RememberIntent = PlainIntent<EffectKind::remember>;
using SaveIntent = PlainIntent<EffectKind::save>;
using CheckIntent = PlainIntent<EffectKind::check>;
using NowIntent = PlainIntent<EffectKind::now>;
using FreshIdIntent = PlainIntent<EffectKind::fresh_id>;
using FirstIntent = PlainIntent<EffectKind::first>;
using JoinIntent = PlainIntent<EffectKind::join>;
using AnnounceIntent = PlainIntent<EffectKind::announce>;
using HeedIntent = PlainIntent<EffectKind::heed>;
using RouteIntent = PlainIntent<EffectKind::route>;
using CompactIntent = PlainIntent<EffectKind::compact>;

/// Of an effect that only a newer release has.
struct NewerIntent {
    Text agent{};

    static void members(auto& self, auto&& member) { member("agent", self.agent); }
};

/// In the order of EffectKind.
using IntentOf = std::variant<ThinkIntent, UseIntent, AskIntent, DelegateIntent, RecallIntent, RememberIntent,
                              SaveIntent, CheckIntent, SendIntent, SleepIntent, NowIntent, FreshIdIntent, FirstIntent,
                              JoinIntent, AnnounceIntent, HeedIntent, RouteIntent, CompactIntent, NewerIntent>;

// ---- outcomes ----

struct ThinkOutcome {
    Text agent{};
    Text step{};
    Text text{};
    Lazy<std::vector<model::ToolCall>> calls{};
    Lazy<llm::Usage> usage{};
    Text finish{};  // why it ended, unless it simply did
    Text model{};
    Text reasoning{};
    Text opaque{};
    Text mark{};  // what a model that counts left there for itself
    std::optional<std::int64_t> ms{};

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("step", self.step);
        member("text", self.text);
        member("calls", self.calls);
        member("usage", self.usage);
        member("finish", self.finish);
        member("model", self.model);
        member("reasoning", self.reasoning);
        member("opaque", self.opaque);
        member("mark", self.mark);
        member("ms", self.ms);
    }
};

struct UseOutcome {
    Text call{};
    Text tool{};
    Text text{};
    bool is_error = false;
    bool refused = false;                    // it must not be made, whatever stands in for it
    Lazy<std::vector<std::string>> found{};  // tools, by a search for them
    Lazy<std::vector<std::string>> artifacts{};
    std::optional<std::int64_t> exit_code{};
    Lazy<ResourceUsage> resource_usage{};
    Lazy<std::vector<tools::Media>> images{};
    std::optional<std::int64_t> ms{};
    bool resolved = false;  // a person said what came of it

    static void members(auto& self, auto&& member)
    {
        member("call", self.call);
        member("tool", self.tool);
        member("text", self.text);
        member("is_error", self.is_error);
        member("refused", self.refused);
        member("found", self.found);
        member("artifacts", self.artifacts);
        member("exit_code", self.exit_code);
        member("resource_usage", self.resource_usage);
        member("images", self.images);
        member("ms", self.ms);
        member("resolved", self.resolved);
    }
};

/// Only of a question that was given up: what a person answers is a record of its own.
struct AskOutcome {
    static void members(auto&, auto&&) {}
};

struct DelegateOutcome {
    Text child{};
    Lazy<model::Reply> reply{};
    Lazy<Spending> spent{};  // by it and all below it; left out while some of those have not ended

    static void members(auto& self, auto&& member)
    {
        member("child", self.child);
        member("reply", self.reply);
        member("spent", self.spent);
    }
};

struct SleepOutcome {
    static void members(auto&, auto&&) {}
};

struct NowOutcome {
    Lazy<Time> at{};

    static void members(auto& self, auto&& member) { member("at", self.at); }
};

struct FreshIdOutcome {
    Text id{};

    static void members(auto& self, auto&& member) { member("id", self.id); }
};

struct FirstOutcome {
    std::optional<std::int64_t> winner{};  // which of the branches, from 0 on

    static void members(auto& self, auto&& member) { member("winner", self.winner); }
};

struct JoinOutcome {
    Lazy<std::vector<std::uint32_t>>
        winners{};  // parts or branches by their number, in the order in which they were first

    static void members(auto& self, auto&& member) { member("winners", self.winners); }
};

/// A decision that is told: what, by whom, the thing itself, and the events that it is to the public.
struct AnnounceOutcome {
    Text what{};  // `handoff`, `vote`, …
    Text agent{};
    Text key{};  // which of several: a proposal, a point
    RawJson fact{};
    Lazy<std::vector<model::Event>> events{};

    static void members(auto& self, auto&& member)
    {
        member("what", self.what);
        member("agent", self.agent);
        member("key", self.key);
        member("fact", self.fact);
        member("events", self.events);
    }
};

struct HeedOutcome {
    std::optional<std::int64_t> seen{};         // up to this record
    Lazy<std::vector<std::uint32_t>> inputs{};  // records that it took in

    static void members(auto& self, auto&& member)
    {
        member("seen", self.seen);
        member("inputs", self.inputs);
    }
};

struct RecallOutcome {
    Text agent{};
    Text query{};
    Lazy<std::vector<MemoryHit>> hits{};
    Text encoder{};
    std::optional<double> threshold{};

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("query", self.query);
        member("hits", self.hits);
        member("encoder", self.encoder);
        member("threshold", self.threshold);
    }
};

struct RememberOutcome {
    Text agent{};
    Text id{};
    Text type{};
    Lazy<MemoryChange> change{};
    std::optional<std::int64_t> size{};  // of its text, in bytes

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("id", self.id);
        member("type", self.type);
        member("change", self.change);
        member("size", self.size);
    }
};

struct SaveOutcome {
    Text agent{};
    Lazy<SavedVersion> artifact{};
    Lazy<ArtifactChange> change{};
    std::optional<std::int64_t> before{};  // bytes of the version that it follows

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("artifact", self.artifact);
        member("change", self.change);
        member("before", self.before);
    }
};

struct CheckOutcome {
    Text agent{};
    Lazy<Place> place{};
    Lazy<GuardAction> action{};
    Lazy<std::vector<model::GuardrailCheck>> checks{};
    Text policy{};
    Text text{};  // where it was rewritten

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("place", self.place);
        member("action", self.action);
        member("checks", self.checks);
        member("policy", self.policy);
        member("text", self.text);
    }
};

struct SendOutcome {
    Text channel{};
    Text id{};
    Text text{};            // what a person said of it
    bool resolved = false;  // a person said what came of it

    static void members(auto& self, auto&& member)
    {
        member("channel", self.channel);
        member("id", self.id);
        member("text", self.text);
        member("resolved", self.resolved);
    }
};

struct RouteOutcome {
    Text agent{};
    Lazy<model::Decision> decision{};
    Text encoder{};

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("decision", self.decision);
        member("encoder", self.encoder);
    }
};

struct CompactOutcome {
    Text agent{};
    std::optional<std::int64_t> upto{};       // messages before this one are gone
    Lazy<std::vector<std::uint32_t>> kept{};  // but these
    Text summary{};
    Lazy<std::vector<ShortenedMessage>> shortened{};
    std::optional<std::int64_t> tokens_before{};
    std::optional<std::int64_t> tokens_after{};

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("upto", self.upto);
        member("kept", self.kept);
        member("summary", self.summary);
        member("shortened", self.shortened);
        member("tokens_before", self.tokens_before);
        member("tokens_after", self.tokens_after);
    }
};

/// Of an effect that only a newer release has; what it cost is counted all the same.
struct NewerOutcome {
    Text text{};
    Lazy<llm::Usage> usage{};

    static void members(auto& self, auto&& member)
    {
        member("text", self.text);
        member("usage", self.usage);
    }
};

using OutcomeOf =
    std::variant<ThinkOutcome, UseOutcome, AskOutcome, DelegateOutcome, RecallOutcome, RememberOutcome, SaveOutcome,
                 CheckOutcome, SendOutcome, SleepOutcome, NowOutcome, FreshIdOutcome, FirstOutcome, JoinOutcome,
                 AnnounceOutcome, HeedOutcome, RouteOutcome, CompactOutcome, NewerOutcome>;

static_assert(std::variant_size_v<IntentOf> == kEffectKinds + 1 && std::variant_size_v<OutcomeOf> == kEffectKinds + 1,
              "an effect has an intent and an outcome");

// ---- what all have ----

struct IntentBody {
    Text effect{};
    std::int64_t attempt = 1;
    std::optional<std::int64_t> choice{};  // who was asked, where others stand in for the first
    Text key{};                            // idempotency
    IntentOf of{};
    std::optional<std::int64_t> reserve{};     // tokens
    std::optional<double> reserve_cost{};      // US dollars
    std::optional<std::int64_t> iterations{};  // paid for: of it, and of nodes and turns around it
    RawJson parts{};                           // of the request's digest, by name

    static void members_before(auto& self, auto&& member)
    {
        member("effect", self.effect);
        member("attempt", self.attempt);
        member("choice", self.choice);
        member("key", self.key);
    }
    static void members_behind(auto& self, auto&& member)
    {
        member("reserve", self.reserve);
        member("reserve_cost", self.reserve_cost);
        member("iterations", self.iterations);
        member("parts", self.parts);
    }
};

struct OutcomeBody {
    Text effect{};
    OutcomeOf of{};
    Lazy<RecordedError> error{};
    bool cancelled = false;

    static void members_before(auto& self, auto&& member) { member("effect", self.effect); }
    static void members_behind(auto& self, auto&& member)
    {
        member("error", self.error);
        member("cancelled", self.cancelled);
    }
};

/// One that is empty, of that kind; nothing: of a kind that only a newer release has.
IntentOf empty_intent(std::optional<EffectKind> kind);
OutcomeOf empty_outcome(std::optional<EffectKind> kind);

/// What effects of several kinds say.
Text agent_of(const IntentOf& intent);
Lazy<llm::Usage> usage_of(const OutcomeOf& outcome);
std::optional<Millis> time_of(const OutcomeOf& outcome);
/// What a call came to, as documents have it.
model::ToolResult result_of(const UseOutcome& use, const OutcomeBody& outcome);

/// The failure that is recorded, thrown as the same Error; nothing when there is none.
void throw_recorded_error(const OutcomeBody& outcome);

// ---- cheap questions to a record, before its body is taken apart ----

/// What kind of effect an intent, an outcome or a failed attempt is of; nothing: a newer release's, or the record is not such a one.
std::optional<EffectKind> effect_of(const storage::Record& record);
/// Whether the outcome says that the effect was cancelled.
bool was_cancelled(const storage::Record& outcome);

// ---- writing, where every instruction counts ----

/// The body of an intent: what all have around `effect.intent`, the members of its own.
std::string intent_text(const Effect& effect, const Attempt& attempt);
/// The body of an outcome: behind `effect.outcome`, members that every outcome of it has, those of this one.
std::string outcome_text(const Effect& effect, std::string_view members);
/// Of an outcome that failed, or was cancelled.
std::string error_members(Code code, std::string_view message);
inline constexpr std::string_view kCancelledMembers = R"("cancelled":true)";

// ---- visiting ----

/// For the kinds that a visitor has nothing to say about: each is named, so that a new one is not forgotten.
///     template <AnyOf<SleepIntent, NowIntent> Other> void operator()(const Other&) {}
template <class Type, class... Types>
concept AnyOf = (std::same_as<Type, Types> || ...);

}  // namespace cadre::engine
