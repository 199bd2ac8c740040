#include "llm/mock/mock_llm.hpp"

#include "base/async.hpp"
#include "base/cancel.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/timeout.hpp"
#include "llm/estimate.hpp"
#include "llm/mock/dialect.hpp"
#include "llm/script.hpp"
#include "llm/script_file.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace cadre::llm {
namespace {

using mock::Dialect;
using mock::Event;
using net::HttpHeaders;

constexpr std::string_view kPage = "<html><body><h1>502 Bad Gateway</h1></body></html>\n";
constexpr std::size_t kOversizedPiece = 64 << 10;

enum class Task { models, model, chat, messages, count_tokens };
struct Route {
    std::string_view method;
    std::string_view path;  // ends in `/`: and anything behind it
    Task task;
};
constexpr Route kRoutes[] = {{"GET", "/models", Task::models},
                             {"GET", "/models/", Task::model},
                             {"POST", "/chat/completions", Task::chat},
                             {"POST", "/messages", Task::messages},
                             {"POST", "/messages/count_tokens", Task::count_tokens}};

/// Clients differ in whether their base URL ends in `/v1`.
std::string_view without_version(std::string_view path)
{
    return path.starts_with("/v1/") ? path.substr(3) : path;
}

bool fits(const Route& route, std::string_view path)
{
    return route.path.ends_with('/') ? path.starts_with(route.path) && path.size() > route.path.size()
                                     : path == route.path;
}

/// The vendor to whom the path belongs.
const Dialect& dialect_of(std::string_view path)
{
    return path.starts_with("/messages") ? mock::anthropic : mock::openai;
}

/// One object that is a model to both vendors.
void write_model(JsonWriter& out, std::string_view name)
{
    out.begin_object().field("id", name).field("object", "model").field("created", 1735689600);
    out.field("owned_by", "cadre").field("type", "model").field("display_name", name);
    out.field("created_at", "2025-01-01T00:00:00Z").end_object();
}

/// Whole seconds, rounded up, as the standard wants it, and the vendors' own header for those who are more exact.
void add_retry_after(HttpHeaders& headers, double seconds)
{
    headers.push_back({"Retry-After", fmt::format("{}", static_cast<std::int64_t>(std::ceil(seconds)))});
    headers.push_back({"retry-after-ms", fmt::format("{}", std::llround(seconds * 1000))});
}

std::string joined(const Event& event)
{
    return net::event_text(event.data, event.name);
}

}  // namespace

/// One request on its way to its answer.
struct MockLlm::Turn {
    net::HttpExchange& exchange;
    MockCall& call;
    const Dialect& dialect;
    std::string id{};
    HttpHeaders headers{};  // of the answer, besides its content type
    mock::Asked asked{};
    std::optional<ScriptTurn> script{};

    const ScriptEntry& entry() const { return script->line.entry; }
    const ScriptFault* fault() const { return entry().broken ? &*entry().broken : nullptr; }
    mock::Told told(Time now) const
    {
        return {.id = id,
                .model = asked.model,
                .created = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count(),
                .completion = script->completion,
                .pieces = script->line.pieces,
                .stream_usage = asked.stream_usage};
    }
    /// Whether a stream that is spoilt breaks now that `pieces` have come and this is next; at its end it is too late.
    bool breaks_at(const Event& event, std::int64_t pieces) const
    {
        if (event.part == Event::Part::frame || (!fault() && !entry().truncate_after)) return false;
        const auto good = fault() ? fault()->after : static_cast<std::int64_t>(script->line.pieces.size());
        return event.part == Event::Part::end || pieces >= good;
    }
    HttpHeaders with(std::string_view content_type) const
    {
        HttpHeaders all = headers;
        all.push_back({"Content-Type", std::string(content_type)});
        return all;
    }
};

MockLlm::MockLlm(std::shared_ptr<ScriptModel> script, const Clock& clock, Hooks hooks)
    : script_(std::move(script)), clock_(clock), hooks_(std::move(hooks))
{}

MockLlm::~MockLlm() = default;

Async<> MockLlm::handle(net::HttpExchange& exchange)
{
    const Instant start = clock_.instant();
    MockCall call{.method = exchange.head().method, .path = exchange.head().path};
    std::exception_ptr failure;
    try {
        co_await route(exchange, call);
    } catch (const Cancelled&) {
        call.gone = true;
        failure = std::current_exception();
    } catch (...) {
        failure = std::current_exception();
    }
    call.took = std::chrono::duration_cast<Millis>(clock_.instant() - start);
    if (hooks_.ended) hooks_.ended(call);
    if (failure) std::rethrow_exception(failure);
}

