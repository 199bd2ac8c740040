#include "home/project/resolve_workflow.hpp"

#include "base/error.hpp"
#include "base/time.hpp"
#include "config/project.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "home/project/project.hpp"
#include "model/built_in_tools.hpp"
#include "schema/schema.hpp"
#include "tools/builtin.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using config::FileKind;
using config::PathSteps;

/// What a project with a team and many workflows may nest, in all.
constexpr std::size_t kMostNested = 1'000;

/// Reads what the workflow needs, and finds out which files these are.
class NeededFiles {
public:
    NeededFiles(config::Contents& contents, const Project& project, config::Findings& all)
        : contents_(contents), project_(project), all_(all), variables_(project.reading())
    {}

    void read()
    {
        needed_.insert(contents_.files.back()->shown);
        read_workflows();
        for (const auto& [graph, file, at] : contents_.workflows) note_names(graph);
        for (const auto& [graph, file, at] : contents_.faulty_workflows) note_names(graph);
        for (const std::string& name : agents_)
            if (const auto file = find(FileKind::agent, name)) read(*file, true);
        if (!lacks()) return;
        for (const fs::path& file : team_files()) {
            read(file, false);
            if (!lacks()) return;
        }
        // so that what was meant can be suggested
        for (const fs::path& file : files(FileKind::agent)) read(file, false);
        for (const fs::path& file : files(FileKind::workflow)) read(file, false);
    }

    void need(const config::File& file) { needed_.insert(file.shown); }
    bool is_needed(const std::string& shown) const { return needed_.contains(shown); }
    const std::set<std::string>& needed() const { return needed_; }
    const std::set<std::string>& agents() const { return agents_; }
    const std::set<std::string>& tools() const { return tools_; }
    const std::set<std::string>& patterns() const { return patterns_; }

private:
    void read_workflows()
    {
        std::set<std::string> seen;
        for (std::size_t i = 0; i < contents_.workflows.size() && seen.size() < kMostNested; ++i) {
            const model::Graph graph = contents_.workflows[i].value;  // the list grows
            seen.insert(graph.name);
            for (const auto& [name, node] : graph.nodes)
                for (const auto& [other, path] : config::nested_in(name, node)) {
                    if (!seen.insert(*other).second) continue;
                    if (const auto file = find(FileKind::workflow, *other)) read(*file, true);
                    else lacks_workflow_ = true;
                }
        }
    }

    void note_names(const model::Graph& graph)
    {
        for (const auto& [name, node] : graph.nodes) {
            if (node.agent) agents_.insert(*node.agent);
            if (node.tool) tools_.insert(*node.tool);
            if (node.pattern) patterns_.insert(*node.pattern);
        }
        if (graph.reflection && graph.reflection->agent) agents_.insert(*graph.reflection->agent);
    }

    /// Whether something was named that only a team may have.
    bool lacks() const
    {
        const auto has = [](const std::vector<config::Name>& names, const std::string& name) {
            return std::ranges::find(names, name, &config::Name::value) != names.end();
        };
        const auto lacks_agent = [&](const std::string& name) {
            return !has(contents_.names.agents, name) && !has(contents_.names.team_agents, name);
        };
        const auto lacks_tool = [&](const std::string& name) {
            return name.find('.') == name.npos && !has(contents_.names.tools, name) &&
                   std::ranges::find(model::kBuiltInTools, name) == std::end(model::kBuiltInTools);
        };
        return lacks_workflow_ || !patterns_.empty() || std::ranges::any_of(agents_, lacks_agent) ||
               std::ranges::any_of(tools_, lacks_tool);
    }

    std::optional<fs::path> find(FileKind kind, const std::string& name) const
    {
        return config::find_file(kind, name, project_.folder(), project_.home());
    }

    /// The project's own team first, then its others, then the home's.
    std::vector<fs::path> team_files() const
    {
        std::vector<fs::path> all;
        if (const auto& team = project_.settings().team)
            if (const auto file = find(FileKind::team, *team)) all.push_back(*file);
        for (const fs::path& file : files(FileKind::team))
            if (std::ranges::find(all, file) == all.end()) all.push_back(file);
        return all;
    }

