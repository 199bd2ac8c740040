// Strands: the branches of a run that are at work at the same time, and what ends the others: a failure, a win. In a replay that is
// held back until every strand is blocked, because those that it ended had used their records by then.
#pragma once

#include "base/async.hpp"
#include "base/cancel.hpp"
#include "base/error.hpp"
#include "base/mutant.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cadre::engine {

class Run;
class RunState;

/// What became of a branch, or of a part of a flow.
enum class Fate : std::uint8_t {
    open,     // it has not begun
    running,  // it has begun: whoever was to be counted has been
    done,
    skipped,  // nothing led to it, or nobody needed it any more; which of both comes first depends on time
    failed,
    cancelled,  // of branches: others were enough
};

constexpr bool has_settled(Fate fate)
{
    return fate > Fate::running;
}

/// A result, or why there is none.
template <class T>
struct Settled {
    using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

    Fate fate = Fate::open;
    std::optional<Value> value{};
    std::optional<Error> error{};  // where it failed

    bool is_done() const { return fate == Fate::done; }
};

/// Parallel branches for the run's bookkeeping: their parent stands still while one lives.
class Strands {
public:
    Strands(RunState& state, std::size_t count);
    ~Strands();

private:
    RunState& state_;
};

/// One branch: ends with the scope it stands in, and gives its seats back.
class Strand {
public:
    explicit Strand(Run& run);
    /// One whose scopes see to their seats themselves.
    explicit Strand(RunState& state) : state_(state) {}
    Strand(const Strand&) = delete;
    Strand& operator=(const Strand&) = delete;
    ~Strand();

private:
    RunState& state_;
    Run* run_ = nullptr;
};

/// Whether something that ends others must be held back.
bool is_held_back(const RunState& state);
bool is_held_back(Run& run);
/// Until that may happen.
Async<> hold_back(Run& run);
/// The same for the node at `path`, which ends the nodes `siblings`.
Async<> hold_back(RunState& state, std::string path, std::span<const std::string> siblings);

/// `work` as one branch: a failure ends the others.
template <class T>
Async<T> as_strand(Run& run, Async<T> work)
{
    const Strand strand(run);
    Async<T> mine = std::move(work);
    std::exception_ptr failure;
    try {
        co_return co_await std::move(mine);
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        failure = std::current_exception();
    }
    if (is_held_back(run)) co_await hold_back(run);
    std::rethrow_exception(failure);
}

/// What branches share of which some end the others: a scope below the one around them.
struct Contest {
    explicit Contest(const Context& around)
        : outer(around.scope), scope(around.scope), inner{around.loop, &scope, around.deadline}
    {}
    Contest(const Contest&) = delete;
    Contest& operator=(const Contest&) = delete;

    bool is_cancelled_from_outside() const { return outer && outer->cancelled(); }
    void end_others() noexcept
    {
        if (!is_mutant(Mutant::loser_not_cancelled)) scope.cancel();
    }

    const CancelScope* outer;
    CancelScope scope;
    Context inner;
};

/// Who was first: what the branches of first() share.
struct Race : Contest {
    using Contest::Contest;

    std::optional<std::size_t> recorded;  // who won when this ran before
    std::optional<std::size_t> winner;
    std::exception_ptr failure;  // of the lowest branch that failed
    std::size_t failed = SIZE_MAX;
};

/// `work` as one branch of a race. Nothing: it did not win.
template <class T>
Async<std::optional<T>> race(Run& run, Race& shared, std::size_t index, Async<T> work)
{
    const Strand strand(run);
    Async<T> mine = std::move(work);
    std::optional<T> result;
    try {
        result = co_await std::move(mine).under(shared.inner);
    } catch (const Cancelled&) {
        if (shared.is_cancelled_from_outside()) throw;
        co_return std::nullopt;
    } catch (const Error&) {
        if (index < shared.failed) {
            shared.failed = index;
            shared.failure = std::current_exception();
        }
        co_return std::nullopt;
    }
    if (shared.winner || (shared.recorded && *shared.recorded != index)) co_return std::nullopt;
    shared.winner = index;
    if (is_held_back(run)) co_await hold_back(run);
    shared.end_others();
    co_return result;
}

/// What the branches of collect() and quorum() share.
struct Gathering : Contest {
    Gathering(const Context& around, std::size_t branches, std::optional<std::size_t> needed)
        : Contest(around), left(branches), enough(needed)
    {}

    /// Each says whether that decides it.
    bool succeeded(std::size_t index);
    bool failed();

    std::size_t left;                    // branches that can still succeed, or have
    std::optional<std::size_t> enough;   // successes; nothing: all are awaited
    std::vector<std::uint32_t> winners;  // in the order in which they came
    std::optional<std::vector<std::uint32_t>> recorded;
    std::size_t ended = 0;
};

/// `work` as one branch whose failure is a value.
template <class T>
Async<> gather(Run& run, Gathering& shared, std::size_t index, Async<T> work, std::vector<Settled<T>>& results)
{
    const Strand strand(run);
    Async<T> mine = std::move(work);
    Settled<T> result;
    std::exception_ptr failure;
    bool decides = false;
    try {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(mine).under(shared.inner);
            result.value.emplace();
        } else {
            result.value.emplace(co_await std::move(mine).under(shared.inner));
        }
        result.fate = Fate::done;
        decides = shared.succeeded(index);
    } catch (const Cancelled&) {
        if (shared.is_cancelled_from_outside()) throw;
        result.fate = Fate::cancelled;
    } catch (const Error& error) {
        result.fate = Fate::failed;
        result.error = error;
        decides = shared.failed();
    } catch (...) {
        failure = std::current_exception();  // a fault of the code, not an answer
    }
    const std::size_t place = is_mutant(Mutant::merged_in_finish_order) ? shared.ended++ : index;
    results[place] = std::move(result);
    if (!decides && !failure) co_return;
    if (is_held_back(run)) co_await hold_back(run);
    shared.end_others();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace cadre::engine
