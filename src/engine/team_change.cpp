#include "engine/team_change.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/read.hpp"
#include "model/team.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

#include <charconv>
#include <system_error>

namespace cadre::engine {

namespace {

json::value value_from(std::string_view text)
{
    try {
        return parse_json(text, model::kTeamLimits);
    } catch (const Error&) {
        return json::string(text);
    }
}

json::value& element(json::array& list, std::string_view name, std::string_view path)
{
    std::string names;
    for (json::value& one : list) {
        const auto* object = one.if_object();
        const auto* called = object ? object->if_contains("name") : nullptr;
        if (!called || !called->is_string()) continue;
        if (called->get_string() == name) return one;
        names += (names.empty() ? "" : ", ") + std::string(called->get_string());
    }
    std::size_t index = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (problem == std::errc() && end == name.data() + name.size() && index < list.size()) return list[index];
    throw Error(Code::not_found, std::string(path) + ": there is no " + in_quotes(name) +
                                     (names.empty() ? "" : "; there are: " + names));
}

json::value& inside(json::value& value, std::string_view name, std::string_view path)
{
    if (auto* list = value.if_array()) return element(*list, name, path);
    if (value.is_null()) value.emplace_object();  // a part that was left out
    if (auto* object = value.if_object()) return (*object)[name];
    throw Error(Code::invalid, std::string(path) + ": there is nothing inside of what comes before " + in_quotes(name));
}

}  // namespace

void change_team(model::Team& team, std::string_view path, std::string_view value)
{
    json::value whole = model::to_json_value(team);
    json::value* place = &whole;
    std::string_view rest = path;
    while (true) {
        const auto dot = rest.find('.');
        if (rest.substr(0, dot).empty())
            throw Error(Code::invalid, in_quotes(path) + " is not a path; an example: agents.writer.temperature");
        place = &inside(*place, rest.substr(0, dot), path);
        if (dot == rest.npos) break;
        rest.remove_prefix(dot + 1);
    }
    *place = value_from(value);
    team = model::from_json<model::Team>(whole);
}

}  // namespace cadre::engine
