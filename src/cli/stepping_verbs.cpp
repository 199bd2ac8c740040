#include "cli/stepping_verbs.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/race.hpp"
#include "base/timeout.hpp"
#include "cli/args.hpp"
#include "cli/output.hpp"
#include "cli/task_text.hpp"
#include "cli/verb_context.hpp"
#include "config/project.hpp"
#include "model/task.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <utility>

namespace cadre::cli {
namespace {

/// What takes less needs no explanation.
constexpr Millis kPauseIsNoticed{300};

/// What was said and what the person can do next.
Async<> tell(Console& console, home::TaskReply reply, std::string what)
{
    if (console.output().json) co_return co_await console.out(model::to_json_text(reply) + "\n");
    if (console.output().quiet) co_return;
    const std::string id = short_id(reply.task);
    const bool paused = reply.status == model::TaskStatus::paused;
    std::string next;
    if (reply.driven && !paused) {
        next = fmt::format("process {} continues it", reply.pid);
    } else if (paused) {
        next = fmt::format("to continue: {}, or one step: {}", as_typed("cadre continue " + id),
                           as_typed("cadre step " + id));
    } else {
        const bool waits = reply.status == model::TaskStatus::waiting;
        next = "to resume: " + as_typed((waits ? "cadre show " : "cadre resume ") + id);
    }
    co_await console.out(fmt::format("task {}: {}\n{}\n", id, what, next));
}

Async<int> say_to(VerbContext& command, std::string prefix, home::Intervene request)
{
    const bool is_words = request.type == model::InterventionType::instruction;
    request.task = co_await command.session.resolve(std::move(prefix));
    const home::TaskReply reply = co_await command.session.call(std::move(request));
    co_await tell(command.console, reply,
                  is_words ? "the next model call of its agent will hear that"
                           : "its pattern takes that in the next time it looks");
    co_return 0;
}

json::value json_file(const std::string& file)
{
    config::Findings findings;
    const auto text = config::read_file(file, file, findings);
    findings.raise();
    try {
        return parse_json(*text);
    } catch (const Error& error) {
        throw Error(Code::invalid, file + ": " + error.what());
    }
}

/// Exactly one of the four.
home::Intervene intervention_in(const Args& args)
{
    using Type = model::InterventionType;
    home::Intervene request{.instruction = args.find("instruction").value_or("")};
    int given = request.instruction.empty() ? 0 : 1;
    const auto change = [&](Type type, std::string_view name, json::value value) {
        request.type = type;
        request.details[name] = std::move(value);
        ++given;
    };
    if (args.has("plan")) change(Type::plan_update, "plan", json_file(args["plan"]));
    if (args.has("next-agent")) change(Type::agent_override, "next_agent", json::value(args["next-agent"]));
    if (args.has("team")) change(Type::team_modification, "team", json_file(args["team"]));
    if (given != 1)
        throw Error(Code::invalid, "give one change: an instruction that is not empty, --plan, --next-agent or --team");
    return request;
}

Async<> say_what_is_waited_for(Console& console, Id task)
{
    co_await sleep_for(kPauseIsNoticed);
    co_await console.note(fmt::format(
        "task {} pauses when the current call is done; Ctrl-C stops waiting for that, and it pauses all the same",
        short_id(task)));
}

Async<int> pause_one(VerbContext& command, std::string prefix)
{
    const Id task = co_await command.session.resolve(std::move(prefix));
    co_await command.session.call(home::Pause{task});
    AsyncScope scope(command.loop);
    if (!command.console.output().quiet) scope.spawn(say_what_is_waited_for(command.console, task));
    const home::TaskReply reply = co_await finally(command.session.call(home::AwaitRest{task}), scope.close());
    if (model::is_finished(reply.status))
        throw Error(Code::conflict, fmt::format("task {} has ended before it could pause: {}", short_id(task),
                                                model::wire_name(reply.status)));
    co_await tell(command.console, reply, "paused");
    co_return 0;
}

Async<int> change(VerbContext& command, std::string prefix, home::ChangeBreakpoints request)
{
    request.task = co_await command.session.resolve(std::move(prefix));
    home::BreakpointList list{.task = request.task};
    if (request.clear || !request.add.empty() || !request.remove.empty())
        list = co_await command.session.call(std::move(request));
    else list.breakpoints = (co_await command.session.task(request.task))->breakpoints;
    const Output& output = command.console.output();
    if (output.json) {
        co_await command.console.out(model::to_json_text(list) + "\n");
        co_return 0;
    }
    std::string text;
    for (const std::string& breakpoint : list.breakpoints) text += printable(breakpoint) + "\n";
    co_await command.console.out(std::move(text));
    if (list.breakpoints.empty() && !output.quiet)
        co_await command.console.err(
            fmt::format("no breakpoints; to set one: {}\n",
                        as_typed(fmt::format("cadre breakpoints {} --add tool:NAME", short_id(list.task)))));
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
    home::Intervene request = intervention_in(args);
    VerbContext command(output);
    expect_journal(command.session.home());
    return command.run(say_to(command, args["task"], std::move(request)));
}

int breakpoints(const Args& args, Output& output)
{
    VerbContext command(output);
    expect_journal(command.session.home());
    return command.run(change(command, args["task"],
                              {.clear = args.has("clear"), .remove = args.all("remove"), .add = args.all("add")}));
}

}  // namespace cadre::cli