    std::vector<fs::path> files(FileKind kind) const
    {
        std::vector<fs::path> all;
        for (const fs::path& folder : {project_.folder(), project_.home()})
            for (const fs::path& file : config::files_of(folder))
                if (config::kind_by_name(file) == kind) all.push_back(file);
        return all;
    }

    void read(const fs::path& path, bool is_needed)
    {
        const std::string shown = project_.shown(path);
        if (is_needed) needed_.insert(shown);
        if (std::ranges::any_of(contents_.files, [&](const auto& file) { return file->path == path; })) return;
        config::add_file(contents_, {.path = path, .root = project_.root_of(path), .shown = shown}, variables_, all_);
    }

    config::Contents& contents_;
    const Project& project_;
    config::Findings& all_;
    config::Variables variables_;
    std::set<std::string> needed_;  // whose faults are this workflow's too
    std::set<std::string> agents_, tools_, patterns_;
    bool lacks_workflow_ = false;
};

using NamingField = std::optional<std::string> model::NodeDef::*;

const char* name_of(NamingField field)
{
    if (field == &model::NodeDef::agent) return "agent";
    return field == &model::NodeDef::tool ? "tool" : "pattern";
}

/// Where a node that names it says so.
PathSteps place_of(const model::Graph& graph, const std::string& named, NamingField field)
{
    for (const auto& [name, node] : graph.nodes)
        if (node.*field == named) return {"nodes", name, name_of(field)};
    return {"nodes"};
}

/// The one team that has what is not in files of its own: its tools, permissions and policies hold for the whole workflow.
class OneTeam {
public:
    OneTeam(const config::Contents& contents, const config::Placed<model::Graph>& workflow, config::Findings& findings)
        : contents_(contents), workflow_(workflow), findings_(findings)
    {}

    /// The one that has most of it; what it lacks and another one has is an error.
    const config::Placed<model::Team>* find(const NeededFiles& needed)
    {
        for (const std::string& pattern : needed.patterns())
            want(pattern, &model::NodeDef::pattern, [pattern](const model::Team& team) {
                return std::ranges::find(team.collaboration_patterns, pattern, &model::CollaborationPattern::name) !=
                       team.collaboration_patterns.end();
            });
        for (const std::string& agent : needed.agents()) {
            if (std::ranges::find(contents_.agents, agent, [](const auto& one) { return one.value.name; }) !=
                contents_.agents.end())
                continue;
            want(agent, &model::NodeDef::agent, [agent](const model::Team& team) {
                return std::ranges::find(team.agents, agent, &model::Agent::name) != team.agents.end();
            });
        }
        for (const std::string& tool : needed.tools()) {
            if (std::ranges::find(model::kBuiltInTools, tool) != std::end(model::kBuiltInTools)) continue;
            want(tool, &model::NodeDef::tool, [tool](const model::Team& team) {
                return std::ranges::find(team.tools, tool, &model::Tool::name) != team.tools.end();
            });
        }
        const config::Placed<model::Team>* best = nullptr;
        std::ptrdiff_t most = 0;
        for (const auto& team : contents_.teams) {
            const auto has = std::ranges::count_if(wanted_, [&](const Wanted& one) { return one.is_in(team.value); });
            if (has > most) best = &team, most = has;
        }
        for (const Wanted& one : wanted_)
            if (best && !one.is_in(best->value)) report_other(one, *best);
        return best;
    }

private:
    struct Wanted {
        std::string name{};
        NamingField field{};
        std::function<bool(const model::Team&)> is_in{};
    };

    /// What no team has is told about elsewhere.
    void want(const std::string& name, NamingField field, std::function<bool(const model::Team&)> is_in)
    {
        if (std::ranges::any_of(contents_.teams, [&](const auto& team) { return is_in(team.value); }))
            wanted_.push_back({name, field, std::move(is_in)});
    }

