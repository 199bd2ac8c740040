#include "net/endpoint_text.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <fmt/core.h>

#include <cstring>

namespace cadre::net {

std::string text_of(const boost::asio::generic::stream_protocol::endpoint& end)
{
    const int family = end.protocol().family();
    if (family != AF_INET && family != AF_INET6) return "unix";
    boost::asio::ip::tcp::endpoint tcp;
    std::memcpy(tcp.data(), end.data(), end.size());
    tcp.resize(end.size());
    const std::string address = tcp.address().to_string();
    return tcp.address().is_v6() ? fmt::format("[{}]:{}", address, tcp.port())
                                 : fmt::format("{}:{}", address, tcp.port());
}

}  // namespace cadre::net
