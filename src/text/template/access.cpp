#include "text/template/access.hpp"

#include "base/error.hpp"
#include "text/template/arguments.hpp"
#include "text/template/bodies.hpp"
#include "text/template/characters.hpp"
#include "text/template/compare.hpp"
#include "text/template/iterate.hpp"
#include "text/template/loop.hpp"
#include "text/template/meter.hpp"
#include "text/template/print.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace cadre::text::tpl {
namespace {

constexpr std::int64_t kMaxRange = 100'000;  // Jinja's sandbox has the same bound

/// Attributes that a dict has in Python beside its entries. They come before entries, so `d.items` is never an entry.
constexpr std::string_view kDictMethods[] = {"clear", "copy",    "fromkeys",   "get",    "items", "keys",
                                             "pop",   "popitem", "setdefault", "update", "values"};

Value dict_attribute(const Value& value, std::string_view name)
{
    if (std::ranges::find(kDictMethods, name) != std::end(kDictMethods))
        throw Error(Code::invalid,
                    fmt::format("`.{}` is a method of every dict; the entry of that name is [\"{}\"]", name, name));
    if (const Value* entry = value.find(name)) return *entry;
    return undefined_entry(value, std::string(name));
}

/// The parts of what groupby gives have names.
const Value* group_part(const Value& value, std::string_view name)
{
    if (!value.is(Kind::tuple) || !body_of<ListBody>(value).group) return nullptr;
    if (name == "grouper") return &value.items()[0];
    return name == "list" ? &value.items()[1] : nullptr;
}

std::int64_t slice_bound(const Value& bound, std::int64_t missing)
{
    if (bound.is(Kind::null)) return missing;
    if (is_undefined(bound)) fail_undefined(bound);
    if (!is_integral(bound))
        throw Error(Code::invalid, fmt::format("a slice goes by integers, not by a {}", type_name(bound)));
    return integral(bound);
}

struct Slice {
    std::int64_t start;
    std::int64_t step;
    std::int64_t count;
    std::int64_t stop;
};

Slice slice_over(std::int64_t length, const Value& start, const Value& stop, const Value& step)
{
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
    Slice slice{.start = 0, .step = slice_bound(step, 1), .count = 0, .stop = 0};
    if (slice.step == 0) throw Error(Code::invalid, "a slice cannot have a step of 0");
    if (slice.step < -kFar) slice.step = -kFar;
    const bool forward = slice.step > 0;
    const std::int64_t lowest = forward ? 0 : -1;
    const std::int64_t highest = forward ? length : length - 1;
    const auto clamped = [&](const Value& bound, std::int64_t missing) {
        if (bound.is(Kind::null)) return missing;
        std::int64_t at = slice_bound(bound, missing);
        if (at < 0) at = std::max(at + length, lowest);
        return std::min(at, highest);
    };
    slice.start = clamped(start, forward ? lowest : highest);
    slice.stop = clamped(stop, forward ? highest : lowest);
    const std::int64_t distance = forward ? slice.stop - slice.start : slice.start - slice.stop;
    if (distance > 0) slice.count = (distance - 1) / (forward ? slice.step : -slice.step) + 1;
    return slice;
}

Value text_slice(const Value& value, const Slice& slice, Meter& meter)
{
    const std::string& text = value.text();
    meter.charge_bytes(text.size());
    std::string out;
    if (is_ascii(text)) {
        for (std::int64_t i = 0; i < slice.count; ++i)
            out += text[static_cast<std::size_t>(slice.start + i * slice.step)];
    } else {
        std::vector<std::uint32_t> starts;
        for (std::size_t at = 0; at < text.size(); at += code_point(text, at).bytes)
            starts.push_back(static_cast<std::uint32_t>(at));
        starts.push_back(static_cast<std::uint32_t>(text.size()));
        for (std::int64_t i = 0; i < slice.count; ++i) {
            const auto place = static_cast<std::size_t>(slice.start + i * slice.step);
            out.append(text, starts[place], starts[place + 1] - starts[place]);
        }
    }
    return value.special() ? markup_of(std::move(out)) : Value(std::move(out));
}

}  // namespace

