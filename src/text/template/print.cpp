#include "text/template/print.hpp"

#include "base/error.hpp"
#include "text/template/bodies.hpp"
#include "text/template/characters.hpp"
#include "text/template/compare.hpp"
#include "text/template/meter.hpp"
#include "text/template/numbers.hpp"

#include <fmt/core.h>

namespace cadre::text {
namespace tpl {
namespace {

void append_items(std::string& out, const std::vector<Value>& items, Meter& meter)
{
    bool first = true;
    for (const Value& item : items) {
        if (!first) out += ", ";
        first = false;
        append_repr(out, item, meter);
    }
}

void append_tuple(std::string& out, const Value& value, Meter& meter)
{
    out += '(';
    append_items(out, value.items(), meter);
    out += value.items().size() == 1 ? ",)" : ")";
}

void append_dict(std::string& out, const Value& value, Meter& meter)
{
    out += '{';
    bool first = true;
    for (const Value::Entry& entry : value.entries()) {
        if (!first) out += ", ";
        first = false;
        append_repr(out, entry.key, meter);
        out += ": ";
        append_repr(out, entry.value, meter);
    }
    out += '}';
}

void append_range(std::string& out, const RangeBody& range)
{
    out += fmt::format("range({}, {}", range.start, range.stop);
    if (range.step != 1) out += fmt::format(", {}", range.step);
    out += ')';
}

void append_view(std::string& out, const ViewBody& view, Meter& meter)
{
    static constexpr const char* kNames[] = {"dict_keys([", "dict_values([", "dict_items(["};
    out += kNames[static_cast<int>(view.part)];
    bool first = true;
    for (const Value::Entry& entry : view.dict.entries()) {
        if (!first) out += ", ";
        first = false;
        append_repr(out, view.item(entry), meter);
    }
    out += "])";
}

void append_escape(std::string& out, char32_t point)
{
    if (point == '\n') out += "\\n";
    else if (point == '\r') out += "\\r";
    else if (point == '\t') out += "\\t";
    else if (point < 0x100) out += fmt::format("\\x{:02x}", static_cast<unsigned>(point));
    else if (point < 0x10000) out += fmt::format("\\u{:04x}", static_cast<unsigned>(point));
    else out += fmt::format("\\U{:08x}", static_cast<unsigned>(point));
}

}  // namespace

void append_quoted(std::string& out, std::string_view text, bool ascii_only)
{
    const char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
    out += quote;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint c = code_point(text, at);
        if (c.value == static_cast<char32_t>(quote) || c.value == '\\') {
            out += '\\';
            out += static_cast<char>(c.value);
        } else if (c.value < 0x80 ? c.value >= 0x20 && c.value != 0x7F : !ascii_only && has(c.value, printable)) {
            out += text.substr(at, c.bytes);
        } else {
            append_escape(out, c.value);
        }
        at += c.bytes;
    }
    out += quote;
}

void append_repr(std::string& out, const Value& value, Meter& meter)
{
    meter.charge();
    Meter::check_text(out.size());
    switch (value.kind()) {
    case Kind::null: out += "None"; return;
    case Kind::boolean: out += value.boolean() ? "True" : "False"; return;
    case Kind::integer: out += std::to_string(value.integer()); return;
    case Kind::number: append_float(out, value.number()); return;
    case Kind::string:
        meter.charge_bytes(value.text().size());
        if (value.special()) out += "Markup(";
        append_quoted(out, value.text());
        if (value.special()) out += ')';
        return;
    case Kind::list:
        out += '[';
        append_items(out, value.items(), meter);
        out += ']';
        return;
    case Kind::tuple: append_tuple(out, value, meter); return;
    case Kind::dict: append_dict(out, value, meter); return;
    case Kind::range: append_range(out, body_of<RangeBody>(value)); return;
    case Kind::view: append_view(out, body_of<ViewBody>(value), meter); return;
    case Kind::undefined: out += "Undefined"; return;
    case Kind::iterator:
        throw Error(Code::invalid,
                    "what map, select and their like give has no text of its own: put |list or |join after it");
    case Kind::loop:
        throw Error(Code::invalid, "loop has no text of its own: take loop.index, loop.length or another part of it");
    }
}

void append_text(std::string& out, const Value& value, Meter& meter)
{
    switch (value.kind()) {
    case Kind::string:
        Meter::check_text(out.size() + value.text().size());
        meter.charge_bytes(value.text().size());
        out += value.text();
        return;
    case Kind::undefined:
        if (!value.special()) fail_undefined(value);
        return;
    default: append_repr(out, value, meter); Meter::check_text(out.size());
    }
}

std::string text_of(const Value& value, Meter& meter)
{
    std::string out;
    append_text(out, value, meter);
    return out;
}

}  // namespace tpl

std::string to_python_text(const Value& value)
{
    tpl::Meter meter;
    return tpl::text_of(value, meter);
}

}  // namespace cadre::text
