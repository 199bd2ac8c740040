#include "cli/remote_verbs.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/id.hpp"
#include "base/json.hpp"
#include "base/run.hpp"
#include "base/trim.hpp"
#include "cli/args.hpp"
#include "cli/environment.hpp"
#include "cli/event_text.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/remote_server.hpp"
#include "cli/task_text.hpp"
#include "engine/budget.hpp"
#include "engine/state_change.hpp"
#include "model/event.hpp"
#include "model/read.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "net/loop.hpp"
#include "server/views.hpp"
#include "storage/files.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <utility>
#include <vector>

namespace cadre::cli {
namespace {

namespace json = boost::json;
using model::TaskStatus;
using server::QuestionView;

constexpr model::ReadOptions kFromServer{.ignore_unknown = true};

/// CADRE_TOKEN, or what the file CADRE_TOKEN_FILE says.
Secret token_here()
{
    if (const auto token = environment("CADRE_TOKEN")) return Secret(*token);
    const auto file = environment("CADRE_TOKEN_FILE");
    if (!file) return Secret();
    const auto text = storage::find_file(*file);
    if (!text) throw Error(Code::not_found, "there is no file " + *file + ", which CADRE_TOKEN_FILE names");
    return Secret(std::string(trimmed(*text)));
}

/// What a verb has around it that works on a server.
struct Remote {
    Remote(const Args& a, Output& o, const std::string& url) : args(a), output(o), server(loop, url, token_here()) {}

    int run(Async<int> work) { return cadre::run(loop, std::move(work)); }
    Async<std::string> task() { return server.resolve(args["task"]); }

    const Args& args;
    Output& output;
    net::Loop loop;
    RemoteServer server;
};

std::string query_escaped(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || c == '-' || c == '_' || c == '.') out += c;
        else out += fmt::format("%{:02X}", byte);
    }
    return out;
}

server::TaskView view_from(const json::value& value)
{
    return model::from_json<server::TaskView>(value, kFromServer);
}

std::string short_of(std::string_view id)
{
    return std::string(id.substr(0, id.find('-')));
}

model::HumanRequest request_of(const QuestionView& question)
{
    return {.id = question.request_id,
            .type = question.request_type,
            .agent = question.agent_name,
            .context = question.context};
}

// ---- looking ----

Async<int> list_remote(Remote& at)
{
    std::string path = "/tasks?limit=" + std::string(at.args.has("all") ? "200" : "50");
    for (const std::string& status : at.args.all("status")) path += "&status=" + query_escaped(status);
    json::array tasks;
    std::string cursor;
    do {
        const auto page =
            co_await at.server.ask("GET", path + (cursor.empty() ? "" : "&cursor=" + query_escaped(cursor)));
        for (const auto& task : page.at("tasks").as_array()) tasks.push_back(task);
        const auto* next = page.as_object().if_contains("next_cursor");
        cursor = next && next->is_string() ? std::string(next->get_string()) : "";
    } while (at.args.has("all") && !cursor.empty());
    if (at.output.json) {
        at.output.print(to_text(json::object{{"tasks", std::move(tasks)}}) + "\n");
        co_return 0;
    }
    const Time now = system_clock().now();
    constexpr std::size_t kWidestTitle = 60;
    for (const auto& task : tasks) {
        const auto text = [&](const char* name) { return std::string_view(task.at(name).as_string()); };
        at.output.print(fmt::format("{}  {:<10} {:>7}  {:<14} {}\n", short_of(text("id")), text("status"),
                                    age_text(now - time_from_iso(text("updated_at"))),
                                    printable(text("assigned_agent")),
                                    one_line(text("title"), kWidestTitle, at.output.utf8)));
    }
    if (tasks.empty() && !at.output.quiet) at.output.complain("the server has no such tasks\n");
    co_return 0;
}

std::string remote_page(const server::TaskView& task)
{
    std::string text = fmt::format("{}  {}\n", task.id, model::wire_name(task.status));
    text += fmt::format("{}\n", printable(task.description));
    if (task.pause_text) text += fmt::format("paused: {}\n", printable(*task.pause_text));
    for (const QuestionView& question : task.ext.questions)
        text += fmt::format("{} asks: {}\n", question.agent_name, printable(question_text(request_of(question))));
    const server::UsageView& usage = task.ext.usage;
    text += fmt::format("{} model calls, {} tool calls, {} tokens\n", usage.model_calls, usage.tool_calls,
                        usage.input_tokens + usage.output_tokens);
    if (task.error) text += fmt::format("error: {}\n", printable(*task.error));
    if (task.result) text += fmt::format("\n{}\n", printable(*task.result));
    return text;
}

