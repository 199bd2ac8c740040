#include "model/json_schema.hpp"

#include "base/json.hpp"
#include "model/catalogue.hpp"
#include "model/file_defaults.hpp"
#include "model/format.hpp"
#include "model/member_schema.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cadre::model {

namespace {

json::value as_number(double number)
{
    if (number == std::floor(number) && std::abs(number) < 1e15) return static_cast<std::int64_t>(number);
    return number;
}

json::value initial_value(const Field& field)
{
    std::string text;
    write_value(text, field.initial, *field.type);
    return parse_json(text);
}

json::object any_of(json::object one, json::object other)
{
    return {{"anyOf", json::array{std::move(one), std::move(other)}}};
}

json::object or_null(json::object schema)
{
    if (auto* type = schema.if_contains("type"); type && type->is_string()) {
        *type = json::array{*type, "null"};
        return schema;
    }
    if (auto* names = schema.if_contains("enum")) {
        names->as_array().emplace_back(nullptr);
        return schema;
    }
    if (auto* choices = schema.if_contains("anyOf")) {
        choices->as_array().emplace_back(json::object{{"type", "null"}});
        return schema;
    }
    if (schema.empty()) return schema;  // anything is null too
    return any_of(std::move(schema), {{"type", "null"}});
}

void add_number_rules(json::object& schema, const Rule& rule)
{
    if (rule.min) schema["minimum"] = as_number(*rule.min);
    if (rule.above) schema["exclusiveMinimum"] = as_number(*rule.above);
    if (rule.max) schema["maximum"] = as_number(*rule.max);
}

void add_size_rules(json::object& schema, const Rule& rule, std::string_view least, std::string_view most)
{
    if (rule.min_length) schema[least] = *rule.min_length;
    if (rule.max_length) schema[most] = *rule.max_length;
}

json::object integer(const Type& type, const Rule& rule)
{
    json::object schema{{"type", "integer"}, {"minimum", type.least}, {"maximum", type.most}};
    add_number_rules(schema, rule);
    return schema;
}

json::object number(const Rule& rule)
{
    json::object schema{{"type", "number"}};
    add_number_rules(schema, rule);
    return schema;
}

bool may_be_left_out(const Entity& entity, const Field& field)
{
    return std::ranges::any_of(
        file_defaults(), [&](const FileDefault& one) { return one.entity == entity.name && one.field == field.name; });
}

class SchemaMaker {
public:
    explicit SchemaMaker(SchemaOf what) : in_file_(what == SchemaOf::file) {}

    json::object entity(const Entity& entity, bool is_whole_file = false)
    {
        json::object schema{{"title", entity.name}, {"description", entity.doc}};
        json::object form = described_form(entity, is_whole_file);
        if (is_whole_file && !entity.other_file.field.empty())
            form = {{"if", json::object{{"required", json::array{entity.other_file.field}}}},
                    {"then", described_form(*find_entity(entity.other_file.entity), true)},
                    {"else", std::move(form)}};
        if (!entity.other_form.empty())
            form = any_of(std::move(form), resolved(parse_json(entity.other_form)).as_object());
        for (auto& member : form) schema.insert(member);
        return schema;
    }

    json::object definitions()
    {
        if (in_file_) definitions_["variable"] = variable_definition();
        return std::move(definitions_);
    }

private:
    json::object described_form(const Entity& entity, bool is_whole_file)
    {
        json::object properties, patterns;
        json::array required, rules;
        if (is_whole_file) properties["$schema"] = json::object{{"type", "string"}};
        if (!entity.tag.empty()) properties["type"] = json::object{{"const", entity.tag}};
        for (const std::string_view name : entity.ignored) properties[name] = true;
        for (const Field& field : entity.fields) {
            json::object schema = value(*field.type, field.rule, entity.dialect);
            // in any case: the value's schema goes with every spelling of the name, its description with the usual one
            const bool is_required = field.rule.required && !(is_whole_file && may_be_left_out(entity, field));
            if (entity.dialect.any_case) {
                patterns[any_case_pattern(field.name)] = std::exchange(schema, {});
                if (is_required) rules.emplace_back(has_member_schema(field.name, entity.dialect));
            } else if (is_required) {
                required.emplace_back(field.name);
            }
            schema["description"] = field.doc;
            if (!is_required && field.rule.fill == Fill::nothing) schema["default"] = initial_value(field);
            properties[field.name] = std::move(schema);
        }
        for (const Demand& demand : entity.demands) rules.emplace_back(schema_of(demand, entity, in_file_));
        for (const Check& check : entity.checks)
            if (!check.schema.empty()) rules.emplace_back(resolved(parse_json(check.schema)));
        json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
        if (!patterns.empty()) schema["patternProperties"] = std::move(patterns);
        if (!required.empty()) schema["required"] = std::move(required);
        if (!rules.empty()) schema["allOf"] = std::move(rules);
        schema["additionalProperties"] = false;
        return schema;
    }

