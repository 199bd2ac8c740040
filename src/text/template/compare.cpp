#include "text/template/compare.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "text/template/bodies.hpp"
#include "text/template/iterate.hpp"
#include "text/template/meter.hpp"
#include "text/template/strings.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace cadre::text::tpl {
namespace {

std::partial_ordering compare_mixed(std::int64_t integer, double number)
{
    if (std::isnan(number)) return std::partial_ordering::unordered;
    if (number >= 0x1p63) return std::partial_ordering::less;
    if (number < -0x1p63) return std::partial_ordering::greater;
    const double whole = std::trunc(number);
    const auto same = static_cast<std::int64_t>(whole);
    if (integer != same) return integer <=> same;
    return whole <=> number;
}

std::partial_ordering reversed(std::partial_ordering order)
{
    return 0 <=> order;
}

bool holds(Order order, std::partial_ordering found)
{
    switch (order) {
    case Order::less: return found < 0;
    case Order::less_equal: return found <= 0;
    case Order::greater: return found > 0;
    case Order::greater_equal: return found >= 0;
    }
    return false;
}

bool equal_items(const std::vector<Value>& a, const std::vector<Value>& b, Meter& meter)
{
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!equal(a[i], b[i], meter)) return false;
    return true;
}

bool equal_dicts(const Value& a, const Value& b, Meter& meter)
{
    if (a.entries().size() != b.entries().size()) return false;
    for (const Value::Entry& entry : a.entries()) {
        const Value* other = body_of<DictBody>(b).find(entry.key, meter);
        if (!other || !equal(entry.value, *other, meter)) return false;
    }
    return true;
}

bool equal_ranges(const RangeBody& a, const RangeBody& b)
{
    if (a.length() != b.length()) return false;
    if (a.length() == 0) return true;
    return a.start == b.start && (a.length() == 1 || a.step == b.step);
}

bool is_set_view(const Value& value)
{
    return value.is(Kind::view) && body_of<ViewBody>(value).part != ViewBody::Part::values;
}

/// Keys and items are sets: whether all of `a` are in `b`.
bool view_within(const Value& a, const Value& b, Meter& meter)
{
    const auto& view = body_of<ViewBody>(a);
    return std::ranges::all_of(view.dict.entries(),
                               [&](const Value::Entry& e) { return contains(b, view.item(e), meter); });
}

std::size_t view_size(const Value& view)
{
    return body_of<ViewBody>(view).dict.entries().size();
}

/// Values are not a set: equal only to themselves.
bool equal_views(const Value& a, const Value& b, Meter& meter)
{
    return is_set_view(a) && is_set_view(b) && view_size(a) == view_size(b) && view_within(a, b, meter);
}

bool ordered_views(Order order, const Value& a, const Value& b, Meter& meter)
{
    const bool up = order == Order::less || order == Order::less_equal;
    const Value& small = up ? a : b;
    const Value& large = up ? b : a;
    const bool strict = order == Order::less || order == Order::greater;
    if (strict ? view_size(small) >= view_size(large) : view_size(small) > view_size(large)) return false;
    return view_within(small, large, meter);
}

[[noreturn]] void fail_order(Order order, const Value& a, const Value& b)
{
    static constexpr const char* kSigns[] = {"<", "<=", ">", ">="};
    throw Error(Code::invalid, std::string(kSigns[static_cast<int>(order)]) + " does not compare a " +
                                   std::string(type_name(a)) + " with a " + std::string(type_name(b)));
}

bool ordered_items(Order order, const std::vector<Value>& a, const std::vector<Value>& b, Meter& meter)
{
    const std::size_t both = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < both; ++i)
        if (!equal(a[i], b[i], meter)) return ordered(order, a[i], b[i], meter);
    return holds(order, a.size() <=> b.size());
}

