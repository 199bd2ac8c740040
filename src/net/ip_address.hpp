// IP addresses and networks as values, for those who compare them and have no socket.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::net {

struct IpAddress {
    std::array<unsigned char, 16> bytes{};  // the first four of an IPv4 address
    bool v6 = false;

    bool operator==(const IpAddress&) const = default;
};

/// `127.0.0.1` and `::1` in their full forms; nothing for anything else, such as `127.1`, `0x7f.0.0.1` or `fe80::1%eth0`.
std::optional<IpAddress> find_ip_address(std::string_view text);
std::string address_text(const IpAddress& address);

/// All addresses whose first `bits` bits are those of `first`.
struct IpNetwork {
    IpAddress first{};
    int bits = 0;

    bool holds(const IpAddress& address) const;
    bool operator==(const IpNetwork&) const = default;
};

/// `10.0.0.0/8`, or an address alone; nothing for anything else.
std::optional<IpNetwork> find_ip_network(std::string_view text);

}  // namespace cadre::net
