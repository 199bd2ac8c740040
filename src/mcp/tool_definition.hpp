// A server's description of a tool, as our own.
#pragma once

#include "model/tool.hpp"

#include <boost/json/fwd.hpp>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::mcp {

/// What a server may say about one tool, as JSON text.
inline constexpr std::size_t kLargestDefinition = 256 << 10;

struct Described {
    std::optional<model::Tool> tool{};
    std::string problem{};  // why there is none
};

/// The tool as the server calls it. Its annotations count only when the operator trusts the server: a hint that says "read-only" about
/// a tool that is not would have it called twice.
Described read_definition(const boost::json::object& listed, const std::string& server, bool trusted);

/// What a definition says, in 64 hex digits: another description, schema or annotation, another hash. The name that we give the tool,
/// and in which order a schema's members stand, changes nothing.
std::string definition_hash(const boost::json::object& listed);

struct Offered {
    std::string server{};
    std::string tool{};  // as the server calls it
};

/// Names for all of them: the server's own where only one has it and nobody else does (`taken`), and `server__tool` where not.
std::vector<std::string> tool_names(std::span<const Offered> offered, const std::set<std::string>& taken = {});

}  // namespace cadre::mcp
