#include "storage/sqlite/sqlite_store.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/pool.hpp"
#include "storage/port.hpp"
#include "storage/sqlite/commit_wait.hpp"
#include "storage/sqlite/reader.hpp"
#include "storage/sqlite/recent_journals.hpp"
#include "storage/sqlite/wal_check.hpp"
#include "storage/sqlite/writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace cadre::storage {

namespace {

namespace fs = std::filesystem;

/// Reads that may wait for a thread; after a restart every open task wants to be read at once.
constexpr std::size_t kReadQueue = 65'536;

BlobFolder blob_folder(const fs::path& folder)
{
    return BlobFolder(folder / "blobs");
}

/// What owner and onlookers share: reading, on threads of its own or, without any, on the caller's.
class ReadingStore : public Store {
    template <class Use>
    Async<std::invoke_result_t<Use, Reader&>> on_reader(Use use)
    {
        if (!pool_) co_return readers_.with(use);
        co_return co_await on(*pool_, [this, use = std::move(use)] { return readers_.with(use); });
    }

public:
    ReadingStore(const fs::path& folder, const SqliteOptions& options)
        : readers_([folder, options] {
              return std::make_unique<Reader>(open_database_read_only(folder, options), blob_folder(folder));
          }),
          pool_(options.readers > 0 ? std::make_unique<ThreadPool>(options.readers, kReadQueue) : nullptr)
    {}

    Async<std::vector<Record>> read(Id task, std::uint32_t from, std::size_t limit) override
    {
        co_return co_await on_reader([=, this](Reader& reader) {
            return recent_.read(task, from, limit,
                                [&](std::uint32_t first, std::size_t most) { return reader.read(task, first, most); });
        });
    }
    Async<std::vector<TaskEntry>> tasks(TaskQuery query) override
    {
        co_return co_await on_reader([query = std::move(query)](Reader& reader) { return reader.tasks(query); });
    }
    Async<std::optional<TaskEntry>> find_task(Id task) override
    {
        co_return co_await on_reader([=](Reader& reader) { return reader.find_task(task); });
    }
    Async<std::vector<SessionSummary>> sessions(SessionQuery query) override
    {
        co_return co_await on_reader([query = std::move(query)](Reader& reader) { return reader.sessions(query); });
    }
    Async<std::optional<Document>> find(std::string kind, std::string key) override
    {
        co_return co_await on_reader(
            [kind = std::move(kind), key = std::move(key)](Reader& reader) { return reader.find(kind, key); });
    }
    Async<std::vector<Document>> list(std::string kind, std::string key_prefix, std::size_t limit) override
    {
        co_return co_await on_reader([kind = std::move(kind), prefix = std::move(key_prefix), limit](Reader& reader) {
            return reader.list(kind, prefix, limit);
        });
    }

    Async<std::vector<JournalSize>> sizes(std::vector<Id> tasks) override
    {
        co_return co_await on_reader([tasks = std::move(tasks)](Reader& reader) { return reader.sizes(tasks); });
    }

protected:
    /// For whoever wants to know at once that it can be read.
    void open_first()
    {
        readers_.with([](Reader&) {});
    }
    /// For the owner, who leaves nothing open.
    void stop_reading()
    {
        pool_.reset();
        readers_.close();
    }

private:
    Readers readers_;
    RecentJournals recent_;
    std::unique_ptr<ThreadPool> pool_;  // last: its threads use the readers
};

class OwnerStore final : public ReadingStore {
public:
    OwnerStore(const fs::path& folder, const SqliteOptions& options, std::unique_ptr<Connection> connection,
               std::uint32_t epoch)
        : ReadingStore(folder, options),
          epoch_(epoch),
          writer_(Tables(std::move(connection), epoch, options.checkpoint_pages), blob_folder(folder),
                  options.queue_bytes)
    {}
    ~OwnerStore() override { stop_reading(); }

    std::unique_ptr<Port> open_port(Loop& loop) override { return std::make_unique<PortBase>(loop, writer_); }

    Async<> put(Document document) override
    {
        co_await CommitWait(writer_, [document = std::move(document)](Tables& tables) { tables.put(document); });
    }
    Async<> put_all(std::vector<Document> documents, std::vector<DocumentName> removed) override
    {
        // one request is one part of a commit
        co_await CommitWait(writer_, [documents = std::move(documents), removed = std::move(removed)](Tables& tables) {
            for (const Document& document : documents) tables.put(document);
            for (const DocumentName& name : removed) tables.remove(name.kind, name.key);
        });
    }
    Async<bool> remove(std::string kind, std::string key) override
    {
        const auto removed = std::make_shared<bool>();  // shared: the frame may be gone when the writer comes to it
        co_await CommitWait(writer_, [=](Tables& tables) { *removed = tables.remove(kind, key); });
        co_return *removed;
    }

