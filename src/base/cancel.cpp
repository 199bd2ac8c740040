#include "base/cancel.hpp"

namespace cadre {

CancelScope::CancelScope(CancelScope* parent)
{
    if (!parent) return;
    cancelled_ = parent->cancelled();
    if (!cancelled_) parent->add(*this);
}

void CancelScope::cancel() noexcept
{
    if (cancelled_) return;
    cancelled_ = true;
    unlink();
    while (CancelListener* listener = listeners_.pop_front()) listener->on_cancel();
}

}  // namespace cadre
