#include "net/listen.hpp"

#include "base/error.hpp"
#include "net/endpoint_text.hpp"
#include "net/loop.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <filesystem>
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
    if (!local) port = static_cast<std::uint16_t>(std::stoi(name.substr(name.rfind(':') + 1)));
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
    if (name.starts_with(kUnixScheme)) ::unlink(name.c_str() + kUnixScheme.size());
}

}  // namespace cadre::net
