#include "net/ip_address.hpp"

#include <arpa/inet.h>
#include <charconv>
#include <sys/socket.h>

namespace cadre::net {

std::optional<IpAddress> find_ip_address(std::string_view text)
{
    if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) return std::nullopt;
    const std::string terminated(text);
    IpAddress address{.v6 = text.find(':') != std::string_view::npos};
    if (::inet_pton(address.v6 ? AF_INET6 : AF_INET, terminated.c_str(), address.bytes.data()) != 1)
        return std::nullopt;
    return address;
}

std::string address_text(const IpAddress& address)
{
    char text[INET6_ADDRSTRLEN] = {};
    ::inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof text);
    return text;
}

bool IpNetwork::holds(const IpAddress& address) const
{
    if (address.v6 != first.v6) return false;
    for (int bit = 0; bit < bits; bit += 8) {
        const std::size_t byte = static_cast<std::size_t>(bit) / 8;
        const unsigned mask = bits - bit >= 8 ? 0xFFU : 0xFFU << (8 - (bits - bit));
        if (((address.bytes[byte] ^ first.bytes[byte]) & mask & 0xFFU) != 0) return false;
    }
    return true;
}

std::optional<IpNetwork> find_ip_network(std::string_view text)
{
    const std::size_t slash = text.find('/');
    const auto first = find_ip_address(text.substr(0, slash));
    if (!first) return std::nullopt;
    const int most = first->v6 ? 128 : 32;
    if (slash == std::string_view::npos) return IpNetwork{*first, most};
    const std::string_view digits = text.substr(slash + 1);
    int bits = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (error != std::errc() || end != digits.data() + digits.size() || bits < 0 || bits > most) return std::nullopt;
    return IpNetwork{*first, bits};
}

}  // namespace cadre::net
