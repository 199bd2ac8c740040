#include "cli/route_verb.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "cli/args.hpp"
#include "cli/here.hpp"
#include "cli/output.hpp"
#include "cli/task_text.hpp"
#include "cli/text_stream.hpp"
#include "cli/verb_context.hpp"
#include "home/project/prepare_task.hpp"
#include "home/telling.hpp"
#include "model/route_setup.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::cli {
namespace {

class SilentListener final : public home::Listener {
public:
    Async<> hear(home::Told) override { co_return; }
};

Async<int> explain_route(VerbContext& command, home::PreparedTask work)
{
    Console& console = command.console;
    const Id task = new_id(system_random());
    work.task.id = task;
    work.task.input["explain"] = true;
    if (!console.output().quiet)
        for (std::string& note : work.notes) co_await console.note(std::move(note));
    co_await command.session.call(home::Create{.task = std::move(work.task), .held = true});
    SilentListener nobody;
    const std::uint32_t seen = 0;
    home::Drive request{.task = task};
    co_await command.session.drive(std::move(request), nobody, seen);
    const auto state = co_await command.session.task(task);
    if (state->status != model::TaskStatus::completed || !state->reply)
        throw Error(code_of(state->error_code),
                    fmt::format("task {} is {}: {}", short_id(task), model::wire_name(state->status), state->error));
    if (console.output().json && state->reply->formatted)
        co_await console.out(cadre::to_text(*state->reply->formatted) + "\n");
    else
        co_await console.out((console.out_is_terminal() ? terminal_text(state->reply->text) : state->reply->text) +
                             "\n");
    co_return 0;
}

int route_request(const Args& args, Output& output)
{
    const home::RunRequest wanted{.file = args.find("file"),
                                  .pattern = std::string(model::kRouting),
                                  .model = args.find("model"),
                                  .prompt = args["request"]};
    home::PreparedTask work = home::prepare(project_here(), wanted);
    VerbContext command(output);
    return command.run(explain_route(command, std::move(work)));
}

}  // namespace

Verb route_verb()
{
    return {
        .name = "route",
        .summary = "Say which agents of a team a request would go to",
        .arguments = {{.name = "file",
                       .help = "A team: its file or its name; the project's team when left out",
                       .count = Argument::Count::optional},
                      {.name = "request", .help = "What somebody might ask for"}},
        .flags = {{.name = "trust", .help = "Trust the project for this once, as CADRE_TRUST=1 does"},
                  {.name = "model",
                   .value = "SPEC",
                   .help = "provider/model, local or script:FILE; wins over CADRE_MODEL and all files"}},
        .text =
            "Decides as cadre run --pattern route does, by config/appsettings.json, and does nothing else: the agent, "
            "how sure the router is, the threshold, what it would do when it is not sure enough, and why. With --json "
            "as one object.",
        .examples = {{"cadre route \"Turn on the kitchen lights\"", "Who would deal with it?"},
                     {"cadre run --pattern route \"Turn on the kitchen lights\"", "And have it done"}},
        .run = route_request,
    };
}

}  // namespace cadre::cli
