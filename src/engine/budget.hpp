// Budgets: what a task may spend. Spending is reserved before it happens, so that parallel branches and restarts cannot
// overspend. Plain values and functions; who waits for whom is the run's business.
#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

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

    Spending& operator+=(const Spending& other);
    Spending& operator-=(const Spending& other);
    bool operator==(const Spending&) const = default;
};

/// What stands in the way of a reservation.
enum class Shortage : std::uint8_t {
    none,
    for_now,  // others have reserved it and may give some back
    tokens,
    cost,
    steps,
};

/// One node of the tree: a task below its tenant, a sub-task below its task. Its parent outlives it.
class Account {
public:
    explicit Account(Budget budget, Account* parent = nullptr) : budget_(budget), parent_(parent) {}

    /// Reserves in this node and in all above it, or in none.
    Shortage reserve(const Spending& amount);
    /// What was reserved became `spent`; the rest is free again.
    void settle(const Spending& reserved, const Spending& spent);

    const Budget& budget() const { return budget_; }
    void raise(const Budget& budget) { budget_ = budget; }
    const Spending& spent() const { return spent_; }
    const Spending& reserved() const { return reserved_; }
    /// What nobody has spent or reserved; nothing: as many as you like.
    std::optional<std::int64_t> tokens_left() const;
    std::optional<double> cost_left() const;

private:
    Shortage shortage(const Spending& amount) const;

    Budget budget_;
    Spending spent_;
    Spending reserved_;
    Account* parent_;
};

/// `$0.0123`; of smaller sums, as many digits as say something.
std::string dollars(double amount);

/// "the budget of 20000 tokens is used up (19870 spent, 400 needed)"; for people and for the pause record.
std::string explain(Shortage shortage, const Account& account, const Spending& needed);

}  // namespace cadre::engine
