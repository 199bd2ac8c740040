// The conformance suite: what every backend must do. `conformance/*_test.cpp` run it over all backends of their test program;
// a room with a backend of its own adds it (AddBackend) and compiles these files into its test.
#pragma once

#include "base/error.hpp"
#include "base/run.hpp"
#include "storage/inbox_loop_fixture.hpp"
#include "storage/journal_fixture.hpp"
#include "storage/store.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cadre::storage {

class Backend {
public:
    virtual ~Backend() = default;
    /// The store; again, after the one before is gone.
    virtual std::unique_ptr<Store> open() = 0;
    /// What it had is there when it is opened again.
    virtual bool keeps() const { return false; }
    /// Its tasks have owners of their own; else the store has one.
    virtual bool leases_tasks() const { return false; }
};

struct AddBackend {
    struct Kind {
        std::string name;
        std::unique_ptr<Backend> (*make)();
    };

    AddBackend(std::string name, std::unique_ptr<Backend> (*make)()) { all().push_back({std::move(name), make}); }

    static std::vector<Kind>& all()
    {
        static std::vector<Kind> kinds;
        return kinds;
    }
};

/// A store in use: its loop, one port, and how to ask it.
struct Desk {
    explicit Desk(Backend& backend) : store(backend.open()), port(store->open_port(loop)) {}

    template <class T>
    T ask(Async<T> question)
    {
        return run(loop, std::move(question));
    }
    std::uint32_t own(Id task, const std::string& owner = "worker")
    {
        return ask(store->acquire(task, owner, Millis(10'000))).epoch;
    }

    InboxLoop loop;
    std::unique_ptr<Store> store;
    std::unique_ptr<Port> port;
};

/// Calls `check` with a fresh store of every backend.
template <class Check>
void on_every_backend(const Check& check)
{
    REQUIRE(!AddBackend::all().empty());
    for (const auto& kind : AddBackend::all()) {
        INFO(kind.name);
        const auto backend = kind.make();
        check(*backend);
    }
}

/// A task that is being worked on: appends, and notes what it hears.
class Worker final : public Receipt {
public:
    explicit Worker(Desk& desk, Id task = new_id()) : Worker(desk, sample_start(task, desk.own(task))) {}
    /// Goes on behind `last`.
    Worker(Desk& desk, Record last) : desk_(desk), last_(std::move(last)) {}

    void append(Record record, std::optional<TaskEntry> entry = {})
    {
        last_ = record;
        records.push_back(record);
        desk_.port->append(std::move(record), *this, std::move(entry));
    }
    void append(std::string body) { append(next(std::move(body))); }
    Record next(std::string body = R"({"text":"ö"})") const { return sample_after(last_, std::move(body)); }
    TaskEntry entry(std::string status = "running") const
    {
        return {.task = last_.task,
                .tenant = "local",
                .status = std::move(status),
                .created_at = last_.at,
                .updated_at = last_.at};
    }

    /// Until everything was acknowledged, or something refused.
    void wait()
    {
        desk_.loop.run_until([this] { return durable_seq == last_.seq || refusal; });
    }
    /// The code and text of the refusal.
    std::string refused_with() const
    {
        if (!refusal) return "nothing was refused";
        try {
            std::rethrow_exception(refusal);
        } catch (const Error& error) {
            return std::string(name_of(error.code())) + ": " + error.what();
        }
    }
    Id task() const { return last_.task; }

    std::vector<Record> records;  // what it appended
    std::uint32_t durable_seq = 0;
    std::uint32_t refused_seq = 0;
    std::exception_ptr refusal;
    int calls = 0;

private:
    void durable(std::uint32_t seq) noexcept override
    {
        ++calls;
        CHECK(seq > durable_seq);
        CHECK_FALSE(refusal);
        durable_seq = seq;
    }
    void refused(std::uint32_t seq, const std::exception_ptr& error) noexcept override
    {
        ++calls;
        CHECK_FALSE(refusal);  // once
        CHECK(seq > durable_seq);
        refused_seq = seq;
        refusal = error;
    }

    Desk& desk_;
    Record last_;
};

}  // namespace cadre::storage
