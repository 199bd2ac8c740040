#include "mcp/mock/mock_server.hpp"

#include "base/json.hpp"
#include "base/json_error.hpp"
#include "mcp/members.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cadre::mcp::mock {

namespace {

constexpr std::int64_t kParseError = -32700;
constexpr std::int64_t kInvalidRequest = -32600;

Reaction say(Message message, int status = 200)
{
    Reaction out{.status = status};
    out.steps.push_back({.line = to_text(std::move(message))});
    return out;
}

Reaction fail(const Request& request, RpcError error, int status = 200)
{
    return say(Response{.id = request.id, .outcome = std::move(error)}, status);
}

/// Over modern HTTP an unknown method is not found.
Reaction unknown_method(const Request& request, Era era)
{
    return fail(request, {.code = kMethodNotFound, .message = "unknown method " + in_quotes(request.method)},
                era == Era::modern ? 404 : 200);
}

json::array versions(const ServerOptions& options)
{
    json::array all;
    if (options.modern) all.emplace_back(kModernVersion);
    if (options.legacy)
        for (const std::string_view version : kLegacyVersions) all.emplace_back(version);
    return all;
}

const json::object* meta_of(const Request& request)
{
    return object_in(request.params, "_meta");
}

/// What every modern request has to say of itself.
std::optional<RpcError> meta_problem(const Request& request, const ServerOptions& options)
{
    const json::object* meta = meta_of(request);
    const std::string_view version = meta ? text_in(*meta, kMetaVersion) : std::string_view();
    if (version.empty())
        return RpcError{.code = kInvalidParams, .message = fmt::format("_meta[\"{}\"] is required", kMetaVersion)};
    if (version != kModernVersion)
        return RpcError{.code = kUnsupportedVersion,
                        .message = "unsupported protocol version",
                        .data = json::object{{"supported", versions(options)}, {"requested", version}}};
    if (!object_in(*meta, kMetaCapabilities))
        return RpcError{.code = kInvalidParams, .message = fmt::format("_meta[\"{}\"] is required", kMetaCapabilities)};
    return std::nullopt;
}

bool has_tasks_extension(const Request& request)
{
    const json::object* meta = meta_of(request);
    const json::object* offered = meta ? object_in(*meta, kMetaCapabilities) : nullptr;
    const json::object* extensions = offered ? object_in(*offered, "extensions") : nullptr;
    return extensions && extensions->contains(kTasksExtension);
}

/// How many of its steps are done.
Notification progress(const json::value& token, std::int64_t done, std::int64_t all)
{
    return {.method = "notifications/progress",
            .params = {{"progressToken", token},
                       {"progress", done},
                       {"total", all},
                       {"message", fmt::format("step {} of {}", done, all)}}};
}

/// In lists that clients may keep; ours may change at any moment.
void add_cache(json::object& result)
{
    result["ttlMs"] = 0;
    result["cacheScope"] = "private";
}

}  // namespace

Reaction MockServer::refuse(const Error& error)
{
    const bool is_json = !dynamic_cast<const JsonError*>(&error);
    return say(Response{.outcome = RpcError{.code = is_json ? kInvalidRequest : kParseError, .message = error.what()}},
               400);
}

std::vector<std::string> MockServer::notices(const Session& session)
{
    std::vector<std::string> lines;
    const std::string method = "notifications/tools/list_changed";
    if (!session.version.empty()) lines.push_back(to_text(Notification{.method = method}));
    for (const std::string& id : session.listening)
        lines.push_back(
            to_text(Notification{.method = method, .params = {{"_meta", {{kMetaSubscription, parse_json(id)}}}}}));
    return lines;
}

bool MockServer::is_modern(const Request& request) const
{
    if (!options_.modern) return false;
    if (!options_.legacy) return true;
    const json::object* meta = meta_of(request);
    return request.method == "server/discover" || (meta && meta->contains(kMetaVersion));
}

Reaction MockServer::receive(const Message& message, Session& session)
{
    if (const auto* notification = std::get_if<Notification>(&message)) {
        Reaction out{.status = 202};
        if (notification->method != "notifications/cancelled") return out;
        out.cancels = find_id(notification->params.if_contains("requestId"));
        if (out.cancels) session.listening.erase(to_text(*out.cancels));
        return out;
    }
    const auto* request = std::get_if<Request>(&message);
    if (!request) return {.status = 202};  // we ask nobody anything
    return session.modern || is_modern(*request) ? modern(*request, session) : legacy(*request, session);
}

