#include "config/references.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "config/read_into.hpp"
#include "model/names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace cadre::config {

namespace {

constexpr std::size_t kMaxSuggestions = 100;

/// The names that a reference may have, and what to say of one that it may not.
class Known {
public:
    Known(std::string_view kind, std::string_view where, bool open) : kind_(kind), where_(where), open_(open) {}

    void add(const std::string& name)
    {
        if (set_.insert(name).second) all_.push_back(name);
    }
    /// A name that something is wrong with may be the one that a reference means: one fault, one message.
    void add(const std::vector<Name>& names, const Findings& findings)
    {
        for (const Name& name : names) {
            add(name.value);
            if (findings.has_error_at(name.file->shown, name.file->document->value_at(name.path))) open_ = true;
        }
    }
    bool is_open() const { return open_; }
    bool has(std::string_view name) const { return set_.contains(name); }

    void expect(std::string_view name, const File& file, const std::string& path, Findings& findings) const
    {
        if (!open_ && !has(name)) report(path, unknown(name, findings), *file.document, findings);
    }
    /// The same for a name that a variable holds.
    void expect(std::string_view name, std::string_view variable, Findings& findings) const
    {
        if (!open_ && !has(name))
            findings.error(std::string(kEnvironment), kNowhere,
                           fmt::format("{}: {}", variable, unknown(name, findings)));
    }

private:
    std::string unknown(std::string_view name, const Findings& findings) const
    {
        // comparing with all names takes its time, and of so many slips nobody reads the last
        const auto near = findings.list().size() < kMaxSuggestions ? nearest(name, all_) : std::nullopt;
        return fmt::format("unknown {} {}{}", kind_, cadre::quoted(name),
                           near ? fmt::format(", did you mean \"{}\"?", *near) : fmt::format("; {}", where_));
    }

    std::string_view kind_, where_;
    bool open_;                     // there may be names that we do not know of
    std::vector<std::string> all_;  // in the order in which they were defined: of two suggestions the first wins
    std::set<std::string, std::less<>> set_;
};

/// Servers that are said to offer certain tools offer no others; any other server may offer anything.
class Tools {
public:
    Tools(const Contents& contents, std::span<const std::string> built_in, const Findings& findings)
        : contents_(contents),
          known_("tool", "define it in a team's tools, or under tools in config/mcp_servers.yaml", is_open(contents)),
          servers_("server", "define it in config/mcp_servers.yaml", !contents.complete)
    {
        known_.add(contents.names.tools, findings);
        for (const std::string& name : built_in) known_.add(name);
        servers_.add(contents.names.servers, findings);
        for (const char* own : {"builtin", "custom", "hitl"}) servers_.add(own);
    }

    const Known& servers() const { return servers_; }

    void expect(std::string_view name, const File& file, const std::string& path, Findings& findings) const
    {
        if (known_.has(name)) return;
        const std::size_t dot = name.find('.');  // server.tool
        if (dot == name.npos || !servers_.has(name.substr(0, dot))) return known_.expect(name, file, path, findings);
        expect_offer(name.substr(0, dot), name.substr(dot + 1), file, path, findings);
    }

    void expect_offer(std::string_view server, std::string_view tool, const File& file, const std::string& path,
                      Findings& findings) const
    {
        std::vector<std::string> offers;
        for (const auto& placed : contents_.tools)
            if (placed.value.server == server) offers.push_back(placed.value.name);
        if (offers.empty() || std::ranges::find(offers, tool) != offers.end()) return;
        const auto near = nearest(tool, offers);
        report(path,
               fmt::format("{} is not offered by server {}{}", cadre::quoted(tool), cadre::quoted(server),
                           near ? fmt::format(", did you mean \"{}\"?", *near) : ""),
               *file.document, findings);
    }

private:
    static bool is_open(const Contents& contents)
    {
        if (!contents.complete) return true;
        return std::ranges::any_of(contents.names.servers, [&](const Name& server) {
            return std::ranges::none_of(contents.tools,
                                        [&](const auto& tool) { return tool.value.server == server.value; });
        });
    }

