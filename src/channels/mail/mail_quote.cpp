#include "channels/mail/mail_quote.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace cadre::channels {
namespace {

std::string_view trimmed(std::string_view line)
{
    constexpr std::string_view kBlank = " \t\r\xA0\xC2";  // with the halves of a space that does not break
    const std::size_t begin = line.find_first_not_of(kBlank);
    if (begin == line.npos) return {};
    return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

bool is_quote(std::string_view line)
{
    return trimmed(line).starts_with('>');
}

bool is_blank(std::string_view line)
{
    return trimmed(line).empty();
}

/// `On Monday, Ann wrote:` and its like. Programs fold such a line into two or three; its end is what it is known by.
bool ends_attribution(std::string_view line)
{
    constexpr std::array<std::string_view, 10> kWords = {"wrote:",
                                                         "schrieb:",
                                                         "a \xC3\xA9"
                                                         "crit :",
                                                         "a \xC3\xA9"
                                                         "crit:",
                                                         "escribi\xC3\xB3:",
                                                         "ha scritto:",
                                                         "schreef:",
                                                         "escreveu:",
                                                         "skrev:",
                                                         "napisa\xC5\x82:"};
    line = trimmed(line);
    // German has the name between the verb and the colon
    if (line.ends_with(':') && line.find(" schrieb ") != line.npos) return true;
    return std::ranges::any_of(kWords, [&](std::string_view word) { return line.ends_with(word); });
}

/// What Outlook writes above what it appends: a line, then `From:` and more.
bool is_divider(std::string_view line)
{
    line = trimmed(line);
    if (line.size() >= 10 && line.find_first_not_of('_') == line.npos) return true;
    if (!line.starts_with("-----")) return false;
    const std::string words = lower(line);
    for (const std::string_view word : {"original message", "original appointment", "forwarded message",
                                        "urspr\xC3\xBCngliche nachricht", "message d'origine", "mensaje original"})
        if (words.find(word) != words.npos) return true;
    return false;
}

bool is_header_line(std::string_view line, std::initializer_list<std::string_view> names)
{
    line = trimmed(line);
    while (line.starts_with('*')) line.remove_prefix(1);  // bold
    return std::ranges::any_of(names, [&](std::string_view name) {
        return line.size() > name.size() && same_in_any_case(line.substr(0, name.size()), name);
    });
}

/// `From:`, then within a few lines `Sent:` or `Subject:`, as Outlook writes them also without a divider.
bool begins_header_block(const std::vector<std::string_view>& lines, std::size_t at)
{
    if (!is_header_line(lines[at], {"From:", "Von:", "De :", "De:", "Da:", "Van:"})) return false;
    const std::size_t end = std::min(lines.size(), at + 5);
    for (std::size_t i = at + 1; i < end; ++i)
        if (is_header_line(lines[i],
                           {"Sent:", "Date:", "Subject:", "Gesendet:", "Datum:", "Betreff:", "Envoy\xC3\xA9 :",
                            "Objet :", "Enviado:", "Asunto:", "Inviato:", "Oggetto:", "Verzonden:", "Onderwerp:"}))
            return true;
    return false;
}

std::vector<std::string_view> lines_of(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end - (text[end - 1] == '\n')));
        text.remove_prefix(end);
    }
    return lines;
}

bool begins_attribution(std::string_view line)
{
    line = trimmed(line);
    return std::ranges::any_of(
        std::array<std::string_view, 9>{"On ", "Am ", "Le ", "El ", "Il ", "Op ", "Em ", "Den ", "W dniu "},
        [&](std::string_view word) { return line.starts_with(word); });
}

/// Where the attribution begins that ends just before `quote`; `quote` when there is none.
std::size_t before_attribution(const std::vector<std::string_view>& lines, std::size_t quote)
{
    constexpr std::size_t kMostLines = 3;
    std::size_t end = quote;
    while (end > 0 && is_blank(lines[end - 1])) --end;
    if (end == 0 || !ends_attribution(lines[end - 1])) return quote;
    for (std::size_t i = end; i > 0 && i + kMostLines > end && !is_blank(lines[i - 1]); --i)
        if (begins_attribution(lines[i - 1])) return i - 1;
    return end - 1;
}

/// Where what was appended begins; lines.size(): nowhere.
std::size_t find_appended(const std::vector<std::string_view>& lines)
{
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (is_divider(lines[i]) || begins_header_block(lines, i)) return i;
    std::size_t end = lines.size();
    while (end > 0 && is_blank(lines[end - 1])) --end;
    std::size_t first = end;
    while (first > 0 && (is_quote(lines[first - 1]) || is_blank(lines[first - 1]))) --first;
    while (first < end && is_blank(lines[first])) ++first;
    if (first < end) return before_attribution(lines, first);
    // some programs do not mark what they quote: then everything behind the attribution is
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (ends_attribution(lines[i]) && i + 1 < lines.size() && is_blank(lines[i + 1]))
            return before_attribution(lines, i + 1);
    return lines.size();
}

/// Without the signature, and blank lines around.
std::string joined_lines(const std::vector<std::string_view>& lines, std::size_t begin, std::size_t end)
{
    while (begin < end && is_blank(lines[begin])) ++begin;
    while (end > begin && is_blank(lines[end - 1])) --end;
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
        std::string_view line = lines[i];
        if (line.ends_with('\r')) line.remove_suffix(1);
        text.append(i == begin ? "" : "\n").append(line);
    }
    return text;
}

}  // namespace

MailWords without_quotes(std::string_view text)
{
    const std::vector<std::string_view> lines = lines_of(text);
    const std::size_t appended = find_appended(lines);
    std::size_t end = appended;
    for (std::size_t i = 0; i < end; ++i)
        if (lines[i] == "-- " || lines[i] == "-- \r") end = i;  // a signature, as RFC 3676 marks it
    MailWords words{.own = joined_lines(lines, 0, end), .quoted = joined_lines(lines, appended, lines.size())};
    if (words.own.empty()) words = {.own = joined_lines(lines, 0, lines.size())};
    return words;
}

}  // namespace cadre::channels
