#include "home/project/project_tools.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/member_text.hpp"
#include "base/sha256.hpp"
#include "base/suggest.hpp"
#include "config/project.hpp"
#include "home/project/project.hpp"
#include "home/project/trust.hpp"
#include "mcp/pinned_tool.hpp"
#include "mcp/server.hpp"
#include "model/built_in_tools.hpp"
#include "model/team.hpp"
#include "model/write.hpp"
#include "net/http_client.hpp"
#include "net/http_options.hpp"
#include "storage/files.hpp"
#include "tools/builtin.hpp"
#include "tools/knowledge/knowledge_tool.hpp"
#include "tools/sandbox/custom_tool.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using model::framework::MCPServer;
using model::framework::TransportType;

using model::kDefinitionChanged;
using model::kDefinitionHash;
using model::kRemoteName;

bool is_described(const model::Tool& tool)
{
    return tool.config.contains(kDefinitionHash);
}

/// `server.tool`, as an agent is granted it.
struct Grant {
    std::string server;  // empty: whoever has it
    std::string tool;    // `*`: all
};

Grant grant_from(const std::string& name, const std::set<std::string>& servers)
{
    const std::size_t dot = name.find('.');
    if (dot == name.npos || !servers.contains(name.substr(0, dot))) return {"", name};
    return {name.substr(0, dot), name.substr(dot + 1)};
}

/// The team's own description of that tool of a server's; null: it has none.
const model::Tool* find_own(const model::Team& team, const mcp::Offered& offered)
{
    for (const model::Tool& tool : team.tools) {
        if (tool.type != model::ToolType::mcp || tool.server != offered.server) continue;
        if ((tool.config.contains(kRemoteName) ? text_in(tool.config, kRemoteName) : tool.name) == offered.tool)
            return &tool;
    }
    return nullptr;
}

std::string hash_of_file(const fs::path& file)
{
    const auto text = storage::find_file(file);
    return text ? to_hex(sha256(*text)) : "";
}

[[noreturn]] void no_such_tool(const std::string& server, const std::string& tool)
{
    throw Error(Code::not_found, fmt::format("server {} has no tool {}", server, in_quotes(tool)),
                {"to list those it has", "mcp tools " + server});
}

/// Whose folder its program may lie in: the project's, or the home's for a team of the home.
tools::CustomToolHome home_of(const model::Tool& tool, const fs::path& project, const fs::path& home)
{
    const fs::path program = project / tool.path.value_or("");
    const fs::path& root = config::is_below(program, home) && !config::is_below(program, project) ? home : project;
    return {.project = root, .named_in = root / "cadre.yaml"};
}

fs::path program_of(const model::Tool& tool, const fs::path& project)
{
    return project / tool.path.value_or("");
}

}  // namespace

ProjectTools::ProjectTools(net::Loop& loop, Projects& projects, fs::path home, Log log, EncoderSource encoder)
    : loop_(loop),
      projects_(projects),
      home_(std::move(home)),
      log_(std::move(log)),
      known_(home_),
      kept_(home_),
      encoder_(std::move(encoder))
{}

ProjectTools::~ProjectTools() = default;

Async<> ProjectTools::close()
{
    for (auto& [key, server] : std::exchange(servers_, {})) co_await server->close();
}

// ---- servers ----

std::shared_ptr<mcp::Server> ProjectTools::start(const fs::path& project, const MCPServer& server)
{
    const std::string key = project.string() + '\n' + model::to_json_text(server);
    if (const auto known = servers_.find(key); known != servers_.end()) return known->second;
    const auto own = projects_.current(project);
    const auto entry = std::make_shared<mcp::ServerEntry>(mcp::entry_of(server, own->variables()));
    for (Secret& secret : secrets_of(*own, server)) entry->secrets.push_back(std::move(secret));
    entry->folder = project;
    if (!http_) http_ = std::make_unique<net::HttpClient>(loop_, net::http_options(projects_.place().environment));
    const auto connect = [entry, own, server,
                          make = mcp::connector(loop_, *http_, *entry, log_, &kept_)](TransportType kind) {
        expect_trusted(*own, wants_of(*own, server));
        return make(kind);
    };
    return servers_[key] = std::make_shared<mcp::Server>(loop_, *entry, connect, log_);
}

