#include "tools/fetch/html_scanner.hpp"

#include "base/ascii.hpp"
#include "tools/fetch/html_entities.hpp"

#include <algorithm>
#include <array>

namespace cadre::tools {

namespace {

constexpr std::array<std::string_view, 11> kUnread = {"script", "style",  "template", "noscript", "svg",     "math",
                                                      "iframe", "object", "canvas",   "select",   "textarea"};
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestValue = 4096;
constexpr std::string_view kSpace = " \t\r\n\f";

std::string decoded(std::string_view text)
{
    std::string out;
    text = text.substr(0, kLongestValue);
    while (!text.empty()) {
        if (text[0] == '&') {
            text.remove_prefix(append_entity(out, text));
            continue;
        }
        if (static_cast<unsigned char>(text[0]) >= 0x20) out += text[0];
        text.remove_prefix(1);
    }
    return out;
}

/// Where `mark`, in lower case, stands in `text`, in any case.
std::size_t find_any_case(std::string_view text, std::string_view mark)
{
    const auto found = std::ranges::search(text, mark, [](char a, char b) { return lower(a) == b; });
    return found.empty() ? std::string_view::npos : static_cast<std::size_t>(found.begin() - text.begin());
}

}  // namespace

std::optional<HtmlPiece> HtmlScanner::next()
{
    while (!rest_.empty()) {
        if (rest_[0] == '<') {
            const std::size_t before = rest_.size();
            if (auto piece = tag()) return piece;
            if (rest_.size() < before) continue;
        }
        const std::size_t end = std::min(rest_.find('<', 1), rest_.size());
        HtmlPiece piece{.text = rest_.substr(0, end)};
        rest_.remove_prefix(end);
        return piece;
    }
    return std::nullopt;
}

/// Nothing for what is no tag: a comment, which is passed over, or a `<` of the text, which is left there.
std::optional<HtmlPiece> HtmlScanner::tag()
{
    if (rest_.starts_with("<!--")) {
        skip_past("-->");
        return std::nullopt;
    }
    if (rest_.starts_with("<!") || rest_.starts_with("<?")) {
        skip_past(">");
        return std::nullopt;
    }
    const bool closes = rest_.starts_with("</");
    const std::size_t start = closes ? 2 : 1;
    if (start >= rest_.size() || !is_letter(rest_[start])) return std::nullopt;
    const std::size_t end = std::min(rest_.find_first_of(" \t\r\n\f/>", start), rest_.size());
    HtmlPiece piece{.kind = closes ? HtmlPiece::Kind::close : HtmlPiece::Kind::open,
                    .name = lower(rest_.substr(start, std::min(end - start, kLongestName)))};
    rest_.remove_prefix(end);
    read_attributes(piece);
    if (!closes && std::ranges::find(kUnread, piece.name) != kUnread.end()) {
        skip_content_of(piece.name);
        return std::nullopt;
    }
    return piece;
}

void HtmlScanner::read_attributes(HtmlPiece& piece)
{
    while (true) {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n\f/"), rest_.size()));
        if (rest_.empty()) return;
        if (rest_[0] == '>') {
            rest_.remove_prefix(1);
            return;
        }
        const std::size_t end = std::min(rest_.find_first_of(" \t\r\n\f/>=", 1), rest_.size());
        const std::string name = lower(rest_.substr(0, std::min(end, kLongestName)));
        rest_.remove_prefix(end);
        rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpace), rest_.size()));
        if (!rest_.starts_with('=')) continue;
        rest_.remove_prefix(1);
        rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpace), rest_.size()));
        std::string_view value;
        if (rest_.starts_with('"') || rest_.starts_with('\'')) {
            const std::size_t close = std::min(rest_.find(rest_[0], 1), rest_.size());
            value = rest_.substr(1, close - 1);
            rest_.remove_prefix(std::min(close + 1, rest_.size()));
        } else {
            const std::size_t close = std::min(rest_.find_first_of(" \t\r\n\f>"), rest_.size());
            value = rest_.substr(0, close);
            rest_.remove_prefix(close);
        }
        if (name == "href" && piece.href.empty()) piece.href = decoded(value);
        if (name == "alt" && piece.alt.empty()) piece.alt = decoded(value);
    }
}

void HtmlScanner::skip_past(std::string_view mark)
{
    const std::size_t found = rest_.find(mark);
    rest_.remove_prefix(found == std::string_view::npos ? rest_.size() : found + mark.size());
}

void HtmlScanner::skip_content_of(std::string_view name)
{
    const std::size_t found = find_any_case(rest_, "</" + std::string(name));
    if (found == std::string_view::npos) rest_ = {};
    else rest_.remove_prefix(found);
}

}  // namespace cadre::tools
