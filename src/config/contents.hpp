// Everything that a set of configuration files defines, with the place of each thing: what cross-references are checked against.
#pragma once

#include "config/document.hpp"
#include "config/file_kind.hpp"
#include "config/settings.hpp"
#include "config/variables.hpp"
#include "model/graph.hpp"
#include "model/team.hpp"
#include "model/views/domains.hpp"
#include "model/views/framework_agent.hpp"
#include "model/views/orchestration_options.hpp"

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cadre::config {

struct File {
    std::filesystem::path path;
    std::string shown;  // the path as people are told it
    std::optional<FileKind> kind{};
    std::optional<Document> document{};
};

/// A thing and where it stands: `document` lives in Contents::files, `path` leads to it there.
template <class T>
struct Placed {
    T value;
    const File* file;
    std::string path;
};

/// A name that something has, even when the rest of it cannot be read: one fault must not make its users look wrong too.
using Name = Placed<std::string>;

struct Contents {
    std::deque<File> files;
    std::vector<Placed<model::Team>> teams;
    std::vector<Placed<model::Agent>> agents;  // those with a file of their own
    std::vector<Placed<model::Graph>> workflows;
    std::vector<Placed<model::Graph>> faulty_workflows;  // whose nodes are known, but not all ways between them
    std::vector<Placed<model::framework::MCPServer>> servers;
    std::vector<Placed<model::framework::Tool>> tools;  // that servers are said to offer
    std::vector<Placed<model::domains::Domain>> domains;
    std::vector<Placed<model::orchestration::AppSettings>> appsettings;
    std::vector<Placed<Settings>> settings;

    struct {
        std::vector<Name> teams, agents, team_agents, workflows, servers, tools, domains;
    } names;
    bool complete = true;  // false: a file could not be read at all, so that a name may be missing because of that
};

/// Reads the file and adds what it defines; what is wrong with it goes to `findings`.
void add_file(Contents& contents, const std::filesystem::path& path, std::string shown, Variables& variables,
              Findings& findings);

/// The servers and tools of a file of MCP servers, in whichever of its forms.
void add_servers(Contents& contents, const File& file, Findings& findings);

/// Joins two paths of a document: `a` and `[0]`, `a` and `b`.
std::string joined(std::string_view path, std::string_view rest);
std::string element(std::string_view list, std::size_t index);

}  // namespace cadre::config
