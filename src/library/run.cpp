#include "cadre/run.hpp"

#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/step_id.hpp"
#include "library/tool_calls.hpp"

#include <boost/json.hpp>

#include <utility>

namespace cadre {

namespace {

using library::inner_form;
using library::public_form;

/// A body of the user's own in a scope of the engine's. Lives in the frame that awaits it.
struct InScope {
    std::function<Async<std::string>(Run&)> body;

    Async<std::string> operator()(engine::Run& inner)
    {
        Run run(inner);
        co_return co_await body(run);
    }
};

struct InBranch {
    std::function<Async<std::string>(Run&, std::string)> body;

    Async<std::string> operator()(engine::Run& inner, std::string item)
    {
        Run run(inner);
        co_return co_await body(run, std::move(item));
    }
};

/// One call in a scope of its own, so that the conversation around it does not hear of a call that no model has made.
struct OneCall {
    ToolCall call;

    Async<model::ToolResult> operator()(engine::Run& inner)
    {
        auto calls = inner_form({call});
        const std::string place = inner.next_path(engine::EffectKind::first);
        calls[0].id = engine::call_id_of(engine::step_id_of(inner.state().view().id, place), 0);
        auto replies = co_await inner.use(inner.agent(), std::move(calls));
        model::ToolResult result{.tool_call_id = replies[0].call, .result = std::move(replies[0].text)};
        if (replies[0].is_error) result.error = result.result;
        co_return result;
    }
};

}  // namespace

const std::string& Run::prompt() const
{
    return run_.prompt();
}

void Run::tell(std::string text)
{
    run_.tell(std::move(text));
}

Async<Step> Run::think()
{
    engine::Step step = co_await run_.think(run_.agent());
    co_return Step{.text = std::move(step.text), .calls = public_form(step.calls)};
}

Async<std::vector<ToolReply>> Run::use(std::vector<ToolCall> calls)
{
    std::vector<ToolReply> replies;
    for (auto& reply : co_await run_.use(run_.agent(), inner_form(calls)))
        replies.push_back({std::move(reply.text), reply.is_error});
    co_return replies;
}

Async<ToolReply> Run::use(std::string tool, std::string arguments)
{
    OneCall body{{.tool = tool, .arguments = std::move(arguments)}};
    model::ToolResult result = co_await run_.node(std::move(tool), std::move(body));
    co_return ToolReply{.text = std::move(result.result), .failed = result.error.has_value()};
}

Async<Answer> Run::ask(std::string question)
{
    engine::Question asked{.agent = run_.agent().name};
    asked.context["question"] = std::move(question);
    const model::HumanAnswer answer = co_await run_.ask(std::move(asked));
    co_return Answer{.yes = answer.verb == model::HumanVerb::approve || answer.verb == model::HumanVerb::modify,
                     .text = answer.message};
}

Async<> Run::sleep(std::chrono::milliseconds duration)
{
    co_await run_.sleep(duration);
}

Async<std::string> Run::node(std::string name, std::function<Async<std::string>(Run&)> body)
{
    InScope scope{std::move(body)};
    co_return co_await run_.node(std::move(name), std::move(scope));
}

Async<std::vector<std::string>> Run::map(std::vector<std::string> items,
                                         std::function<Async<std::string>(Run&, std::string)> body)
{
    InBranch branch{std::move(body)};
    co_return co_await run_.map(std::move(items), std::move(branch));
}

}  // namespace cadre
