// Answers that a JSON Schema asks for, as far as they can be had without a language model.
#pragma once

#include "llm/local/turn.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cadre::llm::local {

/// The answer as JSON: a plan of what the request names, a verdict that confirms nothing, fields that the request fills. Throws
/// ModelError(invalid) that names what it cannot say.
std::string structured_answer(const Turn& turn, std::string_view schema);

/// An abstention, where the newest message asks for a vote; nothing where it does not.
std::optional<std::string> vote(const Turn& turn);

}  // namespace cadre::llm::local
