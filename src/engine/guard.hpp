// What guardrails say of a text.
#pragma once

#include "base/async_fwd.hpp"
#include "model/part.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {
struct Team;
}

namespace cadre::engine {

enum class Place : std::uint8_t { input, output, tool_call, tool_result, handoff, delegate, send };
std::span<const model::EnumName> names_of(const Place*);

/// What follows from it; the strictest of all rules that matched.
enum class GuardAction : std::uint8_t { pass, log, warn, rewrite, ask, block };
std::span<const model::EnumName> names_of(const GuardAction*);

struct GuardedText {
    std::shared_ptr<const model::Team> team{};  // null: the task needs none
    std::string tenant{};
    std::string agent{};
    Place place = Place::input;
    std::string tool{};  // of calls and results
    std::string text{};
    bool is_call = true;  // of a model or tool: one more for rules that count
};

struct GuardVerdict {
    GuardAction action = GuardAction::pass;
    std::vector<model::GuardrailCheck> checks{};  // those that found something
    std::string policy{};                         // version of the policies that were asked
    std::string text{};                           // where it was rewritten

    bool found_nothing() const { return action == GuardAction::pass && checks.empty(); }
};

/// A text on its way out, looked at as it comes.
class StreamCheck {
public:
    virtual ~StreamCheck() = default;
    /// What may be passed on now.
    virtual std::string feed(std::string_view chunk) = 0;
    /// The text is complete: the rest of it.
    virtual std::string finish() = 0;
    /// Then.
    virtual GuardVerdict verdict() const = 0;
};

/// Lives on the loop of whoever asks, and longer.
class Guard {
public:
    /// Whether anything is looked at there; asked before each text, so that nothing costs nothing.
    virtual bool watches(const std::shared_ptr<const model::Team>& team, std::string_view agent, Place place) = 0;
    /// A text without a word is one that only counts.
    virtual Async<GuardVerdict> check(GuardedText text) = 0;
    /// Of a place that is watched; null: only whole texts are looked at there.
    virtual std::unique_ptr<StreamCheck> stream(const GuardedText& text) = 0;

protected:
    ~Guard() = default;
};

}  // namespace cadre::engine
