// Journal: the writing end of one task's journal while the task is in memory.
#pragma once

#include "base/id.hpp"
#include "base/linked.hpp"
#include "base/loop.hpp"
#include "base/wait.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace cadre::engine {

/// Hears about a journal on its loop.
class JournalListener {
public:
    /// What was appended up to `seq` will survive a crash.
    virtual void on_durable(std::uint32_t seq) noexcept = 0;
    /// Nothing more can be written: another owner has the task, or the store has stopped.
    virtual void on_refused(const std::exception_ptr& error) noexcept = 0;

protected:
    ~JournalListener() = default;
};

/// Where a journal stands: what the next record follows.
struct JournalEnd {
    std::uint32_t seq = 0;
    std::uint32_t event_seq = 0;
    Hash hash = storage::kGenesis;
};

/// What a new record says; the journal adds the rest.
struct JournalEntry {
    storage::RecordKind kind{};
    std::string path{};
    Digest ask{};
    std::string body{};
    int events = 0;  // how many public events it stands for (engine/events.hpp)
    Time at{};       // unset: now
};

/// Lives on one loop.
class Journal final : storage::Receipt {
public:
    class UntilDurable;

    struct Owner {
        std::string tenant{};
        Id task{};
        std::uint32_t epoch = 0;
    };

    /// Everything outlives it.
    Journal(Loop& loop, storage::Port& port, JournalListener& listener, Owner owner, const JournalEnd& end);

    /// Returns the record's number at once; the record is on its way to the disk.
    std::uint32_t append(JournalEntry&& entry, std::optional<storage::TaskEntry>&& index = {});

    /// `co_await until_durable(seq)`; throws when the record was refused. `cancellable` false: waits in a cancelled scope too.
    UntilDurable until_durable(std::uint32_t seq, bool cancellable = true);
    bool all_durable() const { return durable_ == end_.seq; }

    const JournalEnd& end() const { return end_; }
    std::uint32_t seq() const { return end_.seq; }
    std::uint32_t durable_seq() const { return durable_; }
    std::uint32_t event_seq() const { return end_.event_seq; }
    const Owner& owner() const { return owner_; }
    Time now() const { return loop_.clock().now(); }

private:
    void durable(std::uint32_t seq) noexcept override;
    void refused(std::uint32_t seq, const std::exception_ptr& error) noexcept override;

    Loop& loop_;
    storage::Port& port_;
    JournalListener& listener_;
    Owner owner_;
    JournalEnd end_;
    std::uint32_t durable_;
    std::exception_ptr refused_;
    LinkedList<UntilDurable, struct DurableTag> waiting_;
};

class Journal::UntilDurable final : public Wait, public Link<DurableTag> {
public:
    UntilDurable(Journal& journal, std::uint32_t seq, bool cancellable)
        : Wait(cancellable), journal_(journal), seq_(seq)
    {}

    bool await_ready() const noexcept { return journal_.durable_ >= seq_ && !journal_.refused_; }
    void await_resume();

private:
    friend class Journal;
    bool arm() override;
    bool withdraw() noexcept override;

    Journal& journal_;
    std::uint32_t seq_;
};

inline Journal::UntilDurable Journal::until_durable(std::uint32_t seq, bool cancellable)
{
    return {*this, seq, cancellable};
}

}  // namespace cadre::engine
