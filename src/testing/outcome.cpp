#include "testing/outcome.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>

namespace cadre::testing {

std::vector<SeenCall> calls_in(const engine::Trace& trace)
{
    std::vector<SeenCall> calls;
    for (const engine::Span& span : trace.spans) {
        if (span.kind != engine::SpanKind::call) continue;
        SeenCall call{.tool = span.name, .agent = span.agent, .failed = span.status != engine::SpanStatus::done};
        call.result = span.error.empty() ? span.output : span.error;
        if (const json::value args = parse_json(span.input.empty() ? "{}" : span.input); args.is_object())
            call.args = args.get_object();
        calls.push_back(std::move(call));
    }
    return calls;
}

Outcome outcome_of(const engine::TaskState& state)
{
    Outcome outcome{.status = state.status, .error = state.error, .usage = state.usage, .steps = state.steps};
    if (state.reply) outcome.answer = state.reply->text;
    if (state.status == model::TaskStatus::paused) outcome.error = state.pause_text;
    if (state.status == model::TaskStatus::cancelled) outcome.error = state.cancel_reason;
    return outcome;
}

}  // namespace cadre::testing
