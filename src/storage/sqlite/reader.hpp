// Reading the database: a read-only connection with its statements.
#pragma once

#include "storage/sqlite/blobs.hpp"
#include "storage/sqlite/connection.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cadre::storage {

/// Columns of `task`, as SQL. An onlooker may find a database that no owner of this release has opened yet: then some follow from others.
struct EntryColumns {
    explicit EntryColumns(Connection& connection);

    std::string turn{};
    std::string created_by{};
    std::string all{};
};

/// Used by one thread at a time. What is damaged throws an Error(unavailable) that names it; the rest can still be read.
class Reader {
public:
    Reader(std::unique_ptr<Connection> connection, BlobFolder blobs);

    std::vector<Record> read(const Id& task, std::uint32_t from, std::size_t limit);
    std::vector<TaskEntry> tasks(const TaskQuery& query);
    std::optional<TaskEntry> find_task(const Id& task);
    std::vector<SessionSummary> sessions(const SessionQuery& query);
    std::optional<Document> find(const std::string& kind, const std::string& key);
    std::vector<Document> list(const std::string& kind, const std::string& key_prefix, std::size_t limit);

    std::vector<JournalSize> sizes(const std::vector<Id>& tasks);

private:
    bool read_run(const Id& task, std::int64_t row, std::int64_t run, std::uint32_t from, std::size_t limit,
                  std::vector<Record>& records);
    Record record_of_row(const Id& task) const;
    TaskEntry entry_of_row(const Statement& row) const;

    std::unique_ptr<Connection> connection_;
    BlobFolder blobs_;
    EntryColumns columns_;
    Statement read_, find_end_, find_task_, find_, list_, measure_;
};

/// Lends readers to the threads of a pool: as many as there are threads, opened when first needed.
class Readers {
public:
    using Open = std::function<std::unique_ptr<Reader>()>;

    explicit Readers(Open open) : open_(std::move(open)) {}

    template <class Use>
    auto with(const Use& use)
    {
        Loan loan(*this);
        return use(*loan.reader);
    }
    /// When nobody has one any more.
    void close() { idle_.clear(); }

private:
    struct Loan {
        explicit Loan(Readers& r) : readers(r), reader(r.take()) {}
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        ~Loan() { readers.give_back(std::move(reader)); }

        Readers& readers;
        std::unique_ptr<Reader> reader;
    };

    std::unique_ptr<Reader> take();
    void give_back(std::unique_ptr<Reader> reader);

    Open open_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Reader>> idle_;
};

}  // namespace cadre::storage
