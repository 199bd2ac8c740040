// Session: a series of tasks that belong together; 003 calls it a conversation, 002 a client's session.
#pragma once

#include "model/type.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cadre::model {

struct Session {
    std::string id{};
    std::optional<std::string> alias{};
    std::string tenant = "default";
    std::optional<std::string> user{};
    std::optional<std::string> channel{};
    Time created_at{};
    Time updated_at{};
    boost::json::object metadata{};

    bool operator==(const Session&) const = default;
};
const Entity& describe(const Session*);

/// What a conversation is at some moment; never stored, computed from its last message.
enum class ConversationState : std::uint8_t { created, active, idle };
std::span<const EnumName> names_of(const ConversationState*);

inline constexpr Millis kIdleAfter = std::chrono::hours(1);

/// Created while nothing but its first user message is there; Idle from exactly one hour after the last one (S-21).
ConversationState conversation_state(std::size_t messages, Time last_message, Time now);

}  // namespace cadre::model
