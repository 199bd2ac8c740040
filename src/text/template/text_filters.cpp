#include "base/error.hpp"
#include "text/template/access.hpp"
#include "text/template/bodies.hpp"
#include "text/template/characters.hpp"
#include "text/template/compare.hpp"
#include "text/template/filters.hpp"
#include "text/template/html.hpp"
#include "text/template/iterate.hpp"
#include "text/template/meter.hpp"
#include "text/template/operators.hpp"
#include "text/template/percent.hpp"
#include "text/template/print.hpp"
#include "text/template/strings.hpp"

#include <fmt/core.h>

namespace cadre::text::tpl {
namespace {

/// The text that a value is, or has; Markup stays Markup.
Value soft_text(const Value& value, Meter& meter)
{
    return is_text(value) ? value : Value(text_of(value, meter));
}

Value text_like(const Value& model, std::string text)
{
    Meter::check_text(text.size());
    return model.special() ? markup_of(std::move(text)) : Value(std::move(text));
}

const std::string& expect_text(const Value& value)
{
    if (is_undefined(value)) fail_undefined(value);
    if (!is_text(value)) throw Error(Code::invalid, fmt::format("needs a text, not a {}", type_name(value)));
    return value.text();
}

std::int64_t expect_integer(const Value& value)
{
    if (is_undefined(value)) fail_undefined(value);
    if (!is_integral(value)) throw Error(Code::invalid, fmt::format("needs an integer, not a {}", type_name(value)));
    return integral(value);
}

template <std::string (*Change)(std::string_view)>
Value filter_case(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    const Value text = soft_text(value, meter);
    meter.charge_bytes(text.text().size());
    return text_like(text, Change(text.text()));
}

bool begins_word(char32_t c)
{
    return c == '-' || c == '(' || c == '{' || c == '[' || c == '<' || has(c, space);
}

Value filter_title(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    const std::string text = text_of(value, meter);
    meter.charge_bytes(text.size());
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        // a run of what stands between words, or of what does not
        const bool between = begins_word(code_point(text, at).value);
        std::size_t end = at;
        while (end < text.size() && begins_word(code_point(text, end).value) == between)
            end += code_point(text, end).bytes;
        const std::size_t first = code_point(text, at).bytes;
        out += upper(std::string_view(text).substr(at, first));
        out += lower(std::string_view(text).substr(at + first, end - at - first));
        at = end;
    }
    Meter::check_text(out.size());
    return out;
}

Value filter_escape(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    if (is_text(value) && value.special()) return value;
    std::string text = escaped(text_of(value, meter));
    Meter::check_text(text.size());
    meter.charge_bytes(text.size());
    return markup_of(std::move(text));
}

Value filter_format(const Value& value, const Arguments& arguments, Meter& meter)
{
    if (!arguments.positional.empty() && !arguments.named.empty())
        throw Error(Code::invalid, "takes values or names, not both");
    const Value text = soft_text(value, meter);
    if (arguments.named.empty()) return percent(text, tuple_of(arguments.positional), meter);
    std::vector<Value::Entry> entries;
    for (const auto& [name, argument] : arguments.named) entries.push_back({Value(name), argument});
    return percent(text, dict_of(std::move(entries), meter), meter);
}

Value filter_indent(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [width, first, blank] = arguments.bind({"width", "first", "blank"}, 0);
    std::string indent = "    ";
    if (width && is_text(*width)) {
        indent = width->text();
    } else if (width) {
        const std::int64_t spaces = expect_integer(*width);
        Meter::check_text(static_cast<std::size_t>(std::max<std::int64_t>(spaces, 0)));
        indent.assign(static_cast<std::size_t>(std::max<std::int64_t>(spaces, 0)), ' ');
    }
    const std::string text = expect_text(value) + '\n';  // so that the last line counts even when it is empty
    const bool blank_too = blank && truth(*blank);
    std::string out = first && truth(*first) ? indent : "";
    bool is_first = true;
    for (const std::string_view line : lines_of(text)) {
        if (!is_first) {
            out += '\n';
            if (blank_too || !line.empty()) out += indent;
        }
        is_first = false;
        out += line;
        Meter::check_text(out.size());
    }
    meter.charge_bytes(out.size());
    return text_like(value, std::move(out));
}

Value filter_replace(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [from, to, count] = arguments.bind({"old", "new", "count"}, 2);
    const std::int64_t most = count && !count->is(Kind::null) ? expect_integer(*count) : -1;
    return replaced(text_of(value, meter), text_of(*from, meter), text_of(*to, meter), most, meter);
}

Value filter_string(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    return soft_text(value, meter);
}

Value filter_striptags(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    const std::string text = text_of(value, meter);
    meter.charge_bytes(text.size() * 16);  // an entity that is none is looked up by each of its beginnings
    return without_tags(text);
}

Value filter_trim(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [chars] = arguments.bind({"chars"}, 0);
    const Value text = soft_text(value, meter);
    if (!chars || chars->is(Kind::null)) return text_like(text, std::string(strip(text.text())));
    const std::string these = text.special() && !chars->special() ? escaped(expect_text(*chars)) : expect_text(*chars);
    const std::string_view view = these;
    return text_like(text, std::string(strip(text.text(), &view)));
}

Value filter_truncate(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [length, killwords, end, leeway] = arguments.bind({"length", "killwords", "end", "leeway"}, 0);
    const Value most = length ? *length : Value(255);
    const Value mark = end ? *end : Value("...");
    const Value slack = leeway && !leeway->is(Kind::null) ? *leeway : Value(5);
    const auto mark_length = find_length(mark);
    if (!mark_length) throw Error(Code::invalid, "its end is a text");
    if (!ordered(Order::greater_equal, most, Value(*mark_length), meter))
        throw Error(Code::invalid, "its length is less than that of its end");
    if (!ordered(Order::greater_equal, slack, Value(0), meter)) throw Error(Code::invalid, "its leeway is less than 0");
    const auto size = find_length(value);
    if (!size) throw Error(Code::invalid, fmt::format("needs a text, not a {}", type_name(value)));
    if (ordered(Order::less_equal, Value(*size), apply(Operator::add, most, slack, meter), meter)) return value;
    expect_text(value);
    const Value bound = apply(Operator::subtract, most, Value(*mark_length), meter);
    Value kept = slice_of(value, nullptr, bound, nullptr, meter);
    if (!(killwords && truth(*killwords))) {
        const std::size_t space = kept.text().rfind(' ');
        if (space != std::string::npos) kept = text_like(kept, kept.text().substr(0, space));
    }
    return apply(Operator::add, kept, mark, meter);
}

Value filter_urlencode(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    if (is_text(value) || !is_iterable(value)) {
        std::string out = url_encoded(text_of(value, meter), false);
        Meter::check_text(out.size());
        return out;
    }
    std::string out;
    Iteration pairs(value.is(Kind::dict) ? view_of(value, ViewBody::Part::items) : value, meter);
    for (Value pair; pairs.next(pair);) {
        const std::vector<Value> both = items_of(pair, meter);
        if (both.size() != 2) throw Error(Code::invalid, "needs a text, a dict, or pairs");
        if (!out.empty()) out += '&';
        out += url_encoded(text_of(both[0], meter), true) + '=' + url_encoded(text_of(both[1], meter), true);
        Meter::check_text(out.size());
    }
    return out;
}

Value filter_wordcount(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    const std::string text = text_of(value, meter);
    meter.charge_bytes(text.size());
    std::int64_t words = 0;
    bool inside = false;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint c = code_point(text, at);
        const bool now = has(c.value, word);
        words += now && !inside;
        inside = now;
        at += c.bytes;
    }
    return words;
}

