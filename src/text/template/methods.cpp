#include "base/error.hpp"
#include "text/template/access.hpp"
#include "text/template/arguments.hpp"
#include "text/template/bodies.hpp"
#include "text/template/characters.hpp"
#include "text/template/compare.hpp"
#include "text/template/html.hpp"
#include "text/template/iterate.hpp"
#include "text/template/loop.hpp"
#include "text/template/meter.hpp"
#include "text/template/strings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace cadre::text::tpl {
namespace {

/// Markup's methods escape the texts they are given, and give Markup.
std::string text_argument(const Value& self, const Value& argument)
{
    if (is_undefined(argument)) fail_undefined(argument);
    if (!is_text(argument)) throw Error(Code::invalid, fmt::format("needs a text, not a {}", type_name(argument)));
    return self.special() && !argument.special() ? escaped(argument.text()) : argument.text();
}

std::int64_t integer_argument(const Value& argument)
{
    if (is_undefined(argument)) fail_undefined(argument);
    if (!is_integral(argument))
        throw Error(Code::invalid, fmt::format("needs an integer, not a {}", type_name(argument)));
    return integral(argument);
}

Value like(const Value& self, std::string text)
{
    return self.special() ? markup_of(std::move(text)) : Value(std::move(text));
}

Value method_strip(const Value& self, const Arguments& arguments)
{
    arguments.expect(0, 1);
    if (arguments.positional.empty() || arguments.positional[0].is(Kind::null))
        return like(self, std::string(strip(self.text())));
    const std::string chars = text_argument(self, arguments.positional[0]);
    const std::string_view view = chars;
    return like(self, std::string(strip(self.text(), &view)));
}

Value method_split(const Value& self, const Arguments& arguments, Meter& meter)
{
    const auto [separator, most] = arguments.bind({"sep", "maxsplit"}, 0);
    std::string_view at;
    if (separator && !separator->is(Kind::null)) {
        if (is_undefined(*separator)) fail_undefined(*separator);
        if (!is_text(*separator))
            throw Error(Code::invalid, fmt::format("needs a text, not a {}", type_name(*separator)));
        at = separator->text();
        if (at.empty()) throw Error(Code::invalid, "cannot split at an empty text");
    }
    const std::int64_t count = most ? integer_argument(*most) : -1;
    std::vector<Value> parts;
    for (const std::string_view part : split_text(self.text(), at.empty() ? nullptr : &at, count, meter)) {
        meter.charge();
        parts.push_back(like(self, std::string(part)));
    }
    return Value::list(std::move(parts));
}

Value method_replace(const Value& self, const Arguments& arguments, Meter& meter)
{
    arguments.expect(2, 3);
    const std::string from = text_argument(self, arguments.positional[0]);
    const std::string to = text_argument(self, arguments.positional[1]);
    const std::int64_t count = arguments.positional.size() == 3 ? integer_argument(arguments.positional[2]) : -1;
    return like(self, replaced(self.text(), from, to, count, meter));
}

bool matches_end(std::string_view text, const Value& wanted, bool at_start)
{
    if (is_undefined(wanted)) fail_undefined(wanted);
    if (!is_text(wanted))
        throw Error(Code::invalid, fmt::format("needs a text or a tuple of texts, not a {}", type_name(wanted)));
    return at_start ? text.starts_with(wanted.text()) : text.ends_with(wanted.text());
}

/// startswith, endswith; what is asked for may be a tuple, and only a part of the text may be meant.
Value method_matches(const Value& self, const Arguments& arguments, bool at_start, Meter& meter)
{
    arguments.expect(1, 3);
    std::string_view text = self.text();
    bool inside = true;
    if (arguments.positional.size() > 1) {
        meter.charge_bytes(text.size());
        const auto length = static_cast<std::int64_t>(length_of(text));
        const auto bound = [&](std::size_t i, std::int64_t missing) {
            if (arguments.positional.size() <= i || arguments.positional[i].is(Kind::null)) return missing;
            const std::int64_t at = integer_argument(arguments.positional[i]);
            return at < 0 ? std::max<std::int64_t>(at + length, 0) : at;
        };
        const std::int64_t start = bound(1, 0);
        const std::int64_t stop = std::min(bound(2, length), length);
        inside = start <= stop;
        if (inside) {
            const std::size_t from = offset_of(text, static_cast<std::size_t>(start));
            text = text.substr(from, offset_of(text, static_cast<std::size_t>(stop)) - from);
        }
    }
    const Value& wanted = arguments.positional[0];
    if (!wanted.is(Kind::tuple)) return matches_end(text, wanted, at_start) && inside;
    for (const Value& one : wanted.items()) {
        meter.charge();
        if (matches_end(text, one, at_start) && inside) return true;
    }
    return false;
}

Value text_method(const Value& self, std::string_view name, const Arguments& arguments, Meter& meter)
{
    meter.charge_bytes(self.text().size());
    if (name == "upper" || name == "lower") {
        arguments.expect_none();
        std::string changed = name == "upper" ? upper(self.text()) : lower(self.text());
        Meter::check_text(changed.size());
        return like(self, std::move(changed));
    }
    if (name == "strip") return method_strip(self, arguments);
    if (name == "split") return method_split(self, arguments, meter);
    if (name == "replace") return method_replace(self, arguments, meter);
    if (name == "startswith") return method_matches(self, arguments, true, meter);
    if (name == "endswith") return method_matches(self, arguments, false, meter);
    throw Error(Code::invalid,
                fmt::format("a text has no method {}; it has upper, lower, strip, split, replace, startswith and "
                            "endswith, and there are filters",
                            in_quotes(name)));
}

Value dict_method(const Value& self, std::string_view name, const Arguments& arguments, Meter& meter)
{
    if (name == "get") {
        arguments.expect(1, 2);
        if (const Value* found = body_of<DictBody>(self).find(arguments.positional[0], meter)) return *found;
        return arguments.positional.size() == 2 ? arguments.positional[1] : Value();
    }
    const bool known = name == "items" || name == "keys" || name == "values";
    if (!known)
        throw Error(Code::invalid,
                    fmt::format("a dict has no method {}; it has items, keys, values and get", in_quotes(name)));
    arguments.expect_none();
    return view_of(self, name == "items"  ? ViewBody::Part::items
                         : name == "keys" ? ViewBody::Part::keys
                                          : ViewBody::Part::values);
}

}  // namespace

Value call_method(const Value& value, std::string_view name, const Arguments& arguments, Meter& meter)
{
    if (is_undefined(value)) fail_undefined(value);
    if (is_text(value)) return text_method(value, name, arguments, meter);
    if (value.is(Kind::dict)) return dict_method(value, name, arguments, meter);
    if (value.is(Kind::loop)) return call_loop(value, name, arguments, meter);
    throw Error(Code::invalid, fmt::format("a {} has no method {}", type_name(value), in_quotes(name)));
}

}  // namespace cadre::text::tpl
