// What guardrails say of a text.
#pragma once

#include "base/async_fwd.hpp"
#include "model/part.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cadre::engine {

enum class Place : std::uint8_t { input, output, tool_call, tool_result };
std::span<const model::EnumName> names_of(const Place*);

/// What follows from it; the strictest of all rules that matched.
enum class GuardAction : std::uint8_t { pass, log, warn, rewrite, ask, block };
std::span<const model::EnumName> names_of(const GuardAction*);

struct GuardedText {
    std::string tenant{};
    std::string agent{};
    Place place = Place::input;
    std::string tool{};  // of calls and results
    std::string text{};
};

struct GuardVerdict {
    GuardAction action = GuardAction::pass;
    std::vector<model::GuardrailCheck> checks{};  // those that found something
    std::string policy{};                         // version of the policies that were asked
    std::string text{};                           // where it was rewritten

    bool found_nothing() const { return action == GuardAction::pass && checks.empty(); }
};

/// Lives on the loop of whoever asks, and longer.
class Guard {
public:
    virtual Async<GuardVerdict> check(GuardedText text) = 0;

protected:
    ~Guard() = default;
};

}  // namespace cadre::engine
