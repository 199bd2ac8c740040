// Where mail servers hand us the mails for our addresses: LMTP, on this machine.
#pragma once

#include "base/async_fwd.hpp"
#include "base/log.hpp"
#include "base/time.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace cadre::net {
class Loop;
}

namespace cadre::channels {

struct LmtpOptions {
    std::string place{};  // `127.0.0.1:2424`, or `unix:` and the path of a socket
    /// Whether mail for that address is taken here.
    std::function<bool(std::string_view to)> knows{};
    /// Returns once it is durable. Error(malformed, too_large): it never can be; any other: later, perhaps.
    std::function<Async<>(std::string to, std::string return_path, std::string mail)> take{};
    std::size_t connections = 50;
    Millis patience{300'000};  // that a connection is silent, or reads nothing
};

/// Lives on its loop; close() before it dies.
class LmtpServer {
public:
    /// Throws Error(invalid) for a place that is not on this machine, Error(unavailable) when it cannot listen there.
    LmtpServer(net::Loop& loop, LmtpOptions options, Log log);
    LmtpServer(const LmtpServer&) = delete;
    LmtpServer& operator=(const LmtpServer&) = delete;
    ~LmtpServer();

    /// `127.0.0.1:2424`
    const std::string& name() const;
    /// Nobody is listened to any more. What is being taken is not waited for: whoever hands it over does so again.
    Async<> close();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::channels
