#include "patterns/react.hpp"

#include "base/json.hpp"
#include "base/utf8.hpp"
#include "engine/run.hpp"
#include "schema/schema.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::patterns {

using engine::Agent;
using engine::Run;
using engine::Step;

namespace {

/// Why the answer is not what the agent's schema wants; empty: it is, or no schema wants anything.
std::string problem_with(const Agent& agent, const std::string& answer)
{
    const std::string& schema = agent.options.output_schema;
    if (schema.empty()) return "";
    try {
        const auto findings = schema::Schema::compile(parse_json(schema)).validate(parse_json(answer));
        return findings.empty() ? "" : schema::to_text(findings);
    } catch (const Error& error) {
        return error.what();
    }
}

constexpr std::size_t kLongestText = 2000;

/// `search({"q":"x"}) gave …`, cut where it is long.
void add_calls(Transcript& all, const std::vector<model::ToolCall>& calls,
               const std::vector<engine::ToolReply>& replies)
{
    for (std::size_t i = 0; i < calls.size() && i < replies.size(); ++i) {
        std::string text = calls[i].tool_name + "(" + to_text(calls[i].args) + ")" +
                           (replies[i].is_error ? " failed: " : " gave: ") + replies[i].text;
        if (text.size() > kLongestText) text = std::string(utf8_prefix(text, kLongestText)) + "…";
        all.push_back(std::move(text));
    }
}

/// What people changed meanwhile: whose turn it is, the team, the plan. Who is not in a changed team any more stays as they were.
const Agent* changed_by(Run& run, const engine::Heard& heard, const Agent* agent)
{
    if (heard.plan) run.tell("The plan was changed. From now on it is:\n" + to_text(*heard.plan));
    if (!heard.is_team_changed && heard.next_agent.empty()) return agent;
    const std::string& name = heard.next_agent.empty() ? agent->name : heard.next_agent;
    const auto found = std::ranges::find(run.agents(), name, &Agent::name);
    return found == run.agents().end() ? agent : &*found;
}

/// An answer that does not fit its schema may be mended once. `heeds`: the run is nothing but this, so what people change is for it.
Async<model::Reply> react_in_turns(Run& run, const Agent* agent, Transcript* calls, bool heeds)
{
    Answering answering;
    for (int i = 0; i < agent->max_iterations; ++i) {
        if (heeds) agent = changed_by(run, co_await run.heed_if_told(), agent);
        const Step step = co_await run.think(*agent);
        if (!step.calls.empty()) {
            const auto replies = co_await run.use(*agent, step.calls);
            if (calls) add_calls(*calls, step.calls, replies);
            continue;
        }
        if (auto answer = answering.take(run, *agent, step)) co_return run.reply(std::move(*answer));
    }
    throw_iterations_reached(run, *agent);
}

}  // namespace

std::optional<std::string> Answering::take(Run& run, const Agent& agent, const Step& step)
{
    std::string answer = begun_ + step.text;
    begun_ = step.is_paused ? answer : "";
    if (step.is_paused) return std::nullopt;
    const std::string problem = problem_with(agent, answer);
    if (problem.empty()) return answer;
    if (was_told_) throw Error(Code::upstream, "the answer does not fit output_schema: " + problem);
    was_told_ = true;
    run.tell("Your answer does not fit the JSON Schema that it must meet. Answer again, with JSON alone that does.\n" +
             problem);
    return std::nullopt;
}

void throw_iterations_reached(const Run& run, const Agent& agent)
{
    const std::string number = std::to_string(agent.max_iterations);
    const std::string place = run.source().empty() ? "where " + agent.name + " is defined" : "in " + run.source();
    throw Error(Code::limit,
                "max_iterations (" + number + ") reached: " + agent.name + " may call its model " + number +
                    " times in a turn, whatever the budget allows; to allow more, raise max_iterations of " +
                    agent.name + " " + place);
}

Async<model::Reply> react(Run& run, const Agent& agent)
{
    run.tell_history();
    run.tell(run.prompt());
    return react_in_turns(run, &agent, nullptr, true);
}

Async<model::Reply> react_to_what_was_told(Run& run, const Agent& agent, Transcript* calls)
{
    return react_in_turns(run, &agent, calls, false);
}

Async<boost::json::value> answer_as(Run& run, Agent agent, std::string schema, std::string asked_for)
{
    agent.options.output_schema = std::move(schema);
    try {
        const model::Reply reply = co_await react_in_turns(run, &agent, nullptr, false);
        co_return parse_json(reply.text);
    } catch (const Error& error) {
        if (asked_for.empty() || is_limit_of_run(error)) throw;
        throw Error(error.code(), agent.name + ", asked for " + asked_for + ", failed: " + error.what());
    }
}

bool is_limit_of_run(const Error& error)
{
    return error.code() == Code::limit && dynamic_cast<const engine::EffectFailed*>(&error) != nullptr;
}

}  // namespace cadre::patterns
