#include "patterns/team/speak.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "engine/run.hpp"
#include "engine/step_id.hpp"
#include "patterns/react.hpp"
#include "patterns/team/collaborate.hpp"
#include "patterns/team/controls.hpp"
#include "patterns/team/names.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using engine::Agent;
using engine::Run;
using engine::Step;
using model::HandoffType;

namespace {

/// What one who waited is told.
struct Told {
    std::string call{};
    std::string text{};
    bool is_error = false;
};

void tell(Run& run, Told result)
{
    run.tell(llm::Message{.role = model::Role::tool,
                          .text = std::move(result.text),
                          .call_id = std::move(result.call),
                          .is_error = result.is_error});
}

// ---- agents that one waits for ----

/// A child task. Where that agent may ask others in turn, it is one of a team.
Async<Told> run_errand(Run& run, std::string from, Errand errand, std::string step)
{
    const Agent& agent = run.agent(errand.to);
    run.take_seat(agent, agent.max_parallel_tasks);  // the child is a task of its own, and sits here
    Handoff handoff{.call = errand.call,
                    .to = errand.to,
                    .reason = errand.reason,
                    .context = errand.context,
                    .type = HandoffType::hierarchical};
    const std::string giver = from;
    co_await announce_handoff(run, std::move(from), std::move(handoff));
    engine::DelegateOptions options{.pattern = "react@1", .parent_step = std::move(step), .from = giver};
    const bool asks_others = std::ranges::any_of(run.team().handoff_rules, [&](const model::HandoffRule& rule) {
        return rule.from_agent == errand.to && rule.handoff_type == HandoffType::hierarchical;
    });
    if (asks_others) {
        options.pattern = "team@1";
        options.input["below"] = true;
    }
    const engine::DelegateReply child = co_await run.try_delegate(agent, std::move(errand.task), std::move(options));
    if (child.failure) {
        engine::Fact fact{.what = "delegate_failed", .agent = errand.to, .key = errand.call};
        fact.events.emplace_back(failure_event(run, errand.to, *child.failure));
        co_await run.announce(std::move(fact));
        co_return Told{std::move(errand.call), errand.to + " has failed: " + child.failure->what(), true};
    }
    co_return Told{std::move(errand.call), child.reply->text};
}

Async<> run_errands(Run& run, const Agent& agent, std::vector<Errand> errands, std::string step)
{
    const std::vector<Errand> all = errands;
    const auto body = [&](Run& at, Errand errand) { return run_errand(at, agent.name, std::move(errand), step); };
    auto ended = co_await run.collect(std::move(errands), body);
    for (std::size_t i = 0; i < ended.size(); ++i) {
        if (ended[i].is_done()) tell(run, std::move(*ended[i].value));
        else tell(run, {all[i].call, all[i].to + " has failed: " + ended[i].error->what(), true});
    }
}

// ---- several that work together ----

Async<Told> begin_pattern(Run& run, const Member& member, Errand errand)
{
    const auto pattern = std::ranges::find(member.patterns, errand.to, &model::CollaborationPattern::name);
    const Floor floor(errand.task);
    Told result{.call = errand.call};
    try {
        const Turn turn = co_await run.node(pattern->name, [&](Run& at) { return collaborate(at, *pattern, floor); });
        result.text = whole_answer(turn);
    } catch (const Error& error) {
        if (is_limit_of_run(error)) throw;
        result.text = error.what();
        result.is_error = true;
    }
    engine::Fact fact{.what = "collaboration",
                      .agent = member.agent.name,
                      .key = errand.to,
                      .fact = {{"pattern", errand.to}, {"call", result.call}, {"result", result.text}}};
    if (result.is_error) fact.fact["is_error"] = true;
    co_await run.announce(std::move(fact));
    co_return result;
}

// ---- a turn ----

/// How far a turn has come.
struct Progress {
    Answering answering{};
    int steps = 0;
    std::vector<SideAnswer> beside{};
};

Async<Turn> carry_on(Run& run, const Member& member, const Floor& floor, Progress progress);

std::string words_for(const Handoff& handoff)
{
    return handoff.type == HandoffType::parallel ? handoff.to + " works on it at the same time; carry on."
                                                 : handoff.to + " takes over.";
}

/// The others begin, and the agent goes on unless it has handed over itself: then there is no turn of its own.
Async<std::optional<Turn>> work_beside(Run& run, const Member& member, const Floor& floor, Turn so_far,
                                       std::vector<Handoff> handoffs, Progress& progress)
{
    const bool goes_on = !so_far.handoff;
    std::vector<Floor> floors;
    std::vector<Member> members;
    std::vector<std::size_t> items;
    const std::vector<HandoffWay> ways = ways_of(run.team());
    for (Handoff& handoff : handoffs) {
        co_await announce_handoff(run, member.agent.name, handoff);
        tell(run, {handoff.call, words_for(handoff)});
        members.push_back(member_of(run.team(), ways, run.agent(handoff.to), Reach::below));
        Turn asked = so_far;
        asked.handoff = std::move(handoff);
        floors.push_back(floor);
        floors.back().add(std::move(asked));
        items.push_back(items.size());
    }
    const std::size_t own = items.size();
    if (goes_on) items.push_back(own);
    engine::MapOptions<std::size_t> options;
    options.key = [&](const std::size_t& i) { return i == own ? member.agent.name : members[i].agent.name; };
    auto turns = co_await run.map(std::move(items), std::move(options), [&](Run& at, std::size_t i) {
        if (i != own) return speak(at, members[i], floors[i]);
        at.tell_all_of(run);
        return carry_on(at, member, floor, {.answering = progress.answering, .steps = progress.steps});
    });
    for (std::size_t i = 0; i < own; ++i) progress.beside.push_back({turns[i].agent, std::move(turns[i].text)});
    if (!goes_on) co_return std::nullopt;
    Turn turn = std::move(turns[own]);
    std::vector<SideAnswer> later = std::move(turn.beside);
    turn.beside = std::move(progress.beside);
    turn.beside.insert(turn.beside.end(), later.begin(), later.end());
    co_return turn;
}

/// Guardrails look at what is handed over before anybody hears it. Why it may not be; empty: it may.
Async<std::string> why_withheld(Run& run, std::string agent, std::string number, Handoff& handoff)
{
    json::object words{{"reason", handoff.reason}, {"context", handoff.context}};
    const std::string text = to_canonical_text(json::value(words));
    engine::CheckOptions options{.agent = agent, .scope = run.scope() + "handoff:" + number + '/'};
    try {
        std::string passed = co_await run.let_pass(
            engine::Place::handoff, "what " + agent + " hands over to " + handoff.to, text, std::move(options));
        if (passed == text) co_return "";
        words = parse_json(passed).as_object();
        handoff.reason = std::string(words.at("reason").as_string());
        handoff.context = words.at("context").as_object();
    } catch (const Error& error) {
        if (error.code() == Code::malformed) co_return "What you hand over cannot be masked.";
        if (error.code() != Code::forbidden) throw;
        co_return error.what();
    }
    co_return "";
}

/// Handoffs that are withheld are refused calls.
Async<> check_handoffs(Run& run, const Agent& agent, const Step& step, int number, Sorted& calls)
{
    int checked = 0;
    const auto refuse = [&](const Handoff& handoff, std::string why) {
        calls.refused.emplace(handoff.call, std::move(why));
        calls.tools.push_back(*std::ranges::find(step.calls, handoff.call, &model::ToolCall::id));
    };
    std::vector<Handoff> beside;
    for (Handoff& handoff : calls.beside) {
        std::string why = co_await why_withheld(run, agent.name, fmt::format("{}.{}", number, checked++), handoff);
        if (why.empty()) beside.push_back(std::move(handoff));
        else refuse(handoff, std::move(why));
    }
    calls.beside = std::move(beside);
    if (!calls.handoff) co_return;
    std::string why = co_await why_withheld(run, agent.name, fmt::format("{}.{}", number, checked), *calls.handoff);
    if (why.empty()) co_return;
    refuse(*calls.handoff, std::move(why));
    calls.handoff.reset();
}

Async<Turn> carry_on(Run& run, const Member& member, const Floor& floor, Progress progress)
{
    const Agent& agent = member.agent;
    while (progress.steps++ < agent.max_iterations) {
        const Step step = co_await run.think(agent);
        Turn turn{.agent = agent.name, .text = step.text};
        if (step.calls.empty()) {
            auto answer = progress.answering.take(run, agent, step);
            if (!answer) continue;
            turn.text = std::move(*answer);
            turn.beside = std::move(progress.beside);
            co_return turn;
        }
        Sorted calls = sorted(member, step.calls, [&] { return names_after(run, floor, turn); });
        co_await check_handoffs(run, agent, step, progress.steps, calls);
        if (!calls.tools.empty()) {
            engine::UseOptions options{.refused = std::move(calls.refused)};
            co_await run.use(agent, std::move(calls.tools), std::move(options));
        }
        if (!calls.below.empty()) co_await run_errands(run, agent, std::move(calls.below), step.id);
        for (Errand& errand : calls.patterns) tell(run, co_await begin_pattern(run, member, std::move(errand)));
        turn.handoff = std::move(calls.handoff);
        if (!calls.beside.empty())
            if (auto whole = co_await work_beside(run, member, floor, turn, std::move(calls.beside), progress))
                co_return std::move(*whole);
        if (!turn.handoff) continue;
        turn.beside = std::move(progress.beside);
        co_return turn;
    }
    throw_iterations_reached(run, agent);
}

}  // namespace

