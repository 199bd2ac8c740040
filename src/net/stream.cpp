#include "net/stream.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "net/await.hpp"
#include "net/tls.hpp"

#include <boost/asio/buffer.hpp>

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace cadre::net {
namespace {

/// A model may think for minutes, and what stands between us and it forgets connections that are silent.
constexpr int kProbeAfterSeconds = 45;

void set(int socket, int level, int name, int value)
{
    ::setsockopt(socket, level, name, &value, sizeof value);
}

}  // namespace

Stream::Stream(Socket socket) : socket_(std::move(socket))
{
    const int native = wire_.socket = socket_.native_handle();
    set(native, IPPROTO_TCP, TCP_NODELAY, 1);
    set(native, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(native, IPPROTO_TCP, TCP_KEEPIDLE, kProbeAfterSeconds);
    set(native, IPPROTO_TCP, TCP_KEEPINTVL, kProbeAfterSeconds / 3);
}

Stream::~Stream()
{
    if (tls_) tls_->close();
}

Async<> Stream::start_tls(const TlsTrust& trust, std::string host)
{
    tls_ = std::make_unique<Tls>(trust, wire_, host);
    co_await shake_hands();
}

Async<> Stream::accept_tls(const TlsIdentity& identity)
{
    tls_ = std::make_unique<Tls>(identity, wire_);
    co_await shake_hands();
}

Async<> Stream::shake_hands()
{
    while (true) {
        const IoResult result = tls_->handshake();
        if (result.state == IoState::done) co_return;
        if (result.state == IoState::failed) throw Error(Code::upstream, tls_->failure());
        if (result.state == IoState::closed)
            throw Error(Code::upstream, "the connection was closed during the TLS handshake");
        co_await wait(result.state);
    }
}

IoResult Stream::try_read(char* to, std::size_t size)
{
    return tls_ ? tls_->read(to, size) : wire_.read(to, size);
}

IoResult Stream::try_write(std::string_view bytes)
{
    return tls_ ? tls_->write(bytes) : wire_.write(bytes);
}

Async<> Stream::wait(IoState wanted)
{
    if (wanted == IoState::wants_write) {
        co_await socket_.async_wait(Socket::wait_write, use_async);  // its error shows in the attempt that follows
        co_return;
    }
    if (tls_ && tls_->has_pending()) co_return;
    // a read, though a wait would do: Asio asks the system once more for each wait, and for a read only what it has to
    wire_.early_begin = wire_.early_end = 0;
    const auto [error, size] = co_await socket_.async_read_some(boost::asio::buffer(wire_.early), use_async);
    wire_.early_end = size;
    if (error == boost::asio::error::eof) wire_.at_end = true;
    else if (error) wire_.error = error.value();
}

bool Stream::has_stirred()
{
    char byte = 0;
    if (tls_)
        return tls_->read(&byte, 1).state != IoState::wants_read;  // takes in what TLS says for itself, as tickets
    pollfd poll{socket_.native_handle(), POLLIN, 0};
    return ::poll(&poll, 1, 0) != 0;
}

void Stream::end() noexcept
{
    if (tls_) tls_->close();
    ::shutdown(wire_.socket, SHUT_WR);
}

void Stream::shut_down() noexcept
{
    ::shutdown(wire_.socket, SHUT_RDWR);
}

void Stream::abort()
{
    const linger nothing{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_LINGER, &nothing, sizeof nothing);
}

std::string Stream::failure() const
{
    return tls_ ? tls_->failure() : std::generic_category().message(wire_.error);
}

}  // namespace cadre::net
