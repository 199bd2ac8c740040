// Tasks that tasks delegate, what they may spend together, and what people change while they run.
#include "base/async.hpp"
#include "base/timeout.hpp"
#include "engine/plan_view.hpp"
#include "model/write.hpp"
#include "sim/simulation.hpp"
#include "sim/world_tools.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::sim {

using namespace std::chrono_literals;
using storage::RecordKind;

Subject* Simulation::find_subject(const Id& task)
{
    const auto place = std::ranges::find(subjects_, task, &Subject::id);
    return place == subjects_.end() ? nullptr : &*place;
}

void Simulation::blur(std::size_t index)
{
    for (std::optional<std::size_t> at = index; at; at = subjects_[*at].parent) subjects_[*at].comparable = false;
}

void Simulation::adopt(std::size_t parent, const Id& child)
{
    if (find_subject(child)) return;
    Subject subject;
    subject.id = child;
    subject.tenant = subjects_[parent].tenant;
    subject.parent = parent;
    subject.accepted = true;
    subjects_.push_back(std::move(subject));
    const std::size_t index = subjects_.size() - 1;
    count("delegated");
    clients_.spawn(help(index));
    Chance chance(seed_, to_string(child));
    if (!chance.one_in(3)) return;
    readers_.push_back(std::make_unique<Reader>());
    readers_.back()->task = child;
    readers_.back()->by = person(index);
    clients_.spawn(read_events(readers_.size() - 1));
}

// ---- one budget for a tree ----

Kin& Simulation::kin_of(const Id& task)
{
    const auto [place, is_new] = kin_.try_emplace(task);
    const Stored* stored = is_new ? disk_.find(task) : nullptr;
    if (!stored || stored->records.empty()) return place->second;
    const engine::TaskSpec spec = engine::fold(std::span(stored->records).first(1)).spec;
    if (spec.parent) place->second.parent = find_id(*spec.parent);
    place->second.tokens = spec.budget.tokens;
    place->second.steps = spec.budget.steps;
    return place->second;
}

/// Whoever asks, all above it pay too, whichever processes they live and have lived in.
void Simulation::asked_model(const Id& task, std::int64_t tokens, std::int64_t at_most)
{
    for (std::optional<Id> at = task; at; at = kin_of(*at).parent) {
        const Kin& kin = kin_of(*at);
        Meter& meter = ledger_.meters[*at];
        ++meter.calls;
        if (kin.tokens && meter.tokens + at_most > *kin.tokens)
            report(fmt::format("I19 a model call of up to {} tokens began, {} were spent{}, and the budget is {}",
                               at_most, meter.tokens, *at == task ? "" : " by all below", *kin.tokens),
                   *at);
        if (kin.steps && meter.calls > *kin.steps)
            report(fmt::format("I19 {} model calls were made{}, the budget is {}", meter.calls,
                               *at == task ? "" : " by all below", *kin.steps),
                   *at);
        meter.tokens += tokens;
        if (*at != task && kin.tokens) count("spent a budget from above");
    }
}

// ---- people ----

/// What the pattern hears when it asks.
Async<> Simulation::change_plan(std::size_t index, std::uint64_t how)
{
    if (subjects_[index].team != TeamKind::none) co_return co_await change_team_work(index);
    const Id id = subjects_[index].id;
    const std::string words = token();
    engine::Intervention change{.type = model::InterventionType::plan_update, .details = {{"plan", {{"do", words}}}}};
    if (how == 6) change = {.type = model::InterventionType::agent_override, .details = {{"next_agent", "worker"}}};
    if (how == 7) {
        model::Team team = team_of_the_simulation();
        team.agents.front().prompt = "You work " + words + ".";
        change = {.type = model::InterventionType::team_modification,
                  .details = {{"team", parse_json(model::to_json_text(team))}}};
    }
    const std::string by = token();
    co_await ask(
        [id, change, by = person(index, by)](Worker& worker) { return worker.commands->intervene(by, id, change); },
        [this, index, by] { expect_recorded(index, RecordKind::setting, by); });
    count("changed a plan");
}

/// The plan of those who have one, else who is next.
Async<> Simulation::change_team_work(std::size_t index)
{
    const Id id = subjects_[index].id;
    const Stored* stored = disk_.find(id);
    const bool is_plan = subjects_[index].team == TeamKind::plan;
    if (!stored || (is_plan && engine::plan_in(stored->records).items.empty())) co_return;
    engine::Intervention change{.type = model::InterventionType::agent_override,
                                .details = {{"next_agent", some_member(client_chance_)}}};
    if (is_plan)
        change = {.type = model::InterventionType::plan_update,
                  .details = {{"plan", some_edit(client_chance_, stored->records, token())}}};
    blur(index);
    const std::string by = token();
    const auto said = co_await ask(
        [id, change, by = person(index, by)](Worker& worker) { return worker.commands->intervene(by, id, change); },
        [this, index, by] { expect_recorded(index, RecordKind::setting, by); });
    if (said->ok()) count(is_plan ? "plan edited" : "next agent chosen");
    if (is_plan && said->done && said->error == Code::invalid) count("plan edit refused");
}

Async<> Simulation::edit_plans(std::size_t index)
{
    Chance chance(seed_, fmt::format("editor {}", index));
    if (chance.one_in(4)) co_return;  // there it is compared with what it comes to without faults
    for (std::uint64_t i = 0, times = 2 + chance.below(3); i < times; ++i) {
        co_await sleep_for(chance.between(500ms, 9s));
        if (look(index).finished() || healed_) co_return;
        co_await change_team_work(index);
    }
}

/// Who answers a question that is not asked any more is told so.
Async<> Simulation::answer_late(std::size_t index)
{
    Subject& subject = subjects_[index];
    for (const std::string& request : std::vector(subject.given_up.begin(), subject.given_up.end())) {
        const auto is_open = [&](const engine::OpenQuestion& one) { return one.request.id == request; };
        if (std::ranges::any_of(look(index).questions, is_open) || !subject.tried.insert(request).second) continue;
        const auto said = co_await ask([id = subject.id, request, by = person(index)](Worker& worker) {
            return worker.commands->answer(by, id, request, {.verb = model::HumanVerb::approve});
        });
        if (said->ok()) report("loser: an answer to a withdrawn question was accepted", subject.id);
        if (said->done && said->error && *said->error != Code::unavailable) count("late answer refused");
    }
}

}  // namespace cadre::sim
