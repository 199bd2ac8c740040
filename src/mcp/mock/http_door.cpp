#include "mcp/mock/http_door.hpp"

#include "base/async.hpp"
#include "base/base64.hpp"
#include "base/cancel.hpp"
#include "base/id.hpp"
#include "base/json.hpp"
#include "base/timeout.hpp"
#include "mcp/http_headers.hpp"
#include "mcp/members.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace cadre::mcp::mock {

namespace {

constexpr std::size_t kMostSessions = 1000;

/// `127.0.0.1:8080`, `[::1]`: what a page in a browser that was sent here under another name cannot say.
bool is_loopback(std::string_view host)
{
    const std::size_t end = host.starts_with('[') ? host.find(']') + 1 : host.find(':');
    const std::string_view name = host.substr(0, end);
    return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

bool is_local(const net::HttpHeaders& headers)
{
    const auto host = net::find_header(headers, "Host");
    const auto origin = net::find_header(headers, "Origin");
    if (!host || !is_loopback(*host)) return false;
    return !origin || (origin->starts_with("http://") && is_loopback(origin->substr(7)));
}

net::HttpAnswer refusal(int status, std::optional<Id> id, std::int64_t code, std::string message)
{
    const Response response{.id = std::move(id), .outcome = RpcError{.code = code, .message = std::move(message)}};
    return net::json_answer(status, to_text(response));
}

/// What a modern request says in its headers has to be what it says in its body.
std::optional<std::string> header_mismatch(const Request& request, const net::HttpHeaders& headers, const Tools& tools)
{
    const json::object* meta = object_in(request.params, "_meta");
    const std::string_view version = meta ? text_in(*meta, kMetaVersion) : std::string_view();
    if (version.empty()) return std::nullopt;  // that is said first
    net::HttpHeaders expected = standard_headers(version, request.method, request.params);
    const json::object* schema =
        request.method == "tools/call" ? tools.find_schema(text_in(request.params, "name")) : nullptr;
    const json::object* arguments = object_in(request.params, "arguments");
    if (schema && arguments)
        for (net::HttpHeader& header : parameter_headers(*schema, *arguments)) expected.push_back(std::move(header));
    for (const net::HttpHeader& header : expected) {
        const auto given = net::find_header(headers, header.name);
        if (given == header.value || given == "=?base64?" + to_base64(header.value) + "?=") continue;
        return fmt::format("the header {} {}", header.name, given ? "says something else than the body" : "is missing");
    }
    return std::nullopt;
}

}  // namespace

struct HttpDoor::Legacy {
    std::string id;
    Session session{};
    std::uint64_t stream = 0;  // the newest one counts
    bool over = false;
    std::map<std::string, CancelScope*> playing{};  // by the ids of requests
};

/// While it lives, the request can be cancelled by its id.
class HttpDoor::Playing {
public:
    Playing(Shared legacy, std::string id, CancelScope& scope)
        : legacy_(std::move(legacy)), id_(std::move(id)), scope_(scope)
    {
        legacy_->playing[id_] = &scope_;
    }
    Playing(const Playing&) = delete;
    Playing& operator=(const Playing&) = delete;
    ~Playing()
    {
        const auto found = legacy_->playing.find(id_);
        if (found != legacy_->playing.end() && found->second == &scope_)
            legacy_->playing.erase(found);  // ids may come twice
    }

private:
    Shared legacy_;
    std::string id_;
    CancelScope& scope_;
};

HttpDoor::HttpDoor(MockServer& server, std::function<void(int code)> exit) : server_(server), exit_(std::move(exit))
{}

HttpDoor::~HttpDoor() = default;

Async<> HttpDoor::handle(net::HttpExchange& exchange)
{
    const net::HttpHead& head = exchange.head();
    if (!is_local(head.headers)) throw net::HttpRefusal(403, Code::forbidden, "only for programs of this machine");
    if (head.path != kPath) throw net::HttpRefusal(404, Code::not_found, fmt::format("the server is at {}", kPath));
    if (head.method == "POST") co_await post(exchange);
    else if (head.method == "GET") co_await get(exchange);
    else if (head.method == "DELETE") co_await remove(exchange);
    else throw net::HttpRefusal(405, Code::invalid, "only POST, GET and DELETE are served");
}

Async<> HttpDoor::post(net::HttpExchange& exchange)
{
    const std::string body = co_await read_all(exchange);
    std::vector<Message> messages;
    Reaction refused;
    try {
        messages = read_messages(body);
        if (messages.size() != 1) throw Error(Code::malformed, "no JSON-RPC message: it is a list of them");
    } catch (const Error& error) {
        messages.clear();
        refused = MockServer::refuse(error);
    }
    if (messages.empty()) {
        co_await exchange.reply(net::json_answer(400, std::move(refused.steps.front().line)));
        co_return;
    }
    Message message = std::move(messages.front());
    const auto version = net::find_header(exchange.head().headers, "MCP-Protocol-Version");
    const auto* request = std::get_if<Request>(&message);
    const bool modern =
        server_.options().modern && (version == kModernVersion || (request && server_.is_modern(*request)));
    if (modern) co_await post_modern(exchange, std::move(message));
    else co_await post_legacy(exchange, std::move(message));
}

Async<> HttpDoor::post_modern(net::HttpExchange& exchange, Message message)
{
    Session session{.modern = true};
    const auto* request = std::get_if<Request>(&message);
    auto mismatch = request ? header_mismatch(*request, exchange.head().headers, server_.tools()) : std::nullopt;
    if (mismatch) {
        co_await exchange.reply(refusal(400, request->id, kHeaderMismatch, std::move(*mismatch)));
        co_return;
    }
    Reaction reaction = server_.receive(message, session);
    co_await play(exchange, std::move(reaction), {}, session);
}

Async<> HttpDoor::post_legacy(net::HttpExchange& exchange, Message message)
{
    const auto* request = std::get_if<Request>(&message);
    const std::optional<Id> id = request ? std::optional(request->id) : std::nullopt;
    const bool greets = request && request->method == "initialize" && server_.options().legacy;
    const auto version = net::find_header(exchange.head().headers, "MCP-Protocol-Version");
    const bool known = !version || std::ranges::find(kLegacyVersions, *version) != kLegacyVersions.end();
    Shared legacy = greets ? begin_session() : find_session(exchange);
    if (!legacy || (!known && !greets)) {
        const bool named = net::find_header(exchange.head().headers, "Mcp-Session-Id").has_value();
        std::string why = legacy  ? "unsupported MCP-Protocol-Version"
                          : named ? "the session is over"
                                  : "Mcp-Session-Id is missing";
        co_await exchange.reply(refusal(named && !legacy ? 404 : 400, id, -32600, std::move(why)));
        co_return;
    }
    Reaction reaction = server_.receive(message, legacy->session);
    if (reaction.cancels) {
        const auto playing = legacy->playing.find(to_text(*reaction.cancels));
        if (playing != legacy->playing.end()) playing->second->cancel();
    }
    net::HttpHeaders more;
    if (greets) more.push_back({"Mcp-Session-Id", legacy->id});
    if (!request) {
        co_await exchange.reply({.status = 202});
        co_return;
    }
    co_await play_until_cancelled(exchange, std::move(reaction), std::move(more), legacy, to_text(*id));
}

/// Who goes away has not cancelled anything in this era; who says so has.
Async<> HttpDoor::play_until_cancelled(net::HttpExchange& exchange, Reaction reaction, net::HttpHeaders more,
                                       Shared legacy, std::string id)
{
    const Context& outer = co_await this_context();
    CancelScope scope(outer.scope);
    Context inner = outer;
    inner.scope = &scope;
    const Playing playing(legacy, id, scope);
    {
        Async<> work = play(exchange, std::move(reaction), std::move(more), legacy->session);
        try {
            co_await std::move(work).under(inner);
            co_return;
        } catch (const Cancelled&) {
            if (outer.scope && outer.scope->cancelled()) throw;
        }
    }
    if (!exchange.answered()) co_await exchange.begin(200, net::event_stream_headers());
}

Async<> HttpDoor::play(net::HttpExchange& exchange, Reaction reaction, net::HttpHeaders more, const Session& session)
{
    const auto lines = std::ranges::count_if(reaction.steps, [](const Step& step) { return !step.line.empty(); });
    const bool streams = lines > 1 || (lines == 1 && reaction.holds);
    std::uint64_t seen = changes_;
    for (Step& step : reaction.steps) {
        if (step.pause > Millis{0}) co_await sleep_for(step.pause);
        if (step.exit) exit_(*step.exit);
        if (step.line.empty()) continue;
        if (!streams) {
            net::HttpAnswer answer = net::json_answer(reaction.status, std::move(step.line));
            answer.headers.insert(answer.headers.end(), more.begin(), more.end());
            co_await exchange.reply(std::move(answer));
            continue;
        }
        if (!exchange.answered()) {
            net::HttpHeaders headers = net::event_stream_headers();
            headers.insert(headers.end(), more.begin(), more.end());
            co_await exchange.begin(200, std::move(headers));
        }
        co_await exchange.write(net::event_text(step.line));
    }
    if (reaction.changed) announce();
    if (reaction.steps.empty() && !reaction.holds) co_await exchange.reply({.status = reaction.status});
    while (reaction.holds) {
        while (seen == changes_) co_await changed_.wait();
        ++seen;
        for (const std::string& line :
             session.listening.empty() ? std::vector<std::string>{} : MockServer::notices(session))
            co_await exchange.write(net::event_text(line));
    }
}

/// The stream for what belongs to no request. A second one takes the place of the first, whose client may be gone unnoticed.
Async<> HttpDoor::get(net::HttpExchange& exchange)
{
    const Shared legacy = find_session(exchange);
    const bool named = net::find_header(exchange.head().headers, "Mcp-Session-Id").has_value();
    if (!named) throw net::HttpRefusal(405, Code::invalid, "there is no stream without a session");
    if (!legacy) throw net::HttpRefusal(404, Code::not_found, "the session is over");
    const std::uint64_t own = ++legacy->stream;
    changed_.notify();
    std::uint64_t seen = changes_;
    co_await exchange.begin(200, net::event_stream_headers());
    while (!legacy->over && legacy->stream == own) {
        if (seen == changes_) {
            co_await changed_.wait();
            continue;
        }
        ++seen;
        for (const std::string& line : MockServer::notices(legacy->session))
            co_await exchange.write(net::event_text(line));
    }
}

Async<> HttpDoor::remove(net::HttpExchange& exchange)
{
    const Shared legacy = find_session(exchange);
    const bool named = net::find_header(exchange.head().headers, "Mcp-Session-Id").has_value();
    if (!named) throw net::HttpRefusal(405, Code::invalid, "there is nothing to end without a session");
    if (!legacy) throw net::HttpRefusal(404, Code::not_found, "the session is over");
    legacy->over = true;
    std::erase_if(sessions_, [&](const auto& one) { return one.second == legacy; });
    changed_.notify();
    co_await exchange.reply({.status = 204});
}

HttpDoor::Shared HttpDoor::begin_session()
{
    if (sessions_.size() >= kMostSessions) {
        sessions_.front().second->over = true;
        sessions_.erase(sessions_.begin());
        changed_.notify();
    }
    auto made = std::make_shared<Legacy>(Legacy{.id = to_string(new_id())});
    sessions_.emplace_back(made->id, made);
    return made;
}

HttpDoor::Shared HttpDoor::find_session(net::HttpExchange& exchange) const
{
    const auto id = net::find_header(exchange.head().headers, "Mcp-Session-Id");
    if (!id) return nullptr;
    const auto found = std::ranges::find_if(sessions_, [&](const auto& one) { return one.first == *id; });
    return found == sessions_.end() ? nullptr : found->second;
}

void HttpDoor::announce()
{
    ++changes_;
    changed_.notify();
}

}  // namespace cadre::mcp::mock
