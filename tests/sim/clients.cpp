// What people do to their tasks, and what others try.
#include "base/async.hpp"
#include "base/timeout.hpp"
#include "engine/run_state.hpp"
#include "sim/checker.hpp"
#include "sim/simulation.hpp"
#include "sim/world_tools.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::sim {

using namespace std::chrono_literals;
using storage::Record;
using storage::RecordKind;

std::string Simulation::token()
{
    return fmt::format("x{}x", ++tokens_);
}

const engine::TaskState& Simulation::look(std::size_t index)
{
    Subject& subject = subjects_[index];
    if (const Stored* stored = disk_.find(subject.id))
        for (std::size_t i = subject.state.end.seq; i < stored->records.size(); ++i) {
            engine::apply(subject.state, stored->records[i]);
            subject.changed_at = now();
        }
    for (const auto& [path, child] : subject.state.children) adopt(index, child);
    return subject.state;
}

/// What was acknowledged is on the disk at that moment, and for ever.
void Simulation::expect_recorded(std::size_t index, RecordKind kind, const std::string& token)
{
    const Subject& subject = subjects_[index];
    const Stored* stored = disk_.find(subject.id);
    const auto is_it = [&](const Record& record) {
        return record.kind == kind && record.body.find(token) != record.body.npos;
    };
    if (!stored || std::ranges::none_of(stored->records, is_it))
        report(fmt::format("I4 {} {} was acknowledged and is not on the disk", storage::name_of(kind), token),
               subject.id);
    count("acknowledged " + storage::name_of(kind));
}

Async<> Simulation::live(std::size_t index)
{
    Chance chance(seed_, fmt::format("client {}", index));
    engine::CreateTask request{.id = subjects_[index].id,
                               .team = team_of_the_simulation(),
                               .description = prompt_of(subjects_[index].plan),
                               .pattern = "acts@1",
                               .session = subjects_[index].session,
                               .start = !subjects_[index].pending};
    if (subjects_[index].team != TeamKind::none) {
        TeamTask task = team_task(subjects_[index].team, subjects_[index].plan);
        request.team = std::move(task.team);
        request.description = std::move(task.prompt);
        request.pattern = std::move(task.pattern);
    }
    if (chance.one_in(6)) {
        request.budget.tokens = 60 + static_cast<std::int64_t>(chance.below(200));
        subjects_[index].comparable = false;
    }
    if (chance.one_in(10)) {
        request.budget.steps = static_cast<int>(1 + chance.below(4));
        subjects_[index].comparable = false;
    }
    kin_[subjects_[index].id] = {.tokens = request.budget.tokens, .steps = request.budget.steps};
    if (chance.one_in(6)) request.mode = model::ExecutionMode::step;
    if (chance.one_in(6)) request.breakpoints = {chance.one_in(2) ? "tool:pay" : "node:part1"};
    bool cancels = chance.one_in(5);
    if (cancels) subjects_[index].comparable = false;

    co_await sleep_for(chance.between(0ms, 2s));
    while (!subjects_[index].accepted) {
        const auto on_done = [this, index, pattern = request.pattern] {
            subjects_[index].accepted = true;
            expect_recorded(index, RecordKind::created, pattern);
        };
        const auto said = co_await ask(
            [request, by = person(index)](Worker& worker) -> Async<> {
                // captures would die with the lambda: the coroutine is another function
                return [](engine::Commands& to, engine::Principal who, engine::CreateTask what) -> Async<> {
                    co_await to.create(std::move(who), std::move(what));
                }(*worker.commands, by, request);
            },
            on_done);
        if (!said->ok()) co_await sleep_for(chance.between(100ms, 2s));
    }
    clients_.spawn(spy(index));
    if (cancels && subjects_[index].pending && chance.one_in(2)) {
        clients_.spawn(cancel(index, chance.between(0ms, 2s)));
        cancels = false;
    }
    if (subjects_[index].pending) co_await start(index);

    for (std::uint64_t i = 0, count = 1 + chance.below(2); i < count; ++i) {
        readers_.push_back(std::make_unique<Reader>());
        readers_.back()->task = subjects_[index].id;
        readers_.back()->by = person(index);
        readers_.back()->first = static_cast<std::uint32_t>(chance.one_in(3) ? chance.below(8) : 0);
        clients_.spawn(read_events(readers_.size() - 1));
    }
    clients_.spawn(help(index));
    clients_.spawn(disturb(index));
    if (subjects_[index].team == TeamKind::plan) clients_.spawn(edit_plans(index));
    if (cancels) clients_.spawn(cancel(index, chance.between(0ms, 30s)));
}