Async<int> show_remote(Remote& at)
{
    const auto task = co_await at.server.ask("GET", "/tasks/" + co_await at.task());
    at.output.print(at.output.json ? to_text(task) + "\n" : remote_page(view_from(task)));
    co_return 0;
}

std::string remote_line(const Output& output, std::uint32_t number, const json::value& event)
{
    if (output.json) return fmt::format("{{\"seq\":{},\"event\":{}}}\n", number, to_text(event));
    return fmt::format("{:>4}  {}\n", number, printable(words_of(model::from_json<model::Event>(event, kFromServer))));
}

std::uint32_t event_number(std::string_view id)
{
    return static_cast<std::uint32_t>(std::stoul(std::string(id.substr(0, id.find('/')))));
}

Async<int> tail_remote(Remote& at)
{
    const std::string task = co_await at.task();
    std::uint32_t after = 0;
    if (const auto from = at.args.find("from"))
        after = static_cast<std::uint32_t>(std::max(1UL, std::stoul(*from)) - 1);
    if (at.args.has("follow")) {
        const auto hear = [&at](const RemoteItem& item) {
            if (item.kind == "message")
                at.output.print(remote_line(at.output, event_number(item.id), parse_json(item.data)));
            return true;
        };
        co_await at.server.follow(fmt::format("/tasks/{}/events?since={}", task, after), hear);
        co_return 0;
    }
    while (true) {
        const auto page =
            co_await at.server.ask("GET", fmt::format("/tasks/{}/events?after={}&limit=1000", task, after));
        const auto& events = page.at("events").as_array();
        for (const auto& line : events)
            at.output.print(remote_line(at.output, line.at("seq").to_number<std::uint32_t>(), line.at("event")));
        if (events.empty()) co_return 0;
        after = page.at("last").to_number<std::uint32_t>();
    }
}

Async<int> inbox_remote(Remote& at)
{
    const auto all = co_await at.server.ask("GET", "/hitl");
    if (at.output.json) {
        at.output.print(to_text(all) + "\n");
        co_return 0;
    }
    const Time now = system_clock().now();
    const auto& requests = all.at("requests").as_array();
    for (const auto& one : requests) {
        const auto question = model::from_json<QuestionView>(one, kFromServer);
        at.output.print(fmt::format("{}  {}\n  {}\n", short_of(question.task_id), age_text(now - question.asked_at),
                                    printable(question_text(request_of(question)))));
        for (const std::string& command : answer_commands(id_from(question.task_id), request_of(question)))
            at.output.print("  " + command + "\n");
    }
    if (requests.empty() && !at.output.quiet) at.output.complain("nothing is waiting for you\n");
    co_return 0;
}

Async<int> trace_remote(Remote& at)
{
    const auto trace = co_await at.server.ask("GET", fmt::format("/tasks/{}/trace", co_await at.task()));
    if (at.output.json) {
        at.output.print(to_text(trace) + "\n");
        co_return 0;
    }
    for (const auto& span : trace.at("spans").as_array()) {
        const auto text = [&](const char* name) -> std::string {
            const auto* value = span.as_object().if_contains(name);
            return value && value->is_string() ? std::string(value->get_string()) : "";
        };
        std::string took;
        if (const std::string end = text("end"); !end.empty())
            took = fmt::format("{} ms", (time_from_iso(end) - time_from_iso(text("begin"))).count());
        const auto depth = span.at("depth").to_number<std::size_t>();
        at.output.print(fmt::format("{}{} {}  {}  {}\n", std::string(depth * 2, ' '), text("kind"),
                                    printable(text("name")), text("status"), took));
    }
    co_return 0;
}

// ---- running ----

/// How the program ends that has seen a task through.
int remote_exit(const Output& output, const server::TaskView& task)
{
    switch (task.status) {
    case TaskStatus::completed: return 0;
    case TaskStatus::cancelled: throw Error(Code::cancelled, "the task was cancelled");
    case TaskStatus::failed: throw Error(Code::upstream, task.error.value_or("the task failed"));
    case TaskStatus::waiting:
        for (const QuestionView& question : task.ext.questions) {
            output.complain(
                fmt::format("{} asks: {}\n", question.agent_name, printable(question_text(request_of(question)))));
            for (const std::string& command : answer_commands(id_from(question.task_id), request_of(question)))
                output.complain("  " + command + "\n");
        }
        return kWaitingExit;
    default: break;
    }
    output.complain(fmt::format("task {} is {}\n", short_of(task.id), model::wire_name(task.status)));
    return kPausedExit;
}

