#include "base/async.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "base/random.hpp"
#include "cli/args.hpp"
#include "cli/fork_verbs.hpp"
#include "cli/here.hpp"
#include "cli/task_text.hpp"
#include "cli/verb_context.hpp"
#include "config/project.hpp"
#include "config/text_file.hpp"
#include "engine/agent.hpp"
#include "engine/state_change.hpp"
#include "home/models.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <system_error>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;
using engine::ForkPoint;

[[noreturn]] void misused(const std::string& text)
{
    throw UsageError("fork: " + text, *find_verb(program(), "fork"));
}

std::uint32_t number_in(std::string_view flag, const std::string& text)
{
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
        throw Error(Code::invalid, fmt::format("--{} is a number, not {}", flag, in_quotes(text)));
    return number;
}

std::optional<ForkPoint> point_in(const Args& args)
{
    const auto at = args.find("at"), checkpoint = args.find("checkpoint");
    if (at && checkpoint) misused("either --at or --checkpoint, not both");
    if (at) return ForkPoint{ForkPoint::By::event, number_in("at", *at)};
    if (checkpoint) return ForkPoint{ForkPoint::By::checkpoint, number_in("checkpoint", *checkpoint)};
    return std::nullopt;
}

engine::ForkTask fork_wanted_by(const Args& args)
{
    engine::ForkTask fork{.id = new_id(system_random()),
                          .at = point_in(args),
                          .description = args.find("text"),
                          .agent = args.find("agent").value_or(""),
                          .project = config::project_around(place_here().folder).string()};
    if (const auto model = args.find("model")) {
        fork.model = home::whole_spec(*model, place_here().folder);
        home::expect_model(*project_here(), engine::llm_from_spec(*fork.model));
    }
    if (const auto file = args.find("prompt")) fork.prompt = config::text_of_file(*file);
    if (!fork.agent.empty() && !fork.prompt) misused("--agent says whose prompt --prompt FILE is");
    for (const std::string& setting : args.all("set")) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos)
            throw Error(Code::invalid,
                        fmt::format("--set is KEY=VALUE, for example agents.writer.temperature=0.2, not {}",
                                    in_quotes(setting)));
        fork.settings.push_back({setting.substr(0, equals), setting.substr(equals + 1)});
    }
    fork.state = engine::members_from(args.all("state"), "--state");
    if (!fork.state.empty() && !args.has("checkpoint"))
        misused("--state changes the state at --checkpoint N; give one");
    if (const auto budget = args.find("budget")) fork.budget = engine::budget_from(*budget);
    if (!fork.at && !fork.description && !fork.model && !fork.prompt && fork.settings.empty())
        misused("give a point (--at N) or a change (--prompt, --model, --set)");
    return fork;
}

std::string report_text(const engine::ForkReport& report)
{
    std::string text = fmt::format("task {} is a fork of {}: {} reused", short_id(report.task), short_id(report.from),
                                   plural(report.reused, "step"));
    if (report.model_calls > 0) text += fmt::format(" ({})", plural(report.model_calls, "model call"));
    if (report.live.empty()) return text + "; nothing is left to do";
    return text + fmt::format("; it continues with {}", fmt::join(report.live, " and "));
}

Async<int> fork_one(VerbContext& command, std::string prefix, engine::ForkTask fork, bool waits)
{
    Console& console = command.console;
    fork.from = co_await command.session.resolve(std::move(prefix));
    const engine::ForkReport report = co_await command.session.call(home::Fork{std::move(fork)});
    if (console.output().json) co_await console.out(fmt::format("{{\"fork\":{}}}\n", model::to_json_text(report)));
    else if (!console.output().quiet) co_await console.note(report_text(report));
    if (waits) co_return co_await command.see_through(report.task, report.events);
    if (!console.output().json) co_await console.out(to_string(report.task) + "\n");
    co_return 0;
}

}  // namespace

int fork(const Args& args, Output& output)
{
    engine::ForkTask wanted = fork_wanted_by(args);
    VerbContext command(output);
    expect_journal(command.session.home());
    return command.run(fork_one(command, args["task"], std::move(wanted), !args.has("no-wait")));
}

}  // namespace cadre::cli