Value filter_wordwrap(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [width, break_long, between, break_hyphens] =
        arguments.bind({"width", "break_long_words", "wrapstring", "break_on_hyphens"}, 0);
    const std::string& text = expect_text(value);
    const Value joint = between && !between->is(Kind::null) ? *between : Value("\n");
    expect_text(joint);
    WrapOptions options;
    options.break_long_words = !break_long || truth(*break_long);
    options.hyphens_in_long_words = !break_hyphens || truth(*break_hyphens);
    options.break_on_hyphens = options.hyphens_in_long_words && (!break_hyphens || break_hyphens->is(Kind::boolean));
    std::string out;
    bool first = true;
    for (const std::string_view line : lines_of(text)) {
        if (width) options.width = expect_integer(*width);
        std::vector<std::string> parts = wrapped_lines(line, options, meter);
        if (parts.empty()) parts.emplace_back();
        for (const std::string& part : parts) {
            if (!first) out += joint.text();
            first = false;
            out += joint.special() ? escaped(part) : part;
            Meter::check_text(out.size());
        }
    }
    return text_like(joint, std::move(out));
}

Value filter_tojson(const Value& value, const Arguments& arguments, Meter& meter)
{
    const auto [indent] = arguments.bind({"indent"}, 0);
    if (!indent || indent->is(Kind::null)) return markup_of(json_text(value, nullptr, meter));
    std::string blanks;
    if (is_text(*indent)) {
        for (const char c : indent->text())
            blanks += c == '<' || c == '>' || c == '&' || c == '\'' ? fmt::format("\\u{:04x}", static_cast<unsigned>(c))
                                                                    : std::string(1, c);
    } else {
        const std::int64_t count = std::max<std::int64_t>(expect_integer(*indent), 0);
        Meter::check_text(static_cast<std::size_t>(count));
        blanks.assign(static_cast<std::size_t>(count), ' ');
    }
    std::string text = json_text(value, &blanks, meter);
    Meter::check_text(text.size());
    return markup_of(std::move(text));
}

}  // namespace

const std::vector<Filter>& text_filters()
{
    static const std::vector<Filter> filters = {
        {"capitalize", filter_case<capitalize>},
        {"escape", filter_escape},
        {"format", filter_format},
        {"indent", filter_indent},
        {"lower", filter_case<lower>},
        {"replace", filter_replace},
        {"string", filter_string},
        {"striptags", filter_striptags},
        {"title", filter_title},
        {"tojson", filter_tojson},
        {"trim", filter_trim},
        {"truncate", filter_truncate},
        {"upper", filter_case<upper>},
        {"urlencode", filter_urlencode},
        {"wordcount", filter_wordcount},
        {"wordwrap", filter_wordwrap},
    };
    return filters;
}

}  // namespace cadre::text::tpl
