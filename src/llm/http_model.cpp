#include "llm/http_model.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/peer_text.hpp"
#include "base/timeout.hpp"
#include "llm/estimate.hpp"
#include "llm/gate.hpp"
#include "llm/price.hpp"
#include "llm/wire/anthropic_answer.hpp"
#include "llm/wire/failure.hpp"
#include "llm/wire/request.hpp"
#include "net/sse.hpp"
#include "text/tokens.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::llm {

namespace {

/// How often a vendor that pauses is asked to go on.
/// What vendors add of their own, generously: to a request, to each message or tool, and for a picture.
constexpr std::int64_t kTokensOfRequest = 64;
constexpr std::int64_t kTokensOfMessage = 16;
constexpr std::int64_t kTokensOfImage = 3000;
/// What is read of an answer that is a failure.
constexpr std::size_t kMaxFailure = 64 << 10;
/// Before an answer; some send them to keep a connection alive.
constexpr std::size_t kMaxBlanks = 1 << 20;
/// For the end of an answer that has already said that it is over: a connection that is read to its end can be used again.
constexpr Millis kEndPatience{100};

/// What the gate hears of a request: how it ended, or that whoever asked gave up.
class Verdict {
public:
    explicit Verdict(Gate* gate) : gate_(gate) {}
    Verdict(const Verdict&) = delete;
    Verdict& operator=(const Verdict&) = delete;
    ~Verdict()
    {
        if (gate_) gate_->withdraw();
    }
    void heard(int status, const net::HttpHeaders& headers)
    {
        if (gate_) gate_->learn(status, headers);
        if (status < 200 || status > 299) gate_ = nullptr;
    }
    void ended(bool well)
    {
        if (gate_) std::exchange(gate_, nullptr)->ended(well);
    }

private:
    Gate* gate_;
};

/// Notes whether anything was shown, and shows nothing of our own secrets.
class Shown final : public ChunkSink {
public:
    explicit Shown(ChunkSink& sink) : sink_(sink) {}

    void chunk(std::string_view text) noexcept override { pass(stream_.take(text)); }
    /// What was held back.
    void end() { pass(stream_.end()); }
    void throttled(Instant until) noexcept override { sink_.throttled(until); }

    bool any = false;

private:
    void pass(const std::string& text) noexcept
    {
        if (text.empty()) return;
        any = true;
        sink_.chunk(text);
    }

    ChunkSink& sink_;
    PeerStream stream_;
};

/// A vendor that repeats our key does not get it into the journal, onto the screen, or to another model.
void mask(Completion& completion)
{
    for (std::string* text :
         {&completion.text, &completion.reasoning, &completion.finish_reason, &completion.model, &completion.opaque})
        mask_peer(*text);
    for (model::ToolCall& call : completion.calls) {
        mask_peer(call.id);
        mask_peer(call.tool_name);
        mask_peer(call.args);
    }
}

/// A body as it comes: a stream of events, or a whole answer of vendors who do not stream. Its first character tells.
class Body {
public:
    Body(const Endpoint& endpoint, AnswerDecoder& decoder) : endpoint_(endpoint), decoder_(decoder) {}

    void feed(std::string_view piece)
    {
        if (kind_ == Kind::unknown) {
            start_ += piece;
            const auto first = start_.find_first_not_of(" \t\r\n");
            if (first == start_.npos && start_.size() > kMaxBlanks)
                throw malformed_answer(endpoint_, "it holds nothing but blanks");
            if (first == start_.npos) return;
            if (start_[first] == '<') throw page_answer(endpoint_);
            kind_ = start_[first] == '{' || start_[first] == '[' ? Kind::whole : Kind::stream;
            piece = std::string_view(start_).substr(kind_ == Kind::whole ? first : 0);
        }
        if (kind_ == Kind::stream) return feed_events(piece);
        if (whole_.size() + piece.size() > kMaxEvent) throw oversized_answer(endpoint_, "is read in one piece");
        whole_ += piece;
    }
    void end()
    {
        if (kind_ == Kind::whole) decoder_.whole(whole_);
    }

private:
    enum class Kind : unsigned char { unknown, stream, whole };

    void feed_events(std::string_view piece)
    {
        try {
            events_.feed(piece);
            while (const auto event = events_.next()) decoder_.event(event->type, event->data);
        } catch (const ModelError&) {
            throw;
        } catch (const Error&) {
            throw oversized_answer(endpoint_, "is read in one piece");
        }
    }

