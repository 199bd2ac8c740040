#include "mcp/client.hpp"

#include "base/timeout.hpp"
#include "base/utf8.hpp"
#include "mcp/http_headers.hpp"
#include "mcp/members.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::mcp {

namespace {

/// How often a server may want more before it answers, and how much at once.
constexpr int kMaxRounds = 16;
constexpr std::size_t kMaxInputs = 16;
constexpr std::size_t kLongestLog = 4096;

bool may_want_input(std::string_view method)
{
    return method == "tools/call" || method == "prompts/get" || method == "resources/read";
}

}  // namespace

Client::Client(Loop& loop, std::unique_ptr<Transport> transport, ClientOptions options, Log log)
    : loop_(loop),
      options_(std::move(options)),
      log_(log),
      connection_(loop, std::move(transport), *this, options_.server, log),
      scope_(loop)
{
    connection_.headers_for = [this](const std::string& method) { return headers(method, {}); };
}

Client::~Client() = default;

Async<> Client::close()
{
    scope_.cancel();
    co_await scope_.close();
    co_await connection_.close();
}

void Client::add_meta(json::object& params, const json::object& more) const
{
    if (!modern_ && more.empty()) return;
    json::value& value = params["_meta"];
    if (!value.is_object()) value.emplace_object();
    json::object& meta = value.get_object();
    for (const auto& member : more) meta[member.key()] = member.value();
    if (!modern_) return;
    meta[kMetaVersion] = facts_.version;
    meta[kMetaCapabilities] = capabilities();
    meta[kMetaClient] = client_info();
    if (!options_.log_level.empty() && offers("logging")) meta[kMetaLogLevel] = options_.log_level;
}

net::HttpHeaders Client::headers(const std::string& method, const json::object& params) const
{
    if (!connection_.is_http()) return {};
    if (modern_) return standard_headers(facts_.version, method, params);
    if (facts_.version.empty()) return {};  // not greeted yet
    return {{"MCP-Protocol-Version", facts_.version}};
}

/// One request as it goes over the wire, and once more when the session turns out to be over.
Async<json::object> Client::once(std::string method, json::object params, const RequestOptions& options, Millis cap,
                                 net::HttpHeaders more)
{
    for (bool again = false;; again = true) {
        if (stale_) co_await reopen(session_);
        const int session = session_;
        const bool has_sessions = !modern_ && connection_.is_http();
        json::object sent = has_sessions ? params : std::move(params);
        add_meta(sent, options.meta);
        ExchangeOptions exchanged{.idle = std::min(options.idle.value_or(options_.idle), cap),
                                  .cap = cap,
                                  .headers = headers(method, sent),
                                  .on_progress = options.on_progress};
        exchanged.headers.insert(exchanged.headers.end(), more.begin(), more.end());
        if (options.handlers && !modern_)
            exchanged.on_question = [this, handlers = options.handlers](std::string asked, json::object with) {
                return fulfil(std::move(asked), std::move(with), handlers);
            };
        Exchange exchange(connection_, method, std::move(sent), std::move(exchanged));
        try {
            co_return co_await exchange.answer();
        } catch (const SessionOver& over) {
            if (!options.sends_again) stale_ = true;
            if (again || !has_sessions || !options.sends_again) throw tools::NotDispatched(over.code(), over.what());
        }
        co_await reopen(session);
    }
}

Async<json::object> Client::request(std::string method, json::object params, RequestOptions options)
{
    co_return co_await rounds(std::move(method), std::move(params), std::move(options), {});
}

/// Until the server has all the input that it wants.
Async<json::object> Client::rounds(std::string method, json::object params, RequestOptions options,
                                   net::HttpHeaders more)
{
    const bool one_at_a_time =
        options.handlers && !modern_ && !connection_.tells_origin() && (options_.sampling || options_.elicitation);
    std::optional<AsyncMutex::Lock> turn;
    if (one_at_a_time) turn.emplace(co_await calling_.lock());
    Millis left = options.cap.value_or(options_.cap);
    json::object next = modern_ ? params : std::move(params);  // only modern servers ask for the same with more
    for (int round = 1;; ++round) {
        const Instant begun = loop_.now();
        json::object result = co_await once(method, std::move(next), options, left, more);
        left = std::max(Millis{1}, left - std::chrono::floor<Millis>(loop_.now() - begun));
        const std::string_view type = modern_ ? text_in(result, "resultType") : "";
        if (type.empty() || type == "complete") co_return result;
        if (type == "task" && method == "tools/call") {
            const Instant due = later(loop_.now(), left);
            co_return co_await follow(std::move(result), std::move(options), due);
        }
        if (type != "input_required" || !may_want_input(method))
            throw Error(Code::upstream, fmt::format("MCP server {} answered {} with a result of the unknown type {}",
                                                    options_.server, method, in_quotes(type)));
        if (round == kMaxRounds)
            throw Error(Code::upstream, fmt::format("MCP server {} wanted more input {} times without an end",
                                                    options_.server, kMaxRounds));
        next = params;
        const json::value* state = result.if_contains("requestState");
        json::value* inputs = result.if_contains("inputRequests");
        const bool wants_input = inputs && inputs->is_object();
        if (!wants_input && !(state && state->is_string()))
            throw Error(Code::upstream,
                        fmt::format("MCP server {} wants more input and does not say which", options_.server));
        if (state && state->is_string()) next["requestState"] = *state;
        if (wants_input) {
            json::object answers = co_await fulfil_all(std::move(inputs->get_object()), options.handlers);
            next["inputResponses"] = std::move(answers);
        }
    }
}

