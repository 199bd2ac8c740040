// The writer: one thread with the only connection that writes and checkpoints. It commits all that is queued at once, and
// stops for good at the first failure: what a disk does after one is anybody's guess.
#pragma once

#include "storage/port.hpp"
#include "storage/sqlite/blob_gate.hpp"
#include "storage/sqlite/group_commit.hpp"
#include "storage/sqlite/tables.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cadre::storage {

/// Dies after its ports, and before the loops of coroutines that wait for it. What is queued is committed first.
class Writer final : public Intake {
public:
    using OnStopped = std::function<void(const std::exception_ptr&)>;

    Writer(Tables tables, BlobFolder blobs, std::size_t queue_bytes);
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer();

    /// Refuses with Error(rate_limited) what would take more memory than it may.
    std::exception_ptr take(const std::shared_ptr<Backchannel>& channel, std::vector<Append>& appends) override;
    /// Throws when it has stopped.
    void submit(std::shared_ptr<Request> request);
    void on_stopped(OnStopped callback);

private:
    struct Delivery {
        std::shared_ptr<Backchannel> channel{};
        std::vector<Append> appends{};
        std::size_t next = 0;  // the first that is not in a transaction yet
    };
    struct Work {
        std::deque<Delivery> deliveries{};
        std::deque<std::shared_ptr<Request>> requests{};
        std::deque<std::shared_ptr<Waiting>> blobs{};    // are on disk
        std::deque<std::shared_ptr<Waiting>> passing{};  // have passed the gate

        bool empty() const { return deliveries.empty() && requests.empty() && blobs.empty() && passing.empty(); }
    };

    void serve();
    bool wait_for_work();
    void fill_commit();
    void add_appends(Delivery& delivery);
    void sweep_blobs();
    void open_gate(const std::shared_ptr<Waiting>& written);
    void settle(std::size_t cost);
    void refuse(Work& work, const std::exception_ptr& error);
    void stop(const std::exception_ptr& failure);
    void blob_written(std::shared_ptr<Waiting> waiting);

    // of the thread
    Tables tables_;
    GroupCommit commit_;
    Work work_;

    const BlobFolder blobs_;
    const std::size_t queue_bytes_;
    std::mutex mutex_;  // of what follows
    std::condition_variable ready_;
    Work queue_;
    std::size_t queued_bytes_ = 0;
    bool closing_ = false;
    std::exception_ptr stopped_;
    std::vector<OnStopped> callbacks_;

    BlobGate gate_;        // before the thread: it is the thread's
    std::jthread thread_;  // last: it uses all the others
};

}  // namespace cadre::storage
