#include "model/reference_page.hpp"

#include "base/json.hpp"
#include "model/catalogue.hpp"
#include "model/format.hpp"
#include "model/not_in_effect.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "model/yaml_example.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::model {

namespace {

/// The file of an entity's page, without its folder: `agent_config.md`.
std::string link_to(const Entity& entity)
{
    return fmt::format("[{}]({}.md)", entity.name, entity.name);
}

/// The words of an enumeration; those that are only read stand behind the one that is written for them.
std::string words_of(const Type& type)
{
    std::string words, others;
    for (const EnumName& name : type.names) {
        const std::string_view written = find_name(type.names, name.value);
        if (written == name.name) words += fmt::format("{}`{}`", words.empty() ? "" : ", ", name.name);
        else others += fmt::format("{}`{}` for `{}`", others.empty() ? "" : ", ", name.name, written);
    }
    return others.empty() ? words : fmt::format("{} (also read: {})", words, others);
}

std::string type_name(const Type& type)
{
    switch (type.kind) {
    case Kind::string: return "text";
    case Kind::boolean: return "true or false";
    case Kind::integer: return "whole number";
    case Kind::number: return "number";
    case Kind::time: return "time";
    case Kind::id: return "id";
    case Kind::any: return "any JSON";
    case Kind::object: return "object";
    case Kind::enumeration: return words_of(type);
    case Kind::optional:
        return type.item().kind == Kind::any ? type_name(type.item()) : type_name(type.item()) + " or null";
    case Kind::list: return "list of " + type_name(type.item());
    case Kind::dict: return "map from names to " + type_name(type.item());
    case Kind::entity: return link_to(type.entity());
    case Kind::variant: {
        std::string names;
        for (std::size_t i = 0; i < type.alternatives; ++i)
            names += (i == 0 ? "" : " or ") + link_to(type.alternative(i));
        return names;
    }
    }
    return {};
}

std::string initial_text(const Field& field)
{
    std::string text;
    write_value(text, field.initial, *field.type);
    return text;
}

std::string default_of(const Field& field)
{
    if (field.rule.required) return "**required**";
    switch (field.rule.fill) {
    case Fill::nothing: break;
    case Fill::now: return "now";
    case Fill::uuid:
    case Fill::step_id:
    case Fill::call_id: return "a new id";
    }
    if (field.type->kind == Kind::entity) return "its own defaults";
    return "`" + initial_text(field) + "`";
}

/// What lengths count: of a text, of a list, of anything else.
std::string_view unit_of(const Type& type)
{
    if (type.kind == Kind::optional) return unit_of(type.item());
    return type.kind == Kind::string ? "characters" : type.kind == Kind::list ? "elements" : "entries";
}

std::string rules_of(const Rule& rule, const Type& type)
{
    std::string text;
    auto add = [&](const std::string& sentence) { text += " " + sentence + "."; };
    if (rule.above) add(fmt::format("More than {}", *rule.above));
    if (rule.min && rule.max) add(fmt::format("From {} to {}", *rule.min, *rule.max));
    else if (rule.min) add(fmt::format("At least {}", *rule.min));
    else if (rule.max) add(fmt::format("At most {}", *rule.max));
    if (rule.min_length == 1) add("Not empty");
    else if (rule.min_length) add(fmt::format("At least {} {}", *rule.min_length, unit_of(type)));
    if (rule.max_length) add(fmt::format("At most {} {}", *rule.max_length, unit_of(type)));
    if (rule.format != Format::none) add("Must be " + std::string(name_of(rule.format)));
    if (rule.unique) add("No element twice");
    if (rule.items) text += " Of each:" + rules_of(*rule.items, type.item());
    if (rule.secret) add("Cadre reads it and never writes it");
    return text;
}

/// Table cells hold no line breaks and no bars.
std::string cell(std::string text)
{
    for (char& c : text)
        if (c == '\n') c = ' ';
    std::string out;
    for (char c : text) out += c == '|' ? "\\|" : std::string(1, c);
    return out;
}

/// What is `is` in a condition, and `must be` in what follows from it.
std::string words_of(const Condition& condition, std::string_view is)
{
    const std::string subject = fmt::format("`{}` {} ", condition.field, is);
    switch (condition.test) {
    case Condition::Test::given: return subject + (condition.negated ? "left out or null" : "given");
    case Condition::Test::filled: return subject + (condition.negated ? "empty" : "given and not empty");
    case Condition::Test::one_of: break;
    }
    std::string values;
    for (const std::string_view value : condition.values)
        values += fmt::format("{}`{}`", values.empty() ? "" : condition.negated ? " nor " : " or ", value);
    return subject + (!condition.negated ? "" : condition.values.size() > 1 ? "neither " : "not ") + values;
}

std::string rules_between(const Entity& entity)
{
    std::string text;
    for (const Demand& demand : entity.demands) {
        std::string when;
        for (const Condition& condition : demand.when)
            when += (when.empty() ? "When " : " and ") + words_of(condition, "is");
        text += fmt::format("- {}{}{}.\n", when, when.empty() ? "" : ", ", words_of(demand.then, "must be"));
    }
    for (const Check& check : entity.checks)
        if (!check.doc.empty()) text += fmt::format("- {}\n", check.doc);
    return text.empty() ? text : "\nRules:\n\n" + text;
}

/// Of interest to those who read what Cadre writes, not to those who write it.
std::string written_when(const Field& field, const Entity& entity)
{
    if (!field.rule.extension || written_in(entity) != Home::Kind::part) return "";
    return " Not written while it has its default.";
}

std::string effect_of(const Entity& entity, std::string_view field = {})
{
    const NotInEffect* found = find_not_in_effect(entity.name, field);
    return found ? fmt::format(" **Not in effect yet**: {}.", found->why) : "";
}

/// Where it is met, in a sentence or two.
std::string home_of(const Entity& entity)
{
    std::string text;
    switch (entity.home.kind) {
    case Home::Kind::part: break;
    case Home::Kind::yaml_file:
    case Home::Kind::json_file:
        text =
            fmt::format("You write it, in {} ([how files are read](../../guide/configuration.md)).", entity.home.where);
        if (const auto& other = entity.other_file; !other.field.empty())
            text += fmt::format(" A file with a `{0}` is a [{1}]({1}.md) instead.", other.field, other.entity);
        break;
    case Home::Kind::data: text = fmt::format("Cadre writes it: {}.", entity.home.where); break;
    case Home::Kind::message: text = fmt::format("It is sent or received: {}.", entity.home.where); break;
    case Home::Kind::inside: text = fmt::format("Inside Cadre; {}.", entity.home.where); break;
    }
    std::string users;
    for (const Entity* user : users_of(entity)) users += (users.empty() ? "" : ", ") + link_to(*user);
    if (!users.empty()) text += fmt::format("{}A part of {}.", text.empty() ? "" : " ", users);
    return text;
}

json::value without_defaults(const json::value& value, const Type& type);

/// As people write it: without what has its default anyway, unless nothing were left to look at.
json::object without_defaults(const json::object& object, const Entity& entity)
{
    json::object out;
    for (const auto& member : object) {
        const Field* field = entity.find(member.key());
        if (field && !field->rule.required && initial_text(*field) == to_text(member.value())) continue;
        out[member.key()] = field ? without_defaults(member.value(), *field->type) : member.value();
    }
    return out.empty() ? object : out;
}

json::value without_defaults(const json::value& value, const Type& type)
{
    if (type.kind == Kind::optional) return without_defaults(value, type.item());
    if (const auto* object = value.if_object(); object && type.kind == Kind::entity)
        return without_defaults(*object, type.entity());
    if (const auto* object = value.if_object(); object && type.kind == Kind::dict) {
        json::object out;
        for (const auto& member : *object) out[member.key()] = without_defaults(member.value(), type.item());
        return out;
    }
    if (const auto* list = value.if_array(); list && type.kind == Kind::list) {
        json::array out;
        for (const json::value& item : *list) out.push_back(without_defaults(item, type.item()));
        return out;
    }
    return value;
}

std::string example_of(const Entity& entity)
{
    if (entity.example.empty()) return {};
    const json::value example = parse_json(entity.example);
    if (written_in(entity) != Home::Kind::yaml_file) return "\n```json\n" + to_pretty_text(example) + "```\n";
    return "\n```yaml\n" + yaml_example(without_defaults(example.as_object(), entity)) + "```\n";
}

}  // namespace

std::string reference_page(const Entity& entity)
{
    std::string page = fmt::format("# {}\n\n{}\n\n", entity.name, entity.doc);
    if (const std::string home = home_of(entity) + effect_of(entity); !home.empty()) page += home + "\n\n";
    if (!entity.tag.empty()) page += fmt::format("Its `type` is `{}`.\n\n", entity.tag);
    if (entity.dialect.any_case)
        page += "Names are read in any case, and numbers from text too; what is null is not written.\n\n";
    page += "| Field | Type | Default | What it is |\n|---|---|---|---|\n";
    for (const Field& field : entity.fields)
        page +=
            fmt::format("| `{}` | {} | {} | {} |\n", field.name, cell(type_name(*field.type)), cell(default_of(field)),
                        cell(std::string(field.doc) + rules_of(field.rule, *field.type) + written_when(field, entity) +
                             effect_of(entity, field.name)));
    return page + rules_between(entity) + example_of(entity);
}

}  // namespace cadre::model
