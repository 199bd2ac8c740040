#include "model/message_setup.hpp"

#include "model/describe.hpp"

namespace cadre::model {

const Entity& describe(const MessageSetup*)
{
    static const Entity entity{
        .name = "message_setup",
        .doc = "What the answer to a message is pinned to.",
        .fields =
            {
                field("channel", &MessageSetup::channel, "What the channel shows.", {.required = true}),
                field("style", &MessageSetup::style, "How answers sound.", {.required = true}),
                field("account", &MessageSetup::account, "Through which it is sent; empty: its asker gets it."),
                field("to", &MessageSetup::to, "The address there."),
                field("reply_to", &MessageSetup::reply_to, "The vendor's id of what is answered.",
                      {.omit_default = true}),
                field("user_name", &MessageSetup::user_name, "Who has written."),
            },
        .home = {Home::Kind::inside},
    };
    return entity;
}

}  // namespace cadre::model
