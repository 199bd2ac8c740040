#include "schema/evaluation.hpp"

#include "schema/messages.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::schema {

namespace {

constexpr std::size_t kBytesCountedAStep = 64;  // of text whose characters are counted
constexpr std::size_t kMarksAStep = 8;

/// Puts the old value back when it dies.
template <class T>
class Temporarily {
public:
    Temporarily(T& variable, T value) : variable_(variable), old_(variable) { variable_ = value; }
    Temporarily(const Temporarily&) = delete;
    Temporarily& operator=(const Temporarily&) = delete;
    ~Temporarily() { variable_ = old_; }

private:
    T& variable_;
    T old_;
};

std::size_t characters(std::string_view text)
{
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    return static_cast<std::size_t>(std::ranges::count_if(text, begins));
}

bool looks_at_rest(const Node& node, const json::value& value)
{
    return (node.object && node.object->unevaluated && value.is_object()) ||
           (node.array && node.array->unevaluated && value.is_array());
}

}  // namespace

bool Evaluation::check(NodeId id, const json::value& value, const Path& path, Marks* marks)
{
    const Budget::Level level(budget_);
    const Node& node = program_.nodes[id];
    const Scope inner{scope_, node.resource};
    const bool enters = !scope_ || scope_->resource != node.resource;
    const Temporarily<const Scope*> scope(scope_, enters ? &inner : scope_);

    if (!looks_at_rest(node, value)) return check_rules(node, value, path, marks);
    budget_.spend(Marks::parts_of(value) / kMarksAStep);
    Marks own(value);
    if (!check_rules(node, value, path, &own) || !check_rest(node, value, path, own)) return false;
    if (marks) marks->mark_all();
    return true;
}

bool Evaluation::check_rules(const Node& node, const json::value& value, const Path& path, Marks* marks)
{
    if (node.types != kAnyType && !(node.types & types_of(value)))
        return broken(node, "type", path, [&] { return wrong_type(node.types, value); });
    if (node.never) return broken(node, "", path, [] { return "must not be there"; });
    if (node.constant && !equal(*node.constant, value, budget_))
        return broken(node, "const", path, [&] { return wrong_constant(*node.constant, value); });
    if (node.enumerated && !node.enumerated->contains(value, budget_))
        return broken(node, "enum", path, [&] { return not_enumerated(node.enumerated->values(), value); });

    bool holds = true;
    if (node.object && value.is_object()) holds = check_object(node, value, path, marks);
    else if (node.string && value.is_string()) holds = check_string(node, value.get_string(), path);
    else if (node.array && value.is_array()) holds = check_array(node, value.get_array(), path, marks);
    else if (node.number && value.is_number()) holds = check_number(node, value, path);
    if (node.applicators && goes_on(holds)) holds = check_applicators(node, value, path, marks) && holds;
    return holds;
}

bool Evaluation::check_number(const Node& node, const json::value& value, const Path& path)
{
    const NumberRules& rules = *node.number;
    const Number number(value);
    const auto wrong = [&](std::string_view keyword, std::string_view rule, const Number& bound) {
        return broken(node, keyword, path, [&] { return wrong_number(rule, bound, number); });
    };
    if (rules.minimum && !(number >= *rules.minimum)) return wrong("minimum", "at least", *rules.minimum);
    if (rules.maximum && !(number <= *rules.maximum)) return wrong("maximum", "at most", *rules.maximum);
    if (rules.exclusive_minimum && !(number > *rules.exclusive_minimum))
        return wrong("exclusiveMinimum", "greater than", *rules.exclusive_minimum);
    if (rules.exclusive_maximum && !(number < *rules.exclusive_maximum))
        return wrong("exclusiveMaximum", "less than", *rules.exclusive_maximum);
    if (rules.multiple_of && !number.is_multiple_of(*rules.multiple_of))
        return wrong("multipleOf", "a multiple of", *rules.multiple_of);
    return true;
}

