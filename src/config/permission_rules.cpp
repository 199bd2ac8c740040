// Rules about calls that can mean nothing: who writes one that forbids relies on it.
#include "base/error.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "model/built_in_tools.hpp"
#include "model/call_pattern.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::config {

namespace {

/// What patterns can mean in a team.
class Callable {
public:
    explicit Callable(const model::Team& team)
    {
        for (const std::string_view name : model::kBuiltInTools) names_.emplace_back(name);
        for (const model::Tool& tool : team.tools) add(tool.name, tool.server);
        for (const model::Agent& agent : team.agents)
            for (const std::string& name : agent.tools) add_granted(name);
    }

    /// A pattern without a server may be about any tool of one that is granted as a whole.
    bool may_fit(std::string_view pattern) const
    {
        if (std::ranges::any_of(names_, [&](const std::string& name) { return model::fits(pattern, name); }))
            return true;
        const std::string_view tool = pattern.substr(pattern.find('.') + 1);  // all of it where there is no dot
        if (std::ranges::any_of(bare_, [&](const std::string& name) { return model::fits(tool, name); })) return true;
        if (whole_.empty()) return false;
        const bool names_a_server = pattern.find('.') != pattern.npos || pattern.find("__") != pattern.npos;
        return !names_a_server || std::ranges::any_of(whole_, [&](const std::string& server) {
            return pattern.starts_with(server + '.') || pattern.starts_with(server + "__");
        });
    }

private:
    void add(const std::string& tool, const std::optional<std::string>& server)
    {
        names_.push_back(tool);
        if (!server) return;
        names_.push_back(*server + '.' + tool);
        names_.push_back(*server + "__" + tool);
    }
    void add_granted(const std::string& name)
    {
        const std::size_t dot = name.find('.');
        if (dot == name.npos) {  // a server's, if it is nobody else's
            if (std::ranges::find(names_, name) == names_.end()) bare_.push_back(name);
            return;
        }
        const std::string server = name.substr(0, dot);
        if (name.ends_with(".*")) {
            whole_.push_back(server);
        } else {
            add(name.substr(dot + 1), server);
        }
    }

    std::vector<std::string> names_;
    std::vector<std::string> bare_;
    std::vector<std::string> whole_;  // servers all of whose tools are granted
};

/// A rule of an earlier list that means every call of the tool: then this one never counts. Nothing: there is none.
std::optional<std::string> find_shadow(const std::string& pattern,
                                       const std::vector<const std::vector<std::string>*>& earlier)
{
    const std::string_view tool = model::tool_part(pattern);
    for (const auto* list : earlier)
        for (const std::string& rule : *list)
            if (model::arguments_in(rule).empty() && (rule == "*" || rule == tool)) return rule;
    return std::nullopt;
}

void warn_of_shadow(const PathSteps& place, const std::string& pattern, const std::string& rule, const File& file,
                    Findings& findings)
{
    const Found found = find(file.document->value, file.document->root, place);
    if (found.exact)
        findings.warn(file.shown, found.place->at,
                      fmt::format("{}: {} never counts: {}, in a list that is looked at before, means all of its calls",
                                  model::path_text(place), in_quotes(pattern), in_quotes(rule)));
}

void warn(const PathSteps& place, const std::string& pattern, const File& file, Findings& findings)
{
    const Found found = find(file.document->value, file.document->root, place);
    if (found.exact)
        findings.warn(
            file.shown, found.place->at,
            fmt::format("{}: {} means no tool that this team has; one of a server is called as it is granted, "
                        "server.tool",
                        model::path_text(place), in_quotes(pattern)));
}

}  // namespace

void check_permission_rules(const Contents& contents, Findings& findings)
{
    for (const auto& [team, file, at] : contents.teams) {
        const Callable callable(team);
        const std::pair<const char*, const std::vector<std::string>*> lists[] = {
            {"deny", &team.permissions.deny}, {"allow", &team.permissions.allow}, {"ask", &team.permissions.ask}};
        std::vector<const std::vector<std::string>*> earlier;
        for (const auto& [list, patterns] : lists) {
            for (std::size_t i = 0; i < patterns->size(); ++i) {
                const std::string& pattern = (*patterns)[i];
                const PathSteps place = joined(at, {"permissions", list, i});
                if (const auto problem = model::pattern_problem(pattern))
                    report(place, fmt::format("{} means no call: {}", in_quotes(pattern), *problem), *file->document,
                           findings);
                else if (!callable.may_fit(model::tool_part(pattern))) warn(place, pattern, *file, findings);
                else if (const auto rule = find_shadow(pattern, earlier))
                    warn_of_shadow(place, pattern, *rule, *file, findings);
            }
            earlier.push_back(patterns);
        }
    }
}

}  // namespace cadre::config
