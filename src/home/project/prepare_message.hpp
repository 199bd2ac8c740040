// What `message` answers: with the project's conversation team, or the built-in one, as its channels.yaml and style_guide.yaml say.
#pragma once

#include "home/project/prepare_task.hpp"
#include "model/views/conversation.hpp"

#include <memory>
#include <optional>
#include <string>

namespace cadre::engine {
struct TaskState;
}

namespace cadre::home {

struct MessageRequest {
    model::conversation::Channel channel = model::conversation::Channel::sms;
    std::string account{};  // the operator's, through which the answer is sent; empty: whoever asks gets it
    std::string to{};
    std::string reply_to{};  // the vendor's id of the message that is answered; empty: none
    std::string team{};      // its name; empty: `conversation`, or the built-in one
    std::optional<std::string> user_name{};
};

/// The message is `wanted.prompt`. `last`: the last turn of its session that has begun; null: there is none. Throws Error that says what is
/// wrong and what to do: a faulty file, an agent that is missing, no model.
PreparedTask prepare_message(const std::shared_ptr<const Project>& here, const RunRequest& wanted,
                             const MessageRequest& message, const engine::TaskState* last);

}  // namespace cadre::home
