#include "cli/answer_verbs.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "base/visible.hpp"
#include "cli/args.hpp"
#include "cli/output.hpp"
#include "cli/permission_rule.hpp"
#include "cli/task_text.hpp"
#include "cli/verb_context.hpp"
#include "engine/body.hpp"
#include "engine/state_change.hpp"
#include "model/human.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cadre::cli {
namespace {

using model::HumanAnswer;
using model::HumanVerb;

struct Given {
    bool words = false;  // as opposed to a yes or no
    bool waits = true;
    bool always = false;
};

/// Throws Error where "always" is not an answer to the question.
Async<AlwaysRule> rule_for(VerbContext& command, const engine::TaskState& state, std::string question)
{
    for (const engine::OpenQuestion& open : state.questions) {
        if (!open.request.id.starts_with(question)) continue;
        if (auto always = co_await find_always(command.session, state.id, open.request)) co_return std::move(*always);
    }
    throw Error(
        Code::invalid,
        fmt::format("--always is for a call that a permission asks about, which a rule can allow; to approve this "
                    "once: {}",
                    as_typed("cadre approve " + short_id(state.id))));
}

/// Words are no approval: "no, don't" must not let a call go.
void expect_no_approval(const engine::TaskState& state, std::string_view question)
{
    for (const engine::OpenQuestion& open : state.questions)
        if (open.request.id.starts_with(question) && open.request.type == model::HumanRequestType::approval) {
            const auto commands = answer_commands(state.id, open.request);
            throw Error(Code::invalid, fmt::format("task {} asks for an approval; to give it: {}; to refuse it: {}",
                                                   short_id(state.id), commands.at(0), commands.at(1)));
        }
}

/// Nothing that says something: an unset variable of a script is not a yes.
bool is_blank(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
        const std::string_view character = text.substr(0, length);
        if (character != " " && (utf8_length(text) == 0 || !is_unseen(character))) return false;
        text.remove_prefix(length);
    }
    return true;
}

/// Which question is meant where none is named: the only one that was ever there to be seen. Whoever looked before the last answer was
/// given has seen another.
Async<std::string> meant(VerbContext& command, const engine::TaskState& state)
{
    if (state.questions.size() != 1) co_return "";  // the engine says what is wrong
    const auto records = co_await command.session.queries().records(command.session.who(), state.id);
    const model::HumanRequest& request = state.questions.front().request;
    const auto answers_another = [&](const storage::Record& one) {  // to this one somebody may just have been quicker
        return one.kind == storage::RecordKind::answer &&
               engine::body_of<engine::AnswerBody>(one).request.str() != request.id;
    };
    if (std::ranges::any_of(records, answers_another))
        throw Error(Code::conflict,
                    fmt::format("task {} has asked before, so say which question you mean. It asks now:\n{}\n"
                                "to answer this: {}",
                                short_id(state.id), question_text(request), answer_command(state.id, request)));
    co_return request.id;
}

Async<int> give(VerbContext& command, std::string prefix, std::string question, HumanAnswer answer, Given given)
{
    const Id task = co_await command.session.resolve(std::move(prefix));
    const auto state = co_await command.session.task(task);
    if (given.words) expect_no_approval(*state, question);
    if (question.empty()) question = co_await meant(command, *state);
    std::optional<AlwaysRule> always;
    if (given.always) always = co_await rule_for(command, *state, question);
    const auto top = co_await command.session.queries().top_of(command.session.who(), task);
    const bool waits = given.waits;
    const model::HumanVerb said = answer.verb;
    home::AnswerQuestion request{
        .task = task, .request = std::move(question), .answer = std::move(answer), .stay = waits};
    const home::TaskReply reply = co_await command.session.call(std::move(request));
    if (always) {
        const std::string told = always_text(*always, allow_always(*always));
        command.allowed.insert(always->rule);
        if (!command.console.output().quiet) co_await command.console.note(told);
    }
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
                            {.words = words, .waits = !args.has("no-wait"), .always = args.has("always")}));
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
    if (args.has("always")) {
        if (!state.empty() || args.has("arguments"))
            throw UsageError("approve: --always approves the call as it is; leave out --arguments and --state",
                             *find_verb(program(), "approve"));
        if (answer.message.empty()) answer.message = "always";
    }
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
    if (text && is_blank(*text))
        throw Error(Code::invalid, "the answer is empty; say what you mean. Yes to an approval is: cadre approve TASK");
    if (text) return run(args, output, {.verb = HumanVerb::approve, .message = *text}, true);
    if (!result) return run(args, output, {.verb = HumanVerb::not_happened});
    if (is_blank(*result))
        throw UsageError("answer: --happened says what came of it, in the receiver's words or your own; it is empty",
                         *find_verb(program(), "answer"));
    HumanAnswer happened{.verb = HumanVerb::happened};
    happened.updates["result"] = *result;
    return run(args, output, std::move(happened));
}

}  // namespace cadre::cli
