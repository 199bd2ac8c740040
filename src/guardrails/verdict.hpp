// What became of a text: which checks there were, what is to be done, and the text as it may be passed on.
#pragma once

#include "guardrails/policy_set.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::guardrails {

/// A rule that a text breaks.
struct Broken {
    std::size_t rule = 0;  // of PolicySet::AtPlace::rules
    std::size_t count = 1;
    std::string note{};   // why, without quoting the text
    bool failed = false;  // it could not be checked
};

struct Verdict {
    Action action = Action::pass;
    /// One for each broken rule, and one that passed for each policy without any.
    std::vector<model::GuardrailCheck> checks{};
    /// The text with masks, if there are any. With `ask`: what is passed on when somebody approves. With `block`: never.
    std::optional<std::string> text{};
    std::string version{};  // of the policies; empty: there are none here

    bool operator==(const Verdict&) const = default;
};

/// The whole text, at once. RE2 decides. No policies at this place: nothing is checked or recorded. A check that fails blocks.
Verdict check(const PolicySet& set, Place place, std::string_view text);

/// For a model or person in place of the text: which policies, and why, never what.
std::string notice(const Verdict& verdict, Place place);

/// What may be kept of a text that was withheld: how long it is and its hash.
std::string withheld_mark(std::string_view text);

// For check() and StreamGuard:

Verdict verdict_of(const PolicySet& set, Place place, const std::vector<Broken>& broken);

}  // namespace cadre::guardrails
