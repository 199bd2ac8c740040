#include "model/call_pattern.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <filesystem>

namespace cadre::model {

namespace {

/// A rule that forbids means whatever it could mean; one that allows, only what is meant for certain.
enum class Reading { wide, narrow };

/// One `argument=glob` of a pattern. A path means the same with `./` and `x/..` in it.
bool holds(std::string_view condition, const json::object& arguments, Reading reading)
{
    const std::size_t sign = condition.find('=');
    if (sign == condition.npos) return false;
    const auto* value = arguments.if_contains(condition.substr(0, sign));
    if (!value) return false;
    const std::string_view glob = condition.substr(sign + 1);
    const std::string said = value->is_string() ? std::string(value->get_string()) : to_text(*value);
    const bool as_said = fits(glob, said);
    if (said.find('/') == said.npos) return as_said;
    const bool as_meant = fits(glob, std::filesystem::path(said).lexically_normal().string());
    return reading == Reading::wide ? as_said || as_meant : as_said && as_meant;
}

/// Where the next condition begins: at a `:` that an argument's name and `=` follow. A glob may have colons of its own.
std::size_t next_condition(std::string_view text, std::size_t from)
{
    for (std::size_t colon = text.find(':', from); colon != text.npos; colon = text.find(':', colon + 1)) {
        const std::string_view rest = text.substr(colon + 1);
        const std::size_t name = std::ranges::find_if_not(rest,
                                                          [](char c) {
                                                              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                                                     (c >= '0' && c <= '9') || c == '_' || c == '-';
                                                          }) -
                                 rest.begin();
        if (name > 0 && name < rest.size() && rest[name] == '=') return colon;
    }
    return text.npos;
}

bool is_meant(std::string_view pattern, std::string_view tool, const json::object& arguments, Reading reading)
{
    std::size_t condition = next_condition(pattern, 0);
    if (!fits(pattern.substr(0, condition), tool)) return false;
    while (condition != pattern.npos) {
        const std::size_t next = next_condition(pattern, condition + 1);
        const std::size_t length = next == pattern.npos ? next : next - condition - 1;
        if (!holds(pattern.substr(condition + 1, length), arguments, reading)) return false;
        condition = next;
    }
    return true;
}

std::optional<std::string> find_meaning(const std::vector<std::string>& patterns, const std::vector<std::string>& names,
                                        const json::object& arguments, Reading reading)
{
    const auto found = std::ranges::find_if(patterns, [&](const std::string& pattern) {
        return std::ranges::any_of(
            names, [&](const std::string& name) { return is_meant(pattern, name, arguments, reading); });
    });
    return found == patterns.end() ? std::nullopt : std::optional(*found);
}

bool any_means(const std::vector<std::string>& patterns, const std::vector<std::string>& names,
               const json::object& arguments, Reading reading)
{
    return find_meaning(patterns, names, arguments, reading).has_value();
}

/// What a rule may call the tool: as agents do, and as it is granted. A rule that forbids may also leave out the server: that another
/// server has a tool of the same name must not free this one.
std::vector<std::string> names_of(const Tool& tool, Reading reading)
{
    std::vector<std::string> names{tool.name};
    if (!tool.server) return names;
    const auto* remote = tool.config.if_contains(kRemoteName);
    const std::string offered = remote && remote->is_string() ? std::string(remote->get_string()) : tool.name;
    names.push_back(*tool.server + "." + offered);
    names.push_back(*tool.server + "__" + offered);
    if (reading == Reading::wide) names.push_back(offered);
    return names;
}

}  // namespace

bool fits(std::string_view glob, std::string_view text)
{
    // where to go on when the text turns out not to fit: one character more for the last star
    std::size_t star = glob.npos, retry = 0, g = 0, t = 0;
    while (t < text.size()) {
        if (g < glob.size() && glob[g] == '*') {
            star = g++;
            retry = t;
        } else if (g < glob.size() && glob[g] == text[t]) {
            ++g;
            ++t;
        } else if (star != glob.npos) {
            g = star + 1;
            t = ++retry;
        } else {
            return false;
        }
    }
    return glob.find_first_not_of('*', g) == glob.npos;
}

bool is_meant(std::string_view pattern, std::string_view tool, const json::object& arguments)
{
    return is_meant(pattern, tool, arguments, Reading::wide);
}

std::string_view tool_part(std::string_view pattern)
{
    return pattern.substr(0, next_condition(pattern, 0));
}

std::optional<std::string> pattern_problem(std::string_view pattern)
{
    const std::string_view name = tool_part(pattern);
    if (name.empty()) return "it names no tool; * is all of them";
    if (name.find(':') != name.npos) return "after the colon write argument=pattern, like shell:command=git *";
    return std::nullopt;
}

std::optional<std::string> find_denial(const Permissions& rules, const Tool& tool, const json::object& arguments)
{
    return find_meaning(rules.deny, names_of(tool, Reading::wide), arguments, Reading::wide);
}

Permission permission_of(const Permissions& rules, const Tool& tool, const json::object& arguments)
{
    const std::vector<std::string> wide = names_of(tool, Reading::wide);
    if (any_means(rules.deny, wide, arguments, Reading::wide)) return Permission::deny;
    if (any_means(rules.allow, names_of(tool, Reading::narrow), arguments, Reading::narrow)) return Permission::allow;
    if (any_means(rules.ask, wide, arguments, Reading::wide)) return Permission::ask;
    return tool.permission.value_or(Permission::allow);
}

}  // namespace cadre::model