Reaction MockServer::modern(const Request& request, Session& session)
{
    if (auto problem = meta_problem(request, options_)) return fail(request, std::move(*problem), 400);
    const std::string& method = request.method;
    if (method == "server/discover") {
        json::object result{{"supportedVersions", versions(options_)}, {"capabilities", capabilities(Era::modern, {})}};
        add_cache(result);
        return answer(request, std::move(result), Era::modern);
    }
    if (method == "tools/list") {
        json::object result{{"tools", tools_.listed()}};
        add_cache(result);
        return answer(request, std::move(result), Era::modern);
    }
    if (method == "tools/call") return call(request, session, Era::modern);
    if (method == "subscriptions/listen") {
        const json::object* wanted = object_in(request.params, "notifications");
        const bool tools = wanted && is_true(*wanted, "toolsListChanged");
        if (tools) session.listening.insert(to_text(request.id));
        json::object accepted;
        if (tools) accepted["toolsListChanged"] = true;
        json::object params{{"_meta", {{kMetaSubscription, to_value(request.id)}}},
                            {"notifications", std::move(accepted)}};
        Reaction out =
            say(Notification{.method = "notifications/subscriptions/acknowledged", .params = std::move(params)});
        out.holds = true;
        return out;
    }
    if (method.starts_with("tasks/")) return task_method(request, Era::modern);
    return unknown_method(request, Era::modern);
}

Reaction MockServer::legacy(const Request& request, Session& session)
{
    const std::string& method = request.method;
    if (!options_.legacy) return unknown_method(request, Era::modern);
    if (method == "ping") return answer(request, {}, Era::legacy);
    if (method == "initialize") {
        const std::string_view wanted = text_in(request.params, "protocolVersion");
        const bool known = std::ranges::find(kLegacyVersions, wanted) != kLegacyVersions.end();
        session.version = known ? wanted : kLegacyVersions.front();
        return answer(request,
                      {{"protocolVersion", session.version},
                       {"capabilities", capabilities(Era::legacy, session.version)},
                       {"serverInfo", info()}},
                      Era::legacy);
    }
    if (method == "server/discover") return unknown_method(request, Era::legacy);
    if (session.version.empty())
        return fail(request, {.code = kInvalidRequest, .message = "initialize comes first"}, 400);
    if (method == "tools/list") return answer(request, {{"tools", tools_.listed()}}, Era::legacy);
    if (method == "tools/call") return call(request, session, Era::legacy);
    if (method.starts_with("tasks/") && session.version == kLegacyVersions.front())
        return task_method(request, Era::legacy);
    return unknown_method(request, Era::legacy);
}

Reaction MockServer::call(const Request& request, const Session& session, Era era)
{
    const std::string name(text_in(request.params, "name"));
    if (!tools_.find_schema(name))
        return fail(request, {.code = kInvalidParams, .message = "unknown tool " + in_quotes(name)});
    const json::value* given = request.params.if_contains("arguments");
    if (given && !given->is_object())
        return fail(request, {.code = kInvalidParams, .message = "`arguments` must be an object"});
    const bool has_tasks =
        era == Era::modern ? has_tasks_extension(request) : session.version == kLegacyVersions.front();
    const bool insists = era == Era::legacy && has_tasks && request.params.contains("task");
    if (insists && !tools_.is_long(name))
        return fail(request, {.code = kMethodNotFound, .message = "this tool is never a task: " + in_quotes(name)});

    const json::object* meta = meta_of(request);
    const std::string key(meta ? text_in(*meta, kMetaKey) : std::string_view());
    bool changed = false;
    Outcome outcome = tools_.call(name, given ? given->get_object() : json::object{}, key, changed);
    Reaction out;
    const auto* result = std::get_if<json::object>(&outcome.answer);
    if (result && outcome.steps > 0 && (insists || (has_tasks && era == Era::modern))) {
        const Task& task = tasks_.begin({.created = clock_.now(),
                                         .begun = clock_.instant(),
                                         .lasts = outcome.delay,
                                         .steps = outcome.steps,
                                         .result = finished(*result, era)});
        json::object described = to_object(task, era, clock_);
        described.erase("result");  // of a task that is over at once; whoever asks gets it
        if (era == Era::modern) described["resultType"] = "task";
        else described = {{"task", json::object(described)}};
        out = answer(request, std::move(described), era);
    } else {
        out = play(request, std::move(outcome), era);
    }
    out.changed = changed;
    return out;
}

