// all(): several coroutines at once, awaited together.
#pragma once

#include "base/async.hpp"
#include "base/cancel.hpp"

#include <coroutine>
#include <cstddef>
#include <deque>
#include <exception>
#include <utility>
#include <vector>

namespace cadre {

/// Starts its branches in order, each up to its first wait, and resumes the awaiter when all have ended. A branch that
/// fails cancels the others, and they are still awaited.
class Join {
public:
    explicit Join(const Context& outer);

    /// Before it is awaited; the coroutine outlives the join.
    template <class T>
    void add(const Async<T>& branch)
    {
        add(branch.handle(), branch.handle().promise());
    }

    bool await_ready() const noexcept { return branches_.empty(); }
    bool await_suspend(std::coroutine_handle<> awaiting) noexcept;
    /// Throws the failure of the lowest branch that failed by itself; else Cancelled if a branch was cancelled.
    void await_resume() const;

private:
    struct Branch final : Completion {
        Branch(Join& j, std::coroutine_handle<> h, PromiseBase& p) : join(j), handle(h), promise(p) {}
        std::coroutine_handle<> completed() noexcept override { return join.ended(*this); }

        Join& join;
        std::coroutine_handle<> handle;
        PromiseBase& promise;
        bool failed_by_itself = false;
    };

    void add(std::coroutine_handle<> handle, PromiseBase& promise);
    std::coroutine_handle<> ended(Branch& branch) noexcept;

    CancelScope scope_;
    Context inner_;
    std::deque<Branch> branches_;
    std::size_t running_ = 0;
    std::coroutine_handle<> awaiting_;
};

/// Awaits all; results in the order of `operations`. The first failure cancels the rest; what is thrown is the failure of
/// the lowest one that failed by itself, so that it does not depend on who was quicker to notice the cancellation.
template <class T>
Async<std::vector<T>> all(std::vector<Async<T>> operations)
{
    Join join(co_await this_context());
    const auto branches = std::move(operations);  // declared after the join: they die before what they run under
    for (const auto& branch : branches) join.add(branch);
    co_await join;
    std::vector<T> results;
    results.reserve(branches.size());
    for (const auto& branch : branches) results.push_back(branch.handle().promise().take());
    co_return results;
}

Async<> all(std::vector<Async<>> operations);

}  // namespace cadre
