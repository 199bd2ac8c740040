#include "cli/answer_verbs.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "cli/args.hpp"
#include "cli/output.hpp"
#include "cli/task_text.hpp"
#include "cli/verb_context.hpp"
#include "engine/state_change.hpp"
#include "model/human.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <utility>

namespace cadre::cli {
namespace {

using model::HumanAnswer;
using model::HumanVerb;

struct Given {
    bool words = false;  // as opposed to a yes or no
    bool waits = true;
};

/// Words are no approval: "no, don't" must not let a call go.
void expect_no_approval(const engine::TaskState& state, std::string_view question)
{
    for (const engine::OpenQuestion& open : state.questions)
        if (open.request.id.starts_with(question) && open.request.type == model::HumanRequestType::approval)
            throw Error(Code::invalid, fmt::format("task {} asks for an approval; to give it: {}; to refuse it: {}",
                                                   short_id(state.id), as_typed("cadre approve " + short_id(state.id)),
                                                   as_typed("cadre reject " + short_id(state.id))));
}

Async<int> give(VerbContext& command, std::string prefix, std::string question, HumanAnswer answer, Given given)
{
    const Id task = co_await command.session.resolve(std::move(prefix));
    const auto state = co_await command.session.task(task);
    if (given.words) expect_no_approval(*state, question);
    const auto top = co_await command.session.queries().top_of(command.session.who(), task);
    const bool waits = given.waits;
    const model::HumanVerb said = answer.verb;
    home::AnswerQuestion request{
        .task = task, .request = std::move(question), .answer = std::move(answer), .stay = waits};
    const home::TaskReply reply = co_await command.session.call(std::move(request));
    if (!reply.driven && waits) co_return co_await command.see_through(top->id, top->end.event_seq);

    if (command.console.output().json) {
        co_await command.console.out(model::to_json_text(reply) + "\n");
    } else if (!command.console.output().quiet) {
        std::string next = fmt::format("it is {}", model::wire_name(reply.status));
        if (reply.driven) next = fmt::format("process {} continues it", reply.pid);
        else if (reply.status == model::TaskStatus::running)
            next = "to resume: " + as_typed("cadre resume " + short_id(task));
        co_await command.console.out(
            fmt::format("task {}: {}; {}\n", short_id(task), given.words ? "answered" : model::participle(said), next));
    }
    co_return 0;
}

int run(const Args& args, Output& output, HumanAnswer answer, bool words = false)
{
    VerbContext command(output);
    expect_journal(command.session.home());
    return command.run(give(command, args["task"], args.find("request").value_or(""), std::move(answer),
                            {.words = words, .waits = !args.has("no-wait")}));
}

boost::json::object object_in(const std::string& text)
{
    boost::json::value value = parse_json(text);
    if (!value.is_object())
        throw Error(Code::invalid, "--arguments must be a JSON object, like '{\"path\":\"a.txt\"}'");
    return std::move(value.get_object());
}

}  // namespace

int approve(const Args& args, Output& output)
{
    HumanAnswer answer{.verb = HumanVerb::approve, .message = args.find("message").value_or("")};
    const auto state = args.all("state");
    if (!state.empty() && args.has("arguments"))
        throw UsageError("approve: either --arguments or --state, not both", *find_verb(program(), "approve"));
    if (!state.empty()) {
        answer.verb = HumanVerb::modify;
        answer.updates = engine::members_from(state, "--state");
    }
    if (const auto arguments = args.find("arguments")) {
        answer.verb = HumanVerb::modify;
        answer.updates["arguments"] = object_in(*arguments);
    }
    return run(args, output, std::move(answer));
}

int reject(const Args& args, Output& output)
{
    return run(args, output, {.verb = HumanVerb::reject, .message = args.find("message").value_or("")});
}

int answer(const Args& args, Output& output)
{
    const auto text = args.find("text");
    const auto result = args.find("happened");
    const int given = (text ? 1 : 0) + (result ? 1 : 0) + (args.has("not-happened") ? 1 : 0);
    if (given != 1)
        throw UsageError(given == 0 ? "answer: TEXT is missing, or --happened or --not-happened"
                                    : "answer: one of TEXT, --happened and --not-happened",
                         *find_verb(program(), "answer"));
    if (text) return run(args, output, {.verb = HumanVerb::approve, .message = *text}, true);
    if (!result) return run(args, output, {.verb = HumanVerb::not_happened});
    HumanAnswer happened{.verb = HumanVerb::happened};
    happened.updates["result"] = *result;
    return run(args, output, std::move(happened));
}

}  // namespace cadre::cli
