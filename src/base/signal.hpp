// Signal: coroutines of one loop wait for something to change, and look for themselves what it is.
#pragma once

#include "base/wait.hpp"

namespace cadre {

/// Outlives everyone who waits on it. A notice reaches those who wait at that moment, so look first, then wait:
///     while (!ready()) co_await changed.wait();
class Signal {
    struct Tag;

public:
    class Waiting final : public Wait, public Link<Tag> {
    public:
        explicit Waiting(Signal& signal) : signal_(signal) {}
        void await_resume() const { finish(); }

    private:
        friend class Signal;
        bool arm() override
        {
            signal_.waiting_.push_back(*this);
            return true;
        }
        bool withdraw() noexcept override
        {
            Link<Tag>::unlink();
            return true;
        }

        Signal& signal_;
    };

    Waiting wait() { return Waiting(*this); }
    void notify() noexcept
    {
        while (Waiting* one = waiting_.pop_front()) one->wake();
    }

private:
    LinkedList<Waiting, Tag> waiting_;
};

}  // namespace cadre