    const Endpoint& endpoint_;
    AnswerDecoder& decoder_;
    Kind kind_ = Kind::unknown;
    std::string start_;  // until something is in it
    net::SseDecoder events_{{.line = kMaxEvent, .event = kMaxEvent}};
    std::string whole_;
};

/// The beginning of a failure's body; that it breaks off changes nothing.
Async<std::string> read_failure(net::HttpReply& reply)
{
    std::string body;
    try {
        while (body.size() < kMaxFailure) {
            const auto piece = co_await reply.read();
            if (!piece) break;
            body += piece->substr(0, kMaxFailure - body.size());
        }
    } catch (const net::HttpError&) {
        // what came must do
    }
    co_return body;
}

Async<> skip_rest(net::HttpReply& reply)
{
    while (co_await reply.read()) {}
}

/// Reads until the answer is over or breaks off.
Async<> read_answer(net::HttpReply& reply, const Endpoint& endpoint, AnswerDecoder& decoder)
{
    Body body(endpoint, decoder);
    bool ended = false;
    try {
        while (!ended && !decoder.is_over()) {
            const auto piece = co_await reply.read();
            if (piece) body.feed(*piece);
            ended = !piece;
        }
        body.end();
    } catch (const net::HttpError& error) {
        if (!decoder.is_complete()) throw failure_of(endpoint, error);
        co_return;  // some never close
    }
    if (ended) co_return;
    try {
        co_await with_timeout(skip_rest(reply), kEndPatience, "the end of the answer");
    } catch (const Error&) {
        // the connection is not used again, that is all
    }
}

/// Of all texts of a request, and what vendors add of their own.
template <class Count>
std::int64_t sum_over(const Request& request, Count count)
{
    std::int64_t sum = kTokensOfRequest + count(request.instructions) + count(request.options.output_schema);
    for (const auto& message : request.messages) {
        sum += kTokensOfMessage + static_cast<std::int64_t>(message->images.size()) * kTokensOfImage;
        sum += count(message->text) + count(message->opaque);
        for (const model::ToolCall& call : message->calls) sum += count(call.tool_name) + count(to_text(call.args));
    }
    if (request.tools)
        for (const ToolSpec& tool : *request.tools)
            sum += kTokensOfMessage + count(tool.name) + count(tool.description) + count(tool.input_schema);
    return sum;
}

}  // namespace

std::string url_at(const Endpoint& endpoint, std::string_view path)
{
    const bool lacks_version =
        endpoint.vendor.api == model::ApiFamily::anthropic && !endpoint.base_url.ends_with("/v1");
    return fmt::format("{}{}{}", endpoint.base_url, lacks_version ? "/v1" : "", path);
}

net::HttpHeaders headers_for(const Endpoint& endpoint)
{
    const model::Provider& vendor = endpoint.vendor;
    const bool is_anthropic = vendor.api == model::ApiFamily::anthropic;
    net::HttpHeaders headers;
    if (is_anthropic) headers.push_back({"anthropic-version", "2023-06-01"});
    if (!endpoint.key.empty()) {
        const std::string key(endpoint.key.reveal());
        if (!vendor.key_header.empty()) headers.push_back({vendor.key_header, key});
        else if (is_anthropic) headers.push_back({"x-api-key", key});
        else headers.push_back({"Authorization", "Bearer " + key});
    }
    for (const auto& [name, value] : vendor.headers) headers.push_back({name, value});
    return headers;
}

HttpModel::HttpModel(net::Http& http, Endpoint endpoint, Gate* gate)
    : http_(http), endpoint_(std::move(endpoint)), gate_(gate)
{}

Async<Completion> HttpModel::complete(Request request, ChunkSink& sink)
{
    Shown shown(sink);
    try {
        Completion completion = co_await ask(request, shown);
        shown.end();
        mask(completion);
        co_return completion;
    } catch (const ModelError& error) {
        ModelFault fault = error.fault();
        fault.shown = fault.shown || shown.any;
        throw ModelError(error.code(), error.what(), fault);
    }
}

