// The loop's side of every store that works behind it: collects the appends of a turn, hands them over once, and brings
// what became of them back to the receipts that are still there.
#pragma once

#include "base/loop.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace cadre::storage {

class PortBase;

/// An append on its way into a store, and which receipt wants to hear of it.
struct Append {
    Record record{};
    std::unique_ptr<TaskEntry> entry{};  // a pointer, because most have none
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
};

/// What one receipt hears: everything up to `seq` is durable or, with an error, nothing from `seq` on was written.
struct AppendResult {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::uint32_t seq = 0;
    std::exception_ptr error{};
};

/// The way from a store's threads back to a port, whichever of the two ends first.
class Backchannel {
public:
    Backchannel(Loop& loop, PortBase& port) : loop_(&loop), port_(&port) {}

    /// From any thread: brings the results to their receipts, in order, in one delivery.
    static void report(const std::shared_ptr<Backchannel>& channel, std::vector<AppendResult> results);

    /// For the store, on the one thread that writes: a receipt that was refused once is refused for good, because what it
    /// appends next builds on what is not there.
    void refuse(const Append& append);
    bool refuses(const Append& append) const;

private:
    friend class PortBase;

    static void tell(const std::shared_ptr<Backchannel>& channel, const std::vector<AppendResult>& results) noexcept;
    void cut();

    std::mutex mutex_;
    Loop* loop_;                          // null once the port is gone
    PortBase* port_;                      // the same, for the loop's own thread
    std::vector<std::uint32_t> refused_;  // by slot: the generation that was refused; the store's
};

/// Where a store takes what its ports have collected. Called on the loops' threads.
class Intake {
public:
    /// Takes all, in order; or says why it takes nothing.
    virtual std::exception_ptr take(const std::shared_ptr<Backchannel>& channel, std::vector<Append>& appends) = 0;

protected:
    ~Intake() = default;
};

/// A store that writes on the spot; then a receipt hears of an append before append() returns.
class DirectIntake : public Intake {
public:
    /// Nothing, or why it was refused.
    virtual std::exception_ptr write(Record&& record, std::optional<TaskEntry>&& entry) = 0;

protected:
    ~DirectIntake() = default;
};

/// What it still holds when it dies is handed over, though nobody will hear of it.
class PortBase final : public Port, Job {
public:
    PortBase(Loop& loop, Intake& intake);
    PortBase(Loop& loop, DirectIntake& intake);
    PortBase(const PortBase&) = delete;
    PortBase& operator=(const PortBase&) = delete;
    ~PortBase() override;

    void append(Record&& record, Receipt& receipt, std::optional<TaskEntry>&& entry) override;

private:
    friend class Backchannel;
    friend class Receipt;

    /// A receipt's place. Its generation tells it from those that had the place before, for whom results may be under way.
    struct Slot {
        Receipt* receipt = nullptr;
        std::uint32_t generation = 1;
        bool refused = false;
    };

    void run() noexcept override;
    void hear(const AppendResult& result) noexcept;
    void settle(Receipt& receipt);
    void leave(std::uint32_t slot) noexcept;

    Loop& loop_;
    Intake& intake_;
    DirectIntake* direct_ = nullptr;
    std::shared_ptr<Backchannel> channel_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
    std::vector<Append> pending_;
};

}  // namespace cadre::storage
