// A MockServer and one who talks to it in lines, as over stdio.
#pragma once

#include "base/async_scope.hpp"
#include "mcp/mock/mock_server.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace cadre::mcp::mock {

/// Lives on its loop; the server outlives it.
class LineServer {
public:
    struct Ways {
        std::function<Async<>(std::string text)> write{};  // all of it, in this order
        std::function<void(int code)> exit{};              // at once, as a crash does
    };
    LineServer(Loop& loop, MockServer& server, Ways ways);

    /// One line of the other side's. Nobody waits here: what takes time goes on by itself. Throws what writing threw.
    void take(std::string_view line);
    /// Until everything that was said is written. What would be said later is given up. Throws what writing threw.
    Async<> end();

private:
    Async<> play(Reaction reaction);
    Async<> write();
    void say(std::string line);

    Loop& loop_;
    MockServer& server_;
    Ways ways_;
    Session session_;
    std::string outbox_;
    bool writing_ = false;
    AsyncScope writer_;
    std::map<std::string, std::unique_ptr<AsyncScope>> plays_;  // last: by the ids of requests
};

}  // namespace cadre::mcp::mock
