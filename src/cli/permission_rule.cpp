#include "cli/permission_rule.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/member_text.hpp"
#include "base/trim.hpp"
#include "cli/here.hpp"
#include "cli/write_file.hpp"
#include "config/project.hpp"
#include "engine/pinned_teams.hpp"
#include "engine/queries.hpp"
#include "engine/task_state.hpp"
#include "home/home_link.hpp"
#include "home/project/project.hpp"
#include "home/project/trust.hpp"
#include "storage/files.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

/// A JSON string is a YAML one too.
std::string yaml_text(std::string_view text)
{
    std::string out;
    append_json_string(out, text);
    return out;
}

std::size_t indent_of(std::string_view line)
{
    return std::min(line.find_first_not_of(' '), line.size());
}

/// What stands on it, without a comment behind it.
std::string_view content_of(std::string_view line)
{
    const std::size_t comment = line.find(" #");
    line = trimmed(line.substr(0, comment));
    return line.starts_with('#') ? std::string_view() : line;
}

std::vector<std::string> split_lines(std::string_view text)
{
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1);
        lines.emplace_back(text.substr(0, end + 1));
        text.remove_prefix(end + 1);
    }
    if (!lines.empty() && !lines.back().ends_with('\n')) lines.back() += '\n';
    return lines;
}

std::string joined_lines(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines) text += line;
    return text;
}

std::string rule_problem(const fs::path& file, std::string_view rule)
{
    return fmt::format("{} has a form of its own; to always allow this, write into it:\npermissions:\n  allow: [{}]",
                       file.string(), yaml_text(rule));
}

/// Of a server's tool with its server: another one may have a tool of that name.
std::string name_in_rules(const model::Tool& tool)
{
    if (!tool.server) return tool.name;
    const std::string offered = text_in(tool.config, model::kRemoteName);
    return *tool.server + "." + (offered.empty() ? tool.name : offered);
}

bool is_allowed(const fs::path& project, const std::string& rule)
{
    const home::Project read(place_here(), project);
    const auto& allow = read.settings().permissions.allow;
    return std::ranges::find(allow, rule) != allow.end();
}

}  // namespace

std::optional<std::string> with_rule(std::string_view yaml, std::string_view rule)
{
    std::vector<std::string> lines = split_lines(yaml);
    const auto top =
        std::ranges::find_if(lines, [](std::string_view line) { return line.starts_with("permissions:"); });
    if (top == lines.end()) {
        if (!lines.empty() && !content_of(lines.back()).empty()) lines.emplace_back("\n");
        lines.push_back(fmt::format("permissions:\n  allow:\n    - {}\n", yaml_text(rule)));
        return joined_lines(lines);
    }
    if (content_of(*top) != "permissions:") return std::nullopt;
    for (auto line = top + 1; line != lines.end(); ++line) {
        const std::string_view content = content_of(*line);
        if (content.empty()) continue;
        const std::size_t indent = indent_of(*line);
        if (indent == 0) break;
        if (!content.starts_with("allow:")) continue;
        if (const std::size_t open = line->find('['); content != "allow:") {
            if (open == line->npos || !content.ends_with(']')) return std::nullopt;
            const bool has_some = content.find_first_not_of(" ]", content.find('[') + 1) != content.npos;
            line->insert(open + 1, yaml_text(rule) + (has_some ? ", " : ""));
            return joined_lines(lines);
        }
        const auto next =
            std::find_if(line + 1, lines.end(), [](const std::string& one) { return !content_of(one).empty(); });
        const bool is_list = next != lines.end() && content_of(*next).starts_with('-');
        const std::size_t item = is_list ? indent_of(*next) : indent + 2;
        lines.insert(line + 1, fmt::format("{}- {}\n", std::string(item, ' '), yaml_text(rule)));
        return joined_lines(lines);
    }
    lines.insert(top + 1, fmt::format("  allow: [{}]\n", yaml_text(rule)));
    return joined_lines(lines);
}

Async<std::optional<AlwaysRule>> find_always(home::HomeLink& session, Id task, model::HumanRequest request)
{
    if (request.type != model::HumanRequestType::approval || request.context.contains("changed"))
        co_return std::nullopt;
    const auto state = co_await session.task(task);
    if (state->spec.project.empty()) co_return std::nullopt;
    engine::PinnedTeams teams(session.queries().store());
    const auto agents = co_await teams.agents_for(state->spec);
    const auto agent = std::ranges::find(*agents, request.agent, &engine::Agent::name);
    if (agent == agents->end() || agent->is_watched) co_return std::nullopt;
    const model::Tool* tool = agent->find_tool(text_in(request.context, "tool"));
    if (!tool || tool->type == model::ToolType::hitl) co_return std::nullopt;
    co_return AlwaysRule{.rule = name_in_rules(*tool), .project = state->spec.project};
}

fs::path allow_always(const AlwaysRule& always)
{
    const fs::path file = config::find_project_file(always.project).value_or(always.project / "cadre.yaml");
    const std::string before = storage::find_file(file).value_or("");
    if (!before.empty() && is_allowed(always.project, always.rule)) return file;
    const auto text = with_rule(before, always.rule);
    if (!text) throw Error(Code::invalid, rule_problem(file, always.rule));
    write_file(file.string(), *text);
    bool works = false;
    try {
        works = is_allowed(always.project, always.rule);
    } catch (const Error&) {
        // as it was, it could be read
    }
    if (works) {
        // whoever said so has trusted the project with it
        home::trust(place_here(), always.project, {{.text = home::rule_want(always.rule), .file = "cadre.yaml"}});
        return file;
    }
    write_file(file.string(), before);
    throw Error(Code::invalid, rule_problem(file, always.rule));
}

std::string always_text(const AlwaysRule& always, const fs::path& file)
{
    return fmt::format("{} is allowed from the project's next task on: permissions.allow in {}", always.rule,
                       file.string());
}

}  // namespace cadre::cli
