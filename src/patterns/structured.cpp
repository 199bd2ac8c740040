#include "patterns/structured.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/trim.hpp"
#include "engine/run.hpp"
#include "patterns/react.hpp"
#include "schema/schema.hpp"

#include <boost/json.hpp>

namespace cadre::patterns {

using engine::Agent;
using engine::Run;

namespace {

constexpr std::string_view kFence = "```";

/// The answer, or what is wrong with it.
StructuredAnswer judged(const engine::Step& step, const schema::Schema& schema, const WantedAnswer& wanted)
{
    if (!step.calls.empty()) return {.problem = "you called a tool, and there is none here; answer with JSON alone"};
    if (step.was_cut) return {.problem = "the answer was cut off at the most tokens that it may have; make it shorter"};
    try {
        boost::json::value value = json_answer(step.text);
        const auto findings = schema.validate(value);
        std::string problem = findings.empty() ? "" : schema::to_text(findings);
        if (problem.empty() && wanted.problem) problem = wanted.problem(value);
        if (problem.empty()) return {.value = std::move(value)};
        return {.problem = std::move(problem)};
    } catch (const Error& error) {
        return {.problem = error.what()};
    }
}

/// Asked once; a call that fails says why, and leaves nothing to answer to.
Async<StructuredAnswer> attempted(Run& run, const Agent& agent, const schema::Schema& schema,
                                  const WantedAnswer& wanted, bool& was_heard)
{
    was_heard = false;
    try {
        const engine::Step step = co_await run.think(agent);
        was_heard = true;
        co_return judged(step, schema, wanted);
    } catch (const Error& error) {
        if (is_limit_of_run(error)) throw;
        co_return StructuredAnswer{.problem = error.what()};
    }
}

}  // namespace

void retry_no_calls(Agent& agent)
{
    for (model::LlmConfig& model : agent.models)
        if (model.retry_policy.empty()) model.retry_policy["max_retries"] = 0;
}

boost::json::value json_answer(std::string_view text)
{
    std::string_view body = trimmed(text);
    if (body.starts_with(kFence) && body.size() > 2 * kFence.size() && body.ends_with(kFence)) {
        body.remove_suffix(kFence.size());
        const std::size_t line = body.find('\n');
        body = trimmed(line == body.npos ? body.substr(kFence.size()) : body.substr(line + 1));
    }
    if (body.empty()) throw Error(Code::invalid, "the answer is empty; answer with JSON alone");
    if (body.front() != '{' && body.front() != '[')
        throw Error(Code::invalid, "there is text before the JSON; answer with JSON alone");
    return parse_json(body);
}

Async<StructuredAnswer> structured_answer(Run& run, Agent agent, WantedAnswer wanted)
{
    agent.tools.clear();
    agent.tool_specs = std::make_shared<const std::vector<llm::ToolSpec>>();
    agent.more_specs.reset();
    engine::digest(agent);
    if (wanted.attempts > 1) retry_no_calls(agent);
    agent.options.output_schema = wanted.schema;
    const schema::Schema schema = schema::Schema::compile(parse_json(wanted.schema));
    StructuredAnswer answer{.problem = "no attempt was made"};
    for (int i = 0; i < wanted.attempts; ++i) {
        bool was_heard = false;
        answer = co_await attempted(run, agent, schema, wanted, was_heard);
        if (answer.value) co_return answer;
        if (was_heard)
            run.tell("That answer cannot be used: " + answer.problem +
                     "\nAnswer again, with JSON alone that does not have this problem.");
    }
    co_return answer;
}

}  // namespace cadre::patterns