bool Evaluation::check_string(const Node& node, std::string_view text, const Path& path)
{
    const StringRules& rules = *node.string;
    // a character has one to four bytes: most texts need no counting
    if (text.size() > rules.length.max || (text.size() + 3) / 4 < rules.length.min) {
        budget_.spend(text.size() / kBytesCountedAStep);
        const std::size_t count = characters(text);
        const std::string_view keyword = count < rules.length.min ? "minLength" : "maxLength";
        if (!rules.length.contains(count))
            return broken(node, keyword, path, [&] { return wrong_count(rules.length, count, "character"); });
    }
    bool holds = true;
    if (rules.pattern && !rules.pattern->found_in(text, budget_))
        holds = broken(node, "pattern", path, [&] { return wrong_pattern(*rules.pattern, text); });
    if (!rules.format || !goes_on(holds)) return holds;
    budget_.spend(text.size());
    if (!rules.format->matches(text))
        holds = broken(node, "format", path, [&] { return wrong_format(*rules.format, text); });
    return holds;
}

bool Evaluation::check_applicators(const Node& node, const json::value& value, const Path& path, Marks* marks)
{
    const Applicators& rules = *node.applicators;
    bool holds = !rules.ref || check(*rules.ref, value, path, marks);
    for (const DynamicRef& ref : rules.dynamic_refs)
        if (goes_on(holds)) holds = check(target_of(ref), value, path, marks) && holds;
    for (const NodeId id : rules.all_of)
        if (goes_on(holds)) holds = check(id, value, path, marks) && holds;
    if (!rules.any_of.empty() && goes_on(holds)) holds = check_alternatives(node, value, path, marks, false) && holds;
    if (!rules.one_of.empty() && goes_on(holds)) holds = check_alternatives(node, value, path, marks, true) && holds;
    if (rules.if_ && goes_on(holds)) holds = check_condition(node, value, path, marks) && holds;
    if (rules.not_ && goes_on(holds) && matches(*rules.not_, value, path))
        holds = broken(node, "not", path, [] { return "must not match the schema in not"; });
    return holds;
}

bool Evaluation::check_alternatives(const Node& node, const json::value& value, const Path& path, Marks* marks,
                                    bool only_one)
{
    const std::vector<NodeId>& branches = only_one ? node.applicators->one_of : node.applicators->any_of;
    const std::string_view keyword = only_one ? "oneOf" : "anyOf";
    std::vector<Findings> found;
    std::vector<std::size_t> matching;
    for (std::size_t i = 0; i < branches.size(); ++i) {
        if (findings_) found.emplace_back();
        if (!check_apart(branches[i], value, path, marks, findings_ ? &found.back() : nullptr)) continue;
        matching.push_back(i);
        if (only_one ? matching.size() > 1 : !marks) break;
    }
    if (matching.size() > 1 && only_one)
        return broken(node, keyword, path, [&] {
            return fmt::format("must match only one schema in oneOf, and matches {} and {}", matching[0], matching[1]);
        });
    if (matching.empty() && listens()) add_nearest(node, keyword, value, path, branches, found);
    return !matching.empty();
}

bool Evaluation::check_condition(const Node& node, const json::value& value, const Path& path, Marks* marks)
{
    const Applicators& rules = *node.applicators;
    const auto next = check_apart(*rules.if_, value, path, marks, nullptr) ? rules.then_ : rules.else_;
    return !next || check(*next, value, path, marks);
}

NodeId Evaluation::target_of(const DynamicRef& ref)
{
    NodeId target = ref.target;
    if (!ref.anchor) return target;
    for (const Scope* scope = scope_; scope; scope = scope->outer) {
        budget_.spend(1);
        const auto found = program_.dynamic_anchors.find({scope->resource, *ref.anchor});
        if (found != program_.dynamic_anchors.end()) target = found->second;
    }
    return target;
}

bool Evaluation::matches(NodeId id, const json::value& value, const Path& path, Marks* marks)
{
    const Temporarily<Findings*> silent(findings_, nullptr);
    return check(id, value, path, marks);
}

bool Evaluation::check_apart(NodeId id, const json::value& value, const Path& path, Marks* marks, Findings* findings)
{
    const Temporarily<Findings*> elsewhere(findings_, findings);
    if (!marks) return check(id, value, path, nullptr);
    budget_.spend(Marks::parts_of(value) / kMarksAStep);
    Marks own(value);
    if (!check(id, value, path, &own)) return false;
    marks->merge(own);
    return true;
}

}  // namespace cadre::schema
