#include "base/loop.hpp"

#include <utility>

namespace cadre {

void Timer::stop() noexcept
{
    if (queue_) queue_->remove(*this);
}

TimerQueue::~TimerQueue()
{
    for (Timer* timer : heap_) timer->queue_ = nullptr;
}

void TimerQueue::add(Timer& timer, Instant due)
{
    timer.stop();
    heap_.push_back(&timer);
    timer.queue_ = this;
    timer.due_ = due;
    timer.order_ = next_order_++;
    timer.place_ = heap_.size() - 1;
    sift(timer.place_);
}

void TimerQueue::remove(Timer& timer) noexcept
{
    const std::size_t hole = timer.place_;
    timer.queue_ = nullptr;
    Timer* last = heap_.back();
    heap_.pop_back();
    if (last == &timer) return;
    put(hole, *last);
    sift(hole);
}

Timer* TimerQueue::pop_due(Instant now) noexcept
{
    if (heap_.empty() || heap_.front()->due_ > now) return nullptr;
    Timer* timer = heap_.front();
    remove(*timer);
    return timer;
}

bool TimerQueue::before(const Timer& a, const Timer& b)
{
    return a.due_ != b.due_ ? a.due_ < b.due_ : a.order_ < b.order_;
}

void TimerQueue::put(std::size_t place, Timer& timer) noexcept
{
    heap_[place] = &timer;
    timer.place_ = place;
}

/// Moves the timer at `place` up or down to where it belongs.
void TimerQueue::sift(std::size_t place) noexcept
{
    Timer& timer = *heap_[place];
    while (place > 0 && before(timer, *heap_[(place - 1) / 2])) {
        put(place, *heap_[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    for (;;) {
        std::size_t child = 2 * place + 1;
        if (child >= heap_.size()) break;
        if (child + 1 < heap_.size() && before(*heap_[child + 1], *heap_[child])) ++child;
        if (!before(*heap_[child], timer)) break;
        put(place, *heap_[child]);
        place = child;
    }
    put(place, timer);
}

void Loop::post(Job& job) noexcept
{
    const bool first = ready_.empty();
    ready_.push_back(job);
    if (first) on_ready();
}

void Loop::start(Timer& timer, Instant due)
{
    const Instant earliest = timers_.earliest();
    timers_.add(timer, due);
    if (due < earliest) on_earlier_timer();
}

}  // namespace cadre
