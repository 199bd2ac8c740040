#include "text/template/iterate.hpp"

#include "base/error.hpp"
#include "text/template/bodies.hpp"
#include "text/template/characters.hpp"
#include "text/template/compare.hpp"
#include "text/template/meter.hpp"

namespace cadre::text::tpl {
namespace {

/// Of what can be walked over by number.
std::size_t item_count(const Value& value)
{
    switch (value.kind()) {
    case Kind::list:
    case Kind::tuple: return value.items().size();
    case Kind::dict: return value.entries().size();
    case Kind::range: return static_cast<std::size_t>(body_of<RangeBody>(value).length());
    case Kind::view: return body_of<ViewBody>(value).dict.entries().size();
    default: return 0;
    }
}

Value numbered_item(const Value& value, std::size_t index)
{
    switch (value.kind()) {
    case Kind::list:
    case Kind::tuple: return value.items()[index];
    case Kind::dict: return value.entries()[index].key;
    case Kind::range: {
        const auto& range = body_of<RangeBody>(value);
        return range.start + static_cast<std::int64_t>(index) * range.step;
    }
    default: {
        const auto& view = body_of<ViewBody>(value);
        return view.item(view.dict.entries()[index]);
    }
    }
}

}  // namespace

bool is_iterable(const Value& value)
{
    switch (value.kind()) {
    case Kind::null:
    case Kind::boolean:
    case Kind::integer:
    case Kind::number:
    case Kind::loop: return false;
    case Kind::undefined:
        if (!value.special()) fail_undefined(value);
        return true;
    default: return true;
    }
}

Walk::Walk(Value source, bool backwards) : source_(std::move(source)), backwards_(backwards)
{
    if (!is_iterable(source_))
        throw Error(Code::invalid, "a " + std::string(type_name(source_)) + " has no items to go through");
}

bool Walk::next_character(Value& item)
{
    const std::string& text = source_.text();
    if (at_ >= text.size()) return false;
    const std::size_t bytes = code_point(text, at_).bytes;
    item = Value(text.substr(at_, bytes));  // also of Markup: its characters are plain
    at_ += bytes;
    return true;
}

bool Walk::next(Value& item, Meter& meter)
{
    meter.charge();
    if (source_.is(Kind::string)) return next_character(item);
    if (source_.is(Kind::iterator)) return static_cast<IteratorBody&>(source_.body()).next(item, meter);
    const std::size_t count = item_count(source_);
    if (at_ >= count) return false;
    item = numbered_item(source_, backwards_ ? count - 1 - at_ : at_);
    ++at_;
    return true;
}

std::optional<std::int64_t> find_length(const Value& value)
{
    switch (value.kind()) {
    case Kind::string: return static_cast<std::int64_t>(length_of(value.text()));
    case Kind::list:
    case Kind::tuple:
    case Kind::dict:
    case Kind::range:
    case Kind::view: return static_cast<std::int64_t>(item_count(value));
    case Kind::undefined:
        if (!value.special()) fail_undefined(value);
        return 0;
    default: return std::nullopt;
    }
}

std::vector<Value> items_of(const Value& value, Meter& meter)
{
    std::vector<Value> items;
    Walk walk(value);
    for (Value item; walk.next(item, meter);) items.push_back(std::move(item));
    return items;
}

bool is_indexed(const Value& value)
{
    return is_text(value) || is_sequence(value) || value.is(Kind::range);
}

Value item_at(const Value& value, std::int64_t index)
{
    if (is_text(value)) {
        const std::string& text = value.text();
        const std::size_t at = offset_of(text, static_cast<std::size_t>(index));
        std::string one = text.substr(at, code_point(text, at).bytes);
        return value.special() ? markup_of(std::move(one)) : Value(std::move(one));
    }
    return numbered_item(value, static_cast<std::size_t>(index));
}

}  // namespace cadre::text::tpl
