// The other processes' side of the control socket.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"
#include "home/control/control.hpp"
#include "home/requests.hpp"
#include "net/local_socket.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

namespace cadre::home {

/// A connection to the owner of a home. One request at a time. Lives on its loop.
class ControlClient {
public:
    /// Null when nobody listens, or does not answer within `patience`.
    static Async<std::unique_ptr<ControlClient>> connect(net::Loop& loop, std::filesystem::path home, Millis patience);

    /// The result of the request, which is a line of request_line(); what is told before it goes to `listener`, if there is one. Nothing
    /// when the owner has left, or is about to: then this returns when the home is free. Throws the Error that the owner answers.
    Async<std::optional<boost::json::value>> call(std::string request, Listener* listener = nullptr);

    const Owner& owner() const { return owner_; }

    explicit ControlClient(net::LocalSocket socket) : socket_(std::move(socket)) {}

private:
    Async<> until_gone();
    Async<std::optional<std::string>> next_line(bool driven);

    net::LocalSocket socket_;
    Owner owner_;
};

}  // namespace cadre::home
