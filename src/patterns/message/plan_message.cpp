#include "patterns/message/plan_message.hpp"

#include "base/json.hpp"
#include "engine/run.hpp"
#include "patterns/structured.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using namespace model::conversation;

namespace {

/// What the planner has said, with ids and times of ours. Throws Error that names what is wrong.
MessagePlan completed(const boost::json::object& said, const MessageWork& work, Time now)
{
    const auto* needs = said.if_contains("requires_timesheet_data");
    const auto at = boost::json::string(to_iso(now));
    const boost::json::object plan{{"request_id", work.request_id},
                                   {"user_message", work.message},
                                   {"channel", boost::json::parse(model::to_json_text(work.setup.channel.channel))},
                                   {"steps", said.at("steps")},
                                   {"requires_timesheet_data", needs && needs->is_bool() && needs->get_bool()},
                                   {"context", work.context},
                                   {"created_at", at}};
    boost::json::array criteria;
    for (const auto& one : said.at("scorecard").as_object().at("criteria").as_array())
        criteria.push_back({{"id", one.as_object().at("id")},
                            {"description", one.as_object().at("description")},
                            {"expected", one.as_object().at("expected")}});
    const boost::json::object scorecard{
        {"request_id", work.request_id}, {"criteria", std::move(criteria)}, {"created_at", at}};
    return {.plan = model::from_json<ExecutionPlan>(plan, {.ignore_unknown = true}),
            .scorecard = model::from_json<Scorecard>(scorecard)};
}

std::string problem_of(const boost::json::value& said, const MessageWork& work, const model::Team& team, Time now)
{
    try {
        const MessagePlan made = completed(said.as_object(), work, now);
        for (std::size_t i = 0; i < made.plan.steps.size(); ++i) {
            const std::string& name = made.plan.steps[i].agent;
            if (std::ranges::find(team.agents, name, &model::Agent::name) != team.agents.end()) continue;
            std::vector<std::string> names;
            for (const model::Agent& agent : team.agents) names.push_back(agent.name);
            return fmt::format("steps[{}].agent: there is no agent \"{}\", only {}", i, name, fmt::join(names, ", "));
        }
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

Async<std::string> planned(engine::Run& run, const MessageWork& work, Time now)
{
    run.tell(ask_for_plan(work, run.team()));
    WantedAnswer wanted{.schema = plan_schema(), .attempts = 2};
    wanted.problem = [&](const boost::json::value& said) { return problem_of(said, work, run.team(), now); };
    const StructuredAnswer said = co_await structured_answer(run, run.agent(kPlanner), std::move(wanted));
    if (!said.value) co_return to_text(boost::json::object{{"problem", said.problem}});
    const MessagePlan made = completed(said.value->as_object(), work, now);
    co_return to_text(boost::json::object{{"plan", parse_json(model::to_json_text(made.plan))},
                                          {"scorecard", parse_json(model::to_json_text(made.scorecard))}});
}

MessagePlan plan_from_text(const std::string& text)
{
    const boost::json::value value = parse_json(text);
    const boost::json::object& made = value.as_object();
    if (const auto* problem = made.if_contains("problem")) return {.problem = std::string(problem->as_string())};
    return {.plan = model::from_json<ExecutionPlan>(made.at("plan")),
            .scorecard = model::from_json<Scorecard>(made.at("scorecard"))};
}

}  // namespace cadre::patterns
