#include "mcp/stdio_transport.hpp"

#include "base/redact.hpp"
#include "base/timeout.hpp"
#include "base/utf8.hpp"
#include "net/loop.hpp"
#include "tools/sandbox/sandboxed_plan.hpp"

#include <fmt/core.h>

#include <csignal>
#include <utility>

namespace cadre::mcp {

namespace {

constexpr std::size_t kPiece = 64 << 10;
/// What may wait for a server that does not read.
constexpr std::size_t kOutboxBytes = 64 << 20;
constexpr std::size_t kErrorLine = 4096;
/// Of its last line, where it is said how it ended.
constexpr std::size_t kLastWords = 200;
constexpr Millis kPatience{2'000};

std::string ending(const net::ProcessEnd& end)
{
    if (end.signal) return fmt::format("was ended by signal {}", *end.signal);
    return fmt::format("ended with exit code {}", end.exit_code);
}

net::ProcessPlan with_errors(net::ProcessPlan plan, std::function<void(std::string_view)> take)
{
    plan.on_error = std::move(take);
    return plan;
}

}  // namespace

StdioTransport::StdioTransport(net::Loop& loop, net::ProcessPlan plan, const std::string& server, Log log,
                               MessageLimits limits)
    : loop_(loop),
      log_(log.with("server", server)),
      limits_(limits),
      framing_(limits.bytes),
      inbox_(kInbox),
      process_(loop, with_errors(std::move(plan), [this](std::string_view piece) { take_error_output(piece); })),
      scope_(loop)
{
    scope_.spawn(read());
}

StdioTransport::~StdioTransport() = default;

int StdioTransport::pid() const
{
    return process_.pid();
}

void StdioTransport::send(Outgoing message)
{
    const auto* request = std::get_if<Request>(&message.message);
    const std::int64_t id = request ? std::get<std::int64_t>(request->id) : 0;
    std::string text = to_text(std::move(message.message)) + '\n';
    if (ended_ || outbox_bytes_ + text.size() > kOutboxBytes) {
        Lost lost{.id = id,
                  .code = Code::unavailable,
                  .text = ended_ ? end_ : "does not read what it is sent",
                  .dispatched = false};
        if (id != 0) inbox_.try_send(std::move(lost));
        return;
    }
    outbox_bytes_ += text.size();
    outbox_.push_back({id, std::move(text)});
    if (!writing_) scope_.spawn(write());
}

Async<> StdioTransport::write()
{
    writing_ = true;
    while (!outbox_.empty()) {
        co_await yield();  // what others say in this turn goes out together: each write wakes the server up
        std::string lines;
        while (!outbox_.empty() && lines.size() < kPiece) {
            std::string& line = outbox_.front().text;
            outbox_bytes_ -= line.size();
            if (lines.empty()) lines = std::move(line);
            else lines += line;
            outbox_.pop_front();
        }
        if (!co_await process_.write(std::move(lines))) break;  // its end is noticed where it is read
    }
    writing_ = false;
}

bool StdioTransport::abandon(std::int64_t id) noexcept
{
    for (auto line = outbox_.begin(); line != outbox_.end(); ++line) {
        if (line->id != id) continue;
        outbox_bytes_ -= line->text.size();
        outbox_.erase(line);
        return true;
    }
    return false;
}

Async<> StdioTransport::read()
{
    try {
        co_await read_lines();
        end_ = "closed its output";
    } catch (const Error& error) {
        end_ = fmt::format("sent {}", error.what());
        process_.signal(SIGKILL);
    }
    try {
        const net::ProcessEnd end = co_await with_timeout(process_.end(), kPatience, "the process");
        if (end_ == "closed its output") end_ = ending(end);
        const std::string_view said = error_line_.empty() ? last_error_ : error_line_;
        if (!said.empty()) end_ += fmt::format(" (it last said: {})", redact(utf8_prefix(said, kLastWords)));
    } catch (const Error&) {
        process_.signal(SIGKILL);  // alive and mute
    }
    ended_ = true;
    for (const Line& line : outbox_)
        if (line.id != 0)
            inbox_.try_send(Lost{.id = line.id, .code = Code::unavailable, .text = end_, .dispatched = false});
    outbox_.clear();
    inbox_.close();
}

Async<> StdioTransport::read_lines()
{
    while (true) {
        const std::string piece = co_await process_.read(kPiece);
        if (piece.empty()) co_return;
        framing_.feed(piece);
        while (const auto line = framing_.next()) {
            std::vector<Message> messages;
            try {
                messages = read_messages(*line, limits_);
            } catch (const Error& error) {
                log_.debug("its output is not a message", {{"why", error.what()}});
            }
            for (Message& message : messages) {
                Incoming next = Arrived{std::move(message), std::nullopt};
                co_await inbox_.send(std::move(next));
            }
        }
    }
}

Async<std::optional<Incoming>> StdioTransport::receive()
{
    co_return co_await inbox_.receive();
}

void StdioTransport::take_error_output(std::string_view piece)
{
    for (const char c : piece) {
        if (c != '\n' && error_line_.size() < kErrorLine) error_line_ += c;
        if (c != '\n' || error_line_.empty()) continue;
        if (error_line_ == tools::kSandboxBegun) {  // said by its sandbox, not by it
            error_line_.clear();
            continue;
        }
        if (says_.take(loop_.now())) log_.info("the server says", {{"text", error_line_}});
        last_error_ = std::exchange(error_line_, {});
    }
}

Async<> StdioTransport::close()
{
    co_await scope_.close();
    if (!ended_) co_await process_.stop(kPatience);
}

}  // namespace cadre::mcp
