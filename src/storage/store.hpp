// Store: where journals live. One interface, several backends, one conformance suite (store_conformance_fixture.hpp).
//
// Writing never blocks and is owned by loops: each loop has a Port that collects what its runs append during one turn and
// hands it over at the end of it; the store commits all that is queued at once and tells each loop once per commit.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "storage/record.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre {
class Loop;
}

namespace cadre::storage {

/// The index entry of a task, written in the same commit as the record that changed it, so that lists, restarts and waits
/// need no journal.
struct TaskEntry {
    Id task{};
    std::string tenant{};
    std::string status{};  // the kernel's word: running, waiting, completed …
    bool open = true;      // not finished: to be looked at after a restart
    Time created_at{};
    Time updated_at{};
    std::optional<Time> due{};  // when it must be woken although nobody answers
    std::string title{};        // the first words of what it is about
    std::string agent{};
    std::string session{};     // empty: none
    int turn = 0;              // which one of its session: clocks may stand still or go back
    std::string parent{};      // empty: none
    std::string created_by{};  // empty: nobody in particular
    std::string detail{};      // JSON: open questions, pause reason, totals; the engine's own

    bool operator==(const TaskEntry&) const = default;
};

/// Hears what became of appends, on the loop that made them. It may die at any time; then nothing is heard.
class Receipt {
public:
    Receipt() = default;
    Receipt(const Receipt&) = delete;
    Receipt& operator=(const Receipt&) = delete;

    /// Everything up to and including `seq` will survive a crash.
    virtual void durable(std::uint32_t seq) noexcept = 0;
    /// Nothing from `seq` on was written, and nothing will be: whoever goes on begins anew from the journal, with another
    /// receipt. Code::conflict: another owner has the task (stale epoch, or a sequence that is taken). Code::unavailable: the
    /// store has stopped. Code::rate_limited: too much waits to be written; the store goes on.
    virtual void refused(std::uint32_t seq, const std::exception_ptr& error) noexcept = 0;

protected:
    ~Receipt();

private:
    friend class PortBase;
    class PortBase* port_ = nullptr;
    std::uint32_t slot_ = 0;
};

/// One loop's hand on the store. Lives on that loop, dies before the store.
class Port {
public:
    virtual ~Port() = default;

    /// Appends one sealed record. Those of one task come in order; the first that does not follow what is stored, or whose
    /// epoch is not the task's, is refused with all after it. `entry`, when given, is written with it. Both are handed on by reference
    /// until somebody keeps them: moving a record from hand to hand costs as much as what each hand does with it.
    virtual void append(Record&& record, Receipt& receipt, std::optional<TaskEntry>&& entry = {}) = 0;
};

/// The right to append to a task. Until it ends, appends with another epoch are refused.
struct Lease {
    std::uint32_t epoch = 0;
    Time until{};  // of the store's clock; far away for a store with one owner
};

/// A place in a list of tasks: behind this one.
struct TaskCursor {
    Time created_at{};
    Id task{};
};

/// What is empty does not narrow.
struct TaskQuery {
    std::string tenant{};
    bool open_only = false;
    std::vector<std::string> statuses{};  // one of them
    std::string id_prefix{};              // of the id's text form
    std::string session{};
    std::string parent{};
    std::string created_by{};
    std::optional<TaskCursor> before{};  // only what is listed behind it, whatever came meanwhile
    std::size_t limit = 1000;            // newest first; those of one time by id
};

struct SessionQuery {
    std::string tenant{};  // empty: all
    std::string id{};      // this one only; empty: all
    std::string id_prefix{};
};

/// A session: tasks of one tenant that name it.
struct SessionSummary {
    std::string id{};
    std::size_t turns = 0;     // its tasks
    Time created_at{};         // of the earliest
    std::string created_by{};  // of the first turn
    TaskEntry last{};          // turn

    bool operator==(const SessionSummary&) const = default;
};

/// A small text under a name: a pinned configuration, a session, a cursor.
struct Document {
    std::string kind{};
    std::string key{};
    std::string text{};
    Time updated_at{};

    bool operator==(const Document&) const = default;
};

/// Which document.
struct DocumentName {
    std::string kind{};
    std::string key{};

    bool operator==(const DocumentName&) const = default;
};

/// How much the journal of a task holds.
struct JournalSize {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;  // of paths and bodies

    JournalSize& operator+=(const JournalSize& other)
    {
        records += other.records;
        bytes += other.bytes;
        return *this;
    }
    bool operator==(const JournalSize&) const = default;
};

/// A task whose journal is to go.
struct Purge {
    Id task{};
    std::optional<TaskEntry> rest{};  // its index entry from now on; none: nothing is left of the task
};

/// Coroutines run on the caller's loop; what blocks is done elsewhere. Safe from any thread except where said.
class Store {
public:
    virtual ~Store() = default;

    /// A hand for `loop`, which calls it on its own thread and outlives it.
    virtual std::unique_ptr<Port> open_port(Loop& loop) = 0;

    /// The records of a task from `from` on, at most `limit`; empty for one that does not exist. Bodies that are blobs are read
    /// and checked. The chain is not: see storage/verify.hpp. Throws Error(unavailable) that names what is damaged.
    virtual Async<std::vector<Record>> read(Id task, std::uint32_t from = 1, std::size_t limit = SIZE_MAX) = 0;

    virtual Async<std::vector<TaskEntry>> tasks(TaskQuery query) = 0;
    virtual Async<std::optional<TaskEntry>> find_task(Id task) = 0;
    /// The one whose last turn has changed last comes first.
    virtual Async<std::vector<SessionSummary>> sessions(SessionQuery query) = 0;

    /// Durable when it returns.
    virtual Async<> put(Document document) = 0;
    /// All of it or nothing, what is removed last. Durable when it returns.
    virtual Async<> put_all(std::vector<Document> documents, std::vector<DocumentName> removed = {}) = 0;
    virtual Async<std::optional<Document>> find(std::string kind, std::string key) = 0;
    virtual Async<std::vector<Document>> list(std::string kind, std::string key_prefix = {},
                                              std::size_t limit = 1000) = 0;
    virtual Async<bool> remove(std::string kind, std::string key) = 0;

    /// One for each of them, in their order; zero for a task that does not exist.
    virtual Async<std::vector<JournalSize>> sizes(std::vector<Id> tasks) = 0;

    /// Removes the journals of tasks that have ended: all of them or none. Durable when it returns, with what went. Throws
    /// Error(conflict) when one of them is open. One that does not exist is gone already. What was large and is nobody else's
    /// goes with them, if not at once then later.
    virtual Async<JournalSize> purge(std::vector<Purge> tasks) = 0;

    /// Makes `owner` the only one who may append to the task, with a higher epoch than all before. Throws Error(conflict) while
    /// another owner's lease lasts. A store with one owner gives that owner's epoch at once.
    virtual Async<Lease> acquire(Id task, std::string owner, Millis duration) = 0;
    /// Throws Error(conflict) when it was lost.
    virtual Async<Lease> renew(Id task, std::string owner, std::uint32_t epoch, Millis duration) = 0;
    virtual Async<> release(Id task, std::string owner, std::uint32_t epoch) = 0;

    /// Called once, from any thread, when the store has stopped for good: after the first I/O error nothing is acknowledged any
    /// more, and the process should end.
    virtual void on_stopped(std::function<void(const std::exception_ptr&)> callback) = 0;
};

}  // namespace cadre::storage