bool rests_now(const server::TaskView& task)
{
    return model::is_finished(task.status) || task.status == TaskStatus::waiting || task.status == TaskStatus::paused ||
           !task.ext.questions.empty();
}

/// Shows what happens to the task until it has ended, or needs somebody.
Async<int> see_remote(Remote& at, std::string task, std::uint32_t after)
{
    while (true) {
        bool stopped = false;
        const auto hear = [&](const RemoteItem& item) {
            if (item.kind != "message") return true;
            const json::value event = parse_json(item.data);
            const std::string_view type = event.at("type").as_string();
            after = event_number(item.id);
            if (at.output.json) at.output.print(remote_line(at.output, after, event));
            else if (!at.output.quiet && is_progress(model::from_json<model::Event>(event, kFromServer)))
                at.output.complain(printable(words_of(model::from_json<model::Event>(event, kFromServer))) + "\n");
            stopped = type == "event_hitl_request" || type == "event_task_paused";
            return !stopped;
        };
        co_await at.server.follow(fmt::format("/tasks/{}/events?since={}", task, after), hear);
        const auto value = co_await at.server.ask("GET", "/tasks/" + task);
        server::TaskView now = view_from(value);
        if (!rests_now(now)) continue;
        if (!now.ext.questions.empty() && !model::is_finished(now.status)) now.status = TaskStatus::waiting;
        if (!at.output.json && now.result) at.output.print(*now.result + "\n");
        co_return remote_exit(at.output, now);
    }
}

std::string remote_prompt(const Args& args)
{
    const std::string prompt = args["prompt"];
    if (prompt != "-") return prompt;
    return {std::istreambuf_iterator<char>(std::cin), {}};
}

Async<int> run_remote(Remote& at)
{
    const Args& args = at.args;
    json::object body{{"description", remote_prompt(args)}, {"start", true}};
    const std::pair<const char*, const char*> names[] = {
        {"file", "team"},   {"agent", "agent"},       {"pattern", "pattern"},    {"kind", "kind"},
        {"model", "model"}, {"workflow", "workflow"}, {"session", "session_id"}, {"mode", "execution_mode"}};
    for (const auto& [flag, field] : names)
        if (const auto value = args.find(flag)) body[field] = *value;
    if (const auto days = args.find("retention-days")) body["retention_days"] = parse_json(*days);
    if (const auto budget = args.find("budget")) body["budget"] = model::to_json_value(engine::budget_from(*budget));
    if (args.has("input")) body["input"] = engine::members_from(args.all("input"), "--input");
    const auto made = co_await at.server.ask("POST", "/tasks", to_text(body), to_string(new_id()));
    const std::string task(made.at("id").as_string());
    if (!at.output.quiet && !at.output.json) at.output.complain(fmt::format("task {}\n", short_of(task)));
    co_return co_await see_remote(at, task, 0);
}

/// Says how the task is now.
Async<int> tell_change(Remote& at, json::value task)
{
    const server::TaskView now = view_from(task);
    if (at.output.json) at.output.print(to_text(task) + "\n");
    else if (!at.output.quiet)
        at.output.print(fmt::format("task {}: {}\n", short_of(now.id), model::wire_name(now.status)));
    co_return 0;
}

Async<int> change_remote(Remote& at, std::string verb, json::object body)
{
    const std::string path = fmt::format("/tasks/{}/{}", co_await at.task(), verb);
    const auto task = co_await at.server.ask("POST", path, body.empty() ? "" : to_text(body), to_string(new_id()));
    co_return co_await tell_change(at, task);
}

Async<int> resume_remote(Remote& at)
{
    if (at.args.has("all") || !at.args.has("task"))
        throw Error(Code::invalid, "a server resumes all tasks by itself; name the one that is paused");
    const std::string task = co_await at.task();
    const auto before = co_await at.server.ask("GET", "/tasks/" + task);
    json::object body;
    std::string verb = "resume";
    if (const auto budget = at.args.find("budget")) body["budget"] = model::to_json_value(engine::budget_from(*budget));
    if (const auto steps = at.args.find("steps")) {
        verb = "step";
        body["steps"] = parse_json(*steps);
    }
    co_await at.server.ask("POST", fmt::format("/tasks/{}/{}", task, verb), to_text(body), to_string(new_id()));
    co_return co_await see_remote(at, task, view_from(before).ext.last_event);
}