/// What was decided, in the order in which it is heard.
Reaction MockServer::play(const Request& request, Outcome outcome, Era era) const
{
    Reaction out;
    if (outcome.stall) {
        out.holds = true;
        return out;
    }
    const json::object* meta = meta_of(request);
    const json::value* token = meta ? meta->if_contains("progressToken") : nullptr;
    Millis said{0};
    if (token)
        for (std::int64_t step = 1; step <= outcome.steps; ++step) {
            // none at the very end: clients forget whom to tell as soon as the answer is there
            const Millis at = outcome.delay * step / (outcome.steps + 1);
            out.steps.push_back({.pause = at - said, .line = to_text(progress(*token, step, outcome.steps))});
            said = at;
        }
    Millis left = outcome.delay - said;
    if (outcome.exit) {
        out.steps.push_back({.pause = left, .exit = outcome.exit});
        return out;
    }
    if (!outcome.noise.empty()) out.steps.push_back({.pause = std::exchange(left, Millis{0}), .line = outcome.noise});
    Response response{.id = request.id};
    if (outcome.wrong_id) response.id = Id("nobody-asked-" + to_text(request.id));
    if (auto* result = std::get_if<json::object>(&outcome.answer)) response.outcome = finished(std::move(*result), era);
    else response.outcome = std::get<RpcError>(std::move(outcome.answer));
    const std::string line = to_text(std::move(response));
    out.steps.push_back({.pause = left, .line = line});
    if (outcome.duplicate) out.steps.push_back({.line = line});
    return out;
}

Reaction MockServer::task_method(const Request& request, Era era)
{
    const std::string& method = request.method;
    const bool known = method == "tasks/get" || method == "tasks/cancel" ||
                       (era == Era::modern && method == "tasks/update") ||
                       (era == Era::legacy && method == "tasks/result");
    if (!known) return unknown_method(request, era);
    Task* task = tasks_.find(text_in(request.params, "taskId"));
    if (!task) return fail(request, {.code = kInvalidParams, .message = "unknown task"});
    const Instant now = clock_.instant();
    if (method == "tasks/update") return answer(request, {}, era);  // we ask for nothing, so there is nothing to take
    if (method == "tasks/cancel") {
        if (task->status(now) != "working" && era == Era::legacy)
            return fail(request, {.code = kInvalidParams, .message = "the task is over"});
        if (task->status(now) == "working") task->cancelled = true;
        return answer(request, era == Era::modern ? json::object{} : to_object(*task, era, clock_), era);
    }
    if (method == "tasks/get") return answer(request, to_object(*task, era, clock_), era);
    if (task->cancelled) return fail(request, {.code = kInternalError, .message = "the task was cancelled"});
    json::object result = task->result;
    result["_meta"] = {{"io.modelcontextprotocol/related-task", {{"taskId", task->id}}}};
    Reaction out = answer(request, std::move(result), era);
    if (now < task->due()) out.steps.front().pause = std::chrono::ceil<Millis>(task->due() - now);
    return out;
}

Reaction MockServer::answer(const Request& request, json::object result, Era era) const
{
    return say(Response{.id = request.id, .outcome = finished(std::move(result), era)});
}

json::object MockServer::finished(json::object result, Era era) const
{
    if (era == Era::legacy) return result;
    if (!result.contains("resultType")) result["resultType"] = "complete";
    result["_meta"] = {{kMetaServer, info()}};
    return result;
}

json::object MockServer::capabilities(Era era, const std::string& version) const
{
    json::object offered{{"tools", {{"listChanged", true}}}};
    if (era == Era::modern) offered["extensions"] = {{kTasksExtension, json::object{}}};
    else if (version == kLegacyVersions.front())
        offered["tasks"] = {{"cancel", json::object{}}, {"requests", {{"tools", {{"call", json::object{}}}}}}};
    return offered;
}

json::object MockServer::info() const
{
    return {{"name", "cadre-mock-mcp"}, {"version", options_.version}};
}

}  // namespace cadre::mcp::mock