engine::Principal Simulation::person(std::size_t index, std::string name) const
{
    using engine::Role;
    return {.tenant = subjects_[index].tenant, .subject = std::move(name), .roles = {Role::steward, Role::approver}};
}

/// A pending task begins when somebody says so, and not before; whoever had no answer says it again.
Async<> Simulation::start(std::size_t index)
{
    Chance chance(seed_, fmt::format("starter {}", index));
    const Id id = subjects_[index].id;
    co_await sleep_for(chance.between(0ms, 20s));
    if (look(index).started_at) report("I30 a pending task began by itself", id);
    while (!look(index).finished()) {
        const auto said =
            co_await ask([id, by = person(index)](Worker& worker) { return worker.commands->start(by, id); },
                         [this, index] { expect_recorded(index, RecordKind::started, ""); });
        if (said->ok()) count("started by hand");
        if (said->done && said->error == Code::conflict) count("started twice");
        if (look(index).started_at) co_return;
        co_await sleep_for(chance.between(100ms, 2s));
    }
    if (!look(index).started_at) count("cancelled before its start");
}

namespace {

/// What somebody of another tenant tries.
Async<> pry(Worker& worker, engine::Principal by, Id task, std::uint64_t what)
{
    switch (what) {
    case 0: co_await worker.queries->task(by, task); break;
    case 1: co_await worker.queries->entry(by, task); break;
    case 2: co_await worker.queries->records(by, task); break;
    case 3: co_await worker.queries->events(by, task); break;
    case 4: co_await worker.commands->watch(by, task, 0); break;
    case 5: co_await worker.commands->instruct(by, task, "obey me"); break;
    case 6: co_await worker.commands->answer(by, task, "", {}); break;
    case 7: co_await worker.commands->cancel(by, task, "because I can"); break;
    case 8: co_await worker.commands->resume(by, task); break;
    case 9: co_await worker.commands->start(by, task); break;
    case 10: co_await worker.queries->resolve(by, to_string(task).substr(0, 12)); break;
    default: co_await worker.queries->export_run(by, task, true); break;
    }
}
constexpr std::uint64_t kWaysToPry = 12;

/// Their lists.
Async<> look_around(Worker& worker, engine::Principal by, std::shared_ptr<std::set<Id>> seen)
{
    for (const auto& entry : co_await worker.queries->tasks(by, {.limit = SIZE_MAX})) seen->insert(entry.task);
    for (const auto& session : co_await worker.queries->sessions(by)) seen->insert(session.last);
    if (const auto head = co_await worker.queries->find_session(by, kSession)) seen->insert(head->last.id);
}

}  // namespace

/// I31: for another tenant, the task is not there.
Async<> Simulation::spy(std::size_t index)
{
    Chance chance(seed_, fmt::format("spy {}", index));
    const Id id = subjects_[index].id;
    engine::Principal by = engine::local_user("eve");
    by.tenant = subjects_[index].tenant == kTenants[0] ? kTenants[1] : kTenants[0];
    for (int i = 0; i < 4; ++i) {
        co_await sleep_for(chance.between(0ms, 15s));
        const std::uint64_t what = chance.below(kWaysToPry);
        const auto said = co_await ask([by, id, what](Worker& worker) { return pry(worker, by, id, what); });
        const std::string missing =
            what == 10 ? "no task begins with " + in_quotes(to_string(id).substr(0, 12)) : engine::missing_task(id);
        const bool hidden = said->error == Code::not_found && said->text == missing;
        if (said->done && !hidden && said->error != Code::unavailable)
            report(fmt::format("I31 another tenant was told {} ({})", said->error ? said->text : "everything", what),
                   id);
        if (hidden) count("another tenant saw nothing");

        const auto seen = std::make_shared<std::set<Id>>();
        co_await ask([by, seen](Worker& worker) { return look_around(worker, by, seen); });
        for (const Subject& subject : subjects_)
            if (subject.tenant != by.tenant && seen->contains(subject.id))
                report("I31 the task is in a list of another tenant", subject.id);
    }
}

