// The gate: an append with a large body waits here until its blob is on disk, and those of its task behind it. All others
// pass, so one task's large results do not delay the commits of others.
#pragma once

#include "storage/id_hash.hpp"
#include "storage/port.hpp"
#include "storage/sqlite/blobs.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace cadre::storage {

/// An append at the gate.
struct Waiting {
    std::shared_ptr<Backchannel> channel{};
    Append append{};
    bool has_blob = false;
    bool ready = false;
    Blob blob{};                 // what the gate's thread has written,
    std::exception_ptr error{};  // or why it could not
};

/// Used by the writer's thread; has one of its own, which writes blobs in the order in which they came.
class BlobGate {
public:
    /// Told on the gate's thread that a blob is on disk, or has failed.
    using Written = std::function<void(std::shared_ptr<Waiting>)>;

    BlobGate(BlobFolder folder, Written written);
    BlobGate(const BlobGate&) = delete;
    BlobGate& operator=(const BlobGate&) = delete;
    /// Blobs that have not begun are not written.
    ~BlobGate();

    /// True if the append must wait; then it was taken.
    bool keep(const std::shared_ptr<Backchannel>& channel, Append& append);
    /// Those that may pass now that this blob is written, in order.
    std::vector<std::shared_ptr<Waiting>> open(const std::shared_ptr<Waiting>& written);
    /// All that still wait.
    std::vector<std::shared_ptr<Waiting>> empty_out();
    bool empty() const { return kept_.empty(); }

private:
    void serve();

    std::unordered_map<Id, std::deque<std::shared_ptr<Waiting>>, IdHash> kept_;

    BlobFolder folder_;
    Written written_;
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<std::shared_ptr<Waiting>> to_write_;
    bool closing_ = false;
    std::jthread thread_;
};

}  // namespace cadre::storage
