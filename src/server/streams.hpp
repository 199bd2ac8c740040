// What all streams of a server share: the feed, how many of them there may be, and how long they wait for what.
#pragma once

#include "base/async_scope.hpp"
#include "base/metrics.hpp"
#include "base/time.hpp"
#include "engine/principal.hpp"
#include "server/feed.hpp"
#include "server/tickets.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace cadre::server {

struct Service;

struct StreamLimits {
    std::size_t of_user = 50;
    std::size_t of_tenant = 1'000;
    std::size_t all = 10'000;
    Millis beat{15'000};   // between two signs of life of a stream of events
    Millis ping{20'000};   // between two of a WebSocket
    Millis check{30'000};  // between two looks at whether the token is still good
    FeedLimits feed{};
};

/// Lives on the server's loop, as long as its requests.
class Streams {
public:
    explicit Streams(Service& service, StreamLimits limits = {});
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;

    /// The right to have one more stream, for as long as it lives.
    class Place {
    public:
        Place(Streams& streams, const engine::Principal& by);
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place();

    private:
        Streams& streams_;
        std::string tenant_;
        std::string user_;
    };

    Feed& feed() { return feed_; }
    Tickets& tickets() { return tickets_; }
    const StreamLimits& limits() const { return limits_; }
    std::size_t open() const { return open_; }
    /// A stream has ended: `ended`, `drain`, `slow`.
    void count_end(std::string_view reason) { ends_.with({reason}).add(); }

private:
    Async<> tell_of_drain(Service& service);

    StreamLimits limits_;
    Feed feed_;
    Tickets tickets_;
    std::map<std::string, std::size_t> of_users_;
    std::map<std::string, std::size_t> of_tenants_;
    std::size_t open_ = 0;
    Gauge gauge_;
    Labelled<Counter> ends_;
    AsyncScope scope_;  // last: what it spawned uses the others
};

}  // namespace cadre::server
