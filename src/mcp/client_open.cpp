#include "base/timeout.hpp"
#include "base/utf8.hpp"
#include "mcp/client.hpp"
#include "mcp/members.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::mcp {

namespace {

constexpr std::size_t kInstructions = 64 << 10;

std::string short_text(const json::object& object, std::string_view name, std::size_t longest)
{
    return std::string(utf8_prefix(text_in(object, name), longest));
}

json::object copy_of(const json::object* object)
{
    return object ? *object : json::object{};
}

bool lists_modern(const json::array* versions)
{
    return versions && std::ranges::any_of(*versions, [](const json::value& one) {
               return one.is_string() && one.get_string() == kModernVersion;
           });
}

/// What a server that does not take our version says about those that it takes.
const json::array* supported_in(const RpcError& error)
{
    return error.data && error.data->is_object() ? array_in(error.data->get_object(), "supported") : nullptr;
}

void take_info(ServerFacts& facts, const json::object* info)
{
    if (!info) return;
    facts.name = short_text(*info, "name", 200);
    facts.title = short_text(*info, "title", 200);
    facts.server_version = short_text(*info, "version", 200);
}

/// An address that answers so to `initialize` speaks something else.
bool is_wrong_transport(int status)
{
    return status == 400 || status == 404 || status == 405;
}

}  // namespace

json::object Client::capabilities() const
{
    json::object offered;
    if (!options_.roots.empty()) offered["roots"] = json::object{};
    if (options_.sampling) offered["sampling"] = json::object{};
    if (options_.elicitation) offered["elicitation"] = {{"form", json::object{}}, {"url", json::object{}}};
    if (modern_) offered["extensions"] = {{kTasksExtension, json::object{}}};
    return offered;
}

json::object Client::client_info() const
{
    return {{"name", "cadre"}, {"version", options_.version}};
}

Async<> Client::open()
{
    co_await with_timeout(greet(), options_.greeting, fmt::format("the greeting of MCP server {}", options_.server));
    ++session_;
    stale_ = false;
    connection_.abandoning_is_enough = modern_ && connection_.is_http();
    if (options_.listens && modern_ && wants_changes()) scope_.spawn(listen());
    if (!modern_ && !options_.log_level.empty() && offers("logging")) {
        json::object params{{"level", options_.log_level}};
        net::HttpHeaders with = headers("logging/setLevel", params);
        connection_.tell("logging/setLevel", std::move(params), std::move(with));
    }
}

Async<> Client::greet()
{
    if (options_.era != Era::legacy && co_await greet_modern()) co_return;
    if (facts_.era == Era::modern && !facts_.version.empty()) co_return;  // found out late
    co_await greet_legacy();
}

/// False: it does not know what modern servers know. Unreachable servers throw.
Async<bool> Client::greet_modern()
{
    for (bool again = false;; again = true) {
        modern_ = true;
        facts_.version = kModernVersion;
        json::object params;
        add_meta(params, {});
        ExchangeOptions options{
            .idle = options_.greeting, .headers = headers("server/discover", params), .tells_end = false};
        Exchange discovery(connection_, "server/discover", std::move(params), std::move(options));
        // over HTTP every request gets an answer; a process may be one that ignores what it does not know
        const Instant due = connection_.is_http() ? kNever : later(loop_.now(), options_.probe);
        if (!co_await discovery.wait(due)) {
            co_await greet_legacy_or_late(discovery);
            co_return true;
        }
        bool retry = false;
        try {
            const json::object result = co_await discovery.answer();
            if (take_discovery(result)) co_return true;
        } catch (const ServerError& error) {
            if (error.status() == 401 || error.status() == 403) throw;
            const std::int64_t code = error.error().code;
            if (code == kUnsupportedVersion) retry = !again && lists_modern(supported_in(error.error()));
            else if (is_modern_error(code)) throw;
        }
        modern_ = false;
        facts_ = {};
        if (!retry) co_return false;
    }
}

/// Asked twice: whatever is understood first counts.
Async<> Client::greet_legacy_or_late(Exchange& discovery)
{
    modern_ = false;
    facts_ = {};
    std::exception_ptr refused;
    try {
        co_await greet_legacy();
        co_return;
    } catch (const ServerError&) {
        refused = std::current_exception();
    }
    if (co_await discovery.wait(later(loop_.now(), options_.probe))) {
        modern_ = true;
        const json::object result = co_await discovery.answer();
        if (take_discovery(result)) co_return;
    }
    modern_ = false;
    std::rethrow_exception(refused);
}

bool Client::take_discovery(const json::object& result)
{
    if (!lists_modern(array_in(result, "supportedVersions"))) return false;
    facts_ = {.era = Era::modern,
              .version = std::string(kModernVersion),
              .instructions = short_text(result, "instructions", kInstructions),
              .capabilities = copy_of(object_in(result, "capabilities"))};
    const json::object* meta = object_in(result, "_meta");
    const json::object* info = meta ? object_in(*meta, kMetaServer) : nullptr;
    take_info(facts_, info ? info : object_in(result, "serverInfo"));
    connection_.transport().established(facts_.era, facts_.version);
    return true;
}

Async<> Client::greet_legacy()
{
    json::object params{
        {"protocolVersion", kLegacyVersions.front()}, {"capabilities", capabilities()}, {"clientInfo", client_info()}};
    ExchangeOptions options{.idle = options_.greeting, .tells_end = false};
    Exchange initialize(connection_, "initialize", std::move(params), std::move(options));
    try {
        const json::object result = co_await initialize.answer();
        take_greeting(result);
    } catch (const ServerError& error) {
        if (is_wrong_transport(error.status())) throw WrongTransport(error.code(), error.what());
        throw;
    }
    connection_.notify("notifications/initialized", {}, headers("notifications/initialized", {}));
    connection_.transport().established(facts_.era, facts_.version);
}

void Client::take_greeting(const json::object& result)
{
    const std::string version = short_text(result, "protocolVersion", 100);
    if (std::ranges::find(kLegacyVersions, version) == kLegacyVersions.end())
        throw Error(Code::upstream,
                    fmt::format("MCP server {} wants to speak version {} of the protocol; we know {} to {}",
                                options_.server, in_quotes(version), kLegacyVersions.back(), kModernVersion));
    facts_ = {.era = Era::legacy,
              .version = version,
              .instructions = short_text(result, "instructions", kInstructions),
              .capabilities = copy_of(object_in(result, "capabilities"))};
    take_info(facts_, object_in(result, "serverInfo"));
}

/// A new session in place of `session`, whoever notices first that it is over.
Async<> Client::reopen(int session)
{
    const auto turn = co_await opening_.lock();
    if (session_ != session) co_return;
    log_.info("the session is over: greeting the server again", {{"server", options_.server}});
    lists_ = {};
    facts_ = {};
    co_await with_timeout(greet_legacy(), options_.greeting,
                          fmt::format("the greeting of MCP server {}", options_.server));
    ++session_;
    stale_ = false;
}

}  // namespace cadre::mcp
