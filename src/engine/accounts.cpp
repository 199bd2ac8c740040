#include "engine/accounts.hpp"

#include "engine/spent.hpp"
#include "engine/task_state.hpp"
#include "storage/store.hpp"

namespace cadre::engine {

std::shared_ptr<Account> Accounts::find(const Id& task) const
{
    const auto place = known_.find(task);
    return place == known_.end() ? nullptr : place->second.lock();
}

std::shared_ptr<Account> Accounts::of_root(const Id& task)
{
    auto account = std::make_shared<Account>(Budget{}, nullptr, task);
    known_.insert_or_assign(task, account);
    return account;
}

Async<std::shared_ptr<Account>> Accounts::of(const TaskState& state, const std::vector<storage::Record>& records)
{
    const auto lock = co_await making_.lock();
    co_return co_await make(state, records);
}

Async<std::shared_ptr<Account>> Accounts::make(const TaskState& state, const std::vector<storage::Record>& records)
{
    if (auto known = find(state.id)) {
        known->raise(state.budget);
        co_return known;
    }
    std::shared_ptr<Account> parent;
    if (state.spec.parent) parent = co_await above(*state.spec.parent);
    // those above have counted it already: they were in memory when it was spent, or have read this journal too
    const TreeSpending tree = co_await spent_below(store_, records, state);
    auto account = std::make_shared<Account>(state.budget, std::move(parent), state.id, tree.spent);
    known_.insert_or_assign(state.id, account);
    co_return account;
}

/// Null: there is no such task any more.
Async<std::shared_ptr<Account>> Accounts::above(std::string task)
{
    const auto id = find_id(task);
    if (!id) co_return nullptr;
    if (auto known = find(*id)) co_return known;
    const auto records = co_await store_.read(*id);
    if (records.empty()) co_return nullptr;
    const TaskState state = fold(records);
    co_return co_await make(state, records);
}

void Accounts::release(std::shared_ptr<Account> account) noexcept
{
    while (account && account.use_count() == 1) {  // nobody else has it, so perhaps nobody has the one above
        known_.erase(account->task());
        std::shared_ptr<Account> parent = account->parent();
        account = std::move(parent);
    }
}

}  // namespace cadre::engine
