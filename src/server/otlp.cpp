#include "server/otlp.hpp"

#include "base/async.hpp"
#include "base/json_writer.hpp"
#include "base/timeout.hpp"
#include "base/trim.hpp"
#include "net/escapes.hpp"
#include "net/loop.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cadre::server {
namespace {

constexpr Millis kSendLimit{10'000};
constexpr Millis kFirstBackoff{500};
constexpr std::size_t kLongestError = 256;

std::string nanos_of(Time time)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

void write_attribute(JsonWriter& json, std::string_view name, const OtlpSpan::Value& value)
{
    json.begin_object().field("key", name).key("value").begin_object();
    if (const auto* number = std::get_if<std::int64_t>(&value)) json.field("intValue", std::to_string(*number));
    else json.field("stringValue", std::get<std::string>(value));
    json.end_object().end_object();
}

void write_span(JsonWriter& json, const OtlpSpan& span)
{
    constexpr int kFailed = 2;
    json.begin_object().field("traceId", span.trace).field("spanId", span.id);
    if (!span.parent.empty()) json.field("parentSpanId", span.parent);
    json.field("name", span.name).field("kind", static_cast<int>(span.kind));
    json.field("startTimeUnixNano", nanos_of(span.begin)).field("endTimeUnixNano", nanos_of(span.end));
    json.key("attributes").begin_array();
    for (const auto& [name, value] : span.attributes) write_attribute(json, name, value);
    json.end_array();
    if (!span.error.empty())
        json.key("status")
            .begin_object()
            .field("code", kFailed)
            .field("message", std::string_view(span.error).substr(0, kLongestError))
            .end_object();
    json.end_object();
}

/// Whether the collector may take it the next time.
bool is_for_now(int status)
{
    return status == 429 || status == 502 || status == 503 || status == 504;
}

}  // namespace

std::string otlp_text(std::span<const OtlpSpan> spans, std::string_view version)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("resourceSpans").begin_array().begin_object();
    json.key("resource").begin_object().key("attributes").begin_array();
    write_attribute(json, "service.name", std::string("cadre"));
    write_attribute(json, "service.version", std::string(version));
    json.end_array().end_object();
    json.key("scopeSpans").begin_array().begin_object();
    json.key("scope").begin_object().field("name", "cadre").field("version", version).end_object();
    json.key("spans").begin_array();
    for (const OtlpSpan& span : spans) write_span(json, span);
    json.end_array().end_object().end_array().end_object().end_array().end_object();
    return text;
}

net::HttpHeaders otlp_headers(std::string_view text)
{
    net::HttpHeaders headers;
    while (!text.empty()) {
        const std::string_view pair = text.substr(0, text.find(','));
        text.remove_prefix(std::min(pair.size() + 1, text.size()));
        const std::size_t equals = pair.find('=');
        if (equals == pair.npos) continue;
        auto value = net::find_unescaped(std::string(trimmed(pair.substr(equals + 1))));
        if (value) headers.push_back({std::string(trimmed(pair.substr(0, equals))), std::move(*value)});
    }
    return headers;
}

OtlpExporter::OtlpExporter(net::Loop& loop, net::Http& http, OtlpOptions options, Metrics& metrics, Log log)
    : http_(http),
      options_(std::move(options)),
      counts_(
          metrics.counters("cadre_otlp_spans_total", "Spans for the collector, and what became of them.", {"result"})),
      log_(std::move(log)),
      scope_(loop)
{
    scope_.spawn(run());
}

void OtlpExporter::add(OtlpSpan span)
{
    if (waiting_.size() >= options_.queue) return counts_.with({"dropped"}).add();
    waiting_.push_back(std::move(span));
    changed_.notify();
}

Async<> OtlpExporter::run()
{
    while (true) {
        while (waiting_.empty()) {
            idle_.notify();
            co_await changed_.wait();
        }
        if (!finishing_ && waiting_.size() < options_.batch) co_await sleep_for(options_.pause);
        sending_ = true;
        co_await send_batch();
        sending_ = false;
    }
}

Async<> OtlpExporter::send_batch()
{
    const std::size_t count = std::min(waiting_.size(), options_.batch);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    const std::vector<OtlpSpan> batch(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    const std::string body = otlp_text(batch, options_.version);
    bool sent = false;
    Millis backoff = kFirstBackoff;
    for (int attempt = 1; attempt <= options_.attempts && !sent; ++attempt) {
        if (attempt > 1) {
            co_await sleep_for(backoff);
            backoff *= 2;
        }
        sent = co_await send(body);
    }
    counts_.with({sent ? "sent" : "failed"}).add(static_cast<double>(count));
    if (!sent) log_.warning("spans could not be sent", {{"count", std::uint64_t{count}}, {"what", trouble_}});
}

/// False: it may work the next time. What the collector refuses for good is not sent again.
Async<bool> OtlpExporter::send(std::string body)
{
    const auto post = [](net::Http& http, net::HttpRequest request) -> Async<int> {
        const auto reply = co_await http.send(std::move(request));
        co_await net::read_all(*reply);
        co_return reply->status();
    };
    net::HttpRequest request{
        .method = "POST", .url = options_.url, .headers = options_.headers, .body = std::move(body)};
    request.headers.push_back({"Content-Type", "application/json"});
    try {
        const int status = co_await with_timeout(post(http_, std::move(request)), kSendLimit, "the collector");
        trouble_ = status < 300 ? "" : fmt::format("the collector answers {}", status);
        co_return !is_for_now(status);
    } catch (const Error& error) {
        trouble_ = error.what();
    }
    co_return false;
}

Async<> OtlpExporter::finish(Millis grace)
{
    finishing_ = true;
    const auto until_idle = [](OtlpExporter& self) -> Async<> {
        while (!self.waiting_.empty() || self.sending_) co_await self.idle_.wait();
    };
    try {
        co_await with_timeout(until_idle(*this), grace, "the collector");
    } catch (const Error&) {
        counts_.with({"dropped"}).add(static_cast<double>(waiting_.size()));
    }
    co_await scope_.close();
}

}  // namespace cadre::server
