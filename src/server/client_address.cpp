#include "server/client_address.hpp"

#include "base/ascii.hpp"
#include "base/trim.hpp"
#include "net/ip_address.hpp"

#include <algorithm>
#include <optional>
#include <ranges>

namespace cadre::server {
namespace {

/// `192.0.2.1:80`, `[2001:db8::1]:80`, with or without the port, as an address; nothing for a name or a secret one.
std::optional<std::string> find_address_in(std::string_view text)
{
    text = trimmed(text);
    if (text.size() >= 2 && text.starts_with('"') && text.ends_with('"')) text = text.substr(1, text.size() - 2);
    if (text.starts_with('[')) text = text.substr(1, std::min(text.find(']'), text.size()) - 1);
    else if (std::ranges::count(text, ':') == 1) text = text.substr(0, text.find(':'));
    if (!net::find_ip_address(text)) return std::nullopt;
    return std::string(text);
}

/// The last header of that name: proxies add at the end.
std::optional<std::string_view> last_header(const net::HttpHeaders& headers, std::string_view name)
{
    for (const net::HttpHeader& header : std::views::reverse(headers))
        if (same_in_any_case(header.name, name)) return header.value;
    return std::nullopt;
}

std::string_view last_of(std::string_view list)
{
    const std::size_t comma = list.rfind(',');
    return comma == list.npos ? list : list.substr(comma + 1);
}

/// `for=192.0.2.1;proto=https`
std::optional<std::string> forwarded_for(std::string_view element)
{
    while (!element.empty()) {
        const std::size_t end = std::min(element.find(';'), element.size());
        const std::string_view pair = trimmed(element.substr(0, end));
        element.remove_prefix(std::min(end + 1, element.size()));
        const std::size_t equals = pair.find('=');
        if (equals != pair.npos && same_in_any_case(pair.substr(0, equals), "for"))
            return find_address_in(pair.substr(equals + 1));
    }
    return std::nullopt;
}

}  // namespace

std::string client_address(const net::HttpHead& head, std::string_view peer, const config::ServerSettings& settings)
{
    const std::string own = find_address_in(peer).value_or(std::string(peer));
    if (!settings.behind_proxy) return own;
    const auto said = last_header(head.headers, settings.forwarded_header);
    if (!said) return own;
    const bool is_standard = same_in_any_case(settings.forwarded_header, "Forwarded");
    return (is_standard ? forwarded_for(last_of(*said)) : find_address_in(last_of(*said))).value_or(own);
}

}  // namespace cadre::server
