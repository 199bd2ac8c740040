// "Always", as an answer to whether a tool may be called: a rule in the project's cadre.yaml.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "model/human.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::home {
class HomeLink;
}

namespace cadre::cli {

/// The text of a cadre.yaml with `rule` in its `permissions.allow`; nothing where it has a form of its own.
std::optional<std::string> with_rule(std::string_view yaml, std::string_view rule);

/// A rule that would have let the call pass without a question, and the project that it is for.
struct AlwaysRule {
    std::string rule{};
    std::filesystem::path project{};
};
/// Nothing where no rule would: the question is not about a tool's permission, or every call is to be asked about.
Async<std::optional<AlwaysRule>> find_always(home::HomeLink& session, Id task, model::HumanRequest request);

/// From the project's next task on. Returns the file; throws Error that says what to write where it cannot.
std::filesystem::path allow_always(const AlwaysRule& always);

/// For people: what was written, and from when on it counts.
std::string always_text(const AlwaysRule& always, const std::filesystem::path& file);

}  // namespace cadre::cli
