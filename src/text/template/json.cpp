#include "base/json.hpp"
#include "base/error.hpp"
#include "text/template/bodies.hpp"
#include "text/template/characters.hpp"
#include "text/template/compare.hpp"
#include "text/template/iterate.hpp"
#include "text/template/meter.hpp"
#include "text/template/numbers.hpp"
#include "text/template/print.hpp"
#include "text/template/sort.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <cmath>
#include <limits>

namespace cadre::text {
namespace tpl {
namespace {

/// What json.dumps() and then Jinja's htmlsafe_json_dumps() write.
class JsonPrinter {
public:
    JsonPrinter(const std::string* indent, Meter& meter) : indent_(indent), meter_(meter) {}

    std::string take() { return std::move(out_); }

    void print(const Value& value, std::size_t depth)
    {
        meter_.charge();
        Meter::check_text(out_.size());
        switch (value.kind()) {
        case Kind::null: out_ += "null"; return;
        case Kind::boolean: out_ += value.boolean() ? "true" : "false"; return;
        case Kind::integer: out_ += std::to_string(value.integer()); return;
        case Kind::number: print_number(value.number()); return;
        case Kind::string: print_text(value.text()); return;
        case Kind::list:
        case Kind::tuple: print_list(value.items(), depth); return;
        case Kind::dict: print_dict(value.entries(), depth); return;
        default: break;
        }
        throw Error(Code::invalid, fmt::format("a {} has no form in JSON", type_name(value)));
    }

private:
    void print_number(double number)
    {
        if (std::isnan(number)) out_ += "NaN";
        else if (std::isinf(number)) out_ += number < 0 ? "-Infinity" : "Infinity";
        else append_float(out_, number);
    }

    void print_text(std::string_view text)
    {
        meter_.charge_bytes(text.size());
        out_ += '"';
        for (std::size_t at = 0; at < text.size();) {
            const CodePoint c = code_point(text, at);
            print_character(c.value);
            at += c.bytes;
        }
        out_ += '"';
    }

    void print_character(char32_t c)
    {
        static constexpr std::string_view kShort = "\"\\\n\r\t\f\b";
        static constexpr std::string_view kLetters = "\"\\nrtfb";
        const std::size_t named = c < 0x80 ? kShort.find(static_cast<char>(c)) : kShort.npos;
        if (named != kShort.npos) (out_ += '\\') += kLetters[named];
        else if (c >= 0x20 && c < 0x7F && c != '<' && c != '>' && c != '&' && c != '\'') out_ += static_cast<char>(c);
        else if (c < 0x10000) out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out_ += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((static_cast<unsigned>(c) - 0x10000) >> 10),
                                0xDC00 + ((static_cast<unsigned>(c) - 0x10000) & 0x3FF));
    }

    void begin_line(std::size_t depth)
    {
        if (!indent_) return;
        Meter::check_text(out_.size() + indent_->size() * depth);
        out_ += '\n';
        for (std::size_t i = 0; i < depth; ++i) out_ += *indent_;
    }

    void print_list(const std::vector<Value>& items, std::size_t depth)
    {
        if (items.empty()) {
            out_ += "[]";
            return;
        }
        out_ += '[';
        bool first = true;
        for (const Value& item : items) {
            if (!first) out_ += indent_ ? "," : ", ";
            first = false;
            begin_line(depth + 1);
            print(item, depth + 1);
        }
        begin_line(depth);
        out_ += ']';
    }

    void print_dict(const std::vector<Value::Entry>& entries, std::size_t depth)
    {
        if (entries.empty()) {
            out_ += "{}";
            return;
        }
        std::vector<std::size_t> order(entries.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        sort_stably(order, [&](std::size_t a, std::size_t b) {
            return ordered(Order::less, entries[a].key, entries[b].key, meter_);
        });
        out_ += '{';
        bool first = true;
        for (const std::size_t i : order) {
            if (!first) out_ += indent_ ? "," : ", ";
            first = false;
            begin_line(depth + 1);
            print_key(entries[i].key);
            out_ += ": ";
            print(entries[i].value, depth + 1);
        }
        begin_line(depth);
        out_ += '}';
    }

    void print_key(const Value& key)
    {
        if (is_text(key)) return print_text(key.text());
        if (!is_number(key) && !key.is(Kind::null))
            throw Error(Code::invalid, fmt::format("a {} is not a key in JSON", type_name(key)));
        out_ += '"';
        print(key, 0);
        out_ += '"';
    }

    const std::string* indent_;
    Meter& meter_;
    std::string out_{};
};

Value value_from(const json::value& json)
{
    switch (json.kind()) {
    case json::kind::null: return nullptr;
    case json::kind::bool_: return json.get_bool();
    case json::kind::int64: return json.get_int64();
    case json::kind::double_: return json.get_double();
    case json::kind::string: return Value(std::string_view(json.get_string()));
    case json::kind::uint64:
        if (json.get_uint64() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) fail_overflow();
        return static_cast<std::int64_t>(json.get_uint64());
    case json::kind::array: {
        std::vector<Value> items;
        items.reserve(json.get_array().size());
        for (const json::value& item : json.get_array()) items.push_back(value_from(item));
        return Value::list(std::move(items));
    }
    case json::kind::object: break;
    }
    std::vector<Value::Entry> entries;
    entries.reserve(json.get_object().size());
    for (const auto& [key, item] : json.get_object())
        entries.push_back({Value(std::string_view(key)), value_from(item)});
    return Value::dict(std::move(entries));
}

json::value json_from(const Value& value, Meter& meter);

json::value array_from(const Value& value, Meter& meter)
{
    json::array items;
    Walk walk(value);
    for (Value item; walk.next(item, meter);) items.push_back(json_from(item, meter));
    return items;
}

json::value json_from(const Value& value, Meter& meter)
{
    switch (value.kind()) {
    case Kind::null: return nullptr;
    case Kind::boolean: return value.boolean();
    case Kind::integer: return value.integer();
    case Kind::string: return json::value(json::string_view(value.text()));
    case Kind::number:
        if (!std::isfinite(value.number())) throw Error(Code::invalid, "NaN and infinities have no form in JSON");
        return value.number();
    case Kind::list:
    case Kind::tuple:
    case Kind::range:
    case Kind::view:
    case Kind::iterator: return array_from(value, meter);
    case Kind::undefined: fail_undefined(value);
    case Kind::loop: throw Error(Code::invalid, "loop has no form in JSON");
    case Kind::dict: break;
    }
    json::object members;
    for (const Value::Entry& entry : value.entries())
        members[text_of(entry.key, meter)] = json_from(entry.value, meter);
    return members;
}

}  // namespace

std::string json_text(const Value& value, const std::string* indent, Meter& meter)
{
    JsonPrinter printer(indent, meter);
    printer.print(value, 0);
    return printer.take();
}

}  // namespace tpl

Value from_json(const json::value& json)
{
    return tpl::value_from(json);
}

json::value to_json(const Value& value)
{
    tpl::Meter meter;
    return tpl::json_from(value, meter);
}

}  // namespace cadre::text
