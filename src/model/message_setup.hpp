// What the answer to a message is pinned to: its channel, how that looks and sounds, and where the answer goes.
#pragma once

#include "model/views/conversation_config.hpp"

#include <optional>
#include <string>

namespace cadre::model {

struct MessageSetup {
    conversation::ChannelSpecification channel{};
    conversation::StyleGuide style{};
    std::string
        account{};     // the operator's, through which the answer is sent; empty: it is given to whoever asks for it
    std::string to{};  // the address there
    std::string reply_to{};  // the vendor's id of the message that is answered; empty: none is quoted
    std::optional<std::string> user_name{};

    bool operator==(const MessageSetup&) const = default;
};
const Entity& describe(const MessageSetup*);

}  // namespace cadre::model
