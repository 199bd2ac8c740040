#include "base/pool.hpp"

#include "base/error.hpp"

namespace cadre {

ThreadPool::ThreadPool(std::size_t threads, std::size_t queue) : capacity_(queue)
{
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

ThreadPool::~ThreadPool()
{
    std::deque<std::function<void()>> dropped;  // destroyed outside the lock: what it captured may do anything
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
        dropped.swap(queue_);
    }
    work_ready_.notify_all();
    threads_.clear();  // joins
}

void ThreadPool::submit(std::function<void()> work)
{
    {
        std::lock_guard lock(mutex_);
        if (stopping_) throw Error(Code::unavailable, "the work queue is closed");
        if (queue_.size() >= capacity_)
            throw Error(Code::unavailable, "the work queue is full (" + std::to_string(capacity_) + " waiting)");
        queue_.push_back(std::move(work));
    }
    work_ready_.notify_one();
}

void ThreadPool::serve()
{
    for (;;) {
        std::function<void()> work;
        {
            std::unique_lock lock(mutex_);
            work_ready_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
            if (stopping_) return;
            work = std::move(queue_.front());
            queue_.pop_front();
        }
        work();
    }
}

bool PoolWait::arm()
{
    call_->waiting = this;
    pool_.submit([call = call_, &home = loop()]() mutable {
        if (call->claimed.exchange(true)) return;
        call->perform();
        home.deliver([call = std::move(call)] {  // moved: the result dies on its loop
            if (call->waiting) call->waiting->resume();
        });
    });
    return true;
}

}  // namespace cadre
