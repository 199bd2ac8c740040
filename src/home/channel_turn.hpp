// A turn of somebody who writes over a channel, as the task that answers it.
#pragma once

#include "channels/desk.hpp"
#include "engine/commands.hpp"
#include "engine/principal.hpp"
#include "home/project/project.hpp"

#include <memory>
#include <string>
#include <vector>

namespace cadre::home {

/// Who that is here: a user of the account's tenant, who sees their own tasks.
engine::Principal sender_of(const channels::Turn& turn, const model::ChannelAccount& account);

/// `last`: the turn before it, null: there is none. Throws Error as prepare_message() does.
engine::CreateTask task_of(const channels::Turn& turn, const std::shared_ptr<const Project>& project,
                           const model::ChannelAccount& account, const engine::TaskState* last);

/// The vendor's ids of the messages that the task was made of.
std::vector<std::string> messages_of(const engine::TaskState& task);

}  // namespace cadre::home
