#include "base/join.hpp"

#include "base/mutant.hpp"

namespace cadre {

namespace {

bool is_cancellation(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const Cancelled&) {
        return true;
    } catch (...) {
        return false;
    }
}

}  // namespace

Join::Join(const Context& outer) : scope_(outer.scope), inner_{outer.loop, &scope_, outer.deadline}
{}

void Join::add(std::coroutine_handle<> handle, PromiseBase& promise)
{
    promise.complete_with(branches_.emplace_back(*this, handle, promise), &inner_);
}

bool Join::await_suspend(std::coroutine_handle<> awaiting) noexcept
{
    awaiting_ = awaiting;
    running_ = branches_.size() + 1;  // one more than there are: the awaiter is not resumed from inside this loop
    for (Branch& branch : branches_) branch.handle.resume();
    return --running_ > 0;
}

/// Every branch is started even when an earlier one has failed already: a replayed branch still has records to consume.
std::coroutine_handle<> Join::ended(Branch& branch) noexcept
{
    if (const auto& failure = branch.promise.failure()) {
        branch.failed_by_itself = !(scope_.cancelled() && is_cancellation(failure));
        if (branch.failed_by_itself) scope_.cancel();
    }
    return --running_ == 0 ? awaiting_ : std::noop_coroutine();
}

void Join::await_resume() const
{
    for (const Branch& branch : branches_)
        if (branch.failed_by_itself || (is_mutant(Mutant::join_reports_cancellation) && branch.promise.failure()))
            std::rethrow_exception(branch.promise.failure());
    for (const Branch& branch : branches_)
        if (branch.promise.failure()) std::rethrow_exception(branch.promise.failure());
}

Async<> all(std::vector<Async<>> operations)
{
    Join join(co_await this_context());
    const auto branches = std::move(operations);  // declared after the join: they die before what they run under
    for (const auto& branch : branches) join.add(branch);
    co_await join;
}

}  // namespace cadre
