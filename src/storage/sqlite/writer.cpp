#include "storage/sqlite/writer.hpp"

#include "base/error.hpp"
#include "storage/sqlite/commit_wait.hpp"

#include <fmt/core.h>

#include <utility>

namespace cadre::storage {

namespace {

/// What receipts hear: the same code, and that it is over.
std::exception_ptr as_stop(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        return std::make_exception_ptr(Error(error.code(), std::string("the journal has stopped: ") + error.what()));
    } catch (const std::exception& error) {
        return std::make_exception_ptr(
            Error(Code::unavailable, std::string("the journal has stopped: ") + error.what()));
    }
}

}  // namespace

Writer::Writer(Tables tables, BlobFolder blobs, std::size_t queue_bytes)
    : tables_(std::move(tables)),
      commit_(tables_),
      blobs_(blobs),
      queue_bytes_(queue_bytes),
      gate_(std::move(blobs), [this](std::shared_ptr<Waiting> waiting) { blob_written(std::move(waiting)); }),
      thread_([this] { serve(); })
{}

Writer::~Writer()
{
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    ready_.notify_one();
    thread_.join();  // here, and not after the gate has gone
}

std::exception_ptr Writer::take(const std::shared_ptr<Backchannel>& channel, std::vector<Append>& appends)
{
    std::size_t cost = 0;
    for (const Append& append : appends) cost += cost_of(append);
    {
        const std::lock_guard lock(mutex_);
        if (stopped_) return stopped_;
        if (queued_bytes_ > 0 && queued_bytes_ + cost > queue_bytes_)
            return std::make_exception_ptr(Error(
                Code::rate_limited, fmt::format("the journal's queue is full ({} bytes waiting)", queued_bytes_)));
        queued_bytes_ += cost;
        queue_.deliveries.push_back({.channel = channel, .appends = std::move(appends)});
    }
    ready_.notify_one();
    return nullptr;
}

void Writer::submit(std::shared_ptr<Request> request)
{
    {
        const std::lock_guard lock(mutex_);
        if (stopped_) std::rethrow_exception(stopped_);
        queue_.requests.push_back(std::move(request));
    }
    ready_.notify_one();
}

void Writer::on_stopped(OnStopped callback)
{
    std::exception_ptr already;
    {
        const std::lock_guard lock(mutex_);
        already = stopped_;
        if (!already) callbacks_.push_back(std::move(callback));
    }
    if (already) callback(already);
}

void Writer::serve()
{
    while (wait_for_work()) {
        try {
            while (!work_.empty()) {
                fill_commit();
                settle(commit_.finish());
                sweep_blobs();
                tables_.checkpoint_if_due();  // after everybody was told: it takes longer than a commit
            }
        } catch (...) {
            stop(as_stop(std::current_exception()));
        }
    }
    if (stopped_) return;
    try {
        tables_.close();
    } catch (...) {
        stop(as_stop(std::current_exception()));  // nothing is lost: the WAL has it all
    }
}

/// False when it is time to go.
bool Writer::wait_for_work()
{
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return !queue_.empty() || (closing_ && (stopped_ || gate_.empty())); });
    work_ = std::exchange(queue_, {});
    return !work_.empty();
}

void Writer::fill_commit()
{
    while (!commit_.full()) {
        if (!work_.passing.empty()) {
            const Waiting& next = *work_.passing.front();
            commit_.append(next.channel, next.append, next.has_blob ? &next.blob : nullptr);
            work_.passing.pop_front();
        } else if (!work_.blobs.empty()) {
            open_gate(work_.blobs.front());
            work_.blobs.pop_front();
        } else if (!work_.requests.empty()) {
            auto request = std::move(work_.requests.front());
            work_.requests.pop_front();
            commit_.perform(std::move(request));
        } else if (!work_.deliveries.empty()) {
            add_appends(work_.deliveries.front());
            if (work_.deliveries.front().next == work_.deliveries.front().appends.size()) work_.deliveries.pop_front();
        } else {
            return;
        }
    }
}

void Writer::add_appends(Delivery& delivery)
{
    while (delivery.next < delivery.appends.size() && !commit_.full()) {
        Append& append = delivery.appends[delivery.next];
        if (!gate_.keep(delivery.channel, append)) commit_.append(delivery.channel, append, nullptr);
        ++delivery.next;
    }
}

void Writer::open_gate(const std::shared_ptr<Waiting>& written)
{
    if (written->error) std::rethrow_exception(written->error);
    for (auto& waiting : gate_.open(written)) work_.passing.push_back(std::move(waiting));
}

/// Blobs come to the gate through this thread alone: while it holds none, none is on disk without its record.
void Writer::sweep_blobs()
{
    if (!gate_.empty() || !work_.passing.empty() || !work_.blobs.empty()) return;
    while (tables_.has_doomed_blobs()) tables_.sweep(blobs_);
}

void Writer::settle(std::size_t cost)
{
    const std::lock_guard lock(mutex_);
    queued_bytes_ -= cost;
}

void Writer::refuse(Work& work, const std::exception_ptr& error)
{
    for (const auto& waiting : work.passing) commit_.refuse(waiting->channel, waiting->append, error);
    for (Delivery& delivery : work.deliveries)
        for (; delivery.next < delivery.appends.size(); ++delivery.next)
            commit_.refuse(delivery.channel, delivery.appends[delivery.next], error);
    for (const auto& request : work.requests) GroupCommit::refuse(request, error);
    work = {};
}

void Writer::stop(const std::exception_ptr& failure)
{
    Work queued;
    std::vector<OnStopped> callbacks;
    {
        const std::lock_guard lock(mutex_);
        stopped_ = failure;  // from here on nothing comes in
        queued = std::exchange(queue_, {});
        callbacks.swap(callbacks_);
    }
    for (const auto& callback : callbacks) callback(failure);  // first: whoever hears of a refusal can rely on it
    for (auto& waiting : gate_.empty_out()) work_.passing.push_back(std::move(waiting));
    refuse(work_, failure);
    refuse(queued, failure);
    commit_.fail(failure);
}

/// On the gate's thread.
void Writer::blob_written(std::shared_ptr<Waiting> waiting)
{
    {
        const std::lock_guard lock(mutex_);
        if (stopped_) return;
        queue_.blobs.push_back(std::move(waiting));
    }
    ready_.notify_one();
}

CommitWait::CommitWait(Writer& writer, std::function<void(Tables&)> act)
    : writer_(writer), request_(std::make_shared<Request>())
{
    request_->act = std::move(act);
}

bool CommitWait::arm()
{
    request_->loop = &loop();
    request_->waiting = this;
    writer_.submit(request_);
    return true;
}

void CommitWait::report(const std::shared_ptr<Request>& request)
{
    request->loop->deliver([request] {
        if (request->waiting) request->waiting->resume();
    });
}

}  // namespace cadre::storage