    Async<JournalSize> purge(std::vector<Purge> tasks) override
    {
        struct Result {
            JournalSize gone{};
            std::exception_ptr refusal{};
        };
        const auto result = std::make_shared<Result>();
        co_await CommitWait(writer_, [result, tasks = std::move(tasks)](Tables& tables) {
            result->refusal = tables.purge(tasks, result->gone);
        });
        // out of it: the writer's thread may be the last to let go of the result, and must not free what is read here
        if (const auto refusal = std::exchange(result->refusal, nullptr)) std::rethrow_exception(refusal);
        co_return result->gone;
    }

    Async<Lease> acquire(Id, std::string, Millis) override { co_return own_lease(); }
    Async<Lease> renew(Id task, std::string owner, std::uint32_t epoch, Millis) override
    {
        if (epoch != epoch_)
            throw Error(Code::conflict, fmt::format("{} no longer holds the task {}", owner, to_string(task)));
        co_return own_lease();
    }
    Async<> release(Id, std::string, std::uint32_t) override { co_return; }

    void on_stopped(std::function<void(const std::exception_ptr&)> callback) override
    {
        writer_.on_stopped(std::move(callback));
    }

private:
    Lease own_lease() const { return {.epoch = epoch_, .until = Time::max()}; }

    std::uint32_t epoch_;
    Writer writer_;
};

class ReadOnlyStore final : public ReadingStore, public Intake {
public:
    ReadOnlyStore(const fs::path& folder, const SqliteOptions& options) : ReadingStore(folder, options)
    {
        check_wal(database_file(folder));  // the owner has its own
        open_first();                      // so that what is wrong is said now
    }

    std::unique_ptr<Port> open_port(Loop& loop) override { return std::make_unique<PortBase>(loop, *this); }
    Async<> put(Document) override { co_return refuse(); }
    Async<> put_all(std::vector<Document>, std::vector<DocumentName>) override { co_return refuse(); }
    Async<bool> remove(std::string, std::string) override
    {
        refuse();
        co_return false;
    }
    Async<JournalSize> purge(std::vector<Purge>) override
    {
        refuse();
        co_return JournalSize{};
    }
    Async<Lease> acquire(Id, std::string, Millis) override
    {
        refuse();
        co_return Lease{};
    }
    Async<Lease> renew(Id, std::string, std::uint32_t, Millis) override
    {
        refuse();
        co_return Lease{};
    }
    Async<> release(Id, std::string, std::uint32_t) override { co_return; }
    void on_stopped(std::function<void(const std::exception_ptr&)>) override {}
    std::exception_ptr take(const std::shared_ptr<Backchannel>&, std::vector<Append>&) override
    {
        return std::make_exception_ptr(refusal());
    }

private:
    static Error refusal()
    {
        return {Code::unavailable, "this process only reads the journal: the owner of the home writes it"};
    }
    static void refuse() { throw refusal(); }
};

}  // namespace

std::unique_ptr<Store> SqliteStore::open(const fs::path& folder, const SqliteOptions& options)
{
    auto connection = open_database(folder, options);
    const std::uint32_t epoch = raise_epoch(*connection);
    return std::make_unique<OwnerStore>(folder, options, std::move(connection), epoch);
}

std::unique_ptr<Store> SqliteStore::open_read_only(const fs::path& folder, const SqliteOptions& options)
{
    return std::make_unique<ReadOnlyStore>(folder, options);
}

std::vector<std::string> SqliteStore::check(const fs::path& folder)
{
    check_wal(database_file(folder));
    const auto connection = open_database_read_only(folder, {});
    std::vector<std::string> problems;
    Statement check(*connection, "PRAGMA integrity_check");
    while (check.step())
        if (check.text(0) != "ok") problems.emplace_back(check.text(0));
    Statement orphans(*connection, "SELECT count(*) FROM record WHERE task NOT IN (SELECT id FROM task)");
    if (orphans.step() && orphans.number(0) > 0)
        problems.push_back(fmt::format("{} records of tasks that the index does not know", orphans.number(0)));
    return problems;
}

}  // namespace cadre::storage