bool view_contains(const ViewBody& view, const Value& item, Meter& meter)
{
    const auto& dict = body_of<DictBody>(view.dict);
    switch (view.part) {
    case ViewBody::Part::keys: return dict.find(item, meter) != nullptr;
    case ViewBody::Part::values:
        return std::ranges::any_of(dict.entries, [&](const auto& e) { return equal(e.value, item, meter); });
    case ViewBody::Part::items: break;
    }
    if (!item.is(Kind::tuple) || item.items().size() != 2) return false;
    const Value* value = dict.find(item.items()[0], meter);
    return value && equal(*value, item.items()[1], meter);
}

bool range_contains(const RangeBody& range, const Value& item)
{
    if (!is_number(item)) return false;
    std::int64_t wanted = 0;
    if (is_integral(item)) {
        wanted = integral(item);
    } else {
        if (!(std::trunc(item.number()) == item.number()) || std::fabs(item.number()) >= 0x1p63) return false;
        wanted = static_cast<std::int64_t>(item.number());
    }
    const bool inside =
        range.step > 0 ? wanted >= range.start && wanted < range.stop : wanted <= range.start && wanted > range.stop;
    const auto distance = static_cast<std::uint64_t>(wanted) - static_cast<std::uint64_t>(range.start);
    return inside && (range.step > 0 ? distance % static_cast<std::uint64_t>(range.step)
                                     : (0 - distance) % (0 - static_cast<std::uint64_t>(range.step))) == 0;
}

bool text_contains(const Value& whole, const Value& item, Meter& meter)
{
    if (is_undefined(item)) fail_undefined(item);
    if (!is_text(item)) throw Error(Code::invalid, "a text contains texts, not a " + std::string(type_name(item)));
    meter.charge_bytes(whole.text().size());
    return find_text(whole.text(), item.text()) != std::string::npos;
}

std::size_t hash_number(const Value& value)
{
    if (value.is(Kind::number)) {
        const double d = value.number();
        if (std::trunc(d) != d || std::fabs(d) >= 0x1p63) return std::hash<double>()(d);
        return std::hash<std::int64_t>()(static_cast<std::int64_t>(d));
    }
    return std::hash<std::int64_t>()(integral(value));
}

}  // namespace

void fail_undefined(const Value& value)
{
    const auto& body = body_of<UndefinedBody>(value);
    if (body.what == UndefinedBody::What::sentence) throw UndefinedUsed(body.name, value);
    if (body.what == UndefinedBody::What::name) throw UndefinedUsed(in_quotes(body.name) + " is not defined", value);
    std::string why = "a " + std::string(type_name(body.owner)) + " has no " + in_quotes(body.name);
    if (body.owner.is(Kind::dict)) {
        std::vector<std::string> known;
        for (const Value::Entry& entry : body.owner.entries())
            if (is_text(entry.key) && known.size() < 200) known.push_back(entry.key.text());
        if (const auto near = nearest(body.name, known)) why += ", did you mean " + in_quotes(*near) + "?";
    }
    throw UndefinedUsed(why, value);
}

bool truth(const Value& value)
{
    switch (value.kind()) {
    case Kind::null: return false;
    case Kind::boolean: return value.boolean();
    case Kind::integer: return value.integer() != 0;
    case Kind::number: return value.number() != 0;
    case Kind::string: return !value.text().empty();
    case Kind::list:
    case Kind::tuple: return !value.items().empty();
    case Kind::dict: return !value.entries().empty();
    case Kind::range: return body_of<RangeBody>(value).length() != 0;
    case Kind::view: return !body_of<ViewBody>(value).dict.entries().empty();
    case Kind::iterator:
    case Kind::loop: return true;
    case Kind::undefined: break;
    }
    if (!value.special()) fail_undefined(value);
    return false;
}

std::partial_ordering compare_numbers(const Value& a, const Value& b)
{
    if (a.is(Kind::number))
        return b.is(Kind::number) ? a.number() <=> b.number() : reversed(compare_mixed(integral(b), a.number()));
    return b.is(Kind::number) ? compare_mixed(integral(a), b.number()) : integral(a) <=> integral(b);
}

