#include "cli/stepping_verbs.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/timeout.hpp"
#include "cli/args.hpp"
#include "cli/output.hpp"
#include "cli/task_text.hpp"
#include "cli/verb_context.hpp"
#include "model/task.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <exception>
#include <utility>

namespace cadre::cli {
namespace {

/// What takes less needs no explanation.
constexpr Millis kPauseIsNoticed{300};

boost::json::array list(const std::vector<std::string>& texts)
{
    boost::json::array values;
    for (const std::string& text : texts) values.emplace_back(text);
    return values;
}

/// What was said and what the person can do next. `result` says who has the task.
Async<> tell(Console& console, boost::json::object result, std::string what)
{
    if (console.output().json) co_return co_await console.out(cadre::to_text(boost::json::value(result)) + "\n");
    if (console.output().quiet) co_return;
    const std::string id = home::text_of(result, "task").substr(0, 8);
    const std::string status = home::text_of(result, "status");
    std::string next;
    if (result.at("driven").as_bool() && status != "paused") {
        next = fmt::format("process {} goes on with it", result.at("pid").as_int64());
    } else if (status == "paused") {
        next = fmt::format("to go on: {}, or one step: {}", as_typed("cadre continue " + id),
                           as_typed("cadre step " + id));
    } else {
        next = "to go on: " + as_typed((status == "waiting" ? "cadre show " : "cadre resume ") + id);
    }
    co_await console.out(fmt::format("task {}: {}\n{}\n", id, what, next));
}

Async<int> say(VerbContext& command, std::string prefix, home::Request request, std::string what)
{
    request.args["task"] = to_string(co_await command.session.resolve(std::move(prefix)));
    request.args["by"] = user_name();
    auto result = co_await command.session.call(std::move(request));
    co_await tell(command.console, std::move(result), std::move(what));
    co_return 0;
}

Async<> say_what_is_waited_for(Console& console, Id task)
{
    co_await sleep_for(kPauseIsNoticed);
    co_await console.note(fmt::format(
        "task {} pauses when the call under way is done; Ctrl-C stops waiting for that, and it pauses all the same",
        short_id(task)));
}

Async<int> pause_one(VerbContext& command, std::string prefix)
{
    const Id task = co_await command.session.resolve(std::move(prefix));
    home::Request request{.verb = "pause", .args = {{"task", to_string(task)}, {"by", user_name()}}};
    co_await command.session.call(std::move(request));
    AsyncScope scope(command.loop);
    if (!command.console.output().quiet) scope.spawn(say_what_is_waited_for(command.console, task));
    boost::json::object result;
    std::exception_ptr failure;
    try {
        home::Request rest{.verb = "rest", .args = {{"task", to_string(task)}}};
        result = co_await command.session.call(std::move(rest));
    } catch (...) {
        failure = std::current_exception();
    }
    co_await scope.close();
    if (failure) std::rethrow_exception(failure);
    const std::string status = home::text_of(result, "status");
    if (const auto known = model::find_named<model::TaskStatus>(status); known && model::is_finished(*known))
        throw Error(Code::conflict, fmt::format("task {} has ended before it could pause: {}", short_id(task), status));
    co_await tell(command.console, std::move(result), "paused");
    co_return 0;
}

Async<int> change(VerbContext& command, std::string prefix, home::Request request)
{
    const Id task = co_await command.session.resolve(std::move(prefix));
    boost::json::object result;
    if (request.args.empty()) {
        const auto state = co_await command.session.task(task);
        result["task"] = to_string(task);
        result["breakpoints"] = list(state.breakpoints);
    } else {
        request.args["task"] = to_string(task);
        result = co_await command.session.call(std::move(request));
    }
    const Output& output = command.console.output();
    if (output.json) {
        co_await command.console.out(cadre::to_text(boost::json::value(result)) + "\n");
        co_return 0;
    }
    const auto& all = result.at("breakpoints").as_array();
    std::string text;
    for (const auto& breakpoint : all) text += printable(breakpoint.as_string()) + "\n";
    co_await command.console.out(std::move(text));
    if (all.empty() && !output.quiet)
        co_await command.console.err(
            fmt::format("no breakpoints; to set one: {}\n",
                        as_typed(fmt::format("cadre breakpoints {} --add tool:NAME", short_id(task)))));
    co_return 0;
}

}  // namespace

int pause(const Args& args, Output& output)
{
    VerbContext command(output);
    expect_journal(command.session.home());
    return command.run(pause_one(command, args["task"]));
}

int intervene(const Args& args, Output& output)
{
    home::Request request{.verb = "instruct"};
    request.args["text"] = args["instruction"];
    if (args["instruction"].empty()) throw Error(Code::invalid, "the instruction is empty");
    VerbContext command(output);
    expect_journal(command.session.home());
    return command.run(
        say(command, args["task"], std::move(request), "the next model call of its agent will hear that"));
}

int breakpoints(const Args& args, Output& output)
{
    home::Request request{.verb = "breakpoints"};
    if (args.has("clear")) request.args["clear"] = true;
    if (args.has("remove")) request.args["remove"] = list(args.all("remove"));
    if (args.has("add")) request.args["add"] = list(args.all("add"));
    VerbContext command(output);
    expect_journal(command.session.home());
    return command.run(change(command, args["task"], std::move(request)));
}

}  // namespace cadre::cli
