#include "mcp/server.hpp"

#include "base/timeout.hpp"
#include "mcp/members.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::mcp {

namespace {

using model::framework::TransportType;

/// One that lived for less has failed.
constexpr Millis kSettled{10'000};
constexpr Millis kFirstBackoff{500}, kLongestBackoff{60'000};
/// From then on nobody waits for the next attempt.
constexpr int kPatientFailures = 3;
/// More are of no use to any agent, and each has a schema to be read.
constexpr std::size_t kMaxTools = 2'000;
/// A list is not asked for at every call, also where the server says that it may change at any time; that it has changed, it can say.
constexpr Millis kFresh{5'000};

Millis rest_after(int failures)
{
    if (failures <= 0) return Millis{0};
    return std::min(kFirstBackoff * (1 << std::min(failures - 1, 10)), kLongestBackoff);
}

Level level_of(std::string_view word)
{
    if (word == "debug" || word == "info" || word == "notice") return Level::info;
    return word == "warning" ? Level::warning : Level::error;
}

}  // namespace

Server::Server(Loop& loop, ServerEntry entry, Connect connect, Log log)
    : loop_(loop),
      entry_(std::move(entry)),
      connect_(std::move(connect)),
      log_(log.with("server", entry_.name)),
      scope_(loop)
{}

Server::~Server() = default;

Async<std::shared_ptr<Client>> Server::client()
{
    while (true) {
        if (closed_)
            throw tools::NotDispatched(Code::unavailable, fmt::format("MCP server {} was closed", entry_.name));
        if (client_ && client_->is_open()) co_return client_;
        if (client_) note_end();
        if (!starting_) {
            if (failures_ >= kPatientFailures && loop_.now() < next_try_)
                throw tools::NotDispatched(
                    Code::unavailable,
                    fmt::format("MCP server {} does not work: {}; it is tried again in {}", entry_.name, problem_,
                                cadre::to_text(std::chrono::ceil<Millis>(next_try_ - loop_.now()))));
            starting_ = true;
            scope_.spawn(start());
        }
        if (starting_) co_await changed_.wait();
        if (!client_ && !closed_) throw tools::NotDispatched(problem_code_, problem_);
    }
}

/// It has ended by itself.
void Server::note_end()
{
    const bool was_short = loop_.now() - opened_ < kSettled;
    failures_ = was_short ? failures_ + 1 : 1;
    next_try_ = later(loop_.now(), rest_after(failures_));
    problem_ = fmt::format("MCP server {} ended", entry_.name);
    log_.warning("the server has ended", {{"failures", failures_}});
    scope_.spawn(put_away(std::exchange(client_, nullptr)));
}

Async<> Server::put_away(std::shared_ptr<Client> old)
{
    co_await old->close();
}

Async<> Server::start()
{
    try {
        if (loop_.now() < next_try_) co_await sleep_until(next_try_);
        ++starts_;
        client_ = co_await connect();
        opened_ = loop_.now();
        watch(*client_);
        const ServerFacts& facts = client_->facts();
        log_.info("the server is ready",
                  {{"name", facts.name}, {"version", facts.server_version}, {"protocol", facts.version}});
    } catch (const Error& error) {
        ++failures_;
        next_try_ = later(loop_.now(), rest_after(failures_));
        problem_ = error.what();
        problem_code_ = error.code();
        log_.warning("the server cannot be used", {{"why", problem_}, {"failures", failures_}});
    }
    starting_ = false;
    changed_.notify();
}

/// Newest way first, then what is older; what worked is remembered.
Async<std::shared_ptr<Client>> Server::connect()
{
    const TransportType kind = works_.value_or(entry_.transport);
    if (kind != TransportType::streamable_http) {
        const std::optional<Era> era = kind == TransportType::sse ? std::optional(Era::legacy) : std::nullopt;
        co_return co_await greet(kind, era);
    }
    std::string why;
    try {
        auto made = co_await greet(kind, era_);
        era_ = made->facts().era;
        works_ = kind;
        co_return made;
    } catch (const WrongTransport& wrong) {
        why = wrong.what();
        era_.reset();
    }
    try {
        auto made = co_await greet(TransportType::sse, Era::legacy);
        works_ = TransportType::sse;
        co_return made;
    } catch (const Error&) {
        throw Error(Code::upstream, why);  // about what the entry says, not about our last resort
    }
}

/// Who makes one knows no servers; from then on the client names its server in all that it throws.
std::unique_ptr<Transport> Server::transport(TransportType kind)
{
    try {
        return connect_(kind);
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("MCP server {}: {}", entry_.name, error.what()), error.hint());
    }
}

Async<std::shared_ptr<Client>> Server::greet(TransportType kind, std::optional<Era> era)
{
    ClientOptions options = entry_.client;
    options.server = entry_.name;
    options.era = era;
    auto made = std::make_shared<Client>(loop_, transport(kind), std::move(options), log_);
    std::exception_ptr failure;
    try {
        co_await made->open();
        co_return made;
    } catch (...) {
        failure = std::current_exception();
    }
    scope_.spawn(put_away(std::move(made)));
    std::rethrow_exception(failure);
}

void Server::watch(Client& client)
{
    client.on_changed = [this](ListKind kind) {
        if (kind == ListKind::tools) fresh_until_ = {};
    };
    client.on_log = [this](std::string_view level, std::string_view logger, std::string_view text) {
        const std::uint64_t left_out = says_.left_out();
        if (!says_.take(loop_.now())) return;
        if (left_out > 0) log_.warning("the server said more than is kept", {{"lines", left_out}});
        const LogFields fields = {{"logger", logger}, {"text", text}};
        switch (level_of(level)) {
        case Level::error: return log_.error("the server says", fields);
        case Level::warning: return log_.warning("the server says", fields);
        default: return log_.info("the server says", fields);
        }
    };
}

Async<std::shared_ptr<const std::vector<ListedTool>>> Server::tools()
{
    const auto ready = co_await client();
    if (tools_ && ready == listed_by_.lock() && loop_.now() < fresh_until_) co_return tools_;
    const auto listed = co_await with_timeout(ready->list(ListKind::tools), entry_.client.greeting,
                                              fmt::format("MCP server {}, asked for its tools,", entry_.name));
    // most lists say what the one before did, and to read one takes longer than to compare
    if (!tools_ || (listed != listed_ && *listed != *listed_))
        tools_ = std::make_shared<const std::vector<ListedTool>>(read_tools(*listed));
    listed_ = listed;
    listed_by_ = ready;
    fresh_until_ = later(loop_.now(), kFresh);
    co_return tools_;
}

std::vector<ListedTool> Server::read_tools(const json::array& listed) const
{
    std::vector<ListedTool> all;
    std::set<std::string> names;
    for (const json::value& value : listed) {
        if (all.size() == kMaxTools) {
            log_.warning("the server has too many tools",
                         {{"tools", std::uint64_t{listed.size()}}, {"used", std::uint64_t{kMaxTools}}});
            break;
        }
        Described described = read_definition(value.get_object(), entry_.name, entry_.trusted);
        if (described.tool && !names.insert(described.tool->name).second)
            described = {.problem = "its name is there twice"};
        if (described.tool) {
            all.push_back({std::move(*described.tool), definition_hash(value.get_object())});
            continue;
        }
        const std::string_view name = text_in(value.get_object(), "name");
        log_.warning("a tool cannot be used", {{"tool", name.substr(0, 128)}, {"why", described.problem}});
    }
    return all;
}

Async<> Server::close()
{
    closed_ = true;
    changed_.notify();
    if (client_) co_await std::exchange(client_, nullptr)->close();
    co_await scope_.close();
}

}  // namespace cadre::mcp
