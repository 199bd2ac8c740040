#include "base/error.hpp"
#include "text/template/attributes.hpp"
#include "text/template/bodies.hpp"
#include "text/template/characters.hpp"
#include "text/template/compare.hpp"
#include "text/template/filters.hpp"
#include "text/template/iterate.hpp"
#include "text/template/meter.hpp"
#include "text/template/print.hpp"
#include "text/template/sort.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::text::tpl {
namespace {

bool is_given_and_true(const Value* argument)
{
    return argument && truth(*argument);
}

/// Items with what they are sorted by.
struct Keyed {
    Value key{};
    Value item{};
};

void sort_by_key(std::vector<Keyed>& items, bool backwards, Meter& meter)
{
    if (backwards) std::ranges::reverse(items);  // twice, so that equal ones keep their order
    sort_stably(items, [&](const Keyed& a, const Keyed& b) { return ordered(Order::less, a.key, b.key, meter); });
    if (backwards) std::ranges::reverse(items);
}

Value list_of(std::vector<Keyed> items)
{
    std::vector<Value> sorted;
    sorted.reserve(items.size());
    for (Keyed& item : items) sorted.push_back(std::move(item.item));
    return Value::list(std::move(sorted));
}

Value filter_default(const Value& value, const Arguments& arguments, Meter&)
{
    const auto [other, boolean] = arguments.bind({"default_value", "boolean"}, 0);
    if (!is_undefined(value) && !(is_given_and_true(boolean) && !truth(value))) return value;
    return other ? *other : Value("");
}

Value filter_dictsort(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [case_sensitive, by, reverse] = arguments.bind({"case_sensitive", "by", "reverse"}, 0);
    const std::string way = !by ? "key" : is_text(*by) ? by->text() : "";
    if (way != "key" && way != "value") throw Error(Code::invalid, R"(sorts by "key" or "value")");
    if (is_undefined(value)) fail_undefined(value);
    if (!value.is(Kind::dict)) throw Error(Code::invalid, fmt::format("needs a dict, not a {}", type_name(value)));
    const bool keep_case = is_given_and_true(case_sensitive);
    std::vector<Keyed> items;
    for (const Value::Entry& entry : value.entries()) {
        meter.charge();
        const Value& key = way == "key" ? entry.key : entry.value;
        items.push_back({keep_case ? key : without_case(key, meter), tuple_of({entry.key, entry.value})});
    }
    sort_by_key(items, is_given_and_true(reverse), meter);
    return list_of(std::move(items));
}

Value filter_sort(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [reverse, case_sensitive, attribute] = arguments.bind({"reverse", "case_sensitive", "attribute"}, 0);
    const std::vector<AttributePath> paths = attribute_paths(attribute);
    const bool keep_case = is_given_and_true(case_sensitive);
    std::vector<Keyed> items;
    Iteration all(value, meter);
    for (Value item; all.next(item);) {
        std::vector<Value> keys;
        for (const AttributePath& path : paths) {
            const Value key = path.get(item, meter);
            keys.push_back(keep_case ? key : without_case(key, meter));
        }
        items.push_back({Value::list(std::move(keys)), item});
    }
    sort_by_key(items, is_given_and_true(reverse), meter);
    return list_of(std::move(items));
}

Value group_of(const Value& key, std::vector<Value> items)
{
    auto body = std::make_unique<ListBody>(std::vector<Value>{key, Value::list(std::move(items))});
    body->group = true;
    return {Kind::tuple, body.release()};
}

Value filter_groupby(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [attribute, missing, case_sensitive] = arguments.bind({"attribute", "default", "case_sensitive"}, 1);
    const AttributePath path(attribute);
    const bool keep_case = is_given_and_true(case_sensitive);
    std::vector<Keyed> items;
    Iteration all(value, meter);
    for (Value item; all.next(item);) {
        const Value key = path.get(item, meter, missing);
        items.push_back({keep_case ? key : without_case(key, meter), item});
    }
    sort_by_key(items, false, meter);
    std::vector<Value> groups;
    for (std::size_t start = 0; start < items.size();) {
        std::size_t end = start;
        std::vector<Value> members;
        do members.push_back(items[end++].item);
        while (end < items.size() && equal(items[end].key, items[start].key, meter));
        const Value key =
            keep_case ? items[start].key : path.get(members[0], meter, missing);  // as the first one writes it
        groups.push_back(group_of(key, std::move(members)));
        start = end;
    }
    return Value::list(std::move(groups));
}

Value filter_first(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    Iteration items(value, meter);
    Value first;
    return items.next(first) ? first : undefined_of("an empty list has no first item");
}

Value filter_last(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    const auto length = find_length(value);
    if (!length)
        throw Error(Code::invalid, fmt::format("a {} has no last item; |list|last finds it", type_name(value)));
    if (*length == 0) return undefined_of("an empty list has no last item");
    if (is_text(value)) {
        meter.charge_bytes(value.text().size());
        return item_at(value, *length - 1);
    }
    Walk walk(value, true);
    Value last;
    walk.next(last, meter);
    return last;
}

Value filter_length(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    if (is_text(value)) meter.charge_bytes(value.text().size());
    const auto length = find_length(value);
    if (!length)
        throw Error(Code::invalid, fmt::format("a {} has no length{}", type_name(value),
                                               value.is(Kind::iterator) ? "; |list|length has one" : ""));
    return *length;
}

Value filter_list(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    return Value::list(items_of(value, meter));
}

Value filter_join(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [between, attribute] = arguments.bind({"d", "attribute"}, 0);
    const AttributePath path(attribute);
    const std::string separator = between ? text_of(*between, meter) : "";
    std::string out;
    bool first = true;
    Iteration items(value, meter);
    for (Value item; items.next(item); first = false) {
        if (!first) out += separator;
        append_text(out, path.get(item, meter), meter);
        Meter::check_text(out.size());
    }
    return out;
}

}  // namespace

const std::vector<Filter>& list_filters()
{
    static const std::vector<Filter> filters = {
        {"d", filter_default},   {"default", filter_default}, {"dictsort", filter_dictsort},
        {"first", filter_first}, {"groupby", filter_groupby}, {"join", filter_join},
        {"last", filter_last},   {"length", filter_length},   {"list", filter_list},
        {"sort", filter_sort},
    };
    return filters;
}

}  // namespace cadre::text::tpl