    void report_other(const Wanted& one, const config::Placed<model::Team>& best)
    {
        const auto other =
            std::ranges::find_if(contents_.teams, [&](const auto& team) { return one.is_in(team.value); });
        config::report(
            place_of(workflow_.value, one.name, one.field),
            fmt::format("{} is of team {}, and others are of team {}; a workflow runs with the agents, tools and "
                        "patterns of one team: move it there, or an agent into agents/",
                        in_quotes(one.name), in_quotes(other->value.name), in_quotes(best.value.name)),
            *workflow_.file->document, findings_);
    }

    const config::Contents& contents_;
    const config::Placed<model::Graph>& workflow_;
    config::Findings& findings_;
    std::vector<Wanted> wanted_;
};

/// An agent with a file of its own brings its model along.
void add_agent(model::Team& team, const config::Placed<model::Agent>& agent, const config::Contents& contents,
               const Project& project, const std::string& model, Resolution& result)
{
    model::Team alone{.name = agent.value.name, .description = agent.value.role, .agents = {agent.value}};
    complete(alone, *agent.file, contents, project, model, result);
    model::Agent& own = alone.agents.front();
    if (!own.llm_config) own.llm_config = alone.default_llm;
    for (const auto& one : alone.templates) {
        const auto* there = team.templates.if_contains(one.key());
        if (there && *there != one.value())
            result.findings.error(
                agent.file->shown, config::kNowhere,
                fmt::format("its template {} is another one than that of the same name elsewhere; rename one",
                            in_quotes(one.key())));
        team.templates[one.key()] = one.value();
    }
    const auto there = std::ranges::find(team.agents, own.name, &model::Agent::name);
    if (there == team.agents.end()) team.agents.push_back(std::move(own));
    else *there = std::move(own);
}

/// Whoever calls the tools of nodes: it has no model, and nothing else to do.
model::Agent hands_for(const std::set<std::string>& tools, const model::Team& team)
{
    std::string name = "workflow";
    while (std::ranges::find(team.agents, name, &model::Agent::name) != team.agents.end()) name += '_';
    return {.name = name,
            .role = "Calls the tools of the workflow's nodes.",
            .tools = {tools.begin(), tools.end()},
            .prompt = "You call tools."};
}

void collect_nested(const config::Contents& contents, const NeededFiles& needed, model::WorkflowSetup& setup)
{
    for (const auto& [graph, file, at] : contents.workflows)
        if (graph.name != setup.graph.name && needed.is_needed(file->shown)) setup.nested[graph.name] = graph;
}

/// Nodes and edges decide when a workflow is done.
void tell_of_criteria(const config::Placed<model::Team>& team, const config::Placed<model::Graph>& workflow,
                      config::Findings& findings)
{
    const model::ExecutionConfig& config = team.value.execution_config;
    if (config.success_criteria.empty() && config.failure_criteria.empty()) return;
    findings.warn(
        workflow.file->shown, config::kNowhere,
        fmt::format("success_criteria and failure_criteria of team {} are not judged in a workflow; say it with "
                    "a condition",
                    in_quotes(team.value.name)));
}

// ---- arguments of tools ----

/// A text in which something is computed may become anything.
bool is_computed(const json::value& value)
{
    const auto* text = value.if_string();
    return text && (text->find("{{") != text->npos || text->find("{%") != text->npos);
}

bool is_computed_at(const json::object& args, std::string_view pointer)
{
    boost::system::error_code error;
    const json::value whole(args);
    const json::value* at = whole.find_pointer(pointer, error);
    return at && is_computed(*at);
}

std::optional<std::string> problem_of(const model::NodeDef& node, const model::Tool& tool)
{
    if (node.args.empty() || !tool.input_schema) return std::nullopt;
    std::string problems;
    try {
        for (const schema::Finding& finding : schema::Schema::compile(*tool.input_schema).validate(node.args))
            if (!is_computed_at(node.args, finding.value_path))
                problems += (problems.empty() ? "" : "; ") +
                            (finding.value_path.empty() ? "" : finding.value_path.substr(1) + ": ") + finding.message;
    } catch (const Error&) {
        return std::nullopt;  // the schema is told about where it stands
    }
    if (problems.empty()) return std::nullopt;
    return fmt::format("{} does not take them: {}", in_quotes(tool.name), problems);
}

