// Clients of HTTP/1.1 that ask again and again over kept connections, all in one thread; and a server that does as little as one can.
#pragma once

#include "samples.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace cadre::bench {

struct Load {
    std::uint16_t port = 0;
    int connections = 64;
    std::size_t requests = 10'000;
    std::function<std::string(std::size_t)> request{};  // the text of the n-th
};

struct Loaded {
    double seconds = 0;
    std::size_t refused = 0;  // answers that are not 2xx
    Samples times{};
    std::string first{};  // answer, as it came
};

/// Throws std::runtime_error when a connection is cut.
Loaded put_load(const Load& load);

/// Sockets that stay open after one request each; their answers have come. Closed by whoever gets them.
std::vector<int> held_connections(std::uint16_t port, int count, const std::function<std::string(int)>& request);

/// One more; the caller closes it.
int connected(std::uint16_t port);
void send_all(int socket, std::string_view text);

/// A process that answers every request of a connection with the same text, or every connection whenever one of them asks: one epoll
/// loop, and nothing that it does not need.
class BareServer {
public:
    explicit BareServer(std::string answer, bool to_all = false);
    BareServer(const BareServer&) = delete;
    BareServer& operator=(const BareServer&) = delete;
    ~BareServer();

    std::uint16_t port() const { return port_; }
    pid_t pid() const { return pid_; }

private:
    std::uint16_t port_ = 0;
    pid_t pid_ = 0;
};

/// Of another process: user and system, and the memory that it has, in bytes.
double cpu_seconds_of(pid_t process);
double memory_of(pid_t process);

}  // namespace cadre::bench
