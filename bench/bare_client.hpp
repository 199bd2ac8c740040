// What no runtime can beat: the same requests over plain non-blocking sockets and epoll, the same JSON parsed, and nothing else.
#pragma once

#include "samples.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace cadre::bench {

/// One thread. A connection does one thing after another and is kept open.
class BareClient {
public:
    /// `what` is a path of the stub vendor.
    BareClient(int port, std::string what);
    BareClient(const BareClient&) = delete;
    BareClient& operator=(const BareClient&) = delete;
    ~BareClient();

    /// That many runs (ask, do the tool, ask again), so many of them at once.
    void run(int count, int at_once);
    /// That many answers at once, each read to its end.
    void stream(int count);
    /// That many requests that nobody answers.
    void hold(int count);

    Samples runs;         // how long each took
    Samples first_token;  // from the request to the first text
    std::size_t tokens = 0;

private:
    struct Connection {
        int fd = -1;
        std::string in{}, body{};
        bool has_head = false;
        std::size_t chunk = 0;  // what is missing of the chunk that is being read
        bool in_chunk = false;
        bool asked_tool = false;  // this answer does
        bool second = false;
        std::string text{}, arguments{};
        SteadyClock::time_point begun{}, asked{};
    };

    void open(int count);
    void ask(Connection& connection);
    /// Whether the answer is whole.
    bool read(Connection& connection);
    bool take_body(Connection& connection);
    void take_events(Connection& connection);
    void ended(Connection& connection);
    void drive();

    int port_;
    std::string what_;
    int epoll_;
    std::vector<Connection> connections_;
    bool in_runs_ = false;
    int left_ = 0;     // runs that have not begun
    int pending_ = 0;  // that have not ended
};

}  // namespace cadre::bench
