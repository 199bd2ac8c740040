#include "cli/systemd.hpp"

#include "cli/environment.hpp"

#include <charconv>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace cadre::cli {
namespace {

constexpr int kFirstInherited = 3;
constexpr long long kMostInherited = 64;
constexpr long long kMicrosPerMilli = 1000;

/// Nothing for what is not a number.
std::optional<long long> number_in(const char* name)
{
    const auto text = environment(name);
    long long number = 0;
    if (!text) return std::nullopt;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
    return number;
}

}  // namespace

std::vector<int> inherited_sockets()
{
    const auto pid = number_in("LISTEN_PID");
    const auto count = number_in("LISTEN_FDS");
    std::vector<int> sockets;
    if (!pid || !count || *pid != ::getpid() || *count < 1 || *count > kMostInherited) return sockets;
    for (int i = 0; i < *count; ++i) {
        const int descriptor = kFirstInherited + i;
        ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
        sockets.push_back(descriptor);
    }
    for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) set_environment(name, "");
    return sockets;
}

void tell_supervisor(std::string_view words)
{
    const auto path = environment("NOTIFY_SOCKET");
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    if (!path || path->size() >= sizeof address.sun_path) return;
    std::memcpy(address.sun_path, path->data(), path->size());
    if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // not in the file system
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) return;
    const auto length = static_cast<::socklen_t>(offsetof(sockaddr_un, sun_path) + path->size());
    ::sendto(socket, words.data(), words.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), length);
    ::close(socket);
}

std::optional<Millis> supervisor_patience()
{
    const auto pid = number_in("WATCHDOG_PID");
    const auto micros = number_in("WATCHDOG_USEC");
    if (!micros || *micros < kMicrosPerMilli || (pid && *pid != ::getpid())) return std::nullopt;
    return Millis(*micros / kMicrosPerMilli);
}

}  // namespace cadre::cli
