#include "base/pool.hpp"

#include "base/error.hpp"

namespace cadre {

ThreadPool::ThreadPool(std::size_t threads, std::size_t queue) : capacity_(queue)
{
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

ThreadPool::~ThreadPool()
{
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
        queue_.clear();
    }
    work_ready_.notify_all();
    threads_.clear();  // joins
}

void ThreadPool::submit(std::function<void()> work)
{
    {
        std::lock_guard lock(mutex_);
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
    pool_.submit([call = call_, &home = loop()] {
        if (call->claimed.exchange(true)) return;
        call->perform();
        home.deliver([call] {
            if (call->waiting) call->waiting->resume();
        });
    });
    return true;
}

}  // namespace cadre