// ---- answering ----

Async<int> respond_remote(Remote& at, json::object body, bool are_words)
{
    const std::string task = co_await at.task();
    const std::string wanted = at.args.find("request").value_or("");
    const server::TaskView now = view_from(co_await at.server.ask("GET", "/tasks/" + task));
    std::vector<QuestionView> meant;
    for (const QuestionView& question : now.ext.questions)
        if (question.request_id.starts_with(wanted)) meant.push_back(question);
    if (meant.empty()) throw Error(Code::conflict, fmt::format("task {} asks nothing like that", short_of(task)));
    if (meant.size() > 1) throw Error(Code::invalid, "the task asks several things; name one with --request");
    if (are_words && meant.front().request_type == model::HumanRequestType::approval)
        throw Error(Code::invalid, fmt::format("task {} asks for an approval; say approve or reject", short_of(task)));
    const std::string path = fmt::format("/tasks/{}/hitl/{}/respond", task, meant.front().request_id);
    const auto answer = co_await at.server.ask("POST", path, to_text(body), to_string(new_id()));
    if (at.args.has("no-wait")) co_return co_await tell_change(at, answer.at("task"));
    co_return co_await see_remote(at, task, now.ext.last_event);
}

json::object approval_of(const Args& args)
{
    json::object body{{"action", "approve"}, {"message", args.find("message").value_or("")}};
    if (args.has("state")) {
        body["action"] = "modify";
        body["state_updates"] = engine::members_from(args.all("state"), "--state");
    }
    if (const auto arguments = args.find("arguments")) {
        body["action"] = "modify";
        body["response_data"] = json::object{{"arguments", parse_json(*arguments)}};
    }
    return body;
}

json::object answer_from(const Args& args)
{
    if (const auto text = args.find("text")) return {{"action", "approve"}, {"message", *text}};
    if (const auto result = args.find("happened"))
        return {{"action", "happened"}, {"response_data", json::object{{"result", *result}}}};
    if (args.has("not-happened")) return {{"action", "not_happened"}};
    throw Error(Code::invalid, "answer: TEXT is missing, or --happened or --not-happened");
}

// ---- the table ----

template <Async<int> (*act)(Remote&)>
int remote(const Args& args, Output& output, const std::string& url)
{
    Remote at(args, output, url);
    return at.run(act(at));
}

Async<int> approve_remote(Remote& at)
{
    return respond_remote(at, approval_of(at.args), false);
}
Async<int> reject_remote(Remote& at)
{
    return respond_remote(at, {{"action", "reject"}, {"message", at.args.find("message").value_or("")}}, false);
}
Async<int> answer_remote(Remote& at)
{
    return respond_remote(at, answer_from(at.args), at.args.has("text"));
}
Async<int> cancel_remote(Remote& at)
{
    return change_remote(at, "cancel", {{"reason", at.args.find("reason").value_or("")}});
}
Async<int> pause_remote(Remote& at)
{
    return change_remote(at, "pause", {});
}

constexpr std::pair<std::string_view, RemoteVerb> kRemoteVerbs[] = {
    {"run", remote<run_remote>},       {"tasks", remote<list_remote>},    {"show", remote<show_remote>},
    {"tail", remote<tail_remote>},     {"inbox", remote<inbox_remote>},   {"approve", remote<approve_remote>},
    {"reject", remote<reject_remote>}, {"answer", remote<answer_remote>}, {"cancel", remote<cancel_remote>},
    {"pause", remote<pause_remote>},   {"resume", remote<resume_remote>}, {"trace", remote<trace_remote>},
};

}  // namespace

RemoteVerb find_remote(std::string_view verb)
{
    for (const auto& [name, act] : kRemoteVerbs)
        if (name == verb) return act;
    return nullptr;
}

std::optional<std::string> server_for(const Verb& verb, const Args& args)
{
    const auto said = args.find("server");
    if (find_remote(verb.name)) {
        const auto server = said ? said : environment("CADRE_SERVER");
        for (const char* local : {"record", "continue", "deltas", "requests", "always"})
            if (server && args.has(local))
                throw Error(Code::invalid, fmt::format("--{} does not work with a server", local));
        return server;
    }
    if (!said) return std::nullopt;
    std::string names;
    for (const auto& [name, act] : kRemoteVerbs) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    throw Error(Code::invalid, fmt::format("{} works with the home of this machine, not with a server; these do: {}",
                                           verb.name, names));
}

}  // namespace cadre::cli
