#include "mcp/http_transport.hpp"

#include "base/timeout.hpp"
#include "net/sse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace cadre::mcp {

namespace {

constexpr std::size_t kFailure = 64 << 10;
constexpr Millis kRetry{1'000}, kLongestRetry{60'000};
constexpr int kMaxResumes = 8;
constexpr Millis kFarewell{2'000};
/// For the end of a stream whose answer has come: a connection that is read to its end can be used again.
constexpr Millis kEndPatience{100};

bool is_type(const net::HttpReply& reply, std::string_view type)
{
    const auto header = net::find_header(reply.headers(), "Content-Type");
    return header && header->starts_with(type);
}

bool is_session_id(std::string_view text)
{
    return !text.empty() && text.size() <= 1024 &&
           std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

Async<> skip_rest(net::HttpReply& reply)
{
    while (co_await reply.read()) {}
}

Millis bounded(Millis retry)
{
    return std::clamp(retry, Millis{0}, kLongestRetry);
}

}  // namespace

std::string refusal_text(int status)
{
    const std::string http = fmt::format(" (HTTP {})", status);
    if (status == 401)
        return "wants to know who asks" + http +
               "; keep a token for it (`mcp login`), or give its entry ext.oauth or a header such as "
               "Authorization: Bearer ${TOKEN}";
    if (status == 403) return "does not let us in" + http;
    if (status >= 300 && status < 400) return "has moved" + http + "; write its new address into its entry";
    if (status == 429) return "is asked too often" + http;
    return fmt::format("answered with HTTP {}", status);
}

Async<std::string> read_some(net::HttpReply& reply, std::size_t most)
{
    std::string body;
    try {
        while (body.size() < most) {
            const auto piece = co_await reply.read();
            if (!piece) break;
            body += piece->substr(0, most - body.size());
        }
    } catch (const net::HttpError&) {  // NOLINT(bugprone-empty-catch): what came must do
    }
    co_return body;
}

HttpTransport::HttpTransport(Loop& loop, net::Http& http, HttpPlace place, Log log, MessageLimits limits)
    : loop_(loop),
      http_(http),
      place_(std::move(place)),
      log_(std::move(log)),
      limits_(limits),
      inbox_(kInbox),
      scope_(loop)
{}

HttpTransport::~HttpTransport() = default;

/// How long is nobody's business here: whoever waits for an answer gives up in time.
net::HttpRequest HttpTransport::request(std::string method) const
{
    net::HttpRequest made{.method = std::move(method), .url = place_.url, .headers = place_.headers};
    made.patience.first_byte = made.patience.idle = Millis::max();
    made.largest = std::numeric_limits<std::size_t>::max();  // streams go on; each message is limited
    if (!session_.empty()) made.headers.push_back({"Mcp-Session-Id", session_});
    return made;
}

void HttpTransport::send(Outgoing message)
{
    std::erase_if(posts_, [](const auto& post) { return post.second->size() == 0; });
    if (const auto* request = std::get_if<Request>(&message.message)) {
        const std::int64_t id = std::get<std::int64_t>(request->id);
        auto& scope = posts_[id];
        scope = std::make_unique<AsyncScope>(loop_);
        scope->spawn(post(std::move(message), id));
        return;
    }
    scope_.spawn(post(std::move(message), 0));
}

bool HttpTransport::abandon(std::int64_t id) noexcept
{
    posts_.erase(id);
    return false;
}

Async<> HttpTransport::post(Outgoing message, std::int64_t id)
{
    const auto* notification = std::get_if<Notification>(&message.message);
    const bool greets = notification && notification->method == "notifications/initialized";
    const auto* asks = std::get_if<Request>(&message.message);
    const bool begins = asks && asks->method == "initialize";
    if (begins) session_.clear();
    if (greets) greeting_ = true;
    while (id != 0 && greeting_) co_await settled_.wait();
    Lost lost{.id = id};
    bool failed = true;
    try {
        net::HttpRequest made = request("POST");
        const std::string session = session_;
        made.headers.push_back({"Content-Type", "application/json"});
        made.headers.push_back({"Accept", "application/json, text/event-stream"});
        made.headers.insert(made.headers.end(), message.headers.begin(), message.headers.end());
        made.body = to_text(std::move(message.message));
        auto reply = co_await http_.send(std::move(made));
        const auto given = net::find_header(reply->headers(), "Mcp-Session-Id");
        if (begins && given && is_session_id(*given)) session_ = *given;
        co_await take_reply(std::move(reply), id, session);
        failed = false;
    } catch (const net::HttpError& error) {
        lost.code = error.code();
        lost.text = error.what();
        lost.dispatched = error.dispatched();
    } catch (const Error& error) {
        lost.code = Code::upstream;
        lost.text = error.what();
    }
    if (greets) {
        greeting_ = false;
        settled_.notify();
    }
    if (failed && id != 0) {
        Incoming next = std::move(lost);
        co_await inbox_.send(std::move(next));
    }
}

Async<> HttpTransport::take_reply(std::unique_ptr<net::HttpReply> reply, std::int64_t id, std::string session)
{
    if (reply->status() < 200 || reply->status() >= 300) {
        Lost lost = co_await refusal(*reply, id, session);
        if (lost.session_over && session_ == session) session_.clear();
        if (id == 0) {
            log_.debug("a notification was refused", {{"status", reply->status()}});
            co_return;
        }
        Incoming next = std::move(lost);
        co_await inbox_.send(std::move(next));
        co_return;
    }
    if (is_type(*reply, "text/event-stream")) {
        co_await take_stream(std::move(reply), id);
        co_return;
    }
    const std::string body = co_await read_some(*reply, limits_.bytes + 1);
    if (id == 0 && body.empty()) co_return;
    if (id == 0 && !is_type(*reply, "application/json")) co_return;
    if (body.empty())
        throw Error(Code::upstream, fmt::format("took the request and did not answer it (HTTP {})", reply->status()));
    if (!co_await take_text(body, id) && id != 0) throw Error(Code::upstream, "answered something else");
}

/// Pushes the messages; true when the answer to `id` was among them. Throws Error.
Async<bool> HttpTransport::take_text(std::string_view text, std::int64_t id)
{
    std::vector<Message> messages;
    try {
        messages = read_messages(text, limits_);
    } catch (const Error& error) {
        throw Error(Code::upstream, fmt::format("sent {}", error.what()));
    }
    bool answered = false;
    for (Message& message : messages) {
        const auto* response = std::get_if<Response>(&message);
        if (response && response->id == Id(id)) answered = true;
        Incoming next = Arrived{std::move(message), id != 0 ? std::optional(id) : std::nullopt};
        co_await inbox_.send(std::move(next));
    }
    co_return answered;
}

Async<bool> HttpTransport::take_events(net::HttpReply& reply, std::int64_t id, Resume& resume)
{
    net::SseDecoder decoder({.line = limits_.bytes, .event = limits_.bytes});
    while (true) {
        const auto piece = co_await reply.read();
        if (!piece) co_return false;
        const std::string kept(*piece);  // pushing a message may wait
        decoder.feed(kept);
        while (const auto event = decoder.next()) {
            if (!event->id.empty()) resume.last_id = event->id;
            if (event->type != "message" || event->data.empty()) continue;
            const std::string data(event->data);
            if (co_await take_text(data, id)) {
                try {
                    co_await with_timeout(skip_rest(reply), kEndPatience, "the end of the stream");
                } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the connection is not used again, that is all
                }
                co_return true;
            }
        }
        if (!decoder.last_id().empty()) resume.last_id = decoder.last_id();
        if (decoder.retry()) resume.retry = decoder.retry();
    }
}

/// The stream of an answer. One that breaks off can be taken up again, where the server gives its events ids.
Async<> HttpTransport::take_stream(std::unique_ptr<net::HttpReply> reply, std::int64_t id)
{
    Resume resume;
    std::string broke = "ended its answer before it was whole";
    for (int failures = 0; failures <= kMaxResumes;) {
        if (reply) {
            try {
                if (co_await take_events(*reply, id, resume) || id == 0) co_return;
                failures = 0;
            } catch (const net::HttpError& error) {
                broke = error.what();
            }
        }
        reply.reset();
        if (era_ == Era::modern || resume.last_id.empty()) break;
        const Millis wait = bounded(resume.retry.value_or(kRetry) * (1 << std::min(failures, 6)));
        co_await sleep_for(wait);
        ++failures;
        try {
            net::HttpRequest again = request("GET");
            again.headers.push_back({"Accept", "text/event-stream"});
            again.headers.push_back({"Last-Event-ID", resume.last_id});
            if (!version_.empty()) again.headers.push_back({"MCP-Protocol-Version", version_});
            reply = co_await http_.send(std::move(again));
            const int status = reply->status();
            if (status >= 400 && status < 500) {
                broke = refusal_text(status);
                break;
            }
            if (status != 200 || !is_type(*reply, "text/event-stream")) reply.reset();
        } catch (const net::HttpError& error) {
            broke = error.what();
        }
    }
    if (id != 0) throw Error(Code::upstream, broke);
}

Async<Lost> HttpTransport::refusal(net::HttpReply& reply, std::int64_t id, const std::string& session)
{
    Lost lost{.id = id, .text = refusal_text(reply.status()), .status = reply.status()};
    const std::string body = co_await read_some(reply, kFailure);
    if (lost.status == 404 && !session.empty()) lost.session_over = true;
    try {
        for (Message& message : read_messages(body, limits_))
            if (auto* response = std::get_if<Response>(&message))
                if (auto* error = std::get_if<RpcError>(&response->outcome); error && error->code != kSenseless)
                    lost.error = std::move(*error);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): a page for people
    }
    co_return lost;
}

