// A place where clients can connect: an address of TCP, or a socket in the file system. Only servers of this room include this.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace cadre::net {

class Loop;

inline constexpr std::string_view kUnixScheme = "unix:";

struct Listening {
    /// `host` is an address, `localhost`, or `unix:` and a path. A socket there that nobody listens at is replaced; owner and group
    /// may connect. Throws Error(invalid) for a host that is none of these, Error(unavailable) when it cannot listen there.
    Listening(Loop& loop, const std::string& host, std::uint16_t wanted_port);
    /// A socket that listens already: somebody else has opened it, and keeps its path. Throws Error(invalid) for what is not one.
    Listening(Loop& loop, int descriptor);
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;
    ~Listening();

    /// From now on nobody can connect.
    void stop() noexcept;

    boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol> acceptor;
    std::string name{};      // `127.0.0.1:8080`, `unix:/run/cadre.sock`
    std::uint16_t port = 0;  // of TCP
    bool is_inherited = false;
};

}  // namespace cadre::net
