// The names that templates and expressions may use, by where they stand: what `check` knows is what runs give.
#pragma once

#include "text/template/template.hpp"

#include <span>
#include <string_view>

namespace cadre::text {

struct KnownName {
    std::string_view name{};
    std::span<const std::string_view> members{};  // none: anything may be in it
};

/// Of the template of an agent's prompt. There is a state only in workflows and in teams of several agents.
std::span<const KnownName> prompt_names();
/// Of a handoff's condition and of a criterion: after an agent's turn.
std::span<const KnownName> turn_names();
/// Of a breakpoint's condition: numbers.
std::span<const KnownName> breakpoint_names();

/// Throws TemplateError(invalid) at the first name that is not among them, or the first member that is not one of it:
/// `"agnt" is not defined, did you mean "agent"?`
void expect_known(const Template& used, std::span<const KnownName> known);
void expect_known(const Expression& used, std::span<const KnownName> known);

}  // namespace cadre::text
