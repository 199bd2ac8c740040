#include "patterns/route/dispatch.hpp"

#include "base/json.hpp"
#include "engine/run.hpp"
#include "patterns/react.hpp"
#include "patterns/structured.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::patterns {

using engine::Agent;
using engine::Run;
using model::orchestration::AgentExecutorWrapperOptions;
using model::orchestration::AgentReplyView;
using model::orchestration::Dispatch;

namespace {

bool may_pass(const Error& error)
{
    return error.code() == Code::upstream || error.code() == Code::unavailable || error.code() == Code::rate_limited;
}

Async<std::string> attempt_work(Run& run, RoutedWork work)
{
    Agent agent = run.agent(work.agent);
    retry_no_calls(agent);
    run.tell_history();
    for (std::size_t i = 0; i < work.turns.size(); ++i)
        run.tell(llm::Message{.role = i % 2 == 0 ? model::Role::user : model::Role::assistant, .text = work.turns[i]});
    for (std::string& text : work.more) run.tell(std::move(text));
    co_return (co_await react_to_what_was_told(run, agent)).text;
}

/// What one attempt came to.
struct AttemptEnd {
    std::optional<std::string> said{};
    std::string error{};
    bool may_pass = false;
};

Async<AttemptEnd> attempted_work(Run& run, const RoutedWork& work, Millis limit)
{
    AttemptEnd end;
    try {
        const auto act = [&](Run& inner) { return attempt_work(inner, work); };
        end.said = co_await run.within(limit, act);
        if (!end.said) end.error = fmt::format("{} timed out after {} ms", work.alias, limit.count());
    } catch (const Error& error) {
        if (is_limit_of_run(error)) throw;
        end.error = error.what();
        end.may_pass = may_pass(error);
    }
    co_return end;
}

Async<AgentReplyView> attempts_at(Run& run, RoutedWork work, AgentExecutorWrapperOptions options)
{
    AgentReplyView reply{.agent_id = work.alias};
    Time begun{};
    if (options.enable_telemetry) begun = co_await run.now();
    for (int retries = 0;; ++retries) {
        AttemptEnd end = co_await attempted_work(run, work, Millis(options.default_timeout_ms));
        reply.success = end.said.has_value();
        if (end.said) reply.content = std::move(*end.said);
        else reply.error_message = std::move(end.error);
        if (reply.success) reply.error_message.reset();
        if (reply.success || !end.may_pass || retries >= options.max_retries) break;
        co_await run.sleep(Millis(options.retry_delay_ms));
    }
    if (options.enable_telemetry) reply.execution_time_ms = ((co_await run.now()) - begun).count();
    engine::Fact fact{.what = "agent_response", .agent = work.agent, .key = work.alias};
    fact.fact = parse_json(model::to_json_text(reply)).as_object();
    co_await run.announce(std::move(fact));
    co_return reply;
}

}  // namespace

Async<AgentReplyView> execute_agent(Run& run, RoutedWork work, AgentExecutorWrapperOptions options)
{
    const std::string name = work.agent;
    const auto act = [&](Run& node) { return attempts_at(node, work, options); };
    co_return co_await run.node(name, act);
}

Async<std::vector<AgentReplyView>> dispatch_all(Run& run, std::vector<RoutedWork> works,
                                                model::orchestration::AppSettings settings)
{
    const AgentExecutorWrapperOptions options = settings.agent_executor_wrapper;
    std::vector<AgentReplyView> replies;
    if (settings.orchestration.dispatch == Dispatch::parallel && works.size() > 1) {
        engine::MapOptions<RoutedWork> by_name{.key = [](const RoutedWork& work) { return work.alias; }};
        const auto act = [options](Run& branch, RoutedWork work) {
            return execute_agent(branch, std::move(work), options);
        };
        auto settled = co_await run.collect(works, std::move(by_name), act);
        for (std::size_t i = 0; i < settled.size(); ++i) {
            if (settled[i].value) replies.push_back(std::move(*settled[i].value));
            else if (settled[i].error && is_limit_of_run(*settled[i].error)) throw Error(*settled[i].error);
            else
                replies.push_back({.agent_id = works[i].alias,
                                   .error_message = settled[i].error ? settled[i].error->what() : "was cancelled"});
        }
        co_return replies;
    }
    for (RoutedWork& work : works) {  // later ones hear what earlier ones have said
        for (const AgentReplyView& before : replies)
            work.more.push_back(before.success ? before.agent_id + " has answered: " + before.content
                                               : before.agent_id + " has failed: " + before.error_message.value_or(""));
        replies.push_back(co_await execute_agent(run, work, options));
    }
    co_return replies;
}

}  // namespace cadre::patterns
