#include "engine/prompt_template.hpp"

#include "base/error.hpp"
#include "engine/task_state.hpp"
#include "text/template_names.hpp"

#include <boost/json.hpp>

#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

namespace cadre::engine {
namespace {

namespace json = boost::json;

const json::string* text_of_template(const model::Team& team, std::string_view path)
{
    const json::value* text = team.templates.if_contains(path);
    return text ? text->if_string() : nullptr;
}

/// As files are found: beside the one that names it, then in the project; among those that were pinned.
std::optional<text::Included> find_included(const model::Team& team, std::string_view name, std::string_view by)
{
    const std::filesystem::path beside = std::filesystem::path(by).parent_path() / name;
    for (const std::filesystem::path& path : {beside, std::filesystem::path(name)}) {
        const std::string key = path.lexically_normal().string();
        if (const json::string* text = text_of_template(team, key)) return text::Included{.name = key, .source = *text};
    }
    return std::nullopt;
}

/// `source` becomes everything that was read.
text::Template parsed_template(const model::Agent& agent, const model::Team& team, std::string& source)
{
    const std::string& path = agent.prompt_template.value();
    std::set<std::string, std::less<>> seen;
    const auto note = [&](const std::string& name, std::string_view text) {
        if (seen.insert(name).second) source.append(name).append(1, '\0').append(text).append(1, '\0');
    };
    const std::string_view text = *text_of_template(team, path);
    note(path, text);
    text::TemplateOptions options{.name = path};
    options.includes = [&](std::string_view name, std::string_view by) {
        auto found = find_included(team, name, by);
        if (found) note(found->name, found->source);
        return found;
    };
    return text::Template::parse(text, options);
}

/// What the template uses of `all`: everything, or that member.
void take_used(json::object& used, const text::UsedMember& use, const json::object& all)
{
    if (use.member.empty()) {
        used[use.name] = all;
        return;
    }
    if (!used.contains(use.name)) used[use.name].emplace_object();
    if (const json::value* member = all.if_contains(use.member)) used[use.name].as_object()[use.member] = *member;
}

}  // namespace

json::object names_of(const model::Agent& agent)
{
    return {{"name", agent.name},
            {"role", agent.role},
            {"display_name", agent.display_name.value_or(agent.name)},
            {"tools", json::value_from(agent.tools)}};
}

json::object names_of(const model::Team& team)
{
    json::array agents;
    for (const model::Agent& agent : team.agents) agents.push_back({{"name", agent.name}, {"role", agent.role}});
    return {{"name", team.name}, {"description", team.description}, {"agents", std::move(agents)}};
}

PromptTemplate::PromptTemplate(const model::Agent& agent, const model::Team& team)
    : template_(parsed_template(agent, team, source_)),
      used_(template_.members()),
      agent_(names_of(agent)),
      team_(names_of(team))
{}

json::object PromptTemplate::variables(Id task, const TaskSpec& spec, const json::object* state) const
{
    json::object all;
    for (const text::UsedMember& use : used_) {
        if (use.name == "agent") take_used(all, use, agent_);
        else if (use.name == "team") take_used(all, use, team_);
        else if (use.name == "state" && state) take_used(all, use, *state);
        else if (use.name == "task")
            take_used(all, use, {{"id", to_string(task)}, {"description", spec.description}, {"input", spec.input}});
    }
    return all;
}

std::string PromptTemplate::render(const json::object& variables) const
{
    text::Scope scope;
    for (const auto& [name, value] : variables) scope.set(name, text::from_json(value));
    return template_.render(scope);
}

void expect_template(const model::Agent& agent, const model::Team& team)
{
    if (!agent.prompt_template) return;
    if (!text_of_template(team, *agent.prompt_template))
        throw Error(Code::invalid, "agent " + in_quotes(agent.name) + " names the template " +
                                       in_quotes(*agent.prompt_template) +
                                       ", and the team's templates have no text for it");
    text::expect_known(PromptTemplate(agent, team).parsed(), text::prompt_names());
}

}  // namespace cadre::engine
