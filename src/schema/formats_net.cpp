#include "schema/formats.hpp"
#include "schema/scanner.hpp"

#include <algorithm>

namespace cadre::schema {

namespace {

constexpr std::size_t kMaxHostName = 253;
constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxLocalPart = 64;

bool is_one_of(char c, std::string_view choices)
{
    return choices.find(c) != std::string_view::npos;
}

bool is_beyond_ascii(char c)
{
    return static_cast<unsigned char>(c) >= 0x80;
}

/// Calls check(part) for what is between the separators; whether all were right.
template <class Check>
bool every_part(std::string_view text, char separator, Check check)
{
    for (;;) {
        const auto end = text.find(separator);
        if (!check(text.substr(0, end))) return false;
        if (end == std::string_view::npos) return true;
        text.remove_prefix(end + 1);
    }
}

/// Two characters and "--" are kept for encodings, of which there is one.
bool has_prefix(std::string_view label)
{
    return label.size() >= 4 && label.substr(2, 2) == "--";
}

bool is_label(std::string_view label)
{
    return !label.empty() && label.size() <= kMaxLabel && !label.starts_with('-') && !label.ends_with('-') &&
           (!has_prefix(label) || label.starts_with("xn--")) &&
           std::ranges::all_of(label, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

bool is_atom_character(char c)
{
    return is_letter(c) || is_digit(c) || is_one_of(c, "!#$%&'*+-/=?^_`{|}~");
}

bool is_quoted(std::string_view local)
{
    if (local.size() < 2 || !local.starts_with('"') || !local.ends_with('"')) return false;
    local = local.substr(1, local.size() - 2);
    for (std::size_t i = 0; i < local.size(); ++i) {
        if (local[i] == '\\' && ++i == local.size()) return false;
        else if (local[i] == '"' && local[i - (i > 0)] != '\\') return false;
        else if (local[i] < ' ' || local[i] == 0x7F) return false;
    }
    return true;
}

bool is_address(std::string_view text, bool international)
{
    const auto at = text.rfind('@');
    if (at == std::string_view::npos || at == 0 || at > kMaxLocalPart) return false;
    const std::string_view local = text.substr(0, at);
    std::string_view host = text.substr(at + 1);
    const auto may_stand = [&](char c) { return is_atom_character(c) || (international && is_beyond_ascii(c)); };
    const bool dotted = every_part(
        local, '.', [&](std::string_view atom) { return !atom.empty() && std::ranges::all_of(atom, may_stand); });
    if (!dotted && !is_quoted(local)) return false;
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
        return host.starts_with("IPv6:") ? is_ipv6(host.substr(5)) : is_ipv4(host);
    }
    if (!international) return is_hostname(host);
    return !host.empty() && std::ranges::all_of(host, [](char c) {
        return is_letter(c) || is_digit(c) || is_beyond_ascii(c) || is_one_of(c, "-.");
    });
}

/// Which characters may stand in a URI, percent escapes being whole.
bool has_uri_characters(std::string_view text, std::string_view extra, bool international)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '%') {
            if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
            i += 2;
        } else if (!is_letter(c) && !is_digit(c) && !is_one_of(c, "-._~!$&'()*+,;=:@/?") && !is_one_of(c, extra) &&
                   !(international && is_beyond_ascii(c))) {
            return false;
        }
    }
    return true;
}

bool is_authority(std::string_view text, bool international)
{
    if (const auto at = text.rfind('@'); at != std::string_view::npos) {
        if (!has_uri_characters(text.substr(0, at), "", international) || text.substr(0, at).find('@') != text.npos)
            return false;
        text.remove_prefix(at + 1);
    }
    std::string_view port;
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == std::string_view::npos || !is_ipv6(text.substr(1, end - 1))) return false;
        port = text.substr(end + 1);
        if (!port.empty() && !port.starts_with(':')) return false;
        port = port.substr(port.empty() ? 0 : 1);
    } else {
        const auto colon = std::min(text.find(':'), text.size());
        if (!has_uri_characters(text.substr(0, colon), "", international)) return false;
        port = text.substr(std::min(colon + 1, text.size()));
    }
    return std::ranges::all_of(port, is_digit);
}

bool is_reference(std::string_view text, bool international, bool needs_scheme)
{
    const auto mark = text.find_first_of(":/?#");
    const bool has_colon = mark != std::string_view::npos && text[mark] == ':';
    if (has_colon) {
        const auto scheme = text.substr(0, mark);
        const bool is_scheme = !scheme.empty() && is_letter(scheme.front()) && std::ranges::all_of(scheme, [](char c) {
            return is_letter(c) || is_digit(c) || is_one_of(c, "+-.");
        });
        if (!is_scheme) return false;
        text.remove_prefix(mark + 1);
    } else if (needs_scheme) {
        return false;
    }
    const auto hash = std::min(text.find('#'), text.size());
    const auto fragment = text.substr(std::min(hash + 1, text.size()));
    if (!has_uri_characters(fragment, "", international)) return false;
    text = text.substr(0, hash);
    if (text.starts_with("//")) {
        const auto end = std::min(text.find_first_of("/?", 2), text.size());
        if (!is_authority(text.substr(2, end - 2), international)) return false;
        text.remove_prefix(end);
    }
    return has_uri_characters(text, "", international);
}

}  // namespace

bool is_ipv4(std::string_view text)
{
    return std::ranges::count(text, '.') == 3 && every_part(text, '.', [](std::string_view part) {
               if (part.empty() || part.size() > 3 || (part.size() > 1 && part.front() == '0')) return false;
               return std::ranges::all_of(part, is_digit) && (part.size() < 3 || part <= "255");
           });
}

bool is_ipv6(std::string_view text)
{
    const auto gap = text.find("::");
    if (gap != std::string_view::npos && text.find("::", gap + 1) != std::string_view::npos) return false;
    std::size_t groups = 0;
    const auto count_groups = [&](std::string_view side, bool may_end_in_ipv4) {
        return side.empty() || every_part(side, ':', [&](std::string_view part) {
                   const bool last = part.data() + part.size() == side.data() + side.size();
                   if (last && may_end_in_ipv4 && part.find('.') != std::string_view::npos) {
                       groups += 2;
                       return is_ipv4(part);
                   }
                   ++groups;
                   return !part.empty() && part.size() <= 4 && std::ranges::all_of(part, is_hex);
               });
    };
    if (gap == std::string_view::npos) return count_groups(text, true) && groups == 8;
    return count_groups(text.substr(0, gap), false) && count_groups(text.substr(gap + 2), true) && groups < 8;
}

bool is_hostname(std::string_view text)
{
    return !text.empty() && text.size() <= kMaxHostName && every_part(text, '.', is_label);
}

bool is_email(std::string_view text)
{
    return is_address(text, false);
}
bool is_idn_email(std::string_view text)
{
    return is_address(text, true);
}
bool is_uri(std::string_view text)
{
    return is_reference(text, false, true);
}
bool is_uri_reference(std::string_view text)
{
    return is_reference(text, false, false);
}
bool is_iri(std::string_view text)
{
    return is_reference(text, true, true);
}
bool is_iri_reference(std::string_view text)
{
    return is_reference(text, true, false);
}

bool is_uri_template(std::string_view text)
{
    bool inside = false;
    for (const char c : text) {
        if (c == '{' ? inside : c == '}' && !inside) return false;
        if (c == '{' || c == '}') inside = c == '{';
        else if (c <= ' ' && !is_beyond_ascii(c)) return false;
        else if (!inside && is_one_of(c, "\"'<>\\^`|")) return false;
    }
    return !inside;
}

}  // namespace cadre::schema
