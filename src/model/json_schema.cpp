#include "model/json_schema.hpp"

#include "base/json.hpp"
#include "model/format.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

#include <cmath>
#include <limits>

namespace cadre::model {

namespace {

class SchemaMaker {
public:
    json::object entity(const Entity& entity)
    {
        json::object properties;
        json::array required;
        if (!entity.tag.empty()) {
            properties["type"] = json::object{{"const", entity.tag}};
            required.emplace_back("type");
        }
        for (const Field& field : entity.fields) {
            properties[field.name] = this->field(field);
            if (field.rule.required) required.emplace_back(field.name);
        }
        json::object schema{{"title", entity.name}, {"description", entity.doc}, {"type", "object"}};
        schema["properties"] = std::move(properties);
        if (!required.empty()) schema["required"] = std::move(required);
        schema["additionalProperties"] = false;
        return schema;
    }

    json::object definitions() { return std::move(definitions_); }

private:
    json::object field(const Field& field)
    {
        json::object schema = value(*field.type);
        add_rules(schema, field.type->kind == Kind::optional ? field.type->item() : *field.type, field.rule);
        schema["description"] = field.doc;
        if (!field.rule.required && field.rule.fill == Fill::nothing) schema["default"] = initial_value(field);
        return schema;
    }

    json::object value(const Type& type)
    {
        switch (type.kind) {
        case Kind::string: return {{"type", "string"}};
        case Kind::boolean: return {{"type", "boolean"}};
        case Kind::integer: return integer(type);
        case Kind::number: return {{"type", "number"}};
        case Kind::time: return {{"type", "string"}, {"format", "date-time"}};
        case Kind::any: return {};
        case Kind::object: return {{"type", "object"}};
        case Kind::enumeration: {
            json::array names;
            for (const EnumName& name : type.names) names.emplace_back(name.name);
            return {{"enum", std::move(names)}};
        }
        case Kind::optional: return or_null(value(type.item()));
        case Kind::list: return {{"type", "array"}, {"items", value(type.item())}};
        case Kind::dict: return {{"type", "object"}, {"additionalProperties", value(type.item())}};
        case Kind::entity: return reference(type.entity());
        case Kind::variant: {
            json::array alternatives;
            for (std::size_t i = 0; i < type.alternatives; ++i)
                alternatives.emplace_back(reference(type.alternative(i)));
            return {{"oneOf", std::move(alternatives)}};
        }
        }
        return {};
    }

    static json::object integer(const Type& type)
    {
        json::object schema{{"type", "integer"}};
        if (type.least > std::numeric_limits<std::int64_t>::min()) schema["minimum"] = type.least;
        if (type.most < std::numeric_limits<std::int64_t>::max()) schema["maximum"] = type.most;
        return schema;
    }

    static json::object or_null(json::object schema)
    {
        if (auto* type = schema.if_contains("type"); type && type->is_string()) {
            *type = json::array{*type, "null"};
            return schema;
        }
        if (auto* names = schema.if_contains("enum")) {
            names->as_array().emplace_back(nullptr);
            return schema;
        }
        if (schema.empty()) return schema;  // anything is null too
        return {{"anyOf", json::array{std::move(schema), json::object{{"type", "null"}}}}};
    }

    json::object reference(const Entity& entity)
    {
        if (!definitions_.contains(entity.name)) {
            definitions_[entity.name] = nullptr;  // it may contain itself
            json::object schema = this->entity(entity);
            definitions_[entity.name] = std::move(schema);
        }
        return {{"$ref", "#/$defs/" + std::string(entity.name)}};
    }

    static void add_rules(json::object& schema, const Type& type, const Rule& rule)
    {
        const bool text = type.kind == Kind::string;
        const bool list = type.kind == Kind::list;
        if (rule.min) schema["minimum"] = as_number(*rule.min);
        if (rule.max) schema["maximum"] = as_number(*rule.max);
        if (rule.min_length) schema[text ? "minLength" : list ? "minItems" : "minProperties"] = *rule.min_length;
        if (rule.max_length) schema[text ? "maxLength" : list ? "maxItems" : "maxProperties"] = *rule.max_length;
        if (const auto pattern = pattern_of(rule.format); !pattern.empty()) schema["pattern"] = pattern;
        if (rule.unique) schema["uniqueItems"] = true;
    }

    static json::value as_number(double number)
    {
        if (number == std::floor(number) && std::abs(number) < 1e15) return static_cast<std::int64_t>(number);
        return number;
    }

    static json::value initial_value(const Field& field)
    {
        std::string text;
        write_value(text, field.initial, *field.type);
        return parse_json(text);
    }

    json::object definitions_;
};

}  // namespace

json::value json_schema(const Entity& entity)
{
    SchemaMaker maker;
    json::object schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
    for (auto& member : maker.entity(entity)) schema.insert(member);
    if (auto definitions = maker.definitions(); !definitions.empty()) schema["$defs"] = std::move(definitions);
    return schema;
}

}  // namespace cadre::model