std::vector<std::shared_ptr<mcp::Server>> ProjectTools::servers(const fs::path& project)
{
    std::vector<std::shared_ptr<mcp::Server>> servers;
    for (const MCPServer& server : projects_.current(project)->servers()) servers.push_back(start(project, server));
    return servers;
}

std::shared_ptr<mcp::Server> ProjectTools::server(const fs::path& project, const std::string& name)
{
    std::vector<std::string> names;
    for (auto& server : servers(project)) {
        if (server->name() == name) return server;
        names.push_back(server->name());
    }
    const auto near = nearest(name, names);
    throw Error(Code::not_found,
                fmt::format("there is no MCP server {}{}", in_quotes(name),
                            near            ? fmt::format(", did you mean {}?", in_quotes(*near))
                            : names.empty() ? "; config/mcp_servers.yaml names none"
                                            : fmt::format("; there are {}", fmt::join(names, ", "))),
                names.empty() ? Hint{"to add it", fmt::format("mcp add {} COMMAND", name)} : Hint{});
}

std::shared_ptr<mcp::Server> ProjectTools::server_of(const model::Tool& tool, const fs::path& project)
{
    if (tool.server) return server(project, *tool.server);
    MCPServer server{.name = tool.name, .transport = TransportType::streamable_http};
    server.config["url"] = tool.server_url.value_or("");
    return start(project, server);
}

// ---- what agents get ----

Async<> ProjectTools::describe(model::Team& team, fs::path project)
{
    if (project.empty()) co_return;
    projects_.open(project);
    co_await grant(team, project);
    for (model::Tool& tool : team.tools)
        if (!is_described(tool)) co_await complete(tool, project);
}

/// Puts the names of tools in the place of what agents are granted of servers.
Async<> ProjectTools::grant(model::Team& team, const fs::path& project)
{
    std::set<std::string> taken(std::begin(model::kBuiltInTools), std::end(model::kBuiltInTools));
    taken.insert(tools::search_tools_definition().name);
    for (const model::Tool& tool : team.tools) taken.insert(tool.name);
    const auto is_open = [&](const std::string& name) { return !taken.contains(name); };
    if (std::ranges::none_of(team.agents,
                             [&](const model::Agent& agent) { return std::ranges::any_of(agent.tools, is_open); }))
        co_return;

    projects_.open(project)->servers();  // what is wrong with them now is told now
    const auto all = servers(project);
    std::set<std::string> names;
    std::map<std::string, std::string> pins;
    for (const auto& server : all) {
        names.insert(server->name());
        pins[server->name()] = mcp::pin_name(server->entry());
    }
    std::vector<mcp::Offered> offered;
    std::vector<mcp::ListedTool> listed;
    for (const auto& server : all) {
        const bool is_wanted = std::ranges::any_of(team.agents, [&](const model::Agent& agent) {
            return std::ranges::any_of(agent.tools, [&](const std::string& name) {
                const Grant grant = grant_from(name, names);
                return is_open(name) && (grant.server.empty() || grant.server == server->name());
            });
        });
        if (!is_wanted) continue;
        const auto tools = co_await server->tools();
        for (const mcp::ListedTool& tool : *tools) offered.push_back({server->name(), tool.definition.name});
        listed.insert(listed.end(), tools->begin(), tools->end());
    }
    std::vector<std::string> called = mcp::tool_names(offered, taken);
    std::set<std::size_t> own;  // that the team itself describes: they keep its name for them
    for (std::size_t i = 0; i < offered.size(); ++i)
        if (const model::Tool* tool = find_own(team, offered[i])) {
            called[i] = tool->name;
            own.insert(i);
        }

    std::set<std::size_t> used;
    for (model::Agent& agent : team.agents) {
        std::vector<std::string> granted;
        for (const std::string& name : agent.tools) {
            if (!is_open(name)) {
                granted.push_back(name);
                continue;
            }
            const Grant wanted = grant_from(name, names);
            bool found = false;
            for (std::size_t i = 0; i < offered.size(); ++i) {
                if (!wanted.server.empty() && wanted.server != offered[i].server) continue;
                if (wanted.tool != "*" && wanted.tool != offered[i].tool && wanted.tool != called[i]) continue;
                found = true;
                if (!own.contains(i)) used.insert(i);
                if (std::ranges::find(granted, called[i]) == granted.end()) granted.push_back(called[i]);
            }
            if (found) continue;
            if (!wanted.server.empty()) no_such_tool(wanted.server, wanted.tool);
            throw Error(Code::not_found,
                        fmt::format("{} may call {}, which is not a tool of the team, of ours or of a server of this "
                                    "project",
                                    agent.name, name));
        }
        agent.tools = std::move(granted);
    }
    for (const std::size_t i : used) {
        model::Tool tool = listed[i].definition;
        tool.name = called[i];
        tool.type = model::ToolType::mcp;
        tool.server = offered[i].server;
        note_hash(tool, pins.at(offered[i].server), offered[i].tool, listed[i].hash);
        team.tools.push_back(std::move(tool));
    }
}