Async<> MockLlm::route(net::HttpExchange& exchange, MockCall& call)
{
    const std::string path(without_version(call.path));
    Turn turn{.exchange = exchange, .call = call, .dialect = dialect_of(path), .id = fmt::format("{:06}", ++requests_)};
    turn.headers = {{"x-request-id", "req_" + turn.id}, {"request-id", "req_" + turn.id}};
    const auto same_path = [&](const Route& one) { return fits(one, path); };
    const auto found = std::ranges::find_if(kRoutes, same_path);
    if (found == std::end(kRoutes)) {
        co_await refuse(turn, 404,
                        fmt::format("there is no {}; mock-llm has /v1/models, /v1/chat/completions, /v1/messages",
                                    in_quotes(call.path)));
        co_return;
    }
    if (found->method != call.method) {
        turn.headers.push_back({"Allow", std::string(found->method)});
        co_await refuse(turn, 405, fmt::format("{} takes {}, not {}", call.path, found->method, call.method));
        co_return;
    }
    if (found->task != Task::models && found->task != Task::model) {
        co_await answer(turn);
        co_return;
    }
    std::string body;
    JsonWriter out(body);
    if (found->task == Task::models) body = models();
    else write_model(out, std::string_view(path).substr(found->path.size()));
    call.status = 200;
    co_await exchange.reply({.status = 200, .headers = turn.with("application/json"), .body = std::move(body)});
}

/// The script's own name, and those of the agents that it answers.
std::string MockLlm::models() const
{
    std::set<std::string> names;
    for (const ScriptLine& line : script_->lines())
        if (line.entry.when.agent) names.insert(*line.entry.when.agent);
    if (names.empty()) names.insert("script");
    std::string body;
    JsonWriter out(body);
    out.begin_object().field("object", "list").key("data").begin_array();
    for (const std::string& name : names) write_model(out, name);
    out.end_array().field("has_more", false).field("first_id", *names.begin()).field("last_id", *names.rbegin());
    out.end_object();
    return body;
}

Async<> MockLlm::refuse(Turn& turn, int status, std::string message)
{
    turn.call.status = status;
    turn.call.error = message;
    std::string body = turn.dialect.error(status, message, "req_" + turn.id);
    co_await turn.exchange.reply({.status = status, .headers = turn.with("application/json"), .body = std::move(body)});
}

Async<> MockLlm::answer(Turn& turn)
{
    std::string body = co_await read_all(turn.exchange);
    if (hooks_.received) co_await hooks_.received(body);
    std::string problem;
    try {
        const bool counts = turn.call.path.ends_with("/count_tokens");
        const auto& headers = turn.exchange.head().headers;
        if (&turn.dialect == &mock::anthropic && !find_header(headers, "anthropic-version"))
            throw Error(Code::invalid, "anthropic-version: header is required");
        turn.asked = turn.dialect.read(parse_json(body, {.bytes = kLargestBody, .nodes = 1'000'000}));
        turn.call.model = turn.asked.model;
        turn.call.nth = turn.asked.request.nth;
        turn.call.stream = turn.asked.stream;
        if (counts) {
            std::string text;
            JsonWriter(text).begin_object().field("input_tokens", estimated_tokens(turn.asked.request)).end_object();
            turn.call.status = 200;
            co_await turn.exchange.reply(
                {.status = 200, .headers = turn.with("application/json"), .body = std::move(text)});
            co_return;
        }
        if (&turn.dialect == &mock::anthropic && !turn.asked.request.options.max_tokens)
            throw Error(Code::invalid, "max_tokens: Field required");
        turn.script.emplace(script_->take(turn.asked.request));
        turn.call.place = turn.script->place;
    } catch (const Error& error) {
        problem = error.what();
    }
    if (!problem.empty()) co_await refuse(turn, 400, std::move(problem));
    else co_await play(turn);
}