void HttpTransport::established(Era era, const std::string& version)
{
    era_ = era;
    version_ = version;
    stream_.reset();
    if (era == Era::modern) return;
    stream_ = std::make_unique<AsyncScope>(loop_);
    stream_->spawn(listen());
}

/// For what belongs to no request. Servers need not have it.
Async<> HttpTransport::listen()
{
    Resume resume;
    for (int failures = 0;;) {
        while (greeting_) co_await settled_.wait();
        const std::string session = session_;
        try {
            net::HttpRequest made = request("GET");
            made.headers.push_back({"Accept", "text/event-stream"});
            made.headers.push_back({"MCP-Protocol-Version", version_});
            if (!resume.last_id.empty()) made.headers.push_back({"Last-Event-ID", resume.last_id});
            auto reply = co_await http_.send(std::move(made));
            const int status = reply->status();
            if (status == 404 && !session.empty()) {
                if (session_ == session) session_.clear();
                Incoming over = Lost{.text = refusal_text(status), .session_over = true};
                co_await inbox_.send(std::move(over));
                co_return;
            }
            if (status < 500 && (status != 200 || !is_type(*reply, "text/event-stream"))) co_return;
            ++failures;
            if (status == 200) {
                co_await take_events(*reply, 0, resume);
                failures = 0;
            }
        } catch (const Error& error) {
            ++failures;
            log_.debug("the stream of a server broke off", {{"why", error.what()}});
        }
        const Millis wait = bounded(resume.retry.value_or(kRetry) * (1 << std::min(failures, 6)));
        co_await sleep_for(wait);
    }
}

Async<std::optional<Incoming>> HttpTransport::receive()
{
    co_return co_await inbox_.receive();
}

Async<> HttpTransport::close()
{
    stream_.reset();
    posts_.clear();
    co_await scope_.close();
    inbox_.close();
    if (session_.empty()) co_return;
    try {
        net::HttpRequest farewell = request("DELETE");
        if (!version_.empty()) farewell.headers.push_back({"MCP-Protocol-Version", version_});
        session_.clear();
        auto reply = co_await with_timeout(http_.send(std::move(farewell)), kFarewell, "the farewell");
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it ends the session by itself some day
    }
}

}  // namespace cadre::mcp
