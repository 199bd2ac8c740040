#include "config/references.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "config/read_into.hpp"
#include "model/built_in_tools.hpp"
#include "model/names.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace cadre::config {

namespace {

constexpr std::size_t kMaxSuggestions = 100;

/// The names that a reference may have, and what to say of one that it may not.
class Known {
public:
    Known(std::string_view kind, std::string_view where, bool open) : kind_(kind), where_(where), open_(open) {}

    bool add(std::string name)
    {
        const bool is_new = set_.insert(name).second;
        if (is_new) all_.push_back(std::move(name));
        return is_new;
    }
    void add(const std::vector<Name>& names, const Findings& findings)
    {
        for (const Name& name : names) {
            const Place& place = *find(name.file->document->value, name.file->document->root, name.path).place;
            const bool is_new = add(name.value);
            if (!findings.has_error_at(name.file->shown, place.at)) continue;
            // one fault, one message: of twins one was meant to have another name, and so was what a variable did not give
            if (is_new && !place.reported) wrong_.push_back(name.value);
            else open_ = true;
        }
    }
    bool has(std::string_view name) const { return set_.contains(name); }

    /// `meant` is better than what would be suggested.
    void expect(std::string_view name, const File& file, const PathSteps& path, Findings& findings,
                const std::optional<std::string>& meant = std::nullopt) const
    {
        if (may_be(name) || !find(file.document->value, file.document->root, path).exact) return;
        report(path, unknown(name, findings, meant), *file.document, findings);
    }
    /// The same for a name that a variable holds.
    void expect(std::string_view name, std::string_view variable, Findings& findings) const
    {
        if (!may_be(name))
            findings.error(std::string(kEnvironment), kNowhere,
                           fmt::format("{}: {}", variable, unknown(name, findings, std::nullopt)));
    }
    std::optional<std::string> find_near(std::string_view name) const { return nearest(name, all_); }

private:
    /// A name that is nearly a wrong one is what that should have been: the agent `FrontDesk` is meant by `front_desk`.
    bool may_be(std::string_view name) const { return open_ || has(name) || nearest(name, wrong_); }

    std::string unknown(std::string_view name, const Findings& findings, std::optional<std::string> near) const
    {
        // comparing with all names takes its time, and of so many slips nobody reads the last
        if (!near && findings.list().size() < kMaxSuggestions) near = find_near(name);
        return fmt::format("unknown {} {}{}", kind_, in_quotes(name),
                           near ? fmt::format(", did you mean {}?", in_quotes(*near)) : fmt::format("; {}", where_));
    }

    std::string_view kind_, where_;
    bool open_;                     // there may be names that we do not know of
    std::vector<std::string> all_;  // in the order in which they were defined: of two suggestions the first wins
    std::set<std::string, std::less<>> set_;
    std::vector<std::string> wrong_;  // those that something is wrong with
};

/// How a server comes to be known.
Hint to_add(std::string_view server)
{
    return {"to add it", fmt::format("mcp add {} COMMAND", server)};
}

/// Servers that are said to offer certain tools offer no others; any other server may offer anything, unless it is disabled.
class Tools {
public:
    Tools(const Contents& contents, const Findings& findings)
        : contents_(contents),
          known_("tool", "define it in a team's tools, or under tools in config/mcp_servers.yaml", contents.open.tools),
          granted_("tool",
                   "an agent with a file of its own has the built-in tools and those of servers, written server.tool",
                   contents.open.tools),
          servers_("server", "define it in config/mcp_servers.yaml", contents.open.servers)
    {
        known_.add(contents.names.tools, findings);
        for (const std::string_view name : model::kBuiltInTools) known_.add(std::string(name));
        for (const std::string_view name : model::kBuiltInTools) granted_.add(std::string(name));
        std::vector<Name> offered = contents.names.tools;
        std::erase_if(offered, [](const Name& tool) { return tool.file->kind == FileKind::team; });
        granted_.add(offered, findings);
        servers_.add(contents.names.servers, findings);
        for (const char* own : {"builtin", "custom", "hitl"}) servers_.add(own);
        for (const Name& server : contents.names.servers) {
            if (!is_disabled(server.value)) enabled_.push_back(server.value);
            if (!is_disabled(server.value) && offers_of(server.value).empty()) unlisted_.push_back(server.value);
        }
    }