Async<> MockLlm::play(Turn& turn)
{
    const ScriptEntry& entry = turn.entry();
    for (const auto& [name, value] : entry.headers) turn.headers.push_back({name, value});
    if (entry.delay_ms > 0) co_await sleep_for(Millis(entry.delay_ms));
    if (entry.fail) {
        if (entry.fail->retry_after) add_retry_after(turn.headers, *entry.fail->retry_after);
        const std::string says = fmt::format("scripted failure ({})", turn.script->place);
        co_await refuse(turn, entry.fail->status, entry.fail->message.value_or(says));
    } else if (entry.stall_ms) {
        co_await sleep_for(Millis(*entry.stall_ms));
        turn.exchange.cut();
    } else if (turn.fault() && turn.fault()->how == ScriptBreak::content_type) {
        turn.call.status = 200;
        co_await turn.exchange.reply({.headers = turn.with("text/html"), .body = std::string(kPage)});
    } else if (turn.fault() && turn.fault()->how == ScriptBreak::oversized) {
        co_await play_oversized(turn);
    } else if (turn.asked.stream) {
        co_await play_stream(turn);
    } else {
        co_await play_whole(turn);
    }
}

/// Not streamed: the pieces' time passes all the same.
Async<> MockLlm::play_whole(Turn& turn)
{
    std::string body = turn.dialect.whole(turn.told(clock_.now()));
    const ScriptEntry& entry = turn.entry();
    const ScriptFault* fault = turn.fault();
    const auto pieces = static_cast<std::int64_t>(turn.script->line.pieces.size());
    if (entry.pace_ms > 0 && pieces > 1) co_await sleep_for(Millis(entry.pace_ms * (pieces - 1)));
    if (fault && fault->how == ScriptBreak::error) {
        co_await refuse(turn, 500, fmt::format("scripted error ({})", turn.script->place));
        co_return;
    }
    turn.call.status = 200;
    if (fault && fault->how == ScriptBreak::malformed) body.resize(body.size() / 2);
    const bool breaks = entry.truncate_after || (fault && fault->how != ScriptBreak::malformed);
    if (!breaks) {
        co_await turn.exchange.reply({.headers = turn.with("application/json"), .body = std::move(body)});
        co_return;
    }
    co_await turn.exchange.begin(200, turn.with("application/json"));
    co_await turn.exchange.write(body.substr(0, body.size() / 2));
    if (fault && fault->ms > 0) co_await sleep_for(Millis(fault->ms));
    turn.exchange.cut();
}

Async<> MockLlm::play_stream(Turn& turn)
{
    const ScriptEntry& entry = turn.entry();
    const ScriptFault* fault = turn.fault();
    const mock::Told told = turn.told(clock_.now());
    HttpHeaders headers = turn.headers;
    for (net::HttpHeader& header : net::event_stream_headers()) headers.push_back(std::move(header));
    turn.call.status = 200;
    co_await turn.exchange.begin(200, std::move(headers));

    std::int64_t pieces = 0;
    std::string half;  // of the event at which the stream breaks
    for (const Event& event : turn.dialect.stream(told)) {
        if (turn.breaks_at(event, pieces)) {
            half = joined({.data = event.data.substr(0, event.data.size() / 2), .name = event.name});
            break;
        }
        const bool is_piece = event.part == Event::Part::piece;
        if (is_piece && entry.pace_ms > 0 && pieces > 0) co_await sleep_for(Millis(entry.pace_ms));
        co_await turn.exchange.write(joined(event));
        pieces += is_piece;
    }
    if (entry.truncate_after) turn.exchange.cut();
    if (!fault) co_return;
    if (fault->ms > 0) co_await sleep_for(Millis(fault->ms));
    if (fault->how == ScriptBreak::error)
        co_await turn.exchange.write(
            joined(turn.dialect.stream_error(fmt::format("scripted error ({})", turn.script->place))));
    else if (fault->how == ScriptBreak::malformed) co_await turn.exchange.write(std::move(half));
    else turn.exchange.cut();
}

/// One JSON text, or one event, that is that large.
Async<> MockLlm::play_oversized(Turn& turn)
{
    const bool stream = turn.asked.stream;
    turn.call.status = 200;
    co_await turn.exchange.begin(200, turn.with(stream ? "text/event-stream" : "application/json"));
    co_await turn.exchange.write(stream ? "data: \"" : "\"");
    for (auto left = static_cast<std::size_t>(turn.fault()->bytes); left > 0;) {
        const std::size_t size = std::min(left, kOversizedPiece);
        co_await turn.exchange.write(std::string(size, 'x'));
        left -= size;
    }
    co_await turn.exchange.write(stream ? "\"\n\n" : "\"");
}

}  // namespace cadre::llm
