// Budgets: what a task may spend. Spending is reserved before it happens, so that parallel branches and restarts cannot
// overspend. Plain values and functions; who waits for whom is the run's business.
#pragma once

#include "base/id.hpp"
#include "base/linked.hpp"
#include "base/time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::engine {

/// Upper bounds; null: none.
struct Budget {
    std::optional<std::int64_t> tokens{};
    std::optional<double> cost{};           // US dollars
    std::optional<int> steps{};             // model calls
    std::optional<std::int64_t> wall_ms{};  // while it runs; waiting for people is not counted
    std::optional<int> depth{};             // of delegation
    std::optional<int> iterations{};        // nodes, and turns in them

    bool operator==(const Budget&) const = default;
};
const model::Entity& describe(const Budget*);

/// Reads what people type: `20000tokens`, `$0.50`, `20steps`, `5m`, several with commas. Throws Error(invalid) that names the
/// piece and the forms.
Budget budget_from(std::string_view text);

struct Spending {
    std::int64_t tokens = 0;
    double cost = 0;
    int steps = 0;
    int iterations = 0;

    Spending& operator+=(const Spending& other);
    Spending& operator-=(const Spending& other);
    bool operator==(const Spending&) const = default;
};
const model::Entity& describe(const Spending*);

/// What stands in the way of a reservation.
enum class Shortage : std::uint8_t {
    none,
    for_now,  // others have reserved it and may give some back
    tokens,
    cost,
    steps,
    iterations,
};

/// A run that may wait for what others of its tree give back. Calls come on the loop; it only wakes who waits.
class AccountListener : public Link<struct AccountListenerTag> {
public:
    /// Somebody has settled a reservation.
    virtual void on_refund() noexcept = 0;
    /// A task above, or this one, may spend more, or goes on.
    virtual void on_raise() noexcept = 0;

protected:
    ~AccountListener() = default;
};

/// One node of the tree: a root task, or one that was delegated below its parent. What a task spends, all above it have spent too.
class Account {
public:
    explicit Account(Budget budget, std::shared_ptr<Account> parent = {}, const Id& task = {}, Spending spent = {})
        : budget_(budget), spent_(spent), parent_(std::move(parent)), task_(task)
    {}

    /// Reserves in this node and in all above it, or in none.
    Shortage reserve(const Spending& amount);
    /// What was reserved became `spent`; the rest is free again.
    void settle(const Spending& reserved, const Spending& spent);
    /// What stands in the way in this node alone.
    Shortage shortage(const Spending& amount) const;
    /// The first node from here upwards that cannot give so much; this one where all can.
    const Account& lacking(const Spending& amount) const;

    const Budget& budget() const { return budget_; }
    void raise(const Budget& budget) { budget_ = budget; }
    /// What the task's own pattern says, beside its budget: the lower one counts.
    void limit_iterations(int most) { most_iterations_ = most; }
    std::optional<int> iteration_limit() const;
    /// Whether iterations are counted, here or above.
    bool counts_iterations() const;
    const Spending& spent() const { return spent_; }
    const Spending& reserved() const { return reserved_; }
    /// What nobody has spent or reserved; nothing: as many as you like.
    std::optional<std::int64_t> tokens_left() const;
    std::optional<double> cost_left() const;
    /// Whether tokens or dollars are counted, here or above.
    bool is_bounded() const;

    const Id& task() const { return task_; }
    const std::shared_ptr<Account>& parent() const { return parent_; }

    // ---- all runs of the tree ----

    /// As long as it lives.
    void add(AccountListener& listener) noexcept { root().listeners_.push_back(listener); }
    void tell_refund() noexcept;
    void tell_raise() noexcept;

private:
    Account& root();

    Budget budget_;
    std::optional<int> most_iterations_;
    Spending spent_;
    Spending reserved_;
    std::shared_ptr<Account> parent_;
    Id task_;
    LinkedList<AccountListener, AccountListenerTag> listeners_;  // of the root: the runs of its tree that are in memory
};

/// `$0.0123`; of smaller sums, as many digits as say something.
std::string dollars(double amount);

/// "the budget of 20000 tokens is used up (19870 spent, 400 needed)"; for people and for the pause record.
std::string explain(Shortage shortage, const Account& account, const Spending& needed);

}  // namespace cadre::engine
