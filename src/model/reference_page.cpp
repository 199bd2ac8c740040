#include "model/reference_page.hpp"

#include "base/json.hpp"
#include "model/format.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::model {

namespace {

/// The file of an entity's page, without its folder: `agent_config.md`.
std::string link_to(const Entity& entity)
{
    return fmt::format("[{}]({}.md)", entity.name, entity.name);
}

std::string type_name(const Type& type)
{
    switch (type.kind) {
    case Kind::string: return "text";
    case Kind::boolean: return "true or false";
    case Kind::integer: return "whole number";
    case Kind::number: return "number";
    case Kind::time: return "time";
    case Kind::any: return "any JSON";
    case Kind::object: return "object";
    case Kind::enumeration: {
        std::string names;
        for (const EnumName& name : type.names) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name.name);
        return names;
    }
    case Kind::optional: return type_name(type.item()) + " or null";
    case Kind::list: return "list of " + type_name(type.item());
    case Kind::dict: return "named " + type_name(type.item());
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
    std::string text;
    write_value(text, field.initial, *field.type);
    return "`" + text + "`";
}

std::string rules_of(const Field& field)
{
    const Rule& rule = field.rule;
    std::string text;
    auto add = [&](const std::string& sentence) { text += " " + sentence + "."; };
    if (rule.min && rule.max) add(fmt::format("From {} to {}", *rule.min, *rule.max));
    else if (rule.min) add(fmt::format("At least {}", *rule.min));
    else if (rule.max) add(fmt::format("At most {}", *rule.max));
    if (rule.min_length == 1 && !rule.max_length) add("Not empty");
    else if (rule.min_length) add(fmt::format("At least {} long", *rule.min_length));
    if (rule.max_length) add(fmt::format("At most {} long", *rule.max_length));
    if (rule.format != Format::none) add("Must be " + std::string(name_of(rule.format)));
    if (rule.unique) add("No element twice");
    if (rule.secret) add("Read, never written back");
    if (rule.extension) add("Cadre's own; left out of JSON while it has its default");
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

}  // namespace

std::string reference_page(const Entity& entity)
{
    std::string page = fmt::format("# {}\n\n{}\n\n", entity.name, entity.doc);
    if (!entity.tag.empty()) page += fmt::format("Its `type` is `{}`.\n\n", entity.tag);
    page += "| Field | Type | Default | What it is |\n|---|---|---|---|\n";
    for (const Field& field : entity.fields)
        page += fmt::format("| `{}` | {} | {} | {} |\n", field.name, cell(type_name(*field.type)),
                            cell(default_of(field)), cell(std::string(field.doc) + rules_of(field)));
    if (!entity.example.empty()) page += "\n```json\n" + to_pretty_text(parse_json(entity.example)) + "```\n";
    return page;
}

}  // namespace cadre::model
