#include "model/yaml_example.hpp"

#include "base/ascii.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::model {

namespace {

constexpr std::size_t kLineWidth = 100;

/// Whether it can stand without quotes and still be this text, for every reader of YAML.
bool is_plain(std::string_view text)
{
    static constexpr std::string_view kWords[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
    if (text.empty() || !is_letter(text[0]) || text.ends_with(' ') || std::ranges::count(kWords, lower(text)) > 0)
        return false;
    return std::ranges::all_of(text, [](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || std::string_view(" _-./()'").find(c) != std::string_view::npos;
    });
}

std::string scalar(const json::value& value)
{
    if (const auto* text = value.if_string(); text && is_plain(*text)) return std::string(*text);
    return to_text(value);  // JSON is YAML
}

/// Whether it reads better as lines below `|`, and is the same text there for every reader of YAML.
bool is_block(std::string_view text)
{
    if (text.find('\n') == text.npos || text.ends_with("\n\n") || text[0] == ' ' || text[0] == '\n') return false;
    const bool odd_line_breaks = text.find("\xe2\x80\xa8") != text.npos || text.find("\xe2\x80\xa9") != text.npos;
    return !odd_line_breaks && std::ranges::all_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == '\n' ||
               (byte >= 0x20 && byte != 0x7f && byte != 0xc2 && byte != 0xef);  // C1, marks of byte order
    });
}

void append_block(std::string& out, std::string_view text, std::size_t indent)
{
    out += text.ends_with('\n') ? " |\n" : " |-\n";
    if (text.ends_with('\n')) text.remove_suffix(1);
    while (true) {
        const std::size_t end = text.find('\n');
        if (end != 0 && !text.empty()) out.append(indent, ' ') += text.substr(0, end);
        out += '\n';
        if (end == text.npos) return;
        text.remove_prefix(end + 1);
    }
}

bool is_scalar(const json::value& value)
{
    return !value.is_object() && !value.is_array();
}

/// `[a, b]`, or nothing when it does not fit.
std::string short_list(const json::array& list)
{
    std::string text;
    for (const json::value& item : list) {
        if (!is_scalar(item)) return {};
        text += (text.empty() ? "" : ", ") + scalar(item);
    }
    return text.size() > kLineWidth ? std::string() : "[" + text + "]";
}

/// Appends the value behind `name:` or `-`; its further lines are indented.
void append_value(std::string& out, const json::value& value, std::size_t indent);

void append_members(std::string& out, const json::object& object, std::size_t indent, bool first_has_indent)
{
    for (const auto& member : object) {
        if (!first_has_indent) out.append(indent, ' ');
        first_has_indent = false;
        out += scalar(json::value(member.key())) + ":";
        append_value(out, member.value(), indent + 2);
    }
}

void append_value(std::string& out, const json::value& value, std::size_t indent)
{
    if (const auto* object = value.if_object(); object && !object->empty()) {
        out += "\n";
        append_members(out, *object, indent, false);
        return;
    }
    if (const auto* text = value.if_string(); text && is_block(*text)) return append_block(out, *text, indent);
    const auto* list = value.if_array();
    const std::string flow = list ? short_list(*list) : is_scalar(value) ? scalar(value) : "{}";
    if (!flow.empty()) {
        out += " " + flow + "\n";
        return;
    }
    out += "\n";
    for (const json::value& item : *list) {
        out.append(indent, ' ') += "-";
        if (const auto* object = item.if_object(); object && !object->empty()) {
            out += " ";
            append_members(out, *object, indent + 2, true);
        } else {
            append_value(out, item, indent + 2);
        }
    }
}

}  // namespace

std::string yaml_example(const json::value& value)
{
    std::string out;
    if (const auto* object = value.if_object()) append_members(out, *object, 0, false);
    else append_value(out, value, 0);
    return out;
}

}  // namespace cadre::model