    /// `used`: nothing that needs it can be run without it.
    void expect_server(std::string_view server, const File& file, const PathSteps& path, bool used,
                       Findings& findings) const
    {
        if (!is_disabled(server)) return servers_.expect(server, file, path, findings);
        const std::string text = fmt::format("server {} is disabled, and offers nothing", in_quotes(server));
        if (used) report(path, text + "; enable it, or leave this out", *file.document, findings);
        else warn(file, path, text, findings);
    }

    void expect(std::string_view name, const File& file, const PathSteps& path, Findings& findings) const
    {
        if (known_.has(name) || is_of_server(name, file, path, false, findings)) return;
        std::optional<std::string> near = near_server(name, findings);
        if (unlisted_.empty() || name.find('.') != name.npos)
            return expect_known(known_, name, near, file, path, findings);
        if (contents_.open.tools) return;
        if (!near && findings.list().size() < kMaxSuggestions) near = known_.find_near(name);
        if (near)
            warn(file, path,
                 fmt::format("unknown tool {}, did you mean {}? (server {} may have it: its tools are not listed)",
                             in_quotes(name), in_quotes(*near), in_quotes(unlisted_[0])),
                 findings);
    }
    void expect(const std::vector<std::string>& names, const File& file, const PathSteps& list,
                Findings& findings) const
    {
        for (std::size_t i = 0; i < names.size(); ++i) expect(names[i], file, joined(list, {i}), findings);
    }

    /// What an agent is granted. One that is run by itself has nothing of teams, and a server's tool that is not listed is named
    /// with its server.
    void expect_granted(const std::vector<std::string>& names, const File& file, const PathSteps& list,
                        Findings& findings) const
    {
        for (std::size_t i = 0; i < names.size(); ++i) expect_granted(names[i], file, joined(list, {i}), findings);
    }
    void expect_granted(const std::string& name, const File& file, const PathSteps& path, Findings& findings) const
    {
        if (granted_.has(name) || is_of_server(name, file, path, true, findings)) return;
        const bool suggests = findings.list().size() < kMaxSuggestions;
        if (!unlisted_.empty() && !contents_.open.tools && name.find('.') == name.npos &&
            !(suggests && granted_.find_near(name)))
            report(path,
                   fmt::format("unknown tool {}; a tool of server {}, whose tools are not listed, is written {}.TOOL",
                               in_quotes(name), in_quotes(unlisted_[0]), unlisted_[0]),
                   *file.document, findings);
        else expect_known(granted_, name, near_server(name, findings), file, path, findings);
    }

    void expect_offer(std::string_view server, std::string_view tool, const File& file, const PathSteps& path,
                      Findings& findings) const
    {
        const std::vector<std::string> offers = offers_of(server);
        if (tool.empty() || tool == "*" || offers.empty() || std::ranges::find(offers, tool) != offers.end()) return;
        const auto near = nearest(tool, offers);
        report(path,
               fmt::format("{} is not offered by server {}{}", in_quotes(tool), in_quotes(server),
                           near ? fmt::format(", did you mean {}?", in_quotes(*near))
                                : "; name one of its tools, or describe this one under tools beside the server"),
               *file.document, findings);
    }

private:
    /// server.tool: then it is looked at.
    bool is_of_server(std::string_view name, const File& file, const PathSteps& path, bool used,
                      Findings& findings) const
    {
        const std::size_t dot = name.find('.');
        const std::string_view server = name.substr(0, dot == name.npos ? 0 : dot);
        if (!servers_.has(server)) return false;
        expect_server(server, file, path, used, findings);
        expect_offer(server, name.substr(dot + 1), file, path, findings);
        return true;
    }

    std::optional<std::string> near_server(std::string_view name, const Findings& findings) const
    {
        const std::size_t dot = name.find('.');
        if (dot == name.npos || findings.list().size() >= kMaxSuggestions) return std::nullopt;
        auto near = nearest(name.substr(0, dot), enabled_);
        if (near) *near += name.substr(dot);
        return near;
    }

