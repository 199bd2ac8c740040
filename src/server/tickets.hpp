// Tickets: what stands in for a token where one cannot be sent: browsers' WebSockets, event streams and downloads have no headers of
// their own, and a token in a URL ends up in logs and histories. A ticket is good for one request, for half a minute.
#pragma once

#include "base/sha256.hpp"
#include "base/time.hpp"
#include "engine/principal.hpp"
#include "net/http_request_parser.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace cadre {
class Random;
}

namespace cadre::server {

struct Service;

/// Lives on the server's loop.
class Tickets {
public:
    static constexpr Millis kLifetime{30'000};
    static constexpr std::size_t kMost = 10'000;

    explicit Tickets(Random& random) : random_(random) {}

    /// For one request of that method and path, in the name of who shows `authorization`. Throws Refusal(429) when too many wait to
    /// be used.
    std::string issue(std::string authorization, std::string_view method, std::string_view path, Instant now);
    /// The `authorization` of who got it; nothing when it is not one, was used, is too old, or is for something else. It is used up
    /// then.
    std::optional<std::string> redeem(std::string_view ticket, std::string_view method, std::string_view path,
                                      Instant now);

private:
    struct Held {
        std::string authorization{};
        std::string method{};
        std::string path{};
        Instant until{};
    };

    Random& random_;
    std::map<Hash, Held> held_;  // by hash: how long a look takes says nothing about a ticket
};

/// The request with its credentials as an `Authorization` header, however they came: the header itself, the subprotocols
/// `bearer.BASE64URL(token)` and `ticket.T` of a WebSocket, `?ticket=T`. Nothing but method, path and that header. Throws HttpRefusal:
/// 400 for several of them and for a token in the URL, 401 for a ticket that is not good.
net::HttpHead credentials_of(Service& service, const net::HttpHead& head);

}  // namespace cadre::server
