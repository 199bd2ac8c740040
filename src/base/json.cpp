// The three ways to write a JSON value; json_parse.cpp reads it.
#include "base/json.hpp"

#include "base/json_writer.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <vector>

namespace cadre {

namespace {

/// The order of UTF-16 units, without converting: it is the order of UTF-8 bytes, except that characters written with
/// surrogates (lead bytes F0 to F4) come before U+E000 to U+FFFF (lead bytes EE and EF).
bool before_in_utf16(std::string_view a, std::string_view b)
{
    const auto rank = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte;
    };
    return std::ranges::lexicographical_compare(a, b, {}, rank, rank);
}

class Printer {
public:
    enum class Style { compact, pretty, canonical };

    explicit Printer(Style style) : style_(style) {}

    std::string print(const json::value& root)
    {
        append(root);
        if (style_ == Style::pretty) out_ += '\n';
        return std::move(out_);
    }

private:
    void append(const json::value& value)
    {
        switch (value.kind()) {
        case json::kind::null: out_ += "null"; return;
        case json::kind::bool_: out_ += value.get_bool() ? "true" : "false"; return;
        case json::kind::int64: append_json_number(out_, value.get_int64()); return;
        case json::kind::uint64: append_json_number(out_, value.get_uint64()); return;
        case json::kind::double_: append_double(value.get_double()); return;
        case json::kind::string: append_json_string(out_, value.get_string()); return;
        case json::kind::array: append_array(value.get_array()); return;
        case json::kind::object: append_object(value.get_object()); return;
        }
    }

    void append_double(double number)
    {
        if (style_ == Style::canonical) append_ecmascript_number(out_, number);
        else append_json_number(out_, number);
    }

    void append_array(const json::array& array)
    {
        append_elements('[', array, ']', [this](const json::value& element) { append(element); });
    }

    void append_object(const json::object& object)
    {
        if (style_ != Style::canonical) {
            append_elements('{', object, '}', [this](const json::key_value_pair& member) { append_member(member); });
            return;
        }
        std::vector<const json::key_value_pair*> members;
        for (const auto& member : object) members.push_back(&member);
        std::ranges::sort(members, before_in_utf16, [](const auto* member) { return member->key(); });
        append_elements('{', members, '}', [this](const json::key_value_pair* member) { append_member(*member); });
    }

    void append_member(const json::key_value_pair& member)
    {
        append_json_string(out_, member.key());
        out_ += style_ == Style::pretty ? ": " : ":";
        append(member.value());
    }

    template <class Elements, class Append>
    void append_elements(char open, const Elements& elements, char close, Append append_one)
    {
        out_ += open;
        ++depth_;
        bool first = true;
        for (const auto& element : elements) {
            if (!first) out_ += ',';
            first = false;
            break_line();
            append_one(element);
        }
        --depth_;
        if (!first) break_line();
        out_ += close;
    }

    void break_line()
    {
        if (style_ == Style::pretty) out_.append(1, '\n').append(2 * depth_, ' ');
    }

    Style style_;
    std::string out_;
    std::size_t depth_ = 0;
};

}  // namespace

std::string to_text(const json::value& value)
{
    return Printer(Printer::Style::compact).print(value);
}

std::string to_pretty_text(const json::value& value)
{
    return Printer(Printer::Style::pretty).print(value);
}

std::string to_canonical_text(const json::value& value)
{
    return Printer(Printer::Style::canonical).print(value);
}

}  // namespace cadre