Async<Completion> HttpModel::ask(const Request& request, ChunkSink& sink)
{
    const ToolNames names(request.tools.get());
    net::HttpRequest asked = http_request(request, names);
    if (gate_)
        co_await gate_->enter(estimated_tokens(request) + max_tokens_of(endpoint_, request.options).value_or(0), sink);
    Verdict verdict(gate_);
    std::unique_ptr<net::HttpReply> reply;
    try {
        reply = co_await http_.send(std::move(asked));
    } catch (const net::HttpError& error) {
        verdict.heard(0, {});
        throw failure_of(endpoint_, error);
    }
    const int status = reply->status();
    verdict.heard(status, reply->headers());
    if (status < 200 || status > 299) {
        const std::string body = co_await read_failure(*reply);
        const Context& context = co_await this_context();
        throw failure_of(endpoint_, status, reply->headers(), body, context.loop->clock().now());
    }
    const auto decoder = decoder_for(endpoint_, names, sink);
    try {
        co_await read_answer(*reply, endpoint_, *decoder);
        Answer answer = decoder->take();
        answer.completion.usage = usage_of(request, answer);
        verdict.ended(true);
        co_return std::move(answer.completion);
    } catch (const ModelError& error) {
        // an answer that breaks off is none, whatever its status said
        if (error.code() == Code::rate_limited) verdict.heard(kTooManyRequests, {});
        else verdict.ended(false);
        throw;
    }
}

net::HttpRequest HttpModel::http_request(const Request& request, const ToolNames& names) const
{
    const bool is_anthropic = endpoint_.vendor.api == model::ApiFamily::anthropic;
    net::HttpRequest http{
        .method = "POST",
        .url = url_at(endpoint_, is_anthropic ? "/messages" : "/chat/completions"),
        .headers = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream, application/json"}},
        .body = body_for(endpoint_, request, names),
        .patience = {.connect = std::min(endpoint_.silence, net::HttpPatience{}.connect),
                     .first_byte = endpoint_.silence,
                     .idle = endpoint_.silence}};
    for (net::HttpHeader& header : headers_for(endpoint_)) http.headers.push_back(std::move(header));
    return http;
}

Usage HttpModel::usage_of(const Request& request, const Answer& answer) const
{
    Billed billed = answer.billed;
    // who says nothing, or that it was nothing, is not believed: a budget would never end
    const std::int64_t said = estimated_tokens(answer.completion);
    const bool counts_input = answer.counted && billed.input > 0;
    const bool counts_output = answer.counted && (billed.output > 0 || said == 0);
    if (!counts_input) billed.input = std::max<std::int64_t>(estimated_tokens(request), 1);
    if (!counts_output) billed.output = said;
    auto cost = answer.cost;
    if (!cost) cost = cost_of(endpoint_.facts, billed);
    return {.input = billed.input,
            .output = billed.output,
            .cached = billed.cached,
            .reasoning = answer.completion.usage.reasoning,
            .cost = cost.value_or(0),
            .estimated = !counts_input || !counts_output,
            .unpriced = !cost};
}

std::optional<Prices> HttpModel::prices() const
{
    const auto input = most_cost(endpoint_.facts, 1, 0);
    const auto output = most_cost(endpoint_.facts, 0, 1);
    if (!input || !output) return std::nullopt;
    return Prices{*input * std::max(1.0, endpoint_.facts.long_input_factor),
                  *output * std::max(1.0, endpoint_.facts.long_output_factor)};
}

std::int64_t HttpModel::most_input(const Request& request, std::int64_t enough) const
{
    const auto bytes = [](std::string_view text) { return static_cast<std::int64_t>(text.size()); };
    const std::int64_t ceiling = sum_over(request, bytes);  // of a token, at least one is its own
    if (ceiling <= enough || !endpoint_.facts.encoding) return ceiling;
    const auto encoding = text::find_encoding(*endpoint_.facts.encoding);
    return sum_over(request, [&](std::string_view text) {
        const text::TokenCount count = text::count_tokens(text, encoding);
        return count.estimated ? bytes(text) : static_cast<std::int64_t>(count.tokens);
    });
}

std::int64_t HttpModel::likely_input(const Request& request) const
{
    const auto& name = endpoint_.facts.encoding;
    const auto encoding = name ? text::find_encoding(*name) : std::nullopt;
    return sum_over(request, [&](std::string_view text) {
        return static_cast<std::int64_t>(text::count_tokens(text, encoding).tokens);
    });
}

}  // namespace cadre::llm
