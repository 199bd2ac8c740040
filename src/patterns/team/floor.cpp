#include "patterns/team/floor.hpp"

#include "base/json.hpp"
#include "engine/run.hpp"

#include <boost/json.hpp>

#include <algorithm>

#include <utility>

namespace cadre::patterns {

using engine::Agent;
using engine::Run;

Floor::Floor(const Run& run) : task_(run.prompt()), hears_session_(true)
{}

void Floor::add(Turn turn)
{
    std::vector<SideAnswer> beside = std::exchange(turn.beside, {});
    heard_.push_back({std::move(turn)});
    for (SideAnswer& answer : beside)
        heard_.push_back({Turn{.agent = std::move(answer.agent), .text = std::move(answer.text)}, true});
}

void Floor::note(std::string text)
{
    heard_.push_back({Turn{.text = std::move(text)}});
}

bool Floor::has_heard(std::string_view agent) const
{
    return std::ranges::any_of(heard_, [&](const Heard& one) { return one.turn.agent == agent; });
}

boost::json::object Floor::state_after(const Turn& turn) const
{
    return state_with(turn.agent, &turn);
}

boost::json::object Floor::state_before(const std::string& agent) const
{
    return state_with(agent, nullptr);
}

boost::json::object Floor::state_with(const std::string& agent, const Turn* last) const
{
    boost::json::object state;
    boost::json::object answers;
    int turns = 0;
    int handoffs = 0;
    const auto take = [&](const Turn& one) {
        if (one.agent.empty()) return;
        ++turns;
        answers[one.agent] = one.text;
        for (const SideAnswer& answer : one.beside) answers[answer.agent] = answer.text;
        if (!one.handoff) return;
        ++handoffs;
        for (const auto& [name, value] : one.handoff->context) state[name] = value;
    };
    for (const auto& [one, was_beside] : heard_) {
        take(one);
        if (was_beside) --turns;
    }
    if (last) take(*last);
    state["current_agent"] = agent;
    state["turns"] = turns;
    state["handoffs"] = handoffs;
    state["answers"] = std::move(answers);
    return state;
}

void Floor::tell(Run& run, const Agent& agent) const
{
    if (hears_session_) run.tell_history();
    run.tell(task_);
    bool was_own = false;
    for (const auto& [turn, was_beside] : heard_) {
        was_own = turn.agent == agent.name && !turn.text.empty();
        if (was_own) run.tell(llm::Message{.role = model::Role::assistant, .text = turn.text});
        else if (turn.agent.empty()) run.tell(turn.text);
        else if (!turn.text.empty() && turn.agent != agent.name) run.tell("[" + turn.agent + "] " + turn.text);
        if (!turn.handoff || turn.handoff->to != agent.name) continue;
        std::string why = "[" + turn.agent + "] hands over to you";
        if (!turn.handoff->reason.empty()) why += ": " + turn.handoff->reason;
        if (!turn.handoff->context.empty()) why += "\n" + to_text(turn.handoff->context);
        run.tell(std::move(why));
        was_own = false;
    }
    if (was_own)
        run.tell("Continue with your task.");  // some models take their own last words as the begin of an answer
}

}  // namespace cadre::patterns
