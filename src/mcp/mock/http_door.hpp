// A MockServer over streamable HTTP, of both eras.
#pragma once

#include "base/signal.hpp"
#include "mcp/mock/mock_server.hpp"
#include "net/http_server.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cadre::mcp::mock {

/// Handles requests of a net::HttpServer, which it outlives. Lives on its loop; the server outlives it.
class HttpDoor final : public net::HttpHandler {
public:
    static constexpr std::string_view kPath = "/mcp";

    /// `exit` ends the process at once, as a crash does.
    HttpDoor(MockServer& server, std::function<void(int code)> exit);
    HttpDoor(const HttpDoor&) = delete;
    HttpDoor& operator=(const HttpDoor&) = delete;
    ~HttpDoor() override;

    Async<> handle(net::HttpExchange& exchange) override;

private:
    struct Legacy;
    class Playing;
    using Shared = std::shared_ptr<Legacy>;

    Async<> post(net::HttpExchange& exchange);
    Async<> post_modern(net::HttpExchange& exchange, Message message);
    Async<> post_legacy(net::HttpExchange& exchange, Message message);
    Async<> get(net::HttpExchange& exchange);
    Async<> remove(net::HttpExchange& exchange);
    Async<> play(net::HttpExchange& exchange, Reaction reaction, net::HttpHeaders more, const Session& session);
    Async<> play_until_cancelled(net::HttpExchange& exchange, Reaction reaction, net::HttpHeaders more, Shared legacy,
                                 std::string id);
    Shared begin_session();
    Shared find_session(net::HttpExchange& exchange) const;
    void announce();

    MockServer& server_;
    std::function<void(int code)> exit_;
    std::vector<std::pair<std::string, Shared>> sessions_;  // oldest first
    std::uint64_t changes_ = 0;
    Signal changed_;
};

}  // namespace cadre::mcp::mock