const model::Tool* find_tool(const std::string& name, const model::Team& team)
{
    for (const model::Tool& tool : team.tools) {
        if (tool.name == name && (tool.type != model::ToolType::builtin || tool.input_schema)) return &tool;
        const auto* remote = tool.config.if_contains(model::kRemoteName);
        if (tool.server && remote && remote->is_string() &&
            name == *tool.server + "." + std::string(remote->get_string()))
            return &tool;
    }
    static const tools::Registry* const ours = [] {
        static tools::Registry registry;
        tools::add_builtin_tools(registry, system_clock());
        return &registry;
    }();
    const auto tool = ours->find(name);
    return tool ? &tool->definition() : nullptr;
}

void check_arguments(const config::Contents& contents, const NeededFiles& needed, const model::Team& team,
                     config::Findings& findings)
{
    for (const auto& [graph, file, at] : contents.workflows)
        for (const auto& [name, node] : graph.nodes) {
            if (!needed.is_needed(file->shown)) continue;
            const model::Tool* tool = node.tool ? find_tool(*node.tool, team) : nullptr;
            if (const auto problem = tool ? problem_of(node, *tool) : std::nullopt)
                config::report({"nodes", name, "args"}, *problem, *file->document, findings);
        }
}

}  // namespace

std::vector<std::string> argument_problems(const model::WorkflowSetup& workflow, const model::Team& team)
{
    std::vector<std::string> problems;
    const auto look_at = [&](const model::Graph& graph) {
        for (const auto& [name, node] : graph.nodes) {
            const model::Tool* tool = node.tool ? find_tool(*node.tool, team) : nullptr;
            if (const auto problem = tool ? problem_of(node, *tool) : std::nullopt)
                problems.push_back(fmt::format("nodes.{}.args: {}", name, *problem));
        }
    };
    look_at(workflow.graph);
    for (const auto& [name, graph] : workflow.nested) look_at(graph);
    return problems;
}

Resolution resolve_workflow(config::Contents contents, const Project& project, const std::string& model,
                            config::Findings all)
{
    Resolution result{.kind = FileKind::workflow};
    const std::shared_ptr<const config::File> file = contents.files.back();
    NeededFiles needed(contents, project, all);
    needed.read();
    contents.open.aliases = true;
    contents.open.teams = needed.patterns().empty();  // only then some were left out
    config::check_meaning(contents, project.place().environment, all);
    if (model.empty())
        config::check_provider_references(contents, provider_names_of(project), project.place().environment, all);

    const auto own = std::ranges::find(contents.workflows, file.get(), [](const auto& one) { return one.file; });
    const config::Placed<model::Team>* base = nullptr;
    if (own != contents.workflows.end()) {
        base = OneTeam(contents, *own, all).find(needed);
        if (base) {
            needed.need(*base->file);
            tell_of_criteria(*base, *own, all);
        }
    }
    for (const config::Finding& finding : all.list())
        if (needed.is_needed(finding.file)) result.findings.add(finding);
    for (const std::string& shown : needed.needed()) result.findings.add_left_out(all, shown);
    if (own == contents.workflows.end() || result.findings.errors() > 0) return result;

    model::Team& team = result.team;
    team = {.name = own->value.name, .description = "The agents of workflow " + own->value.name + "."};
    if (base) {
        team = base->value;
        complete(team, *base->file, contents, project, model, result);
    }
    for (const config::Placed<model::Agent>& agent : contents.agents)
        if (needed.agents().contains(agent.value.name)) add_agent(team, agent, contents, project, model, result);
    if (!needed.tools().empty() || team.agents.empty()) team.agents.push_back(hands_for(needed.tools(), team));
    check_arguments(contents, needed, team, result.findings);
    result.workflow = model::WorkflowSetup{.graph = own->value};
    collect_nested(contents, needed, *result.workflow);
    return result;
}

}  // namespace cadre::home
