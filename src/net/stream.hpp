// A connected peer as a stream of bytes, with or without TLS. It holds but a small buffer while it waits: 20,000 calls may do so at once.
#pragma once

#include "base/async_fwd.hpp"
#include "net/wire.hpp"

#include <boost/asio/generic/stream_protocol.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cadre::net {

class Tls;
class TlsIdentity;
class TlsTrust;

/// Closed with it, at once, whatever is under way. At most one coroutine reads from it, and one writes. Lives on its loop.
class Stream {
public:
    using Socket = boost::asio::generic::stream_protocol::socket;  // of TCP, or of a file

    explicit Stream(Socket socket);
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream();

    /// Throws Error(upstream) when the peer is not `host`, or speaks no TLS.
    Async<> start_tls(const TlsTrust& trust, std::string host);
    /// As the server. Throws Error(upstream) when the peer speaks no TLS, or none that we do.
    Async<> accept_tls(const TlsIdentity& identity);

    IoResult try_read(char* to, std::size_t size);
    IoResult try_write(std::string_view bytes);
    /// Waits for what a result wants. Returns at once if a read would return something right now.
    Async<> wait(IoState wanted);

    /// Whether something has come, or the end. Asked of a stream that should be silent, it says that it is of no use any more.
    bool has_stirred();
    /// Says that nothing more will be sent; reading goes on.
    void end() noexcept;
    /// Ends it both ways: whoever reads comes to the end.
    void shut_down() noexcept;
    /// Once it is closed, the peer gets nothing of what it has not got yet, and hears so.
    void abort();
    /// Bytes that the system has taken for sending since the beginning.
    std::uint64_t sent() const { return wire_.sent; }
    /// After `failed`: what it was.
    std::string failure() const;

private:
    Async<> shake_hands();

    Socket socket_;
    Wire wire_;
    std::unique_ptr<Tls> tls_;
};

}  // namespace cadre::net
