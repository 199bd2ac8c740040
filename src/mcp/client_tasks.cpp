// Calls that take long: the server answers with a task, which is looked at again and again, and no model with it.
#include "base/timeout.hpp"
#include "base/utf8.hpp"
#include "mcp/client.hpp"
#include "mcp/members.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::mcp {

namespace {

/// Between two looks at a task: what the server suggests, within these.
constexpr Millis kPoll{1'000}, kShortestPoll{50}, kLongestPoll{60'000};
constexpr std::size_t kLongestMessage = 4096;

bool is_over(std::string_view status)
{
    return status == "completed" || status == "failed" || status == "cancelled";
}

/// A task of the server's: unless it is over, the server is told that nobody wants it any more.
class TaskWatch {
public:
    TaskWatch(Connection& connection, std::string id, std::function<void(json::object&)> add_meta,
              std::function<net::HttpHeaders(const std::string&, const json::object&)> headers)
        : connection_(connection), id_(std::move(id)), add_meta_(std::move(add_meta)), headers_(std::move(headers))
    {}
    TaskWatch(const TaskWatch&) = delete;
    TaskWatch& operator=(const TaskWatch&) = delete;
    ~TaskWatch()
    {
        if (over || !connection_.is_open()) return;
        try {
            json::object params{{"taskId", id_}};
            add_meta_(params);
            net::HttpHeaders with = headers_("tasks/cancel", params);
            connection_.tell("tasks/cancel", std::move(params), std::move(with));
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): then it goes on until its time is over
        }
    }

    bool over = false;

private:
    Connection& connection_;
    std::string id_;
    std::function<void(json::object&)> add_meta_;
    std::function<net::HttpHeaders(const std::string&, const json::object&)> headers_;
};

}  // namespace

Async<> Client::rest(const json::value* wanted, Instant due)
{
    Millis pause = kPoll;
    if (wanted && wanted->is_int64())
        pause = std::clamp(Millis{std::clamp<std::int64_t>(wanted->get_int64(), 0, kLongestPoll.count())},
                           kShortestPoll, kLongestPoll);
    if (later(loop_.now(), pause) >= due)
        throw Error(Code::timeout, fmt::format("MCP server {} has not completed its task in time", options_.server));
    co_await sleep_for(pause);
}

/// The tasks of the modern era: an extension, and the server decides.
Async<json::object> Client::follow(json::object task, RequestOptions options, Instant due)
{
    const std::string id(text_in(task, "taskId"));
    if (id.empty())
        throw Error(Code::upstream, fmt::format("MCP server {} began a task and did not name it", options_.server));
    TaskWatch watch(
        connection_, id, [this](json::object& params) { add_meta(params, {}); },
        [this](const std::string& method, const json::object& params) { return headers(method, params); });
    RequestOptions quiet{.idle = options.idle, .cap = options.cap};
    std::set<std::string> answered;  // questions stay in the list until the server has seen the answers
    std::string said;
    while (true) {
        const std::string status(text_in(task, "status"));
        if (const std::string_view words = text_in(task, "statusMessage");
            options.on_progress && !words.empty() && words != said) {
            said = words;
            options.on_progress({.message = said});
        }
        watch.over = is_over(status);
        if (status == "completed") {
            json::value* result = task.if_contains("result");
            if (result && result->is_object()) co_return std::move(result->get_object());
            throw Error(Code::upstream,
                        fmt::format("MCP server {} completed a task without its result", options_.server));
        }
        if (status == "failed" || status == "cancelled") {
            RpcError error{.code = kInternalError, .message = "the task was " + status};
            if (const json::object* given = object_in(task, "error")) {
                const json::value* code = given->if_contains("code");
                if (code && code->is_int64()) error.code = code->get_int64();
                error.message = utf8_prefix(text_in(*given, "message"), kLongestMessage);
            }
            const std::string text =
                fmt::format("MCP server {}: its task {}: {}", options_.server, status, error.message);
            throw ServerError(text, std::move(error), 0);
        }
        if (status == "input_required") {
            json::value* inputs = task.if_contains("inputRequests");
            json::object open = inputs && inputs->is_object() ? std::move(inputs->get_object()) : json::object{};
            std::erase_if(answered, [&](const std::string& key) { return !open.contains(key); });
            for (const std::string& key : answered) open.erase(key);
            if (!open.empty()) {
                for (const auto& one : open) answered.emplace(one.key());
                const Instant asked = loop_.now();
                json::object answers = co_await fulfil_all(std::move(open), options.handlers);
                if (due != kNever) due += loop_.now() - asked;
                json::object params{{"taskId", id}, {"inputResponses", std::move(answers)}};
                co_await once("tasks/update", std::move(params), quiet, options_.idle, {});
            }
        }
        co_await rest(task.if_contains("pollIntervalMs"), due);
        json::object params{{"taskId", id}};
        task = co_await once("tasks/get", std::move(params), quiet, options_.idle, {});
    }
}

/// In version 2025-11-25 a tool may insist on being called as a task.
bool Client::wants_legacy_task(const std::string& tool) const
{
    const auto& known = lists_[static_cast<std::size_t>(ListKind::tools)];
    if (modern_ || !known || !offers("tasks")) return false;
    return std::ranges::any_of(*known->items, [&](const json::value& one) {
        const json::object* execution = object_in(one.get_object(), "execution");
        return execution && text_in(one.get_object(), "name") == tool &&
               text_in(*execution, "taskSupport") == "required";
    });
}

/// Looked at until it is over or asks for something; its result is then waited for, and what it asks comes meanwhile.
Async<json::object> Client::run_legacy_task(json::object params, RequestOptions options)
{
    const Millis cap = options.cap.value_or(options_.cap);
    const Instant due = later(loop_.now(), cap);
    params["task"] = {{"ttl", cap.count()}};
    json::object created = co_await rounds("tools/call", std::move(params), options, {});
    const json::object* given = object_in(created, "task");
    json::object task = given ? *given : json::object{};
    const std::string id(text_in(task, "taskId"));
    if (id.empty())
        throw Error(Code::upstream, fmt::format("MCP server {} began a task and did not name it", options_.server));
    TaskWatch watch(
        connection_, id, [](json::object&) {},
        [this](const std::string& method, const json::object& with) { return headers(method, with); });
    while (!is_over(text_in(task, "status")) && text_in(task, "status") != "input_required") {
        co_await rest(task.if_contains("pollInterval"), due);
        task = co_await rounds("tasks/get", {{"taskId", id}}, {}, {});
        if (const std::string_view words = text_in(task, "statusMessage"); options.on_progress && !words.empty())
            options.on_progress({.message = std::string(words)});
    }
    json::object result = co_await rounds("tasks/result", {{"taskId", id}}, std::move(options), {});
    watch.over = true;
    co_return result;
}

}  // namespace cadre::mcp