Async<Turn> speak(Run& run, const Agent& agent, const Floor& floor)
{
    run.take_seat(agent, agent.max_parallel_tasks);
    floor.tell(run, agent);
    return speak_on(run, agent);
}

Async<Turn> speak_on(Run& run, const Agent& agent)
{
    co_return Turn{.agent = agent.name, .text = (co_await react_to_what_was_told(run, agent)).text};
}

Async<Turn> speak(Run& run, const Member& member, const Floor& floor)
{
    run.take_seat(member.agent, member.agent.max_parallel_tasks);
    floor.tell(run, member.agent);
    return carry_on(run, member, floor, Progress{});
}

model::ErrorEvent failure_event(const Run& run, const std::string& agent, const Error& error)
{
    return {.error_id = "err_" + engine::step_id_of(run.task(), run.scope() + agent).substr(5),
            .error_type = std::string(name_of(error.code())),
            .error_message = error.what(),
            .context = {{"agent", agent}},
            .recoverable = true};
}

Async<> announce_handoff(Run& run, std::string from, Handoff handoff)
{
    engine::Fact fact{.what = "handoff", .agent = from, .key = handoff.to, .fact = {{"to", handoff.to}}};
    if (!handoff.call.empty()) fact.fact["call"] = handoff.call;
    // the call of one who waits ends with what the other one has to say
    if (handoff.type != HandoffType::hierarchical && !handoff.call.empty()) fact.fact["result"] = words_for(handoff);
    fact.events.push_back(model::AgentHandoffEvent{.from_agent = std::move(from),
                                                   .to_agent = std::move(handoff.to),
                                                   .reason = std::move(handoff.reason),
                                                   .context = std::move(handoff.context),
                                                   .handoff_type = handoff.type});
    co_await run.announce(std::move(fact));
}

}  // namespace cadre::patterns
