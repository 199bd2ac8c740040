// Engines under test: agents, models that need no network, and what failures say.
#pragma once

#include "cadre/engine.hpp"

#include <chrono>
#include <string>

namespace cadre::test {

/// Longer than anything here takes: a test that fails does not hang.
inline constexpr std::chrono::seconds kLimit{60};

inline Agent clerk(std::vector<std::string> tools = {})
{
    return {.name = "clerk", .instructions = "You help.", .tools = std::move(tools)};
}

/// Has `tool` called once, and says what it answered.
inline auto calls_once(std::string tool, std::string arguments)
{
    return [tool = std::move(tool), arguments = std::move(arguments)](const Request& request) {
        const Message& last = request.messages.back();
        return last.role == "tool" ? says(last.text) : calls(tool, arguments);
    };
}

inline Reply echo(const Request& request)
{
    return says(request.messages.back().text);
}

/// `code: text`, or nothing.
template <class Act>
std::string failure_of(Act act)
{
    try {
        act();
    } catch (const Failure& failure) {
        return std::string(name_of(failure.code())) + ": " + failure.what();
    }
    return "";
}

}  // namespace cadre::test
