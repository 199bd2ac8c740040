// Old messages of a conversation as text: for a model that is to sum them up, or as a summary that needs none.
#pragma once

#include "llm/window_plan.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cadre::llm {

/// What a model is told that sums up.
std::string summary_instructions(std::size_t bytes);
/// What it is asked, about one piece of the conversation; `so_far` is what was noted of the pieces before.
std::string summary_question(std::string_view so_far, std::string_view piece);

/// What earlier summaries among the messages say.
std::string earlier_summary(Conversation messages, std::span<const std::size_t> which);

/// The messages as lines, in at most four pieces of at most so many bytes. Long ones are cut the more, the more there are.
std::vector<std::string> transcript(Conversation messages, std::span<const std::size_t> which, std::size_t piece);

/// A summary without a model: how each message begins, and what earlier summaries say, in at most so many bytes.
std::string extract(Conversation messages, std::span<const std::size_t> which, std::size_t bytes);

}  // namespace cadre::llm
