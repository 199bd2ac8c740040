#include "base/wait.hpp"

namespace cadre {

bool Wait::suspend(std::coroutine_handle<> waiting, const Context& context)
{
    handle_ = waiting;
    context_ = &context;
    CancelScope* scope = cancellable_ ? context.scope : nullptr;
    if (scope && scope->cancelled()) {
        state_ = State::cancelled;
        return false;
    }
    state_ = State::arming;
    if (!arm() || resumed_in_arm_) {
        state_ = State::woken;
        return false;
    }
    if (state_ == State::arming) {  // else wake() was called already, and the loop has the job
        state_ = State::waiting;
        if (scope) scope->add(*this);
    }
    return true;
}

void Wait::wake() noexcept
{
    if (state_ != State::waiting && state_ != State::arming) return;
    state_ = State::woken;
    CancelListener::unlink();
    loop().post(*this);
}

void Wait::resume() noexcept
{
    if (state_ == State::arming) resumed_in_arm_ = true;
    if (!waiting()) return;
    state_ = State::woken;
    CancelListener::unlink();
    handle_.resume();
}

void Wait::finish() const
{
    if (state_ == State::cancelled) throw Cancelled{};
}

void Wait::on_cancel() noexcept
{
    if (!waiting() || !withdraw()) return;
    state_ = State::cancelled;
    loop().post(*this);
}

}  // namespace cadre