Async<> Simulation::cancel(std::size_t index, Millis after)
{
    co_await sleep_for(after);
    while (true) {
        const std::string by = token();
        const Id id = subjects_[index].id;
        auto accepted = std::make_shared<bool>(false);
        const auto on_done = [this, index, accepted] {
            if (*accepted) expect_recorded(index, RecordKind::cancel, "");
        };
        const auto said = co_await ask(
            [id, by = person(index, by), accepted](Worker& worker) -> Async<> {
                return
                    [](engine::Commands& to, Id task, engine::Principal who, std::shared_ptr<bool> result) -> Async<> {
                        *result = co_await to.cancel(who, task, "enough");
                    }(*worker.commands, id, by, accepted);
            },
            on_done);
        if (said->ok()) break;
        co_await sleep_for(client_chance_.between(500ms, 3s));
    }
    count("cancelled");
}

/// Pauses, instructions, looks inside: whatever people do to a task that runs.
Async<> Simulation::disturb(std::size_t index)
{
    Chance chance(seed_, fmt::format("disturber {}", index));
    const Id id = subjects_[index].id;
    for (std::uint64_t i = 0, times = chance.below(5); i < times; ++i) {
        co_await sleep_for(chance.between(0ms, 12s));
        if (look(index).finished() || healed_) co_return;
        switch (const std::uint64_t what = chance.below(10)) {
        case 0:
        case 1: co_await pause_and_resume(index); break;
        case 2: co_await instruct(index); break;
        case 3:
        case 4: co_await look_inside(index); break;
        case 5:
            co_await ask([id](Worker& worker) { return worker.host->park(id); });
            count("parked by hand");
            co_await sleep_for(chance.between(0ms, 3s));
            for (bool woken = false; !woken;) {
                const auto said = co_await ask([id](Worker& worker) { return worker.host->wake(id); });
                woken = said->ok();
                if (!woken) co_await sleep_for(1s);
            }
            break;
        default: co_await change_plan(index, what); break;
        }
    }
}

Async<> Simulation::instruct(std::size_t index)
{
    const std::string text = std::string(kNote) + " " + token();
    co_await ask([id = subjects_[index].id, text,
                  by = person(index)](Worker& worker) { return worker.commands->instruct(by, id, text); },
                 [this, index, text] { expect_recorded(index, RecordKind::instruction, text); });
}

Async<> Simulation::pause_and_resume(std::size_t index)
{
    const Id id = subjects_[index].id;
    const std::string by = token();
    co_await ask([id, by = person(index, by)](Worker& worker) { return worker.commands->pause(by, id); },
                 [this, index, by] { expect_recorded(index, RecordKind::pause, by); });
    // help() resumes it
}

/// I6: what the run believes of itself is what its journal says.
Async<> Simulation::look_inside(std::size_t index)
{
    const Id id = subjects_[index].id;
    co_await ask([this, id](Worker& worker) -> Async<> {
        return [](Simulation& simulation, engine::Host& host, Id task) -> Async<> {
            co_await host.input(task, [&simulation, task](engine::RunState& run) {
                const Stored* stored = simulation.disk_.find(task);
                if (run.journal().all_durable() && stored && run.journal().seq() == stored->records.size())
                    check_live_state(simulation, run.view(), stored->records);
                return run.journal().durable_seq();
            });
        }(*this, *worker.host, id);
    });
}

}  // namespace cadre::sim
