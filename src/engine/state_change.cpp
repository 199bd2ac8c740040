#include "engine/state_change.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/suggest.hpp"
#include "model/graph.hpp"
#include "schema/schema.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::engine {

namespace json = boost::json;

namespace {

/// What a change of that field must fit: of what is appended or merged, what the schema of the whole says of its pieces.
json::object change_schema(const model::StateField& field)
{
    switch (field.reducer) {
    case model::Reducer::replace: break;
    case model::Reducer::max:
    case model::Reducer::min: return {{"allOf", json::array{field.schema, json::object{{"type", "number"}}}}};
    case model::Reducer::append: {
        const json::value* items = field.schema.if_contains("items");
        if (!items) return {};
        return {{"anyOf", json::array{*items, json::object{{"type", "array"}, {"items", *items}}}}};
    }
    case model::Reducer::merge: {
        json::object piece{{"type", "object"}};
        for (const char* const key : {"properties", "additionalProperties", "patternProperties"})
            if (const json::value* said = field.schema.if_contains(key)) piece[key] = *said;
        return piece;
    }
    }
    return field.schema;
}

/// What a change of the state must fit.
json::object changes_schema(const model::Graph& graph)
{
    const json::object text_or_null{{"type", json::array{"string", "null"}}};
    json::object fields{{"routing_key", text_or_null}, {"next_action", text_or_null}};
    for (const auto& [name, field] : graph.state) fields[name] = change_schema(field);
    return {{"type", "object"}, {"properties", std::move(fields)}, {"additionalProperties", false}};
}

}  // namespace

json::object members_from(const std::vector<std::string>& given, std::string_view flag)
{
    json::object members;
    for (const std::string& one : given) {
        const std::size_t equals = one.find('=');
        if (equals == one.npos || equals == 0)
            throw Error(Code::invalid,
                        fmt::format("{} is KEY=VALUE, for example {} topic=tea, not {}", flag, flag, in_quotes(one)));
        const std::string value = one.substr(equals + 1);
        try {
            members[one.substr(0, equals)] = parse_json(value);
        } catch (const Error&) {
            members[one.substr(0, equals)] = value;
        }
    }
    return members;
}

void expect_state(const json::object& update, const model::Graph& graph)
{
    const json::object schema = changes_schema(graph);
    const json::object& fields = schema.at("properties").as_object();
    std::vector<std::string> names;
    for (const auto& field : fields) names.emplace_back(field.key());
    for (const auto& member : update) {
        if (fields.contains(member.key())) continue;
        const auto near = nearest(member.key(), names);
        throw Error(Code::invalid, fmt::format("workflow {} has no field {} in its state{}", in_quotes(graph.name),
                                               in_quotes(member.key()),
                                               near ? fmt::format(", did you mean {}?", in_quotes(*near))
                                                    : fmt::format("; it has {}", fmt::join(names, ", "))));
    }
    const auto findings = schema::Schema::compile(schema).validate(update);
    if (!findings.empty()) throw Error(Code::invalid, "the state does not fit: " + schema::to_text(findings));
}

}  // namespace cadre::engine
