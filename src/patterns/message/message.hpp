// message: one message of a person, planned, answered, formatted for its channel, checked, refined once at most and sent (document 001).
#pragma once

#include "base/async_fwd.hpp"
#include "model/reply.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace cadre::engine {
class Run;
struct TaskState;
}  // namespace cadre::engine

namespace cadre::patterns {

/// The task is pinned to a model::MessageSetup. Its input has `context`: what is known of the conversation.
/// An answer that fails its scorecard twice, and a plan that cannot be, end in the style guide's words of failure, which are sent;
/// then the reply is not `ok`. Where the setup names an account, each piece is sent over it: content, and as `options` `subject`,
/// `html` of an e-mail, `text` of a card.
Async<model::Reply> message(engine::Run& run);

/// The input of the next turn of a session, from its last one: what was said joins `context.previous_messages`.
boost::json::object next_message_input(const engine::TaskState& last);

}  // namespace cadre::patterns
