#include "net/listen.hpp"

#include "base/error.hpp"
#include "net/endpoint_text.hpp"
#include "net/inherited.hpp"
#include "net/loop.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace cadre::net {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using Local = boost::asio::local::stream_protocol;
using Endpoint = boost::asio::generic::stream_protocol::endpoint;

constexpr int kBacklog = 1024;
constexpr std::string_view kUnixName = "unix";  // as text_of() calls it
constexpr ::mode_t kOwnerAndGroup = 0660;

Endpoint tcp_endpoint(const std::string& host, std::uint16_t port)
{
    error_code error;
    const auto address = boost::asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
    if (error) throw Error(Code::invalid, in_quotes(host) + " is not an address to listen at; 127.0.0.1 is one");
    return tcp::endpoint(address, port);
}

/// What a server that was killed left behind must not keep the next one from its place; what is in use must.
void clear_place(Loop& loop, const std::string& path)
{
    std::error_code none;
    const auto kind = std::filesystem::symlink_status(path, none).type();
    if (kind == std::filesystem::file_type::not_found) return;
    if (kind != std::filesystem::file_type::socket)
        throw Error(Code::unavailable, "cannot listen at " + path + ": there is a file that is not a socket");
    Local::socket probe(loop.io());
    error_code error;
    probe.connect(Local::endpoint(path), error);
    if (!error) throw Error(Code::unavailable, "cannot listen at " + path + ": another server does");
    ::unlink(path.c_str());
}

Endpoint local_endpoint(Loop& loop, const std::string& path)
{
    if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path))
        throw Error(Code::invalid, in_quotes(path) + " cannot be a socket's path: it has 1 to 107 bytes");
    clear_place(loop, path);
    return Local::endpoint(path);
}

std::uint16_t port_in(const std::string& name)
{
    return static_cast<std::uint16_t>(std::stoi(name.substr(name.rfind(':') + 1)));
}

Endpoint endpoint_of(int descriptor)
{
    int listens = 0;
    ::socklen_t size = sizeof listens;
    sockaddr_storage address{};
    ::socklen_t length = sizeof address;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0 ||
        ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0)
        throw Error(Code::invalid, "descriptor " + std::to_string(descriptor) + " is not a socket that listens");
    return {&address, length};
}

/// Of a socket of this machine; empty: it has none.
std::string path_of(const Endpoint& end)
{
    sockaddr_un address{};
    std::memcpy(&address, end.data(), std::min<std::size_t>(end.size(), sizeof address - 1));
    return address.sun_path;
}

}  // namespace

Listening::Listening(Loop& loop, const std::string& host, std::uint16_t wanted_port) : acceptor(loop.io())
{
    const bool local = host.starts_with(kUnixScheme);
    const std::string path = local ? host.substr(kUnixScheme.size()) : "";
    const Endpoint end = local ? local_endpoint(loop, path) : tcp_endpoint(host, wanted_port);
    error_code error;
    acceptor.open(end.protocol(), error);
    if (!error && !local) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(end, error);
    if (!error && local) ::chmod(path.c_str(), kOwnerAndGroup);
    if (!error) acceptor.listen(kBacklog, error);
    const Endpoint bound = error ? end : acceptor.local_endpoint(error);
    name = local ? host : text_of(bound);
    if (error) throw Error(Code::unavailable, "cannot listen at " + name + ": " + error.message());
    if (!local) port = port_in(name);
}

std::string listening_name(int descriptor)
{
    const Endpoint end = endpoint_of(descriptor);
    const std::string name = text_of(end);
    return name == kUnixName ? std::string(kUnixScheme) + path_of(end) : name;
}

Listening::Listening(Loop& loop, int descriptor)
    : acceptor(loop.io()), name(listening_name(descriptor)), is_inherited(true)
{
    error_code error;
    acceptor.assign(endpoint_of(descriptor).protocol(), descriptor, error);
    if (error) throw Error(Code::unavailable, "cannot listen at " + name + ": " + error.message());
    if (!name.starts_with(kUnixScheme)) port = port_in(name);
}

Listening::~Listening()
{
    stop();
}

void Listening::stop() noexcept
{
    if (!acceptor.is_open()) return;
    error_code ignored;
    acceptor.close(ignored);
    if (name.starts_with(kUnixScheme) && !is_inherited) ::unlink(name.c_str() + kUnixScheme.size());
}

}  // namespace cadre::net
