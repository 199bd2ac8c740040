// A scripted MCP server of both eras without sockets and without time: a message in, what to do about it out.
#pragma once

#include "base/error.hpp"
#include "base/time.hpp"
#include "mcp/json_rpc.hpp"
#include "mcp/mock/tasks.hpp"
#include "mcp/mock/tools.hpp"
#include "mcp/protocol.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cadre::mcp::mock {

/// One thing to do, after those before it.
struct Step {
    Millis pause{0};            // first wait so long
    std::string line{};         // then say this: a message, or noise; nothing when empty
    std::optional<int> exit{};  // then end the process so
};

/// What to do about a message.
struct Reaction {
    std::vector<Step> steps{};
    bool holds = false;           // a request that stays open after that, until who asked has enough
    int status = 200;             // over HTTP
    std::optional<Id> cancels{};  // whatever is under way for this request ends without an answer
    bool changed = false;         // afterwards, who listens has to be told: notices()
};

/// What is known of one who talks to the server: over stdio there is one, over HTTP one for each legacy session and each modern
/// request.
struct Session {
    std::string version{};              // of the legacy era, once greeted
    std::set<std::string> listening{};  // modern requests that want to hear of changes: their ids, as JSON
    bool modern = false;                // surely, whatever its messages say
};

struct ServerOptions {
    bool modern = true;
    bool legacy = true;
    std::string version = "0";  // of the program
};

/// The tools and the clock outlive it.
class MockServer {
public:
    MockServer(Tools& tools, const Clock& clock, ServerOptions options)
        : tools_(tools), clock_(clock), options_(std::move(options))
    {}

    Reaction receive(const Message& message, Session& session);
    /// For what is no message.
    static Reaction refuse(const Error& error);
    /// The lines that tell this one that the list of tools is another one.
    static std::vector<std::string> notices(const Session& session);

    /// Whether a request is of the modern era.
    bool is_modern(const Request& request) const;
    const ServerOptions& options() const { return options_; }
    const Tools& tools() const { return tools_; }

private:
    Reaction modern(const Request& request, Session& session);
    Reaction legacy(const Request& request, Session& session);
    Reaction call(const Request& request, const Session& session, Era era);
    Reaction play(const Request& request, Outcome outcome, Era era) const;
    Reaction task_method(const Request& request, Era era);
    Reaction answer(const Request& request, boost::json::object result, Era era) const;
    boost::json::object finished(boost::json::object result, Era era) const;
    boost::json::object capabilities(Era era, const std::string& version) const;
    boost::json::object info() const;

    Tools& tools_;
    const Clock& clock_;
    ServerOptions options_;
    Tasks tasks_;
};

}  // namespace cadre::mcp::mock
