#include "server/schema_pool.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/json_schema.hpp"

#include <boost/json.hpp>

#include <utility>

namespace cadre::server {
namespace {

constexpr std::string_view kDefinition = "#/$defs/";

/// References lead to the document's schemas, not to those inside one.
json::value with_components(json::value schema)
{
    if (auto* array = schema.if_array())
        for (json::value& item : *array) item = with_components(std::move(item));
    if (auto* object = schema.if_object())
        for (auto& member : *object) {
            const auto* target = member.key() == "$ref" ? member.value().if_string() : nullptr;
            if (target && std::string_view(*target).starts_with(kDefinition))
                member.value() = schema_place(std::string_view(*target).substr(kDefinition.size()));
            else member.value() = with_components(std::move(member.value()));
        }
    return schema;
}

}  // namespace

std::string schema_place(std::string_view name)
{
    return "#/components/schemas/" + std::string(name);
}

json::object SchemaPool::reference(const model::Entity& entity)
{
    add(std::string(entity.name), hoisted(entity));
    return {{"$ref", schema_place(entity.name)}};
}

json::object SchemaPool::hoisted(const model::Entity& entity)
{
    json::object schema = with_components(model::json_schema(entity)).as_object();
    schema.erase("$schema");
    json::value definitions = json::object{};
    if (json::value* found = schema.if_contains("$defs")) definitions = std::move(*found);
    schema.erase("$defs");
    for (auto& definition : definitions.as_object())
        add(std::string(definition.key()), std::move(definition.value().as_object()));
    return schema;
}

void SchemaPool::add(const std::string& name, json::object schema)
{
    const auto [place, added] = schemas_.emplace(name, schema);
    if (!added && place->value() != schema) throw Error(Code::internal, "two entities are called " + in_quotes(name));
}

}  // namespace cadre::server
