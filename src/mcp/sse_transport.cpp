#include "mcp/sse_transport.hpp"

#include "base/timeout.hpp"
#include "net/sse.hpp"
#include "net/url.hpp"

#include <fmt/core.h>

#include <limits>

namespace cadre::mcp {

namespace {

constexpr std::size_t kOutbox = 1024;
constexpr std::size_t kAnswer = 64 << 10;

std::string origin_of(const net::Url& url)
{
    return (url.tls ? "https://" : "http://") + url.authority();
}

std::int64_t id_of(const Outgoing& message)
{
    const auto* request = std::get_if<Request>(&message.message);
    return request ? std::get<std::int64_t>(request->id) : 0;
}

}  // namespace

std::string endpoint_url(const std::string& stream_url, std::string_view said)
{
    const net::Url base = net::url_from(stream_url);
    const bool absolute = said.starts_with("http://") || said.starts_with("https://");
    std::string url;
    if (absolute) url = said;
    else if (said.starts_with('/')) url = origin_of(base) + std::string(said);
    else {
        const std::string path = base.target.substr(0, base.target.find('?'));
        url = origin_of(base) + path.substr(0, path.rfind('/') + 1) + std::string(said);
    }
    if (said.starts_with("//") || origin_of(net::url_from(url)) != origin_of(base))
        throw Error(Code::forbidden, "wants its messages sent to another place than " + base.origin());
    return url;
}

SseTransport::SseTransport(Loop& loop, net::Http& http, HttpPlace place, Log log, MessageLimits limits)
    : http_(http), place_(std::move(place)), log_(std::move(log)), limits_(limits), inbox_(kInbox), scope_(loop)
{
    scope_.spawn(read());
}

SseTransport::~SseTransport() = default;

void SseTransport::send(Outgoing message)
{
    if (ended_ || outbox_.size() >= kOutbox) {
        const std::int64_t id = id_of(message);
        if (id != 0) inbox_.try_send(Lost{.id = id, .code = Code::unavailable, .text = end_, .dispatched = false});
        return;
    }
    outbox_.push_back(std::move(message));
    if (!posting_ && !endpoint_.empty()) scope_.spawn(post());
}

bool SseTransport::abandon(std::int64_t id) noexcept
{
    return std::erase_if(outbox_, [&](const Outgoing& one) { return id_of(one) == id; }) > 0;
}

/// One after the other: the order of messages matters.
Async<> SseTransport::post()
{
    posting_ = true;
    while (!outbox_.empty() && !ended_) {
        Outgoing message = std::move(outbox_.front());
        outbox_.pop_front();
        Lost lost{.id = id_of(message)};
        try {
            net::HttpRequest request{.method = "POST", .url = endpoint_, .headers = place_.headers};
            request.headers.push_back({"Content-Type", "application/json"});
            request.headers.insert(request.headers.end(), message.headers.begin(), message.headers.end());
            request.body = to_text(std::move(message.message));
            auto reply = co_await http_.send(std::move(request));
            co_await read_some(*reply, kAnswer);
            if (reply->status() >= 200 && reply->status() < 300) continue;
            lost.status = reply->status();
            lost.text = refusal_text(lost.status);
        } catch (const net::HttpError& error) {
            lost.code = error.code();
            lost.text = error.what();
            lost.dispatched = error.dispatched();
        }
        if (lost.id == 0) continue;
        Incoming next = std::move(lost);
        co_await inbox_.send(std::move(next));
    }
    posting_ = false;
}

Async<> SseTransport::read()
{
    try {
        co_await read_events();
        end_ = "closed its stream";
    } catch (const Error& error) {
        end_ = error.what();
    }
    ended_ = true;
    for (const Outgoing& message : outbox_)
        if (const std::int64_t id = id_of(message); id != 0)
            inbox_.try_send(Lost{.id = id, .code = Code::unavailable, .text = end_, .dispatched = false});
    outbox_.clear();
    inbox_.close();
}

Async<> SseTransport::read_events()
{
    net::HttpRequest request{.method = "GET", .url = place_.url, .headers = place_.headers};
    request.patience.idle = Millis::max();
    request.largest = std::numeric_limits<std::size_t>::max();
    request.headers.push_back({"Accept", "text/event-stream"});
    auto reply = co_await http_.send(std::move(request));
    if (reply->status() != 200) throw Error(Code::upstream, refusal_text(reply->status()));
    net::SseDecoder decoder({.line = limits_.bytes, .event = limits_.bytes});
    while (true) {
        const auto piece = co_await reply->read();
        if (!piece) co_return;
        const std::string kept(*piece);  // taking an event may wait
        decoder.feed(kept);
        while (const auto event = decoder.next())
            co_await take_event(std::string(event->type), std::string(event->data));
    }
}

Async<> SseTransport::take_event(std::string type, std::string data)
{
    if (type == "endpoint") {
        if (endpoint_.empty()) endpoint_ = endpoint_url(place_.url, data);
        if (!posting_ && !outbox_.empty()) scope_.spawn(post());
        co_return;
    }
    if (type != "message" || data.empty()) co_return;
    std::vector<Message> messages;
    try {
        messages = read_messages(data, limits_);
    } catch (const Error& error) {
        log_.debug("an event is not a message", {{"why", error.what()}});
    }
    for (Message& message : messages) {
        Incoming next = Arrived{std::move(message), std::nullopt};
        co_await inbox_.send(std::move(next));
    }
}

Async<std::optional<Incoming>> SseTransport::receive()
{
    co_return co_await inbox_.receive();
}

Async<> SseTransport::close()
{
    co_await scope_.close();
    inbox_.close();
}

}  // namespace cadre::mcp
