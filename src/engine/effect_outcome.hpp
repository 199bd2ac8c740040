// What came of effects: for every kind of effect, the body of its outcome beyond what all have (engine/effect_body.hpp).
// `members` are spelled and ordered as they stand in journals, for ever: new ones are optional, and no name is used again.
#pragma once

#include "base/time.hpp"
#include "engine/artifact_port.hpp"
#include "engine/body_field.hpp"
#include "engine/budget.hpp"
#include "engine/compactor.hpp"
#include "engine/conversation.hpp"
#include "engine/guard.hpp"
#include "engine/memory_port.hpp"
#include "engine/memory_use.hpp"
#include "model/decision.hpp"
#include "model/event.hpp"
#include "model/part.hpp"
#include "model/reply.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cadre::engine {

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
    Lazy<GuardAction> guarded{};  // what guardrails made of it; `checks` say why, by `policy`
    Lazy<std::vector<model::GuardrailCheck>> checks{};
    Text policy{};

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
        member("guarded", self.guarded);
        member("checks", self.checks);
        member("policy", self.policy);
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
    bool resolved = false;   // a person said what came of it
    bool sandboxed = false;  // as its intent says
    Lazy<GuardAction> guarded{};
    Lazy<std::vector<model::GuardrailCheck>> checks{};
    Text policy{};
    Lazy<MemoryUse> memory{};          // what it did there
    Lazy<std::vector<Saved>> files{};  // what it did to files of the task

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
        member("sandboxed", self.sandboxed);
        member("guarded", self.guarded);
        member("checks", self.checks);
        member("policy", self.policy);
        member("memory", self.memory);
        member("files", self.files);
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
    Lazy<std::vector<std::uint32_t>> inputs{};  // records with instructions that are told before
    Lazy<std::vector<TurnMessage>> history{};   // what is left of what was said in the session before this task

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("upto", self.upto);
        member("kept", self.kept);
        member("summary", self.summary);
        member("shortened", self.shortened);
        member("tokens_before", self.tokens_before);
        member("tokens_after", self.tokens_after);
        member("inputs", self.inputs);
        member("history", self.history);
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

}  // namespace cadre::engine
