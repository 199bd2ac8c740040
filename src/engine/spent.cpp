#include "engine/spent.hpp"

#include "base/async.hpp"
#include "base/mutant.hpp"
#include "engine/body.hpp"
#include "engine/delegated.hpp"

#include <boost/json.hpp>

#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

/// Nothing: the record does not say.
std::optional<Spending> spent_by_child(const Record& outcome)
{
    const auto body = body_of<OutcomeBody>(outcome);
    return own_of<DelegateOutcome>(body, outcome).spent.find();
}

/// Nodes and turns that the effect has paid for, with itself.
int iterations_in(const Record& intent, std::optional<EffectKind> effect)
{
    const bool counts = effect == EffectKind::think || effect == EffectKind::use;
    if (!counts || intent.body.find(R"("iterations":)") == std::string::npos) return 0;  // nearly always
    return static_cast<int>(body_of<IntentBody>(intent).iterations.value_or(0));
}

/// Tasks of whom the journal does not say what they have spent: they have not come back, or others below them had not ended.
std::vector<Id> uncounted_in(const std::vector<Record>& records, const TaskState& state)
{
    std::set<std::string_view> counted;
    for (const Record& record : records)
        if (record.kind == RecordKind::outcome && effect_of(record) == EffectKind::delegate && spent_by_child(record))
            counted.insert(record.path);
    std::vector<Id> uncounted;
    for (const Delegated& child : delegated_in(records))
        if (!state.is_reused(child.seq) && !counted.contains(child.path)) uncounted.push_back(child.child);
    return uncounted;
}

}  // namespace

Spending spent_in(const std::vector<Record>& records, const TaskState& state)
{
    Spending spent;
    std::map<std::string_view, Spending> reserved;  // of the last attempt at a path
    for (const Record& record : records) {
        const auto effect = effect_of(record);
        if (effect == EffectKind::delegate && record.kind == RecordKind::outcome && !state.is_reused(record.seq) &&
            !is_mutant(Mutant::child_spending_not_counted))
            spent += spent_by_child(record).value_or(Spending{});
        if (record.kind == RecordKind::intent && !state.is_reused(record.seq))
            spent.iterations += iterations_in(record, effect);
        if (effect != EffectKind::think || state.is_reused(record.seq)) continue;
        Spending& open = reserved[record.path];
        if (record.kind == RecordKind::intent) {
            const auto intent = body_of<IntentBody>(record);
            open = {.tokens = intent.reserve.value_or(0), .cost = intent.reserve_cost.value_or(0)};
            spent += open;
            ++spent.steps;
        } else if (record.kind == RecordKind::attempt_failed) {
            if (body_of<AttemptFailedBody>(record).free) spent -= std::exchange(open, {});
        } else if (record.kind == RecordKind::outcome) {
            const auto usage = usage_of(body_of<OutcomeBody>(record).of).find();
            if (!usage) continue;
            spent -= open;
            spent += {.tokens = usage->input + usage->output, .cost = usage->cost};
        }
    }
    return spent;
}

Async<TreeSpending> spent_below(storage::Store& store, const std::vector<Record>& records, const TaskState& state)
{
    TreeSpending sum{.spent = spent_in(records, state), .is_final = state.finished()};
    if (is_mutant(Mutant::child_spending_not_counted)) co_return sum;
    for (const Id& child : uncounted_in(records, state)) {
        const auto its = co_await store.read(child);
        if (its.empty()) continue;  // it was never started, or is gone
        const TaskState below = fold(its);
        const TreeSpending tree = co_await spent_below(store, its, below);
        sum.spent += tree.spent;
        sum.is_final = sum.is_final && tree.is_final;
    }
    co_return sum;
}

}  // namespace cadre::engine
