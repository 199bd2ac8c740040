#include "text/template/attributes.hpp"

#include "base/ascii.hpp"
#include "text/template/access.hpp"
#include "text/template/bodies.hpp"
#include "text/template/characters.hpp"
#include "text/template/meter.hpp"
#include "text/template/numbers.hpp"

#include <algorithm>

namespace cadre::text::tpl {
namespace {

/// The parts of a text between separators; an empty text has one, empty part.
std::vector<std::string_view> parts_of(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (std::size_t end = text.find(separator); end != text.npos; end = text.find(separator)) {
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    parts.push_back(text);
    return parts;
}

}  // namespace

AttributePath::AttributePath(const Value* attribute)
{
    if (!attribute || attribute->is(Kind::null)) return;
    if (!is_text(*attribute)) {
        steps_.push_back(*attribute);
        return;
    }
    for (const std::string_view part : parts_of(attribute->text(), '.')) {
        const bool number = !part.empty() && std::ranges::all_of(part, [](char c) { return is_digit(c); });
        steps_.push_back(number ? Value(*parse_int(part)) : Value(part));
    }
}

Value AttributePath::get(const Value& item, Meter& meter, const Value* missing) const
{
    Value value = item;
    for (const Value& step : steps_) {
        value = item_of(value, step, meter);
        if (missing && !missing->is(Kind::null) && is_undefined(value)) value = *missing;
    }
    return value;
}

std::vector<AttributePath> attribute_paths(const Value* attribute)
{
    std::vector<AttributePath> paths;
    if (!attribute || !is_text(*attribute)) {
        paths.emplace_back(attribute);
        return paths;
    }
    for (const std::string_view part : parts_of(attribute->text(), ',')) {
        const Value one(part);
        paths.emplace_back(&one);
    }
    return paths;
}

Value without_case(const Value& value, Meter& meter)
{
    if (!is_text(value)) return value;
    meter.charge_bytes(value.text().size());
    return Value(lower(value.text()));
}

}  // namespace cadre::text::tpl
