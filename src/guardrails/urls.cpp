#include "guardrails/urls.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace cadre::guardrails {

namespace {

bool is_url_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool ends_url(char c)
{
    return is_url_blank(c) || c == '<' || c == '>' || c == '"' || c == '`';
}

bool is_scheme_character(char c)
{
    return is_letter(c) || is_digit(c) || c == '+' || c == '.' || c == '-';
}

/// Without the punctuation of the sentence around it, and closing brackets that were opened before it.
std::size_t url_end(std::string_view text, std::size_t begin)
{
    std::size_t end = begin;
    while (end < text.size() && !ends_url(text[end])) ++end;
    while (end > begin) {
        const char last = text[end - 1];
        const std::string_view url = text.substr(begin, end - begin);
        const char open = last == ')' ? '(' : last == ']' ? '[' : last == '}' ? '{' : '\0';
        const bool is_closing = open != '\0' && std::ranges::count(url, open) < std::ranges::count(url, last);
        if (!is_closing && std::string_view(".,;:!?'*_~").find(last) == std::string_view::npos) break;
        --end;
    }
    return end;
}

/// From behind the slashes.
std::string host_of(std::string_view rest)
{
    if (rest.starts_with('[')) return lower(rest.substr(0, rest.find(']') + 1));
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#)]}'"));
    if (authority.find_first_of("\\%") != authority.npos) return {};
    std::string_view host = authority.substr(authority.rfind('@') + 1);  // npos + 1 is the front
    if (host.starts_with('[')) return {};
    host = host.substr(0, host.find(':'));
    while (host.ends_with('.')) host.remove_suffix(1);
    return lower(host);
}

/// Where `//` at `at` begins an address: behind a scheme, or where only an address can stand.
std::size_t url_begin(std::string_view text, std::size_t at)
{
    if (at > 0 && text[at - 1] == ':') {
        std::size_t begin = at - 1;
        while (begin > 0 && is_scheme_character(text[begin - 1])) --begin;
        while (begin < at - 1 && !is_letter(text[begin])) ++begin;
        return begin < at - 1 ? begin : text.npos;
    }
    const char before = at > 0 ? text[at - 1] : ' ';
    const bool expected = before == '(' || before == '"' || before == '\'' || before == '=' || before == '<';
    return expected ? at : text.npos;
}

}  // namespace

std::vector<UrlMatch> find_urls(std::string_view text, std::size_t from)
{
    std::vector<UrlMatch> found;
    const auto take = [&](std::size_t begin, std::size_t host) {
        const std::size_t end = url_end(text, host);
        if (end == host) return host;
        found.push_back({begin, end, host_of(text.substr(host, end - host))});
        return end;
    };
    for (std::size_t at = from; at < text.size();) {
        const std::size_t slashes = text.find("//", at), www = text.find("www.", at);
        if (slashes == text.npos && www == text.npos) break;
        if (www < slashes) {
            const bool inside =
                www > 0 && (is_letter(text[www - 1]) || is_digit(text[www - 1]) || text[www - 1] == '.');
            at = inside ? www + 4 : std::max(take(www, www), www + 4);
            continue;
        }
        std::size_t host = slashes + 2;
        while (host < text.size() && (text[host] == '/' || text[host] == '\\')) ++host;
        const std::size_t begin = url_begin(text, slashes);
        at = begin == text.npos ? host : take(begin, host);
    }
    return found;
}

bool is_allowed(std::string_view host, std::span<const std::string> hosts)
{
    if (host.empty()) return false;
    return std::ranges::any_of(hosts, [&](const std::string& allowed) {
        if (host == allowed) return true;
        return host.size() > allowed.size() && host.ends_with(allowed) && host[host.size() - allowed.size() - 1] == '.';
    });
}

}  // namespace cadre::guardrails
