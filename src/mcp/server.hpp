// Server: an MCP server that is looked after. Started when it is first needed, started again when it ends, never waited for longer
// than whoever waits has time.
#pragma once

#include "mcp/client.hpp"
#include "mcp/log_quota.hpp"
#include "mcp/server_entry.hpp"
#include "mcp/tool_definition.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cadre::net {
class Loop;
}
namespace cadre::mcp::oauth {
class KeptSecrets;
}

namespace cadre::mcp {

/// A tool of a server's as it was listed, and its hash.
struct ListedTool {
    model::Tool definition{};  // under the server's own name
    std::string hash{};
};

/// Lives on one loop. Close it before it dies.
class Server {
public:
    /// Makes a connection of that kind, not yet greeted. Throws Error.
    using Connect = std::function<std::unique_ptr<Transport>(model::framework::TransportType kind)>;

    Server(Loop& loop, ServerEntry entry, Connect connect, Log log);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    const std::string& name() const { return entry_.name; }
    const ServerEntry& entry() const { return entry_; }

    /// The greeted server. Throws tools::NotDispatched when it cannot be had: nothing was asked of it.
    Async<std::shared_ptr<Client>> client();
    /// Its tools; those that cannot be used are left out, and the log says why. A list is asked for again after
    /// some seconds, when the server says that it has changed, and after it was started anew.
    Async<std::shared_ptr<const std::vector<ListedTool>>> tools();
    /// Ends it in good order.
    Async<> close();

    /// How often it has been started.
    int starts() const { return starts_; }

private:
    Async<> start();
    Async<std::shared_ptr<Client>> connect();
    std::unique_ptr<Transport> transport(model::framework::TransportType kind);
    Async<std::shared_ptr<Client>> greet(model::framework::TransportType kind, std::optional<Era> era);
    Async<> put_away(std::shared_ptr<Client> old);
    std::vector<ListedTool> read_tools(const boost::json::array& listed) const;
    void note_end();
    void watch(Client& client);

    Loop& loop_;
    ServerEntry entry_;
    Connect connect_;
    Log log_;
    std::shared_ptr<Client> client_;
    Instant opened_{};
    bool starting_ = false;
    bool closed_ = false;
    int starts_ = 0;
    int failures_ = 0;  // in a row
    Instant next_try_{};
    std::string problem_;  // of the last start
    Code problem_code_ = Code::unavailable;
    std::optional<model::framework::TransportType> works_;  // over HTTP: what the address turned out to speak
    std::optional<Era> era_;
    std::shared_ptr<const boost::json::array> listed_;  // what `tools_` was made of
    std::shared_ptr<const std::vector<ListedTool>> tools_;
    std::weak_ptr<Client> listed_by_;
    Instant fresh_until_{};
    LogQuota says_;
    Signal changed_;
    AsyncScope scope_;
};

/// How programs connect: processes on `loop`, HTTP through `http`, with a token where the server wants one. All of them outlive the
/// server. Without `kept`, tokens are those of the entry's own.
Server::Connect connector(net::Loop& loop, net::Http& http, const ServerEntry& entry, Log log,
                          oauth::KeptSecrets* kept = nullptr);

}  // namespace cadre::mcp