/// A tool that the team itself defines: what it leaves open is the server's to say.
Async<> ProjectTools::complete(model::Tool& tool, const fs::path& project)
{
    if (tool.type == model::ToolType::custom) {
        tools::custom_tool(tool, home_of(tool, project, home_), {.loop = loop_});  // throws when it cannot be one
        tool.config[kDefinitionHash] = hash_of_file(program_of(tool, project));
    }
    if (tool.type != model::ToolType::mcp) co_return;
    if (tool.server) projects_.open(project)->servers();  // see above
    const auto server = server_of(tool, project);
    const std::string remote = tool.config.contains(kRemoteName) ? text_in(tool.config, kRemoteName) : tool.name;
    const auto listed = co_await server->tools();
    const auto found =
        std::ranges::find_if(*listed, [&](const mcp::ListedTool& one) { return one.definition.name == remote; });
    if (found == listed->end()) no_such_tool(server->name(), remote);
    const model::Tool& said = found->definition;
    if (tool.description.empty()) tool.description = said.description;
    tool.input_schema = said.input_schema;
    tool.output_schema = said.output_schema;
    if (tool.effect == model::Effect::once) tool.effect = said.effect;
    note_hash(tool, mcp::pin_name(server->entry()), remote, found->hash);
}

void ProjectTools::note_hash(model::Tool& tool, const std::string& pin, const std::string& remote,
                             const std::string& hash)
{
    tool.config[kRemoteName] = remote;
    tool.config[kDefinitionHash] = hash;
    if (!known_.is_as_before(pin, remote, hash)) tool.config[kDefinitionChanged] = true;
}

std::shared_ptr<tools::Tool> ProjectTools::find(const model::Tool& described, const fs::path& project, std::string& why)
{
    try {
        if (described.type == model::ToolType::mcp)
            return std::make_shared<mcp::PinnedTool>(server_of(described, project), described);
        if (!tools::knowledge_paths(described).empty()) return knowledge(described, project);
        if (described.type != model::ToolType::custom) {
            why = "which this program does not have";
            return nullptr;
        }
        if (hash_of_file(program_of(described, project)) != text_in(described.config, kDefinitionHash)) {
            why = fmt::format("whose program {} is gone or has changed since the task began",
                              program_of(described, project).string());
            return nullptr;
        }
        auto& program = programs_[project.string() + '\n' + model::to_json_text(described)];
        if (!program)
            program = tools::custom_tool(described, home_of(described, project, home_),
                                         {.loop = loop_, .mode = sandbox_mode(projects_.place())});
        return program;
    } catch (const Error& error) {
        why = fmt::format("which cannot be had: {}", error.what());
        return nullptr;
    }
}

/// Its index is kept as long as we live: another search looks only for what has changed.
std::shared_ptr<tools::Tool> ProjectTools::knowledge(const model::Tool& described, const fs::path& project)
{
    auto& tool = knowledge_[project.string() + '\n' + model::to_json_text(described)];
    if (!tool)
        tool = tools::knowledge_tool(described, {.loop = loop_,
                                                 .root = project,
                                                 .cache = home_ / "cache" / "knowledge",
                                                 .mode = sandbox_mode(projects_.place()),
                                                 .encoder = encoder_});
    return tool;
}

}  // namespace cadre::home
