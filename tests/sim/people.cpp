// The people behind a task: they answer, resume, raise budgets, and watch.
#include "base/async.hpp"
#include "base/timeout.hpp"
#include "model/write.hpp"
#include "sim/checker.hpp"
#include "sim/simulation.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::sim {

using namespace std::chrono_literals;
using storage::Record;
using storage::RecordKind;

/// The people behind a task: they answer, resume, raise budgets.
Async<> Simulation::help(std::size_t index)
{
    Chance chance(seed_, fmt::format("helper {}", index));
    const Id id = subjects_[index].id;
    while (true) {
        co_await sleep_for(chance.between(500ms, 4s));
        const engine::TaskState state = look(index);
        if (state.finished()) co_return;
        if (subjects_[index].parent && state.spec.budget.tokens) blur(index);
        co_await answer_late(index);
        Subject& subject = subjects_[index];
        if (state.questions.size() >= 2) count("several questions open");
        for (const engine::OpenQuestion& question : state.questions) {
            const std::string& request = question.request.id;
            if (subject.answered.contains(request) || subject.given_up.contains(request)) continue;
            const std::uint64_t salt = hash_of(seed_, question.path);
            const bool given_up = question.request.context.contains(kNobody) || salt % 12 == 0;
            if (question.request.type != model::HumanRequestType::outcome_unknown && given_up) {
                subject.given_up.insert(request);
                continue;
            }
            if (question.due) blur(index);
            co_await answer(index, question);
        }
        if (!state.pause_reason) continue;
        if (*state.pause_reason == model::PauseReason::diverged && (!current() || current()->new_version)) continue;
        if (*state.pause_reason == model::PauseReason::budget) {
            const std::int64_t more =
                kin_of(id).tokens.value_or(0) + 100 + static_cast<std::int64_t>(chance.below(100));
            kin_of(id).tokens = more;  // from now on it may be that much, whether or not we hear of it
            const engine::Budget budget{.tokens = more, .steps = state.budget.steps};
            co_await ask([id, budget,
                          by = person(index)](Worker& worker) { return worker.commands->raise_budget(by, id, budget); },
                         [this, index, more] { expect_recorded(index, RecordKind::setting, std::to_string(more)); });
            count("budget raised");
        }
        const std::string by = token();
        const int steps = static_cast<int>(1 + chance.below(3));
        co_await ask(
            [id, by = person(index, by), steps](Worker& worker) { return worker.commands->resume(by, id, steps); });
        count("resumed from " + model::to_json_text(*state.pause_reason));
    }
}

/// Somebody answers; often two at once, and one of them is told so.
Async<> Simulation::answer(std::size_t index, engine::OpenQuestion question)
{
    const std::uint64_t salt = hash_of(seed_, question.path);
    const std::string request = question.request.id;
    model::HumanAnswer answer;
    switch (question.request.type) {
    case model::HumanRequestType::outcome_unknown: {
        // they look what really happened, once nothing is on its way any more
        const std::string key(question.request.context.at("key").as_string());
        const Dispatch* effect = ledger_.effect_of(key);
        if (effect && *effect->effect_at > now()) co_return;
        answer.verb = effect ? model::HumanVerb::happened : model::HumanVerb::not_happened;
        if (effect) answer.updates["result"] = effect->result;
        if (salt % 10 == 0) {
            answer = {.verb = model::HumanVerb::reject};
            blur(index);
        }
        count("outcome unknown");
        break;
    }
    case model::HumanRequestType::approval:
        answer.verb = salt % 3 == 0 ? model::HumanVerb::reject : model::HumanVerb::approve;
        if (salt % 7 == 1) {
            answer.verb = model::HumanVerb::modify;
            answer.updates["arguments"] = boost::json::object{{"n", salt % 1'000}};
        }
        break;
    default: answer.verb = salt % 3 == 0 ? model::HumanVerb::reject : model::HumanVerb::approve; break;
    }
    if (!model::suits(question.request.type, answer.verb)) answer.verb = model::HumanVerb::approve;
    if (client_chance_.one_in(3)) clients_.spawn(say(index, request, answer));
    co_await say(index, request, answer);
}

Async<> Simulation::say(std::size_t index, std::string request, model::HumanAnswer answer)
{
    const Id id = subjects_[index].id;
    const std::string by = token();
    const auto said = co_await ask([id, request, answer, by = person(index, by)](
                                       Worker& worker) { return worker.commands->answer(by, id, request, answer); },
                                   [this, index, by] { expect_recorded(index, RecordKind::answer, by); });
    if (said->ok()) subjects_[index].answered.insert(request);
    if (said->done && said->error == Code::conflict) count("answer raced");
    const Stored* stored = disk_.find(id);
    const bool recorded = stored && std::ranges::any_of(stored->records, [&](const Record& record) {
                              return record.kind == RecordKind::answer && record.body.find(request) != record.body.npos;
                          });
    if (said->done && said->error == Code::not_found && recorded)
        report("P6 a second answer is told that there is no such question: " + said->text, id);
}

Async<> Simulation::read_events(std::size_t index)
{
    while (!over_) {
        Reader* reader = readers_[index].get();
        if (reader->ended) co_return;
        const std::uint64_t patience = 1 + client_chance_.below(30);
        const int session = ++reader->session;  // one that nobody waits for any more must not go on reading
        co_await ask([this, reader, patience, session](Worker& worker) -> Async<> {
            return [](Simulation& simulation, Reader& to, engine::Commands& from, std::uint64_t most,
                      int ours) -> Async<> {
                const auto subscription = co_await from.watch(to.by, to.task, to.last());
                for (std::uint64_t i = 0; i < most; ++i) {
                    auto next = co_await subscription->next();
                    if (!simulation.running_ || simulation.running_->dead || to.session != ours) co_return;
                    if (!next) {
                        to.ended = true;
                        co_return;
                    }
                    if (auto* event = std::get_if<engine::EventPtr>(&*next)) {
                        check_event(simulation, to, **event);
                        to.seen.push_back(std::move(*event));
                    }
                }
            }(*this, *reader, *worker.commands, patience, session);
        });
        co_await sleep_for(client_chance_.between(100ms, 3s));
    }
}

}  // namespace cadre::sim
