// What effects write down before they begin: for every kind of effect, the body of its intent beyond what all have (engine/effect_body.hpp).
// `members` are spelled and ordered as they stand in journals, for ever: new ones are optional, and no name is used again.
#pragma once

#include "base/time.hpp"
#include "engine/body_field.hpp"
#include "engine/effect.hpp"
#include "model/human.hpp"
#include "model/part.hpp"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace cadre::engine {

struct ThinkIntent {
    Text agent{};
    Text step{};
    std::int64_t nth = 0;                        // model call of that agent
    Lazy<std::vector<std::uint32_t>> inputs{};   // records with instructions that it took in
    Text model{};                                // that stands in for the first
    std::optional<std::int64_t> max_output{};    // tokens that its budget leaves for the answer
    Lazy<std::vector<std::string>> memory{};     // items that it was told since its last turn
    std::optional<std::int64_t> context_size{};  // tokens that it is given, where they were counted

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("step", self.step);
        member("nth", self.nth);
        member("inputs", self.inputs);
        member("model", self.model);
        member("max_output", self.max_output);
        member("memory", self.memory);
        member("context_size", self.context_size);
    }
};

struct UseIntent {
    Text agent{};
    Lazy<model::ToolCall> call{};
    bool sandboxed = false;  // it runs a program that is locked in

    static void members(auto& self, auto&& member)
    {
        member("agent", self.agent);
        member("call", self.call);
        member("sandboxed", self.sandboxed);
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

}  // namespace cadre::engine
