// Accounts: one tree for a root task and all that is delegated below it, over parking and restarts.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_mutex.hpp"
#include "base/id.hpp"
#include "engine/budget.hpp"
#include "storage/record.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cadre::storage {
class Store;
}

namespace cadre::engine {

struct TaskState;

/// Lives on one loop. An account lives as long as a run of its task, or of a task below it, has it.
class Accounts {
public:
    explicit Accounts(storage::Store& store) : store_(store) {}

    /// The account of a task whose journal that is. Where nobody of its tree is in memory, what relatives have spent is read from their
    /// journals.
    Async<std::shared_ptr<Account>> of(const TaskState& state, const std::vector<storage::Record>& records);
    /// Of a new task that nobody has delegated.
    std::shared_ptr<Account> of_root(const Id& task);
    /// Null: nobody has it.
    std::shared_ptr<Account> find(const Id& task) const;
    /// A run that had it is gone.
    void release(std::shared_ptr<Account> account) noexcept;

private:
    Async<std::shared_ptr<Account>> make(const TaskState& state, const std::vector<storage::Record>& records);
    Async<std::shared_ptr<Account>> above(std::string task);

    storage::Store& store_;
    std::map<Id, std::weak_ptr<Account>> known_;
    AsyncMutex making_;  // two siblings must not each make an account for their parent
};

}  // namespace cadre::engine
