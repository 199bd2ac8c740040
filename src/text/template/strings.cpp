#include "text/template/strings.hpp"

#include "text/template/characters.hpp"
#include "text/template/meter.hpp"

#include <cstring>

namespace cadre::text::tpl {
namespace {

std::string spread_with(std::string_view text, std::string_view between, std::int64_t count)
{
    std::string out;
    for (std::size_t at = 0; count != 0; --count) {
        out += between;
        Meter::check_text(out.size());
        if (at >= text.size()) return out;
        const std::size_t bytes = code_point(text, at).bytes;
        out += text.substr(at, bytes);
        at += bytes;
        if (count == 1) return out += text.substr(at);
    }
    return std::string(text);
}

std::vector<std::string_view> split_at_spaces(std::string_view text, std::int64_t most)
{
    std::vector<std::string_view> parts;
    for (text = strip_left(text); !text.empty(); text = strip_left(text)) {
        if (most >= 0 && static_cast<std::int64_t>(parts.size()) == most) {
            parts.push_back(text);
            break;
        }
        std::size_t end = 0;
        while (end < text.size() && !has(code_point(text, end).value, space)) end += code_point(text, end).bytes;
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return parts;
}

}  // namespace

std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from)
{
    if (from > text.size()) return text.npos;
    const void* found = ::memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
    return found ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) : text.npos;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to, std::int64_t count,
                     Meter& meter)
{
    meter.charge_bytes(text.size());
    if (from.empty()) {
        std::string out = spread_with(text, to, count);
        meter.charge_bytes(out.size());
        return out;
    }
    std::string out;
    std::size_t at = 0;
    for (std::size_t found = find_text(text, from); found != text.npos && count != 0;
         found = find_text(text, from, at), --count) {
        out += text.substr(at, found - at);
        out += to;
        at = found + from.size();
        Meter::check_text(out.size());
    }
    out += text.substr(at);
    Meter::check_text(out.size());
    meter.charge_bytes(out.size());
    return out;
}

std::vector<std::string_view> split_text(std::string_view text, const std::string_view* separator, std::int64_t most,
                                         Meter& meter)
{
    meter.charge_bytes(text.size());
    if (!separator) return split_at_spaces(text, most);
    std::vector<std::string_view> parts;
    for (std::size_t found = find_text(text, *separator); found != text.npos && most != 0;
         found = find_text(text, *separator), --most) {
        meter.charge();
        parts.push_back(text.substr(0, found));
        text.remove_prefix(found + separator->size());
    }
    parts.push_back(text);
    return parts;
}

std::vector<std::string_view> lines_of(std::string_view text)
{
    std::vector<std::string_view> lines;
    std::size_t start = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = line_break(text, at);
        if (bytes == 0) {
            at += code_point(text, at).bytes;
            continue;
        }
        lines.push_back(text.substr(start, at - start));
        start = at += bytes;
    }
    if (start < text.size()) lines.push_back(text.substr(start));
    return lines;
}

}  // namespace cadre::text::tpl
