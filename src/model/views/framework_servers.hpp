// The file mcp_servers.yaml as a whole: a list of servers or a map of their names, our own way or as desktop clients write it.
#pragma once

#include "model/views/framework_agent.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model::framework {

/// A server of a map, which has its name.
struct NamedMCPServer : MCPServer {};
const Entity& describe(const NamedMCPServer*);

enum class DesktopTransport : std::uint8_t { stdio, sse, http };
std::span<const EnumName> names_of(const DesktopTransport*);

/// What desktop clients write about every server of a `mcpServers` block.
struct DesktopServer {
    std::optional<DesktopTransport> type{};
    std::optional<DesktopTransport> transport{};
    bool disabled = false;
    std::optional<std::string> name{};
    boost::json::object ext{};

    bool operator==(const DesktopServer&) const = default;
};

/// One that is started.
struct DesktopStdioServer : DesktopServer {
    std::string command{};
    std::vector<std::string> args{};
    Dict<std::string> env{};

    bool operator==(const DesktopStdioServer&) const = default;
};
const Entity& describe(const DesktopStdioServer*);

/// One that listens.
struct DesktopHttpServer : DesktopServer {
    std::optional<std::string> url{};
    std::optional<std::string> server_url{};
    Dict<std::string> headers{};

    bool operator==(const DesktopHttpServer&) const = default;
};
const Entity& describe(const DesktopHttpServer*);

/// The config room reads this one form by form, with places in the file; here it is described for schemas and pages.
struct MCPServers {
    boost::json::value servers{};
    std::vector<Tool> tools{};

    bool operator==(const MCPServers&) const = default;
};
const Entity& describe(const MCPServers*);

}  // namespace cadre::model::framework
