// MCP over the standard streams of a process: one line a message.
#pragma once

#include "base/async_scope.hpp"
#include "base/channel.hpp"
#include "base/log.hpp"
#include "mcp/line_framing.hpp"
#include "mcp/log_quota.hpp"
#include "mcp/transport.hpp"
#include "net/process.hpp"

#include <deque>
#include <string>

namespace cadre::mcp {

/// Starts the process at once, and ends it and all that it has started. What it writes to standard error goes to the log; what it
/// writes to standard output and is no message, too.
class StdioTransport final : public Transport {
public:
    /// Throws Error(not_found | unavailable). `server` is its name in the log.
    StdioTransport(net::Loop& loop, net::ProcessPlan plan, const std::string& server, Log log,
                   MessageLimits limits = {});
    ~StdioTransport() override;

    void send(Outgoing message) override;
    bool abandon(std::int64_t id) noexcept override;
    Async<std::optional<Incoming>> receive() override;
    std::string end() const override { return end_; }
    Async<> close() override;

    int pid() const;

private:
    struct Line {
        std::int64_t id;  // 0: no request
        std::string text;
    };

    Async<> read();
    Async<> read_lines();
    Async<> write();
    void take_error_output(std::string_view piece);

    net::Loop& loop_;
    Log log_;
    MessageLimits limits_;
    LineFraming framing_;
    std::string error_line_;  // of standard error, not yet ended
    std::string last_error_;  // the last whole one
    LogQuota says_;
    std::string end_ = "has ended";
    Channel<Incoming> inbox_;
    std::deque<Line> outbox_;
    std::size_t outbox_bytes_ = 0;
    bool writing_ = false;
    bool ended_ = false;
    net::Process process_;
    AsyncScope scope_;
};

}  // namespace cadre::mcp