    /// Of what names a server that is not there, the server is what is missing.
    void expect_known(const Known& known, std::string_view name, const std::optional<std::string>& near,
                      const File& file, const PathSteps& path, Findings& findings) const
    {
        const std::size_t dot = name.find('.');
        if (dot == name.npos || near || contents_.open.servers || known.find_near(name))
            return known.expect(name, file, path, findings, near);
        const std::string_view server = name.substr(0, dot);
        report(path,
               fmt::format("unknown server {} in {}; define it in config/mcp_servers.yaml", in_quotes(server),
                           in_quotes(name)),
               *file.document, findings, to_add(server));
    }

    static void warn(const File& file, const PathSteps& path, const std::string& text, Findings& findings)
    {
        const Found found = find(file.document->value, file.document->root, path);
        if (found.exact) findings.warn(file.shown, found.place->at, model::path_text(path) + ": " + text);
    }

    bool is_disabled(std::string_view server) const
    {
        return std::ranges::find(contents_.disabled_servers, server) != contents_.disabled_servers.end();
    }
    std::vector<std::string> offers_of(std::string_view server) const
    {
        std::vector<std::string> offers;
        for (const Offer& offer : contents_.offers)
            if (offer.server == server) offers.push_back(offer.tool);
        return offers;
    }

    const Contents& contents_;
    Known known_, granted_, servers_;
    std::vector<std::string> enabled_, unlisted_;  // servers; the latter may have tools that we do not know of
};

/// The names of a team's agents or tools, for those who refer to them inside of the team.
template <class T>
void add_names(Known& known, const std::vector<T>& things, const char* list, const File& file, const Findings& findings)
{
    std::vector<Name> names;
    names.reserve(things.size());
    for (std::size_t i = 0; i < things.size(); ++i) names.push_back({things[i].name, &file, {list, i, "name"}});
    known.add(names, findings);
}

/// Where a run of a team stops: `writer`, `agent:writer`, `tool:search`. A node belongs to a workflow that is not known here.
class Stops {
public:
    Stops(const model::Team& team, const File& file, bool open, const Findings& findings)
        : file_(file),
          agents_("agent", "name one of this team", open),
          tools_("tool", "name one of this team", open),
          all_("agent or tool", "name one of this team", open)
    {
        for (Known* known : {&agents_, &all_}) add_names(*known, team.agents, "agents", file, findings);
        for (Known* known : {&tools_, &all_}) {
            add_names(*known, team.tools, "tools", file, findings);
            for (const std::string_view name : model::kBuiltInTools) known->add(std::string(name));
        }
    }

