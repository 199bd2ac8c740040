#include "base/wait.hpp"

namespace cadre {

bool Wait::suspend(std::coroutine_handle<> waiting, const Context& context)
{
    handle_ = waiting;
    context_ = &context;
    if (context.scope && context.scope->cancelled()) {
        state_ = State::cancelled;
        return false;
    }
    state_ = State::waiting;
    if (!arm()) {
        state_ = State::woken;
        return false;
    }
    if (context.scope) context.scope->add(*this);
    return true;
}

void Wait::wake() noexcept
{
    if (!waiting()) return;
    state_ = State::woken;
    CancelListener::unlink();
    loop().post(*this);
}

void Wait::resume() noexcept
{
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