Async<json::object> Client::fulfil_all(json::object questions, Handlers* handlers)
{
    if (questions.size() > kMaxInputs)
        throw Error(Code::upstream, fmt::format("MCP server {} asks {} things at once; {} are the most",
                                                options_.server, questions.size(), kMaxInputs));
    json::object answers;
    for (auto& member : questions) {
        json::object* question = member.value().if_object();
        if (!question)
            throw Error(Code::upstream,
                        fmt::format("MCP server {} asks something that is not a question", options_.server));
        std::string method(text_in(*question, "method"));
        json::value* given = question->if_contains("params");
        json::object params = given && given->is_object() ? std::move(given->get_object()) : json::object{};
        const std::string key(member.key());
        json::object answer = co_await fulfil(std::move(method), std::move(params), handlers);
        answers[key] = std::move(answer);
    }
    co_return answers;
}

/// What a server asks for, if its entry allows that.
Async<json::object> Client::fulfil(std::string method, json::object params, Handlers* handlers)
{
    if (method == "roots/list" && !options_.roots.empty()) {
        const Request asked{.method = method};
        co_return answer_at_once(asked).value();
    }
    if (method == "sampling/createMessage" && options_.sampling && handlers)
        co_return co_await handlers->sample(std::move(params));
    if (method == "elicitation/create" && options_.elicitation && handlers)
        co_return co_await handlers->elicit(std::move(params));
    const std::string text =
        fmt::format("MCP server {} asks for {}, which its entry does not allow", options_.server, in_quotes(method));
    RpcError refusal{.code = kMethodNotFound, .message = "not offered: " + method.substr(0, 100)};
    throw ServerError(text, std::move(refusal), 0);
}

std::optional<json::object> Client::answer_at_once(const Request& request)
{
    if (request.method == "ping") return json::object{};
    if (request.method != "roots/list" || options_.roots.empty()) return std::nullopt;
    json::array roots;
    for (const std::string& uri : options_.roots) roots.push_back(json::object{{"uri", uri}});
    return json::object{{"roots", std::move(roots)}};
}

void Client::notified(const Notification& notification)
{
    const std::string& method = notification.method;
    if (method == "notifications/tools/list_changed") return note_change(ListKind::tools);
    if (method == "notifications/prompts/list_changed") return note_change(ListKind::prompts);
    if (method == "notifications/resources/list_changed") {
        note_change(ListKind::resources);
        return note_change(ListKind::resource_templates);
    }
    if (method == "notifications/resources/updated") {
        const std::string uri(text_in(notification.params, "uri"));
        if (on_update && subscribed_.contains(uri)) on_update(uri);
        return;
    }
    if (method != "notifications/message" || !on_log) return;
    const json::value* data = notification.params.if_contains("data");
    const std::string text = !data               ? std::string()
                             : data->is_string() ? std::string(data->get_string())
                                                 : cadre::to_text(*data);
    on_log(text_in(notification.params, "level"), text_in(notification.params, "logger"),
           utf8_prefix(text, kLongestLog));
}

Async<json::object> Client::call_tool(std::string name, json::object arguments, RequestOptions options)
{
    net::HttpHeaders more;
    if (modern_ && connection_.is_http()) more = co_await parameter_headers(name, arguments);
    json::object params{{"name", name}, {"arguments", std::move(arguments)}};
    if (wants_legacy_task(name)) co_return co_await run_legacy_task(std::move(params), std::move(options));
    co_return co_await rounds("tools/call", std::move(params), std::move(options), std::move(more));
}

Async<json::object> Client::read_resource(std::string uri, RequestOptions options)
{
    json::object params{{"uri", uri}};
    co_return co_await rounds("resources/read", std::move(params), std::move(options), {});
}

Async<json::object> Client::get_prompt(std::string name, json::object arguments, RequestOptions options)
{
    json::object params{{"name", name}, {"arguments", std::move(arguments)}};
    co_return co_await rounds("prompts/get", std::move(params), std::move(options), {});
}

Async<std::vector<std::string>> Client::complete(json::object reference, std::string argument, std::string value)
{
    json::object params{{"ref", std::move(reference)}, {"argument", {{"name", argument}, {"value", value}}}};
    const json::object result = co_await rounds("completion/complete", std::move(params), {}, {});
    std::vector<std::string> values;
    const json::object* completion = object_in(result, "completion");
    const json::array* found = completion ? array_in(*completion, "values") : nullptr;
    if (!found) co_return values;
    for (const json::value& one : *found)
        if (one.is_string() && values.size() < 100) values.emplace_back(one.get_string());
    co_return values;
}

}  // namespace cadre::mcp
