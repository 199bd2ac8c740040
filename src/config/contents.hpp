// Everything that a set of configuration files defines, with the place of each thing: what cross-references are checked against.
#pragma once

#include "config/document.hpp"
#include "config/file_kind.hpp"
#include "config/settings.hpp"
#include "config/variables.hpp"
#include "model/channel_accounts.hpp"
#include "model/graph.hpp"
#include "model/team.hpp"
#include "model/test_file.hpp"
#include "model/views/domains.hpp"
#include "model/views/framework_agent.hpp"
#include "model/views/framework_retention.hpp"
#include "model/views/orchestration_options.hpp"

#include <boost/json/fwd.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::config {

struct File {
    std::filesystem::path path;
    std::filesystem::path root;  // the project or home that it belongs to
    std::string shown;           // the path as people are told it
    std::optional<FileKind> kind{};
    std::optional<Document> document{};
};

/// A thing and where it stands: `document` lives in Contents::files, `path` leads to it there.
template <class T>
struct Placed {
    T value;
    const File* file;
    PathSteps path;
};

/// A name that something has, even when the rest of it cannot be read: one fault must not make its users look wrong too.
using Name = Placed<std::string>;

/// A tool that a server is said to have, as it is written.
struct Offer {
    std::string server, tool;
};

/// Things are here even when something is wrong with them, so that all problems come in one go: what could not be read of one is
/// as in a fresh one, and report() tells of no place twice. Whoever wants to use them asks whether there were errors.
/// A copy shares the files, which do not change once they are read: more can be added to it.
struct Contents {
    std::vector<std::shared_ptr<const File>> files;
    std::vector<Placed<model::Team>> teams;
    std::vector<Placed<model::Agent>> agents;  // those with a file of their own
    std::vector<Placed<model::Graph>> workflows;
    std::vector<Placed<model::Graph>> faulty_workflows;  // whose nodes are known, but not all ways between them
    std::vector<Placed<model::framework::MCPServer>> servers;
    std::vector<Placed<model::framework::Tool>> tools;  // that servers are said to offer
    std::vector<Placed<model::domains::Domain>> domains;
    std::vector<Placed<model::domains::AskOptions>> ask;  // of files of domains that say how questions are answered
    std::vector<Placed<model::orchestration::AppSettings>> appsettings;
    std::vector<Placed<Settings>> settings;
    std::vector<Placed<model::ChannelAccounts>> accounts;
    std::vector<Placed<model::framework::RetentionPolicy>> retention;
    std::vector<Placed<model::OperatorPolicies>> guardrails;
    std::vector<Placed<model::TestFile>> tests;
    std::vector<Offer> offers;
    std::vector<std::string> disabled_servers;  // they are there, and offer nothing

    struct {
        std::vector<Name> teams, agents, team_agents, workflows, servers, tools, domains, providers;
    } names;
    /// Kinds of names of which some may be missing above, because what has them cannot be read.
    struct {
        bool teams = false, agents = false, workflows = false, items = false, aliases = false, servers = false,
             tools = false, domains = false, providers = false;
    } open;
};

/// Reads the file and adds what it defines; what is wrong with it goes to `findings`.
void add_file(Contents& contents, File file, Variables& variables, Findings& findings);

/// The servers and tools of a file of MCP servers, in whichever of its forms.
void add_servers(Contents& contents, const File& file, Findings& findings);

/// The name of a member that was meant to be `field`: the field itself, else one whose name is mistyped. Null when there is
/// none. What it holds is known then, and only its own name is wrong.
const boost::json::key_value_pair* find_meant(const boost::json::object& object, std::string_view field);

/// Adds the name of the thing that `path` leads to. False when it has none that could be read.
bool add_name(const boost::json::value& thing, const File& file, const PathSteps& path, std::vector<Name>& names);

}  // namespace cadre::config