    json::object value(const Type& type, const Rule& rule, const Dialect& dialect)
    {
        static const Rule kNone{};
        const Rule& items = rule.items ? *rule.items : kNone;
        switch (type.kind) {
        case Kind::string: return text(rule);
        case Kind::boolean: return or_variable({{"type", "boolean"}});
        case Kind::integer: return or_variable(or_text(integer(type, rule), kIntegerText, dialect));
        case Kind::number: return or_variable(or_text(number(rule), kNumberText, dialect));
        case Kind::time: return or_variable({{"type", "string"}, {"pattern", time_pattern()}});
        case Kind::id: return or_variable({{"type", "string"}, {"pattern", pattern_of(Format::uuid)}});
        case Kind::any: return {};
        case Kind::object: return {{"type", "object"}};
        case Kind::enumeration: {
            std::vector<std::string_view> names;
            for (const EnumName& name : type.names) names.push_back(name.name);
            return or_variable(words_schema(names, dialect));
        }
        case Kind::optional: return or_null(value(type.item(), rule, dialect));
        case Kind::list: {
            json::object schema{{"type", "array"}, {"items", value(type.item(), items, dialect)}};
            add_size_rules(schema, rule, "minItems", "maxItems");
            if (rule.unique) schema["uniqueItems"] = true;
            return schema;
        }
        case Kind::dict: {
            json::object schema{{"type", "object"}, {"additionalProperties", value(type.item(), items, dialect)}};
            add_size_rules(schema, rule, "minProperties", "maxProperties");
            return schema;
        }
        case Kind::entity: return reference(type.entity());
        case Kind::variant: {
            json::array alternatives;
            for (std::size_t i = 0; i < type.alternatives; ++i) {
                json::object alternative = reference(type.alternative(i));
                alternative["required"] = json::array{"type"};  // it alone tells them apart
                alternatives.emplace_back(std::move(alternative));
            }
            return {{"oneOf", std::move(alternatives)}};
        }
        }
        return {};
    }

    json::object text(const Rule& rule) const
    {
        json::object schema{{"type", "string"}};
        add_size_rules(schema, rule, "minLength", "maxLength");
        if (const auto pattern = pattern_of(rule.format); !pattern.empty()) schema["pattern"] = pattern;
        const bool any_reference_fits = rule.format == Format::none && !rule.max_length && rule.min_length <= 4;
        if (!in_file_ || any_reference_fits) return schema;
        return any_of(std::move(schema), {{"type", "string"}, {"pattern", kVariable}});
    }

    json::object or_variable(json::object schema) const
    {
        return in_file_ ? any_of(std::move(schema), variable_schema()) : schema;
    }

    static json::object or_text(json::object schema, std::string_view pattern, const Dialect& dialect)
    {
        if (!dialect.numbers_from_strings) return schema;
        return any_of(std::move(schema), {{"type", "string"}, {"pattern", pattern}});
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

    /// A schema that was written by hand; the entities that it refers to become definitions.
    json::value resolved(json::value schema)
    {
        constexpr std::string_view kDefinition = "#/$defs/";
        if (auto* array = schema.if_array()) {
            for (json::value& item : *array) item = resolved(std::move(item));
        } else if (auto* object = schema.if_object()) {
            if (object->erase("or_variable") > 0)
                return in_file_ ? any_of(resolved(*object).as_object(), {{"type", "string"}, {"pattern", kVariable}})
                                : resolved(std::move(schema));
            for (auto& member : *object) {
                member.value() = resolved(std::move(member.value()));
                const auto* target = member.key() == "$ref" ? member.value().if_string() : nullptr;
                if (!target || !std::string_view(*target).starts_with(kDefinition)) continue;
                const std::string_view rest = std::string_view(*target).substr(kDefinition.size());
                reference(*find_entity(rest.substr(0, rest.find('/'))));  // what follows is inside of it
            }
        }
        return schema;
    }

    static constexpr std::string_view kVariable = R"(\$\{)";  // somewhere in it: `https://${HOST}/v1`
    // what std::from_chars reads
    static constexpr std::string_view kIntegerText = "^-?[0-9]+$";
    static constexpr std::string_view kNumberText = R"(^-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$)";

    bool in_file_;
    json::object definitions_;
};

}  // namespace

json::value json_schema(const Entity& entity, SchemaOf what)
{
    SchemaMaker maker(what);
    json::object schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
    for (auto& member : maker.entity(entity, what == SchemaOf::file)) schema.insert(member);
    if (auto definitions = maker.definitions(); !definitions.empty()) schema["$defs"] = std::move(definitions);
    return schema;
}

}  // namespace cadre::model
