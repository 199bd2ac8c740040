#include "base/async_scope.hpp"

namespace cadre {

AsyncScope::AsyncScope(const Context& outer) : scope_(outer.scope), context_{outer.loop, &scope_, outer.deadline}
{}

AsyncScope::~AsyncScope()
{
    while (!children_.empty()) children_.pop_back();  // newest first, as locals die
}

void AsyncScope::spawn(Async<> child)
{
    Child& entry = children_.emplace_back(*this, std::move(child));
    entry.self = std::prev(children_.end());
    ++running_;
    entry.work.handle().promise().complete_with(entry, &context_);
    entry.work.handle().resume();
    entry.starting = false;
    if (entry.work.handle().done()) remove(entry);
}

/// The frame cannot be destroyed from inside itself: the entry goes through the loop, unless spawn() is there to do it.
std::coroutine_handle<> AsyncScope::Child::completed() noexcept
{
    if (!starting) scope.context_.loop->post(*this);
    return std::noop_coroutine();
}

void AsyncScope::remove(Child& child) noexcept
{
    note_failure(child.work.handle().promise().failure());
    children_.erase(child.self);
    if (--running_ > 0) return;
    while (Empty* joiner = joiners_.pop_front()) joiner->wake();
}

void AsyncScope::note_failure(const std::exception_ptr& failure) noexcept
{
    if (!failure || failure_) return;
    try {
        std::rethrow_exception(failure);
    } catch (const Cancelled&) {
        // how a child of a cancelled scope ends; in a live scope, its own decision
    } catch (...) {
        failure_ = failure;
    }
}

void AsyncScope::rethrow_failure()
{
    if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

bool AsyncScope::Empty::arm()
{
    if (scope_.running_ == 0) return false;
    scope_.joiners_.push_back(*this);
    return true;
}

bool AsyncScope::Empty::withdraw() noexcept
{
    Link<EmptyTag>::unlink();
    return true;
}

Async<> AsyncScope::join()
{
    while (running_ > 0) co_await Empty(*this, true);  // again if someone spawned between the wake-up and here
    rethrow_failure();
}

Async<> AsyncScope::close()
{
    cancel();
    while (running_ > 0) co_await Empty(*this, false);
    rethrow_failure();
}

}  // namespace cadre