    const Contents& contents_;
    Known known_, servers_;
};

void check_team_references(const Contents& contents, const Tools& tools, Findings& findings)
{
    for (const auto& [team, file, at] : contents.teams) {
        for (std::size_t i = 0; i < team.tools.size(); ++i) {
            const model::Tool& tool = team.tools[i];
            const std::string path = element("tools", i);
            if (tool.server) {
                tools.servers().expect(*tool.server, *file, joined(path, "server"), findings);
                tools.expect_offer(*tool.server, tool.name, *file, joined(path, "name"), findings);
            } else if (tool.type == model::ToolType::mcp && !tool.server_url) {
                report(path, "needs a server: name one of config/mcp_servers.yaml as server, or give its server_url",
                       *file->document, findings);
            }
        }
        // a stop that nothing has would never stop anything; it may be meant for a tool, so this is only a warning
        std::vector<std::string> stops;
        for (const auto& agent : team.agents) stops.push_back(agent.name);
        for (const auto& tool : team.tools) stops.push_back(tool.name);
        for (const auto& [field, list] :
             {std::pair("breakpoints", &team.execution_config.breakpoints),
              std::pair("human_intervention_points", &team.execution_config.human_intervention_points)})
            for (std::size_t i = 0; i < list->size(); ++i) {
                const auto near = nearest((*list)[i], stops);
                if (!near || std::ranges::find(stops, (*list)[i]) != stops.end()) continue;
                const std::string path = fmt::format("execution_config.{}[{}]", field, i);
                findings.warn(file->shown, file->document->value_at(path),
                              fmt::format("{}: {} is no agent or tool of this team, did you mean \"{}\"?", path,
                                          cadre::quoted((*list)[i]), *near));
            }
    }
}

}  // namespace

void check_references(const Contents& contents, std::span<const std::string> built_in_tools,
                      const Environment& environment, Findings& findings)
{
    const Tools tools(contents, built_in_tools, findings);
    Known agents("agent", "define it in agents/ or in a team", !contents.complete);
    agents.add(contents.names.agents, findings);
    agents.add(contents.names.team_agents, findings);

    check_team_references(contents, tools, findings);
    for (const auto& [agent, file, at] : contents.agents)
        for (std::size_t i = 0; i < agent.tools.size(); ++i)
            tools.expect(agent.tools[i], *file, element("tools", i), findings);
    for (const auto* workflows : {&contents.workflows, &contents.faulty_workflows})
        for (const auto& [graph, file, at] : *workflows)
            for (const auto& [name, node] : graph.nodes) {
                const std::string path = joined("nodes", name);
                if (node.type == model::NodeType::agent && node.agent)
                    agents.expect(*node.agent, *file, joined(path, "agent"), findings);
                if (node.type == model::NodeType::tool && node.tool)
                    tools.expect(*node.tool, *file, joined(path, "tool"), findings);
            }
    for (const auto& [tool, file, at] : contents.tools) {
        tools.servers().expect(tool.server, *file, joined(at, "server"), findings);
        for (std::size_t i = 0; i < tool.fallback_tools.size(); ++i)
            tools.expect(tool.fallback_tools[i], *file, element(joined(at, "fallback_tools"), i), findings);
    }

    Known domains("domain", "define it in config/domains.yaml", !contents.complete);
    domains.add(contents.names.domains, findings);
    for (const auto& [domain, file, at] : contents.domains) {
        for (std::size_t i = 0; i < domain.mcp_tools.size(); ++i)
            tools.expect(domain.mcp_tools[i], *file, element(joined(at, "mcp_tools"), i), findings);
        for (std::size_t i = 0; i < domain.related_domains.size(); ++i)
            domains.expect(domain.related_domains[i], *file, element(joined(at, "related_domains"), i), findings);
    }

    Known aliases("agent", "it is the alias of an agent in agents/ or in a team", agents.is_open());
    for (const auto* names : {&contents.names.agents, &contents.names.team_agents})
        for (const Name& name : *names) aliases.add(model::alias_of(name.value));
    for (const auto& placed : contents.agents) aliases.add(model::alias_of(placed.value));
    for (const auto& [settings, file, at] : contents.appsettings) {
        const auto& router = settings.router_executor;
        if (router.clarification_agent_id)
            aliases.expect(*router.clarification_agent_id, *file, "RouterExecutor.ClarificationAgentId", findings);
        if (router.fallback_agent_id)
            aliases.expect(*router.fallback_agent_id, *file, "RouterExecutor.FallbackAgentId", findings);
    }

    Known teams("team", "define it in teams/", !contents.complete);
    teams.add(contents.names.teams, findings);
    for (const Name& name : contents.names.teams) teams.add(name.file->path.stem().string());
    for (const auto& [settings, file, at] : contents.settings)
        if (settings.team) teams.expect(*settings.team, *file, "team", findings);
    if (const auto team = environment(variable_of("team")); team && !contents.names.teams.empty())
        teams.expect(*team, variable_of("team"), findings);
}

}  // namespace cadre::config
