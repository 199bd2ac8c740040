// The tools that mock-mcp has without a script.
#pragma once

#include "mcp/mock/tools.hpp"

#include <span>
#include <string_view>

namespace cadre::mcp::mock {

struct Builtin {
    std::string_view listed;  // JSON, as `tools/list` answers; with `execution`: calls of it take long
    /// The arguments are as the schema says.
    Outcome (*call)(const boost::json::object& arguments, const std::string& key, const Tools::Count& count);
};

std::span<const Builtin> builtins();

}  // namespace cadre::mcp::mock
