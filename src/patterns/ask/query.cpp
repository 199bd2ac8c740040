#include "patterns/ask/query.hpp"

#include "base/utf8.hpp"
#include "engine/run.hpp"
#include "engine/step_id.hpp"
#include "model/calls.hpp"
#include "patterns/tool_names.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using engine::Agent;
using engine::Run;
using model::CallStatus;

namespace {

/// What a call that is cut off by its own limit has before the one over all of it, which holds over restarts, strikes.
constexpr Millis kGrace{20};
/// Larger results are for files, and for tools of another kind.
constexpr std::size_t kLargestResult = 64 << 10;

/// What a call came to.
struct CallEnd {
    CallStatus status = CallStatus::completed;
    boost::json::value result{};
    std::string error{};
    Time started_at{};
    Time ended_at{};
    int attempts = 1;
};

std::string too_slow(Millis limit)
{
    return fmt::format("no answer within {} ms", limit.count());
}

void set_failure(CallEnd& end, const engine::ToolReply& reply, Millis limit)
{
    const bool was_slow = reply.code == name_of(Code::timeout);
    end.status = was_slow ? CallStatus::timeout : CallStatus::failed;
    end.error = was_slow ? too_slow(limit) : reply.text;
}

boost::json::value kept_result(boost::json::value result)
{
    if (const auto* text = result.if_string(); text && text->size() > kLargestResult)
        return boost::json::value(boost::json::string(utf8_prefix(*text, kLargestResult)));
    return result;
}

model::ToolCall tool_call(const Run& run, const std::string& tool, boost::json::object args, int attempt)
{
    model::ToolCall call{.tool_name = tool, .args = std::move(args)};
    call.id = engine::call_id_of(engine::step_id_of(run.task(), run.scope()), static_cast<std::size_t>(attempt));
    return call;
}

/// The call and its polls, each with what is left of the limit.
Async<CallEnd> call_and_poll(Run& run, std::string tool, std::string poll, boost::json::object args, Millis limit)
{
    const Agent& hands = run.agent(kHands);
    std::vector<model::ToolCall> first{tool_call(run, tool, std::move(args), 0)};
    engine::ToolReply reply = (co_await run.use(hands, std::move(first), {.limit = limit})).front();
    CallEnd end{.started_at = reply.started_at};
    while (true) {
        end.ended_at = reply.ended_at;
        if (reply.is_error || reply.refused) {
            set_failure(end, reply, limit);
            co_return end;
        }
        ToolProgress progress = progress_in(reply.text, !poll.empty());
        if (progress.what == ToolProgress::What::done) {
            end.result = kept_result(std::move(progress.answer));
            co_return end;
        }
        if (progress.what == ToolProgress::What::failed || poll.empty()) {
            end.status = CallStatus::failed;
            end.error = "its status is " + in_quotes(progress.status) +
                        (poll.empty() ? ", and the domain has no tool to ask again" : "");
            co_return end;
        }
        const Millis pause = pause_before_poll(end.attempts);
        const Millis left = limit - (end.ended_at - end.started_at) - pause;
        if (left <= Millis(0)) {
            // until its time is over: the next poll would come too late
            co_await run.sleep(std::max(Millis(0), left + pause));
            end.status = CallStatus::timeout;
            end.error = too_slow(limit) + "; its status was still " + in_quotes(progress.status);
            end.ended_at = end.started_at + limit;
            co_return end;
        }
        co_await run.sleep(pause);
        std::vector<model::ToolCall> again{
            tool_call(run, poll, poll_arguments(hands.find_tool(poll), progress.answer), end.attempts)};
        ++end.attempts;
        reply = (co_await run.use(hands, std::move(again), {.limit = left})).front();
    }
}

}  // namespace

Async<model::Call> ask_domain(Run& run, DomainQuery query)
{
    const Time begun = co_await run.now();
    const std::string tool = pinned_name(run, query.tool.name);
    const std::string poll = query.tool.poll.empty() ? "" : pinned_name(run, query.tool.poll);
    const model::Tool* definition = run.agent(kHands).find_tool(tool);
    model::Call call{.id = model::uuid_of(engine::call_id_of(engine::step_id_of(run.task(), run.scope()), 0)),
                     .tool = query.tool.name,
                     .domain = query.domain,
                     .args = query_arguments(definition, query.question, query.conversation),
                     .started_at = begun,
                     .completed_at = begun};
    if (definition) call.server = definition->server;
    const Millis limit = std::min(query.limit, query.until - begun);
    call.status = CallStatus::timeout;
    if (limit <= Millis(0)) {
        call.error = "it could not begin in time";
        co_return call;
    }
    call.timeout_ms = limit.count();
    const auto work = [&](Run& inner) { return call_and_poll(inner, tool, poll, call.args, limit); };
    const auto end = co_await run.within(limit + kGrace, work);
    if (!end) {
        call.completed_at = co_await run.now();
        call.error = too_slow(limit);
        co_return call;
    }
    call.status = end->status;
    call.attempts = end->attempts;
    call.started_at = end->started_at;
    call.completed_at = std::max(end->started_at, end->ended_at);
    if (end->status == CallStatus::completed) call.result = end->result;
    else call.error = end->error;
    co_return call;
}

}  // namespace cadre::patterns