bool equal(const Value& a, const Value& b, Meter& meter)
{
    meter.charge();
    if (is_undefined(a) || is_undefined(b)) {
        if (is_undefined(a) && !a.special()) fail_undefined(a);
        if (is_undefined(b) && !b.special()) fail_undefined(b);
        return a.kind() == b.kind();
    }
    if (is_number(a) && is_number(b)) return compare_numbers(a, b) == 0;
    if (a.kind() != b.kind()) return false;
    if (a.is_shared() && &a.body() == &b.body()) return true;
    switch (a.kind()) {
    case Kind::string:
        if (a.text().size() != b.text().size()) return false;
        meter.charge(a.text().size() / 64);
        return a.text() == b.text();
    case Kind::list:
    case Kind::tuple: return equal_items(a.items(), b.items(), meter);
    case Kind::dict: return equal_dicts(a, b, meter);
    case Kind::range: return equal_ranges(body_of<RangeBody>(a), body_of<RangeBody>(b));
    case Kind::view: return equal_views(a, b, meter);
    case Kind::null: return true;
    default: return false;
    }
}

bool ordered(Order order, const Value& a, const Value& b, Meter& meter)
{
    meter.charge();
    if (is_undefined(a)) fail_undefined(a);
    if (is_undefined(b)) fail_undefined(b);
    if (is_number(a) && is_number(b)) return holds(order, compare_numbers(a, b));
    if (a.kind() != b.kind()) fail_order(order, a, b);
    if (is_text(a)) {
        meter.charge(std::min(a.text().size(), b.text().size()) / 64);
        return holds(order, a.text() <=> b.text());  // bytes of UTF-8 stand in the order of characters
    }
    if (is_set_view(a) && is_set_view(b)) return ordered_views(order, a, b, meter);
    if (!is_sequence(a)) fail_order(order, a, b);
    return ordered_items(order, a.items(), b.items(), meter);
}

bool contains(const Value& whole, const Value& item, Meter& meter)
{
    meter.charge();
    switch (whole.kind()) {
    case Kind::string: return text_contains(whole, item, meter);
    case Kind::dict: return body_of<DictBody>(whole).find(item, meter) != nullptr;
    case Kind::range:
        if (is_undefined(item) && !item.special() && truth(whole)) fail_undefined(item);
        return range_contains(body_of<RangeBody>(whole), item);
    case Kind::view: return view_contains(body_of<ViewBody>(whole), item, meter);
    case Kind::undefined:
        if (!whole.special()) fail_undefined(whole);
        return false;
    default: break;
    }
    Iteration items(whole, meter);
    for (Value one; items.next(one);)
        if (equal(one, item, meter)) return true;
    return false;
}

bool is_hashable(const Value& key, Meter& meter)
{
    meter.charge();
    if (key.is(Kind::view)) return body_of<ViewBody>(key).part == ViewBody::Part::values;
    if (!key.is(Kind::tuple)) return !key.is(Kind::list) && !key.is(Kind::dict);
    return std::ranges::all_of(key.items(), [&](const Value& item) { return is_hashable(item, meter); });
}

std::size_t hash_of(std::string_view key)
{
    return std::hash<std::string_view>()(key);
}

std::size_t hash_of(const Value& key, Meter& meter)
{
    meter.charge();
    switch (key.kind()) {
    case Kind::null: return 1;
    case Kind::boolean:
    case Kind::integer:
    case Kind::number: return hash_number(key);
    case Kind::string: meter.charge(key.text().size() / 64); return hash_of(std::string_view(key.text()));
    case Kind::tuple: {
        std::size_t hash = 17;
        for (const Value& item : key.items()) hash = hash * 31 + hash_of(item, meter);
        return hash;
    }
    case Kind::range: return static_cast<std::size_t>(body_of<RangeBody>(key).length());
    case Kind::view:
        if (body_of<ViewBody>(key).part != ViewBody::Part::values) break;
        [[fallthrough]];
    case Kind::iterator:
    case Kind::loop: return std::hash<const void*>()(&key.body());
    case Kind::undefined:
        if (!key.special()) fail_undefined(key);
        return 2;
    default: break;
    }
    throw Error(Code::invalid, "a " + std::string(type_name(key)) + " cannot be a key");
}

}  // namespace cadre::text::tpl
