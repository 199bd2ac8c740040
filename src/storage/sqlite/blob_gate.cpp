#include "storage/sqlite/blob_gate.hpp"

#include "base/crash_point.hpp"

#include <utility>

namespace cadre::storage {

BlobGate::BlobGate(BlobFolder folder, Written written)
    : folder_(std::move(folder)), written_(std::move(written)), thread_([this] { serve(); })
{}

BlobGate::~BlobGate()
{
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    ready_.notify_one();
}

bool BlobGate::keep(const std::shared_ptr<Backchannel>& channel, Append& append)
{
    const bool has_blob = is_blob(append.record);
    if (!has_blob && (kept_.empty() || !kept_.contains(append.record.task))) return false;
    auto waiting = std::make_shared<Waiting>();
    waiting->channel = channel;
    waiting->append = std::move(append);
    waiting->has_blob = has_blob;
    waiting->ready = !has_blob;
    kept_[waiting->append.record.task].push_back(waiting);
    if (!has_blob) return true;
    {
        const std::lock_guard lock(mutex_);
        to_write_.push_back(std::move(waiting));
    }
    ready_.notify_one();
    return true;
}

std::vector<std::shared_ptr<Waiting>> BlobGate::open(const std::shared_ptr<Waiting>& written)
{
    std::vector<std::shared_ptr<Waiting>> passing;
    written->ready = true;
    const auto queue = kept_.find(written->append.record.task);
    while (!queue->second.empty() && queue->second.front()->ready) {
        passing.push_back(std::move(queue->second.front()));
        queue->second.pop_front();
    }
    if (queue->second.empty()) kept_.erase(queue);
    return passing;
}

std::vector<std::shared_ptr<Waiting>> BlobGate::empty_out()
{
    std::vector<std::shared_ptr<Waiting>> all;
    for (auto& [task, queue] : kept_) all.insert(all.end(), queue.begin(), queue.end());
    kept_.clear();
    return all;
}

void BlobGate::serve()
{
    for (;;) {
        std::shared_ptr<Waiting> next;
        {
            std::unique_lock lock(mutex_);
            ready_.wait(lock, [this] { return closing_ || !to_write_.empty(); });
            if (closing_) return;
            next = std::move(to_write_.front());
            to_write_.pop_front();
        }
        try {
            next->blob = folder_.write(next->append.record.body);
            crash_point("after_blob");
        } catch (...) {
            next->error = std::current_exception();
        }
        written_(std::move(next));
    }
}

}  // namespace cadre::storage
