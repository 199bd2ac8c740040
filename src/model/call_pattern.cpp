#include "model/call_pattern.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <vector>

namespace cadre::model {

namespace {

/// A rule that forbids means whatever it could mean; one that allows, only what is meant for certain.
enum class Reading { wide, narrow };

/// A path as the tools that take paths resolve it: without empty names, `.` and a slash at its end; `x/..` is left out.
std::string as_resolved(std::string_view path)
{
    std::vector<std::string_view> names;
    const bool is_absolute = path.starts_with('/');
    for (std::string_view rest = path; !rest.empty();) {
        const std::string_view name = rest.substr(0, rest.find('/'));
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
        if (name.empty() || name == ".") continue;
        if (name != "..") names.push_back(name);
        else if (!names.empty() && names.back() != "..") names.pop_back();
        else if (!is_absolute) names.push_back(name);
    }
    std::string whole = is_absolute ? "/" : "";
    for (const std::string_view name : names) whole.append(whole.empty() || whole == "/" ? "" : "/").append(name);
    return whole.empty() ? "." : whole;
}

bool text_holds(std::string_view glob, std::string_view said, Reading reading)
{
    const bool as_said = fits(glob, said);
    if (said.find('/') == said.npos && glob.find('/') == glob.npos) return as_said;
    const std::string meant = as_resolved(said);
    // a rule that is written as `./secret/*` means what `secret/*` means
    const bool as_meant = fits(glob, meant) || fits(as_resolved(glob), meant);
    if (reading == Reading::wide) return as_said || as_meant;
    return as_meant && (as_said || fits(as_resolved(glob), said));
}

/// Nothing: the text is not a number.
std::optional<double> number_in(std::string_view text)
{
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Without a fraction where it has none: 1000, whoever wrote 1000.0 or 1e3.
std::string number_text(const json::value& value)
{
    const auto* fraction = value.if_double();
    constexpr double kWhole = 9'007'199'254'740'992.0;  // above, doubles leave out whole numbers
    if (!fraction || std::trunc(*fraction) != *fraction || std::abs(*fraction) > kWhole) return to_text(value);
    return std::to_string(static_cast<std::int64_t>(*fraction));
}

bool number_holds(std::string_view glob, const json::value& value, Reading reading)
{
    const auto limit = number_in(glob);
    const std::string whole = number_text(value), said = to_text(value);
    if (reading == Reading::narrow) return limit ? fits(glob, said) || fits(glob, whole) : fits(glob, whole);
    return fits(glob, said) || fits(glob, whole) || (limit && limit == number_in(said));
}

/// Of a list each element counts, and the list as it is written.
bool value_holds(std::string_view glob, const json::value& value, Reading reading)
{
    if (const auto* text = value.if_string()) {
        if (text_holds(glob, *text, reading)) return true;
        const auto number =
            reading == Reading::wide ? number_in(*text) : std::nullopt;  // some tools read numbers in text
        return number && number == number_in(glob);
    }
    if (value.is_number()) return number_holds(glob, value, reading);
    const auto* list = value.if_array();
    const std::string whole = to_text(value);
    if (!list) return fits(glob, whole);
    const auto holds_too = [&](const json::value& element) { return value_holds(glob, element, reading); };
    if (reading == Reading::wide) return fits(glob, whole) || std::ranges::any_of(*list, holds_too);
    return glob == whole || glob == "*" || (!list->empty() && std::ranges::all_of(*list, holds_too));
}

/// One `argument=glob` of a pattern.
bool holds(std::string_view condition, const json::object& arguments, Reading reading)
{
    const std::size_t sign = condition.find('=');
    if (sign == condition.npos) return false;
    const auto* value = arguments.if_contains(condition.substr(0, sign));
    return value && value_holds(condition.substr(sign + 1), *value, reading);
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

std::vector<std::string> arguments_in(std::string_view pattern)
{
    std::vector<std::string> names;
    for (std::size_t at = next_condition(pattern, 0); at != pattern.npos; at = next_condition(pattern, at + 1))
        names.emplace_back(pattern.substr(at + 1, pattern.find('=', at) - at - 1));
    return names;
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
