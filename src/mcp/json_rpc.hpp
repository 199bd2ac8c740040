// JSON-RPC 2.0 messages out of text and into it, as MCP narrows them: ids are texts or integers, params and results are objects.
// No sockets and no time here.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cadre::mcp {

using Id = std::variant<std::int64_t, std::string>;

struct RpcError {
    std::int64_t code = 0;
    std::string message{};
    std::optional<boost::json::value> data{};

    bool operator==(const RpcError&) const = default;
};

/// In RpcError::code, for an answer that is for us and makes no sense: JSON-RPC reserves no code for that.
inline constexpr std::int64_t kSenseless = 0;

inline constexpr std::int64_t kMethodNotFound = -32601;
inline constexpr std::int64_t kInvalidParams = -32602;
inline constexpr std::int64_t kInternalError = -32603;

struct Request {
    Id id{};
    std::string method{};
    boost::json::object params{};

    bool operator==(const Request&) const = default;
};

struct Notification {
    std::string method{};
    boost::json::object params{};

    bool operator==(const Notification&) const = default;
};

struct Response {
    std::optional<Id> id{};  // nothing: the other side could not read what it answers
    std::variant<boost::json::object, RpcError> outcome{};

    bool operator==(const Response&) const = default;
};

using Message = std::variant<Request, Notification, Response>;

struct MessageLimits {
    std::size_t bytes = 16 << 20;
    std::size_t depth = 64;
    std::size_t nodes = 1'000'000;
    std::size_t batch = 64;      // messages in one text; protocol version 2025-03-26 has such
    std::size_t longest = 4096;  // bytes of an error's message; the rest is cut off
};

/// One message, or several in an array. Throws Error(malformed | too_large). An answer with an id that is otherwise wrong comes out
/// as an error of code kSenseless, so that whoever waits for it learns of it.
std::vector<Message> read_messages(std::string_view text, const MessageLimits& limits = {});

/// As one line. Hand it over where it is not needed any more: params and results are copied otherwise.
std::string to_text(Message message);

/// For people and maps: `7`, `"a"`.
std::string to_text(const Id& id);
/// As JSON.
boost::json::value to_value(const Id& id);
/// Nothing for what is neither a text nor an integer.
std::optional<Id> find_id(const boost::json::value* value);

}  // namespace cadre::mcp