    void expect(std::string_view stop, const PathSteps& path, Findings& findings) const
    {
        const std::size_t colon = stop.find(':');
        const std::string_view kind = stop.substr(0, colon == stop.npos ? 0 : colon);
        const std::string_view name = stop.substr(colon == stop.npos ? 0 : colon + 1);
        if (kind == "node" || kind == "condition") return;  // of these: check_expressions()
        if (kind == "agent") agents_.expect(name, file_, path, findings);
        else if (kind == "tool") tools_.expect(name, file_, path, findings);
        else all_.expect(stop, file_, path, findings);
    }

private:
    const File& file_;
    Known agents_, tools_, all_;
};

/// A stop that nothing has would never stop anything.
void check_stops(const model::Team& team, const File& file, Findings& findings)
{
    const auto& config = team.execution_config;
    if (config.breakpoints.empty() && config.human_intervention_points.empty()) return;
    const auto is_nameless = [](const auto& thing) { return thing.name.empty(); };
    // only names of this very file count, so what is not known of other files says nothing here
    const auto is_unread = [&](const char* list) {
        const Found found = find(file.document->value, file.document->root, PathSteps{list});
        return found.exact && findings.has_error_at(file.shown, found.place->at);
    };
    const bool open = is_unread("agents") || is_unread("tools") || std::ranges::any_of(team.agents, is_nameless) ||
                      std::ranges::any_of(team.tools, is_nameless);
    const Stops stops(team, file, open, findings);
    for (const auto& [field, list] : {std::pair("breakpoints", &config.breakpoints),
                                      std::pair("human_intervention_points", &config.human_intervention_points)})
        for (std::size_t i = 0; i < list->size(); ++i)
            stops.expect((*list)[i], {"execution_config", field, i}, findings);
}

/// Whether it is there and could be read.
bool is_read(const File& file, const PathSteps& path, const Findings& findings)
{
    const Found found = find(file.document->value, file.document->root, path);
    return found.exact && !findings.has_error_at(file.shown, found.place->at);
}

/// What a tool that says it is built in may be called.
Known built_in_tools()
{
    static const std::string where = fmt::format("these are: {}", fmt::join(model::kBuiltInTools, ", "));
    Known known("built-in tool", where, false);
    for (const std::string_view name : model::kBuiltInTools) known.add(std::string(name));
    return known;
}

void check_team_references(const Contents& contents, const Tools& tools, Findings& findings)
{
    const Known built_in = built_in_tools();
    for (const auto& [team, file, at] : contents.teams) {
        for (std::size_t i = 0; i < team.tools.size(); ++i) {
            const model::Tool& tool = team.tools[i];
            if (tool.server) {
                tools.expect_server(*tool.server, *file, {"tools", i, "server"}, true, findings);
                tools.expect_offer(*tool.server, tool.name, *file, {"tools", i, "name"}, findings);
            } else if (tool.type == model::ToolType::builtin && is_read(*file, {"tools", i, "type"}, findings)) {
                built_in.expect(tool.name, *file, {"tools", i, "name"}, findings);
            }
        }
        check_stops(team, *file, findings);
    }
}

void check_workflow_references(const Contents& contents, const Known& agents, const Tools& tools, Findings& findings)
{
    Known workflows("workflow", "define it in workflows/", contents.open.workflows);
    for (const Name& name : contents.names.workflows) workflows.add(name.value);
    Known patterns("pattern", "define it under collaboration_patterns of a team", contents.open.teams);
    for (const auto& [team, file, at] : contents.teams)
        for (const model::CollaborationPattern& pattern : team.collaboration_patterns) patterns.add(pattern.name);
    for (const auto* graphs : {&contents.workflows, &contents.faulty_workflows})
        for (const auto& [graph, file, at] : *graphs) {
            for (const auto& [name, node] : graph.nodes) {
                const PathSteps path{"nodes", name};
                if (node.agent) agents.expect(*node.agent, *file, joined(path, {"agent"}), findings);
                if (node.tool) tools.expect(*node.tool, *file, joined(path, {"tool"}), findings);
                if (node.pattern) patterns.expect(*node.pattern, *file, joined(path, {"pattern"}), findings);
                for (const auto& [other, there] : nested_in(name, node))
                    workflows.expect(*other, *file, there, findings);
            }
            if (graph.reflection && graph.reflection->agent)
                agents.expect(*graph.reflection->agent, *file, {"reflection", "agent"}, findings);
        }
}

void check_domain_references(const Contents& contents, const Tools& tools, Findings& findings)
{
    Known domains("domain", "define it in config/domains.yaml", contents.open.domains);
    domains.add(contents.names.domains, findings);
    for (const auto& [domain, file, at] : contents.domains) {
        tools.expect(domain.mcp_tools, *file, joined(at, {"mcp_tools"}), findings);
        for (std::size_t i = 0; i < domain.related_domains.size(); ++i) {
            const PathSteps path = joined(at, {"related_domains", i});
            if (domain.related_domains[i] == domain.name && is_read(*file, joined(at, {"name"}), findings))
                report(path, "is the domain itself; name others, or remove it", *file->document, findings);
            else domains.expect(domain.related_domains[i], *file, path, findings);
        }
    }
}

/// What A2A calls the agents of these names: what they say themselves, else what follows from the name.
std::vector<Name> aliases_of(const std::vector<Name>& agents)
{
    std::vector<Name> aliases;
    for (const auto& [name, file, path] : agents) {
        PathSteps there = path;
        if (!there.empty()) there.pop_back();
        there.emplace_back("alias");
        const Found alias = find(file->document->value, file->document->root, there);
        if (alias.exact && alias.value->is_string())
            aliases.push_back({std::string(alias.value->get_string()), file, there});
        else aliases.push_back({model::alias_of(name), file, path});
    }
    return aliases;
}

void check_appsettings_references(const Contents& contents, Findings& findings)
{
    Known aliases("agent", "name one by its alias: that of an agent in agents/ or in a team",
                  contents.open.aliases || contents.open.agents);
    aliases.add(aliases_of(contents.names.agents), findings);
    aliases.add(aliases_of(contents.names.team_agents), findings);
    for (const auto& [settings, file, at] : contents.appsettings) {
        const auto& router = settings.router_executor;
        if (router.clarification_agent_id)
            aliases.expect(*router.clarification_agent_id, *file, {"RouterExecutor", "ClarificationAgentId"}, findings);
        if (router.fallback_agent_id)
            aliases.expect(*router.fallback_agent_id, *file, {"RouterExecutor", "FallbackAgentId"}, findings);
    }
}

/// Those that answer what comes in over accounts.
void check_account_teams(const Contents& contents, const std::vector<std::string>& teams, Findings& findings)
{
    Known known("team", "define it in teams/", contents.open.teams);
    for (const std::string& name : teams) known.add(name);
    for (const auto& [all, file, at] : contents.accounts)
        for (const auto& [name, account] : all.accounts)
            if (!account.team.empty()) known.expect(account.team, *file, {"accounts", name, "team"}, findings);
}

/// Teams are found by the names of their files (C-17).
std::vector<std::string> team_files(const Contents& contents)
{
    std::vector<std::string> names;
    for (const auto& file : contents.files)
        if (file->path.parent_path().filename() == "teams") names.push_back(file->path.stem().string());
    return names;
}

}  // namespace

