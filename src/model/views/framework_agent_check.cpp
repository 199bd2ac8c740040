// An agent in document 000's form obeys the rules of the other one too: what is wrong there is told where it stands here.
#include "base/json.hpp"
#include "model/read.hpp"
#include "model/views/framework_agent.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cadre::model::framework {

namespace {

constexpr std::array<std::string_view, 5> kOutsideOfExt{"name", "role", "prompt", "tools", "max_iterations"};
constexpr std::array<std::string_view, 3> kLlmOutsideOfExt{"base_url", "model", "api_key"};

bool contains(const auto& names, std::string_view name)
{
    return std::ranges::find(names, name) != names.end();
}

/// Where this form has what the other has there.
PathSteps place_here(const PathSteps& place)
{
    if (place.empty()) return place;
    const auto& first = std::get<std::string>(place[0]);
    const auto* second = place.size() > 1 ? std::get_if<std::string>(&place[1]) : nullptr;
    PathSteps here = place;
    if (first == "prompt") here[0] = "system_prompt";
    else if (first == "llm_config" && second && *second == "base_url") here[1] = "endpoint";
    else if (first == "temperature" || contains(kOutsideOfExt, first)) return here;
    else if (first != "llm_config" || !second || !contains(kLlmOutsideOfExt, *second)) here.insert(here.begin(), "ext");
    return here;
}

/// Whether something was said of that place, or of what it is a part of.
bool is_told(const PathSteps& place, const Problems& problems)
{
    return std::ranges::any_of(problems.list(), [&](const Problem& problem) {
        return problem.place.size() <= place.size() &&
               std::equal(problem.place.begin(), problem.place.end(), place.begin());
    });
}

/// What is said outside of `ext` and would be lost there.
void expect_no_twins(const json::object& ext, const auto& names, const Path& path, Problems& problems)
{
    for (const auto& member : ext)
        if (contains(names, member.key()))
            problems.add(Path(path, member.key()), "has its place outside of ext; remove it here");
}

json::object references(const Entity& entity, const auto& but)
{
    json::object properties;
    for (const Field& field : entity.fields)
        if (!contains(but, field.name))
            properties[field.name] =
                json::object{{"$ref", fmt::format("#/$defs/{}/properties/{}", entity.name, field.name)}};
    return properties;
}

}  // namespace

void check_kernel_fields(const Agent& agent, const Path& path, Problems& problems)
{
    const Path ext(path, "ext"), llm(ext, "llm_config");
    expect_no_twins(agent.ext, kOutsideOfExt, ext, problems);
    if (const json::value* rest = agent.ext.if_contains("llm_config"); rest && rest->is_object())
        expect_no_twins(rest->get_object(), kLlmOutsideOfExt, llm, problems);
    else if (rest) problems.add(llm, "must be an object");
    if (const json::value* own = agent.ext.if_contains("temperature"); own && !own->is_null())
        problems.add(Path(ext, "temperature"), "has its place outside of ext; remove it here");

    model::Agent kernel;
    Problems found;
    read(kernel_fields(agent), &kernel, describe(&kernel), {}, found, {});
    const PathSteps start = path.steps();
    const auto here = [&](const PathSteps& place) {
        PathSteps all = start;
        for (const PathStep& step : place_here(place)) all.push_back(step);
        return all;
    };
    for (Problem problem : found.list()) {
        problem.place = here(problem.place);
        if (!problem.meant.empty()) problem.meant = here(problem.meant);
        if (!is_told(problem.place, problems)) problems.add(std::move(problem));
    }
}

std::string kernel_fields_schema()
{
    json::object fields = references(describe(static_cast<const model::Agent*>(nullptr)), kOutsideOfExt);
    fields["llm_config"] =
        json::object{{"type", "object"},
                     {"properties", references(describe(static_cast<const LlmConfig*>(nullptr)), kLlmOutsideOfExt)},
                     {"additionalProperties", false}};
    fields["temperature"] = json::object{{"type", "null"}};
    for (const char* name : {"schema_version", "team_llm"}) fields[name] = true;
    return fmt::format(R"({{"properties":{{"ext":{{"properties":{},"additionalProperties":false}}}},"allOf":[
        {{"if":{{"required":["ext"],"properties":{{"ext":{{"required":["prompt_template"],
                 "properties":{{"prompt_template":{{"type":"string"}}}}}}}}}},
          "then":{{"properties":{{"system_prompt":{{"maxLength":0}}}}}},
          "else":{{"properties":{{"system_prompt":{{"minLength":1}}}}}}}},
        {{"if":{{"properties":{{"llm_config":{{"required":["api_key"],"properties":{{"api_key":{{"type":"string"}}}}}}}}}},
          "then":{{"properties":{{"ext":{{"properties":{{"llm_config":{{"properties":{{"api_key_env":{{"type":"null"}}}}}}}}}}}}}}}}]}})",
                       to_text(fields));
}

}  // namespace cadre::model::framework
