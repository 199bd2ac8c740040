#include "tools/fetch/page_text.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "tools/fetch/html_entities.hpp"
#include "tools/sandbox/kept_text.hpp"

#include <algorithm>
#include <array>

namespace cadre::tools {

namespace {

constexpr std::size_t kLookAt = 1024;

constexpr std::array<std::string_view, 6> kLatin = {"iso-8859-1",   "latin1", "latin-1",
                                                    "windows-1252", "cp1252", "us-ascii"};

std::string media_type(std::string_view type)
{
    std::string_view name = type.substr(0, type.find(';'));
    while (name.ends_with(' ')) name.remove_suffix(1);
    return lower(name);
}

/// What follows `charset=`, in a header or in the head of a page.
std::string charset_in(std::string_view text)
{
    const std::string low = lower(text);
    std::size_t start = low.find("charset=");
    if (start == std::string::npos) return {};
    start = low.find_first_not_of("\"' ", start + 8);
    if (start == std::string::npos) return {};
    return low.substr(start, low.find_first_of("\"'; />", start) - start);
}

bool is_utf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

bool is_html(const std::string& type, std::string_view body)
{
    if (type == "text/html" || type == "application/xhtml+xml") return true;
    const std::string start = lower(body.substr(0, kLookAt));
    return type.empty() &&
           (start.find("<!doctype html") != std::string::npos || start.find("<html") != std::string::npos);
}

bool is_text(const std::string& type, std::string_view body)
{
    if (type.starts_with("text/") || type.ends_with("+json") || type.ends_with("+xml")) return true;
    for (const char* known :
         {"application/json", "application/xml", "application/javascript", "application/yaml", "application/x-yaml",
          "application/toml", "application/x-ndjson", "application/xhtml+xml"})
        if (type == known) return true;
    return type.empty() && body.substr(0, kLookAt).find('\0') == std::string_view::npos;
}

}  // namespace

std::string to_utf8(std::string_view text, std::string_view charset)
{
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const bool is_latin = std::ranges::find(kLatin, charset) != kLatin.end();
    if (!is_latin && (!charset.empty() || is_utf8(text))) return valid_utf8(text);
    if (is_utf8(text)) return std::string(text);
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (const char c : text) append_utf8(out, from_windows_1252(static_cast<unsigned char>(c)));
    return out;
}

std::optional<MarkdownText> page_text(std::string_view body, std::string_view type, std::string_view url, bool raw,
                                      std::size_t most)
{
    const std::string name = media_type(type);
    if (!is_text(name, body)) return std::nullopt;
    const bool html = is_html(name, body);
    std::string charset = charset_in(type);
    if (charset.empty() && html) charset = charset_in(body.substr(0, kLookAt));
    MarkdownText text{.text = to_utf8(body, charset)};
    if (html && !raw) return markdown_from_html(text.text, url, most);
    text.is_cut = text.text.size() > most;
    text.text.resize(utf8_prefix(text.text, most).size());
    return text;
}

}  // namespace cadre::tools
