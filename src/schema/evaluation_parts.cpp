// What is inside of a value: elements of arrays, members of objects.
#include "schema/evaluation.hpp"
#include "schema/messages.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

namespace cadre::schema {

bool Evaluation::check_array(const Node& node, const json::array& array, const Path& path, Marks* marks)
{
    const ArrayRules& rules = *node.array;
    bool holds = rules.size.contains(array.size());
    if (!holds)
        broken(node, array.size() < rules.size.min ? "minItems" : "maxItems", path,
               [&] { return wrong_count(rules.size, array.size(), "element"); });
    if (goes_on(holds)) holds = check_elements(node, array, path, marks) && holds;
    if (rules.contains && goes_on(holds)) holds = check_contained(node, array, path, marks) && holds;
    if (!rules.unique || !goes_on(holds)) return holds;
    const auto twins = find_twins(array, budget_);
    if (!twins) return holds;
    return broken(node, "uniqueItems", path, [&] {
        return fmt::format("must not have equal elements, and {} equals {}", twins->second, twins->first);
    });
}

bool Evaluation::check_elements(const Node& node, const json::array& array, const Path& path, Marks* marks)
{
    const ArrayRules& rules = *node.array;
    bool holds = true;
    for (std::size_t i = 0; i < array.size() && goes_on(holds); ++i) {
        const bool in_prefix = i < rules.prefix.size();
        if (!in_prefix && !rules.items) break;
        holds = check(in_prefix ? rules.prefix[i] : *rules.items, array[i], {&path, {}, i, true}, nullptr) && holds;
        if (marks) marks->mark(i);
    }
    return holds;
}

bool Evaluation::check_contained(const Node& node, const json::array& array, const Path& path, Marks* marks)
{
    const ArrayRules& rules = *node.array;
    std::size_t count = 0;
    for (std::size_t i = 0; i < array.size(); ++i) {
        if (!matches(*rules.contains, array[i], {&path, {}, i, true})) continue;
        ++count;
        if (marks) marks->mark(i);
        if (!marks && count >= rules.contained.min && rules.contained.max == kNoLimit) return true;
    }
    if (rules.contained.contains(count)) return true;
    const bool too_few = count < rules.contained.min;
    const std::string_view keyword = !too_few ? "maxContains" : rules.contained.min == 1 ? "contains" : "minContains";
    return broken(node, keyword, path,
                  [&] { return wrong_count(rules.contained, count, "element", " that matches contains"); });
}

bool Evaluation::check_object(const Node& node, const json::value& value, const Path& path, Marks* marks)
{
    const ObjectRules& rules = *node.object;
    const json::object& object = value.get_object();
    bool holds = check_members(node, object, path, marks);
    if (!rules.size.contains(object.size()) && goes_on(holds))
        holds = broken(node, object.size() < rules.size.min ? "minProperties" : "maxProperties", path,
                       [&] { return wrong_count(rules.size, object.size(), "property"); });
    if (rules.names && goes_on(holds)) holds = check_names(node, object, path) && holds;
    if (!rules.dependents.empty() && goes_on(holds)) holds = check_dependents(node, value, path, marks) && holds;
    return holds;
}

bool Evaluation::check_members(const Node& node, const json::object& object, const Path& path, Marks* marks)
{
    const ObjectRules& rules = *node.object;
    budget_.spend(object.size());
    bool holds = true;
    std::size_t required = 0;
    std::size_t index = 0;
    for (const auto& member : object) {
        const std::string_view key = member.key();
        const Path inner{.outer = &path, .key = key};
        const Member* known = rules.find_member(key);
        if (known && known->required) ++required;
        bool looked_at = known && known->schema;
        if (looked_at) holds = check(*known->schema, member.value(), inner, nullptr) && holds;
        for (const auto& [pattern, schema] : rules.patterns) {
            if (!goes_on(holds)) return false;
            if (!pattern->found_in(key, budget_)) continue;
            looked_at = true;
            holds = check(schema, member.value(), inner, nullptr) && holds;
        }
        if (!looked_at && rules.additional && goes_on(holds)) {
            looked_at = true;
            holds = check_extra(node, "additionalProperties", *rules.additional, member, path) && holds;
        }
        if (!goes_on(holds)) return false;
        if (marks && looked_at) marks->mark(index);
        ++index;
    }
    return required == rules.required ? holds : check_required(node, object, path);
}

/// Names what is missing; that something is, the number of those that were met has told.
bool Evaluation::check_required(const Node& node, const json::object& object, const Path& path)
{
    for (const Member& member : node.object->members) {
        if (!listens()) break;
        budget_.spend(1);
        if (member.required && !object.contains(member.name))
            add_finding(node, "required", path, missing_property(member.name, object, *node.object));
    }
    return false;
}

bool Evaluation::check_names(const Node& node, const json::object& object, const Path& path)
{
    bool holds = true;
    for (const auto& member : object) {
        if (!goes_on(holds)) break;
        const json::value name(member.key());
        Findings found;
        if (check_apart(*node.object->names, name, path, nullptr, findings_ ? &found : nullptr)) continue;
        holds = false;
        for (const Finding& finding : found)
            broken(node, "propertyNames", path,
                   [&] { return fmt::format("the property name {} {}", in_quotes(member.key()), finding.message); });
    }
    return holds;
}

bool Evaluation::check_dependents(const Node& node, const json::value& value, const Path& path, Marks* marks)
{
    const json::object& object = value.get_object();
    bool holds = true;
    for (const Dependent& dependent : node.object->dependents) {
        budget_.spend(1);
        if (!goes_on(holds)) break;
        if (!object.contains(dependent.property)) continue;
        for (const std::string& name : dependent.required) {
            budget_.spend(1);
            if (!object.contains(name))
                holds = broken(node, dependent.keyword, path, [&] {
                    return fmt::format("must have the property {}, because it has {}", in_quotes(name),
                                       in_quotes(dependent.property));
                });
        }
        if (dependent.schema && goes_on(holds)) holds = check(*dependent.schema, value, path, marks) && holds;
    }
    return holds;
}

/// The members or elements that no other rule has looked at.
bool Evaluation::check_rest(const Node& node, const json::value& value, const Path& path, Marks& marks)
{
    bool holds = true;
    std::size_t index = 0;
    if (const auto* array = value.if_array()) {
        for (; index < array->size() && goes_on(holds); ++index)
            if (!marks.has(index))
                holds = check(*node.array->unevaluated, (*array)[index], {&path, {}, index, true}, nullptr) && holds;
        return holds;
    }
    for (const auto& member : value.get_object()) {
        if (!marks.has(index++) && goes_on(holds))
            holds = check_extra(node, "unevaluatedProperties", *node.object->unevaluated, member, path) && holds;
    }
    return holds;
}

bool Evaluation::check_extra(const Node& node, std::string_view keyword, NodeId extra,
                             const json::key_value_pair& member, const Path& path)
{
    if (!program_.nodes[extra].never)
        return check(extra, member.value(), {.outer = &path, .key = member.key()}, nullptr);
    budget_.spend(1);
    return broken(node, keyword, path, [&] { return unknown_property(member.key(), *node.object); });
}

}  // namespace cadre::schema
