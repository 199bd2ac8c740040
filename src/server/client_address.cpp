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

std::string client_address(const net::HttpHead& head, std::string_view peer, bool behind_proxy)
{
    const std::string own = find_address_in(peer).value_or(std::string(peer));
    if (!behind_proxy) return own;
    if (const auto forwarded = last_header(head.headers, "Forwarded"))
        return forwarded_for(last_of(*forwarded)).value_or(own);
    if (const auto list = last_header(head.headers, "X-Forwarded-For"))
        return find_address_in(last_of(*list)).value_or(own);
    return own;
}

}  // namespace cadre::server
