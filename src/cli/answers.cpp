#include "cli/answers.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "cli/requests_view.hpp"
#include "model/catalogue.hpp"
#include "model/describe.hpp"
#include "model/json_schema.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::cli {

extern const std::string_view kAnswersJson;  // cli/answers.json

namespace {

namespace json = boost::json;

constexpr std::string_view kAnswerPrefix = "answer_";

const json::object& answers_table()
{
    static const json::object all = parse_json(kAnswersJson).as_object();
    return all;
}

const model::Entity& get_entity(std::string_view name)
{
    const model::Entity& requests = describe(static_cast<const SentViews*>(nullptr));
    if (name == requests.name) return requests;
    const auto all = model::catalogue();
    const auto found = std::ranges::find(all, name, &model::Entity::name);
    if (found == all.end()) throw Error(Code::internal, fmt::format("answers.json names {}, which there is not", name));
    return **found;
}

/// A shape as a schema. What entities share goes to the top, where their references look for it.
class SchemaMaker {
public:
    json::value of(const json::value& shape)
    {
        if (const auto* object = shape.if_object()) return of_object(*object);
        if (const auto* array = shape.if_array()) return {{"type", "array"}, {"items", of(array->at(0))}};
        return of_word(shape.as_string());
    }

    json::object defs{};

private:
    /// `text`, `null or number`, `map of number`, `entity task`, …
    json::value of_word(std::string_view word)
    {
        constexpr std::string_view kOr = " or ", kMap = "map of ", kEntity = "entity ", kLike = "object like ";
        if (const std::size_t at = word.find(kOr); at != word.npos) {
            json::array options{of_word(word.substr(0, at)), of_word(word.substr(at + kOr.size()))};
            return {{"anyOf", std::move(options)}};
        }
        if (word.starts_with(kMap))
            return {{"type", "object"}, {"additionalProperties", of_word(word.substr(kMap.size()))}};
        if (word.starts_with(kEntity)) return of_entity(get_entity(word.substr(kEntity.size())));
        if (word.starts_with(kLike))
            return {{"type", "object"},
                    {"description", fmt::format("As `cadre schema {}`.", word.substr(kLike.size()))}};
        if (word == "event")
            return parse_json(
                R"({"type":"object","required":["type"],"properties":{"type":{"type":"string","pattern":"^event_"}},
"description":"As `cadre schema` has the event of that type: `agent_complete_event`, …"})");
        return {{"type", word == "text" ? "string" : word}};
    }
    json::value of_entity(const model::Entity& entity)
    {
        json::value schema = model::json_schema(entity);
        json::object& members = schema.as_object();
        members.erase("$schema");
        if (auto* own = members.if_contains("$defs"))
            for (auto& def : own->as_object()) defs.insert_or_assign(def.key(), std::move(def.value()));
        members.erase("$defs");
        return schema;
    }
    json::value of_object(const json::object& shape)
    {
        if (const auto* any = shape.if_contains("any of")) {
            json::array options;
            for (const json::value& one : any->as_array()) options.push_back(of(one));
            return {{"anyOf", std::move(options)}};
        }
        json::object properties;
        json::array required;
        for (const auto& member : shape) {
            std::string_view name = member.key();
            const bool is_optional = name.ends_with('?');
            if (is_optional) name.remove_suffix(1);
            else required.emplace_back(name);
            properties[name] = of(member.value());
        }
        return {{"type", "object"},
                {"properties", std::move(properties)},
                {"required", std::move(required)},
                {"additionalProperties", false}};
    }
};

}  // namespace

int json_format()
{
    return static_cast<int>(answers_table().at("format").as_int64());
}

std::vector<AnswerName> answer_names()
{
    std::vector<AnswerName> names;
    for (const auto& answer : answers_table().at("answers").as_object())
        names.push_back({std::string(kAnswerPrefix) + std::string(answer.key()),
                         "With --json, " + std::string(answer.value().at("doc").as_string())});
    return names;
}

json::value answer_schema(std::string_view name)
{
    if (!name.starts_with(kAnswerPrefix)) return nullptr;
    const auto* answer = answers_table().at("answers").as_object().if_contains(name.substr(kAnswerPrefix.size()));
    if (!answer) return nullptr;
    SchemaMaker maker;
    json::value form = maker.of(answer->at("shape"));
    json::object schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                        {"$id", fmt::format("urn:cadre:{}:{}", name, json_format())},
                        {"title", name},
                        {"description", answer->at("doc")}};
    for (auto& member : form.as_object()) schema.emplace(member.key(), std::move(member.value()));
    if (!maker.defs.empty()) schema["$defs"] = std::move(maker.defs);
    return schema;
}

}  // namespace cadre::cli
