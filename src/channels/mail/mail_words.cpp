#include "channels/mail/mail_words.hpp"

#include "base/ascii.hpp"
#include "base/base64.hpp"
#include "base/utf8.hpp"

#include <algorithm>

namespace cadre::channels {
namespace {

constexpr std::size_t kMailLine = 76;
constexpr std::size_t kLongestAddress = 254, kLongestLocalPart = 64;
constexpr std::size_t kLongestMessageId = 400;
/// Of a word that stands unencoded; a longer one would not fit a line.
constexpr std::size_t kLongestPlainWord = 60;
/// Of what one encoded word holds: with the longest name of a header it fits a line.
constexpr std::size_t kEncodedText = 54;
constexpr std::size_t kLongestName = 200;
constexpr std::size_t kNewestReferences = 20;

bool is_printable(char c)
{
    return c > ' ' && c < '\x7f';
}

/// What may stand in names and addresses without quotes: RFC 5322's atext.
bool is_atom_char(char c)
{
    return is_letter(c) || is_digit(c) || std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos;
}

bool is_dotted(std::string_view text, bool (*fits)(char))
{
    if (text.empty() || text.front() == '.' || text.back() == '.') return false;
    if (text.find("..") != text.npos) return false;
    return std::ranges::all_of(text, [&](char c) { return c == '.' || fits(c); });
}

std::string_view domain_of(std::string_view address)
{
    return address.substr(std::min(address.rfind('@') + 1, address.size()));
}

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

void append_hex_of(std::string& out, char c)
{
    const auto byte = static_cast<unsigned char>(c);
    out.append("=").append(1, kHexDigits[byte >> 4]).append(1, kHexDigits[byte & 15]);
}

/// With Q, whatever the language: some readers, GMime among them, lose what follows a word of base64 that ends with `=`.
std::vector<std::string> encoded_words(std::string_view text)
{
    std::vector<std::string> words;
    while (!text.empty()) {
        std::string word;
        while (!text.empty()) {
            const std::string_view one = text.substr(0, std::max<std::size_t>(utf8_length(text), 1));
            const bool is_safe = is_letter(one.front()) || is_digit(one.front());
            const std::size_t size = is_safe || one == " " ? 1 : 3 * one.size();
            if (word.size() + size > kEncodedText) break;
            if (one == " ") word += '_';
            else if (is_safe) word += one;
            else
                for (const char c : one) append_hex_of(word, c);
            text.remove_prefix(one.size());
        }
        words.push_back("=?utf-8?Q?" + word + "?=");
    }
    return words;
}

bool is_plain(std::string_view text)
{
    if (text.find("=?") != text.npos) return false;  // a reader would decode it
    std::size_t word = 0;
    for (const char c : text) {
        if (c != ' ' && !is_printable(c)) return false;
        word = c == ' ' ? 0 : word + 1;
        if (word > kLongestPlainWord) return false;
    }
    return true;
}

/// The length of a `Re:` that it begins with, as several programs write it; 0: none.
std::size_t reply_mark(std::string_view text)
{
    if (text.size() < 3 || !same_in_any_case(text.substr(0, 2), "re")) return 0;
    std::size_t at = 2;
    if (text[at] == '[') {
        at = text.find(']', at);
        if (at == text.npos || !std::ranges::all_of(text.substr(3, at - 3), is_digit)) return 0;
        ++at;
    }
    return at < text.size() && text[at] == ':' ? at + 1 : 0;
}

}  // namespace

bool is_mail_address(std::string_view text)
{
    const std::size_t at = text.find('@');
    if (at == text.npos || at > kLongestLocalPart || text.size() > kLongestAddress) return false;
    const auto fits_domain = [](char c) { return is_letter(c) || is_digit(c) || c == '-'; };
    return is_dotted(text.substr(0, at), is_atom_char) && is_dotted(text.substr(at + 1), fits_domain);
}

bool is_message_id(std::string_view text)
{
    return !text.empty() && text.size() <= kLongestMessageId &&
           std::ranges::all_of(text, [](char c) { return is_printable(c) && c != '<' && c != '>'; });
}

std::string message_id_for(std::string_view key, std::string_view from)
{
    return std::string(key) + '@' + std::string(domain_of(from));
}

std::string key_in_message_id(std::string_view id, std::string_view from)
{
    const std::size_t at = id.rfind('@');
    if (at == id.npos || !same_in_any_case(id.substr(at + 1), domain_of(from))) return {};
    return std::string(id.substr(0, at));
}

std::string reply_subject(std::string_view subject)
{
    constexpr std::size_t kLongestSubject = 500;
    const std::string line = header_text(subject, kLongestSubject);
    std::string_view rest = line;
    while (const std::size_t mark = reply_mark(rest)) {
        rest.remove_prefix(mark);
        while (rest.starts_with(' ')) rest.remove_prefix(1);
    }
    return "Re: " + std::string(rest);
}

std::vector<std::string> reply_references(const std::vector<std::string>& chain, const std::string& parent)
{
    std::vector<std::string> all;
    const auto add = [&](const std::string& id) {
        if (is_message_id(id) && std::ranges::find(all, id) == all.end()) all.push_back(id);
    };
    for (const std::string& id : chain)
        if (id != parent) add(id);
    add(parent);
    if (all.size() > kNewestReferences + 1) all.erase(all.begin() + 1, all.end() - kNewestReferences);
    return all;
}

std::string header_text(std::string_view text, std::size_t most)
{
    std::string out;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const char c = text.front();
        if (length == 0) out += "\xEF\xBF\xBD";
        else if (length > 1) out += text.substr(0, length);
        else if (is_printable(c)) out += c;
        else if (!out.empty() && out.back() != ' ') out += ' ';
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    out.resize(utf8_prefix(out, most).size());
    while (out.ends_with(' ')) out.pop_back();
    return out;
}

void add_header(std::string& out, std::string_view name, const std::vector<std::string>& words)
{
    out.append(name).append(":");
    std::size_t column = name.size() + 1;
    bool is_first = true;
    for (const std::string& word : words) {
        if (!is_first && column + 1 + word.size() > kMailLine) {
            out += "\r\n";
            column = 0;
        }
        out.append(" ").append(word);
        column += 1 + word.size();
        is_first = false;
    }
    out += "\r\n";
}

std::vector<std::string> words_of_text(std::string_view text)
{
    if (!is_plain(text)) return encoded_words(text);
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > 0) words.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

std::vector<std::string> words_of_address(const MailAddress& address)
{
    const std::string name = header_text(address.name, kLongestName);
    if (name.empty()) return {address.address};
    std::vector<std::string> words;
    if (!is_plain(name) || name.size() > kLongestPlainWord) {
        words = encoded_words(name);
    } else if (std::ranges::all_of(name, [](char c) { return c == ' ' || is_atom_char(c); })) {
        words = words_of_text(name);
    } else {
        std::string quoted = "\"";
        for (const char c : name) {
            if (c == '"' || c == '\\') quoted += '\\';
            quoted += c;
        }
        words = {quoted + '"'};
    }
    words.push_back('<' + address.address + '>');
    return words;
}

std::string with_q_words(std::string_view headers)
{
    constexpr std::string_view kBase64 = "?b?";
    std::string out;
    while (true) {
        const std::size_t begin = headers.find("=?");
        out += headers.substr(0, begin);
        if (begin == headers.npos) return out;
        headers.remove_prefix(begin);
        const std::size_t charset_end = headers.find('?', 2);
        const std::size_t text_begin = std::min(charset_end, headers.size()) + kBase64.size();
        const std::size_t end = headers.find("?=", std::min(text_begin, headers.size()));
        const bool is_base64 = end != headers.npos && same_in_any_case(headers.substr(charset_end, 3), kBase64);
        const auto bytes = is_base64 ? from_base64(headers.substr(text_begin, end - text_begin)) : std::nullopt;
        if (!bytes) {
            out += headers.substr(0, 2);
            headers.remove_prefix(2);
            continue;
        }
        out.append(headers.substr(0, charset_end)).append("?Q?");
        for (const char c : *bytes) append_hex_of(out, c);
        out += "?=";
        headers.remove_prefix(end + 2);
    }
}

std::string quoted_printable(std::string_view text)
{
    std::string out;
    out.reserve(text.size() + text.size() / 16);
    std::size_t column = 0;
    const auto end_line = [&] {
        out += "\r\n";
        column = 0;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool is_end = c == '\n' || (c == '\r' && text.substr(i + 1).starts_with('\n'));
        if (is_end) {
            i += c == '\r';
            end_line();
            continue;
        }
        const std::string_view rest = text.substr(i + 1);
        const bool ends_line = rest.empty() || rest.front() == '\n' || rest.starts_with("\r\n");
        // a space at the end is lost on the way, and `From ` at the beginning becomes `>From `
        const bool is_safe = c == ' ' || c == '\t' ? !ends_line : is_printable(c) && c != '=';
        const bool is_mangled = column == 0 && c == 'F' && rest.starts_with("rom ");
        const std::size_t size = is_safe && !is_mangled ? 1 : 3;
        if (column + size > kMailLine - (ends_line ? 0 : 1)) {
            out += '=';
            end_line();
        }
        if (size == 1) out += c;
        else append_hex_of(out, c);
        column += size;
    }
    if (column > 0) out += "\r\n";
    return out;
}

}  // namespace cadre::channels
