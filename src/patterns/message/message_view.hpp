// How far the answer to a message is, and what was made on the way: folded from its journal.
#pragma once

#include "engine/task_state.hpp"
#include "model/views/conversation.hpp"
#include "storage/record.hpp"

#include <span>
#include <string>
#include <vector>

namespace cadre::patterns {

/// Throws Error(not_found) when the task answers no message.
model::conversation::MultiAgentWorkflowState message_state(const engine::TaskState& task,
                                                           std::span<const storage::Record> records);

/// The keys by which each piece was sent, or may have been, in their order: `channels` knows how far it has come.
std::vector<std::string> keys_of_sends(std::span<const storage::Record> records);

/// All that it went through, from `created` on.
std::vector<model::Phase> phases_of(const engine::TaskState& task, std::span<const storage::Record> records);

}  // namespace cadre::patterns
