// Cancellation: a tree of scopes. Cancelling one wakes every wait below it, and each of those throws Cancelled.
#pragma once

#include "base/linked.hpp"

namespace cadre {

/// Thrown out of a co_await whose scope was cancelled. Not a std::exception, so that handlers of failures let it pass.
struct Cancelled {};

/// Something that wants to know when its scope is cancelled. It leaves the scope by dying.
class CancelListener : public Link<struct CancelTag> {
public:
    /// Must not run coroutines or destroy other listeners; waking goes through the loop.
    virtual void on_cancel() noexcept = 0;

protected:
    ~CancelListener() = default;
};

/// Lives on one loop. Once cancelled, for ever cancelled.
class CancelScope final : CancelListener {
public:
    CancelScope() = default;
    /// Cancelled when its parent is, which must outlive it. Null: a root.
    explicit CancelScope(CancelScope* parent);

    void cancel() noexcept;
    bool cancelled() const { return cancelled_; }

    void add(CancelListener& listener) noexcept { listeners_.push_back(listener); }

private:
    void on_cancel() noexcept override { cancel(); }

    LinkedList<CancelListener, CancelTag> listeners_;
    bool cancelled_ = false;
};

}  // namespace cadre
