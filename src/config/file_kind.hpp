// What a configuration file is: told by its name, else by the folder it lies in, else by what it holds.
#pragma once

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::config {

enum class FileKind : std::uint8_t {
    project,      // cadre.yaml
    team,         // team.yaml, teams/*
    agent,        // agents/*
    workflow,     // workflows/*
    mcp_servers,  // mcp_servers.yaml, mcp.json, or a file outside of projects that holds `mcpServers`
    retention,    // retention_policy.yaml
    channels,     // channels.yaml
    accounts,     // accounts.yaml: whom messages go through
    style_guide,  // style_guide.yaml
    domains,      // domains.yaml
    appsettings,  // appsettings.json
    providers,    // providers.yaml
    guardrails,   // guardrails.yaml
    test,         // NAME.test.yaml
};

/// The servers of desktop clients, as they write them.
inline constexpr std::string_view kDesktopBlock = "mcpServers";

/// For people: "a team".
std::string_view name_of(FileKind kind);

/// The folder that holds files of that kind, whatever they are called.
std::optional<std::string_view> folder_of(FileKind kind);

/// Names, without their extension, that tell what a file is: `cadre`, `mcp_servers`, …
std::vector<std::string> known_names();
std::optional<FileKind> kind_by_name(const std::filesystem::path& file);
std::optional<FileKind> kind_by_content(const boost::json::value& value);

/// What such a file is described by. An agent's may also be document 000's.
const model::Entity& entity_of(FileKind kind);
/// All of them, for schemas.
std::vector<const model::Entity*> file_entities();

}  // namespace cadre::config
