// Hub: who watches a task is told what happens to it: numbered events from the journal, never one too few, too many or out
// of order, and between them the pieces of text that models write, which are nowhere stored.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "base/signal.hpp"
#include "model/chunk.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cadre::engine {

struct NumberedEvent;  // engine/numbered_event.hpp
/// Shared by all who see it.
using EventPtr = std::shared_ptr<const NumberedEvent>;

/// Pieces of text were dropped because the reader was too slow; the outcome in the journal has all of it.
struct ChunkGap {};

using Watched = std::variant<EventPtr, model::StreamChunk, ChunkGap>;

class Hub;

/// Tasks above one, and how many events each of them has.
using Above = std::vector<std::pair<Id, std::uint32_t>>;

/// One reader. It takes events from the journal itself, or from the last records, which the hub keeps, so its slowness costs nobody
/// anything; only chunks are kept for it, and of those at most kMaxChunks.
class Subscription {
public:
    static constexpr std::size_t kMaxChunks = 1024;

    /// Sees events after number `after`, and of what is being written all that came before.
    /// `children`: and the words that are written in tasks below it.
    Subscription(Hub& hub, Id task, std::uint32_t after, bool children = false);
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;
    ~Subscription();

    /// The records up to `seq`, which stand for that many events, have nothing new.
    void skip(std::uint32_t seq, std::uint32_t events)
    {
        next_seq_ = seq + 1;
        counted_ = events;
    }
    /// The next event or chunk; waits for it. Nothing: the task has ended and everything was seen.
    Async<std::optional<Watched>> next();

private:
    friend class Hub;

    struct Pending {
        std::uint32_t after = 0;                    // events that come before it
        std::optional<model::StreamChunk> chunk{};  // none: a gap
    };

    Async<> read_more();
    /// Whether the hub has what comes next, or knows that there is nothing yet.
    bool read_tail();
    void look_at(const storage::Record& record);

    Hub& hub_;
    Id task_;
    bool children_;
    std::uint32_t seen_;          // the last event number that was returned
    std::uint32_t next_seq_ = 1;  // the first record that was not looked at
    std::uint32_t counted_ = 0;   // events in the records before it
    bool terminal_ = false;       // the record that ends the task was read
    bool ended_ = false;          // the terminal record was looked at
    std::deque<EventPtr> ready_;
    std::deque<Pending> chunks_;
    Signal changed_;
};

/// A step while a model writes it: all of its text so far.
struct WrittenStep {
    std::uint32_t after = 0;  // events that come before it
    model::StreamChunk text{};
    bool too_long = false;  // `text` is not kept any more
};

/// Hears, on the loop, what happens to every task, before those who watch one. Returns at once.
class HubListener {
public:
    virtual void on_durable(const Id& task) noexcept = 0;
    /// `events` come before it.
    virtual void on_chunk(const Id& task, const model::StreamChunk& chunk, std::uint32_t events) noexcept = 0;

protected:
    ~HubListener() = default;
};

/// Lives on one loop.
class Hub {
public:
    explicit Hub(storage::Store& store) : store_(store) {}

    /// One at most; it outlives the hub, or is taken away before. Null: nobody.
    void set_listener(HubListener* listener) { listener_ = listener; }
    /// What models write right now, for the listener that begins to care about a task.
    std::vector<WrittenStep> written(const Id& task) const;

    /// Its last records, in order, on their way to the disk: kept for those who watch it, who need not read them from there again.
    void appended(const storage::Record& record);
    /// Those up to `seq` have arrived.
    void durable(const Id& task, std::uint32_t seq) noexcept;
    /// There are records of the task that appended() has not seen.
    void durable(const Id& task) noexcept;
    /// What it keeps of the task's records may not be what is stored.
    void forget(const Id& task) noexcept;
    /// `events` come before it: those that the task has, some of which may not be durable. The last one of a step says that it is
    /// final.
    void chunk(const Id& task, const model::StreamChunk& chunk, std::uint32_t events, const Above& above = {}) noexcept;

private:
    friend class Subscription;

    /// A task that somebody watches.
    struct Task {
        std::uint64_t changes = 0;         // grows whenever there may be something new to read
        std::deque<storage::Record> tail;  // without gaps, up to the last one
        std::size_t bytes = 0;             // of their bodies
        std::uint32_t durable = 0;         // those after it are not to be seen yet
    };

    void wake(const Id& task) noexcept;
    void keep(const Id& task, const model::StreamChunk& chunk, std::uint32_t events, const Above& above);
    void hand_out(const Id& task, const model::StreamChunk& chunk, std::uint32_t events, bool is_child);

    /// For those who come late.
    struct Writing : WrittenStep {
        Above above{};
    };

    storage::Store& store_;
    HubListener* listener_ = nullptr;
    std::multimap<Id, Subscription*> readers_;
    std::map<Id, Task> watched_;
    std::map<Id, std::map<std::string, Writing>> writing_;  // by step
};

}  // namespace cadre::engine