void check_references(const Contents& contents, const Environment& environment, Findings& findings)
{
    const Tools tools(contents, findings);
    Known agents("agent", "define it in agents/ or in a team", contents.open.agents);
    for (const Name& name : contents.names.agents) agents.add(name.value);
    // an agent with a file of its own is called like that, whatever is wrong with the file or with the name in it
    for (const auto& file : contents.files)
        if (file->kind == FileKind::agent) agents.add(file->path.stem().string());
    agents.add(contents.names.team_agents, findings);

    check_team_references(contents, tools, findings);
    for (const auto& [agent, file, at] : contents.agents) tools.expect_granted(agent.tools, *file, {"tools"}, findings);
    for (const auto& [team, file, at] : contents.teams)
        for (std::size_t i = 0; i < team.agents.size(); ++i)
            for (std::size_t j = 0; j < team.agents[i].tools.size(); ++j)  // its own are the team's to check
                if (const std::string& name = team.agents[i].tools[j]; name.find('.') != name.npos)
                    tools.expect_granted(name, *file, {"agents", i, "tools", j}, findings);
    check_workflow_references(contents, agents, tools, findings);
    const Known built_in = built_in_tools();
    for (const auto& [tool, file, at] : contents.tools) {
        tools.expect_server(tool.server, *file, joined(at, {"server"}), false, findings);
        if (tool.server == "builtin") built_in.expect(tool.name, *file, joined(at, {"name"}), findings);
        tools.expect(tool.fallback_tools, *file, joined(at, {"fallback_tools"}), findings);
    }
    check_domain_references(contents, tools, findings);
    check_appsettings_references(contents, findings);
    check_team_setting(contents, team_files(contents), environment, findings);
    check_account_teams(contents, team_files(contents), findings);
}

void check_team_setting(const Contents& contents, const std::vector<std::string>& teams, const Environment& environment,
                        Findings& findings)
{
    Known known("team", "define it in teams/", contents.open.teams);
    for (const std::string& name : teams) known.add(name);
    for (const auto& [settings, file, at] : contents.settings)
        if (settings.team) known.expect(*settings.team, *file, {"team"}, findings);
    if (const auto team = environment(variable_of("team")); team && !teams.empty())
        known.expect(*team, variable_of("team"), findings);
}

void check_meaning(const Contents& contents, const Environment& environment, Findings& findings)
{
    check_references(contents, environment, findings);
    check_named_files(contents, findings);
    check_schemas(contents, findings);
    check_patterns(contents, findings);
    check_expressions(contents, findings);
    check_workflows(contents, findings);
    check_fallbacks(contents, findings);
    check_permission_rules(contents, findings);
    check_effects(contents, findings);
}

}  // namespace cadre::config