Value attribute_of(const Value& value, std::string_view name, Meter& meter)
{
    meter.charge();
    if (is_undefined(value)) fail_undefined(value);
    if (name.starts_with("__"))
        return undefined_of(
            fmt::format("{} is not for templates: names that begin with __ are Python's own", in_quotes(name)));
    if (value.is(Kind::dict)) return dict_attribute(value, name);
    if (value.is(Kind::loop)) return loop_attribute(value, name, meter);
    if (const Value* part = group_part(value, name)) return *part;
    return undefined_entry(value, std::string(name));
}

Value item_of(const Value& value, const Value& key, Meter& meter)
{
    meter.charge();
    if (is_undefined(value)) fail_undefined(value);
    if (value.is(Kind::dict)) {
        const Value* entry = is_text(key)              ? value.find(key.text())
                             : is_hashable(key, meter) ? body_of<DictBody>(value).find(key, meter)
                                                       : nullptr;
        if (entry) return *entry;
    } else if (is_indexed(value) && is_integral(key)) {
        if (is_text(value)) meter.charge_bytes(value.text().size());
        const std::int64_t length = *find_length(value);
        const std::int64_t index = integral(key) < 0 ? integral(key) + length : integral(key);
        if (index >= 0 && index < length) return item_at(value, index);
    } else if (is_text(key)) {
        if (value.is(Kind::loop)) return loop_attribute(value, key.text(), meter);
        if (const Value* part = group_part(value, key.text())) return *part;
    }
    if (is_text(key)) return undefined_entry(value, key.text());
    std::string shown;
    append_repr(shown, key, meter);
    return undefined_of(fmt::format("a {} has no item {}", type_name(value), shown.substr(0, 80)));
}

Value slice_of(const Value& value, const Value& start, const Value& stop, const Value& step, Meter& meter)
{
    meter.charge();
    if (is_undefined(value)) fail_undefined(value);
    if (!is_indexed(value)) throw Error(Code::invalid, fmt::format("a {} cannot be sliced", type_name(value)));
    const Slice slice = slice_over(*find_length(value), start, stop, step);
    if (is_text(value)) return text_slice(value, slice, meter);
    if (value.is(Kind::range)) {
        const auto& range = body_of<RangeBody>(value);
        return range_of(range.start + slice.start * range.step, range.start + slice.stop * range.step,
                        range.step * slice.step);
    }
    meter.charge(static_cast<std::size_t>(slice.count));
    std::vector<Value> items;
    items.reserve(static_cast<std::size_t>(slice.count));
    for (std::int64_t i = 0; i < slice.count; ++i)
        items.push_back(value.items()[static_cast<std::size_t>(slice.start + i * slice.step)]);
    return value.is(Kind::list) ? Value::list(std::move(items)) : tuple_of(std::move(items));
}

Value call_range(const Arguments& arguments)
{
    arguments.expect(1, 3);
    std::int64_t bounds[3] = {0, 0, 1};
    for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
        const Value& bound = arguments.positional[i];
        if (is_undefined(bound)) fail_undefined(bound);
        if (!is_integral(bound))
            throw Error(Code::invalid, fmt::format("range takes integers, not a {}", type_name(bound)));
        bounds[arguments.positional.size() == 1 ? 1 : i] = integral(bound);
    }
    if (bounds[2] == 0) throw Error(Code::invalid, "range cannot have a step of 0");
    Value made = range_of(bounds[0], bounds[1], bounds[2]);
    const std::int64_t length = body_of<RangeBody>(made).length();
    if (length < 0 || length > kMaxRange) throw Error(Code::limit, "range has more than 100,000 numbers");
    return made;
}

}  // namespace cadre::text::tpl
