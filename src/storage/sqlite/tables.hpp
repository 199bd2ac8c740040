// What the writer does to the database.
#pragma once

#include "storage/follow.hpp"
#include "storage/id_hash.hpp"
#include "storage/sqlite/blobs.hpp"
#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/wal_mark.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cadre::storage {

/// Used by one thread at a time. What throws has failed for good: nothing may be acknowledged after it.
class Tables {
public:
    Tables(std::unique_ptr<Connection> connection, std::uint32_t epoch, int checkpoint_pages);

    /// Throws Error(conflict) when another process has raised the epoch since.
    void begin();
    void commit();

    /// Inside a transaction. Nothing, or why it is refused; then nothing was changed.
    std::exception_ptr append(const Record& record, const TaskEntry* entry, const Blob* blob);
    void put(const Document& document);
    bool remove(const std::string& kind, const std::string& key);

    /// Inside a transaction. Nothing, and `gone` has what went; or why it is refused, and nothing was changed.
    std::exception_ptr purge(const std::vector<Purge>& tasks, JournalSize& gone);

    /// Between transactions, while no blob is on its way to a record: removes those that nothing names any more.
    void sweep(const BlobFolder& blobs);
    bool has_doomed_blobs() const { return doomed_; }

    /// Between transactions.
    void checkpoint_if_due();
    /// The last thing before it dies: leaves the database without a log, if nobody reads it.
    void close();

private:
    /// The columns of an entry that are in indexes.
    struct Listed {
        explicit Listed(const TaskEntry& entry)
            : tenant(entry.tenant),
              session(entry.session),
              parent(entry.parent),
              created_by(entry.created_by),
              created_at(entry.created_at),
              turn(entry.turn),
              open(entry.open)
        {}
        /// Without copies: it is asked with every change of an entry.
        bool is_of(const TaskEntry& entry) const
        {
            return created_at == entry.created_at && open == entry.open && turn == entry.turn &&
                   tenant == entry.tenant && session == entry.session && parent == entry.parent &&
                   created_by == entry.created_by;
        }

        std::string tenant, session, parent, created_by;
        Time created_at;
        int turn;
        bool open;
    };
    /// What is known of a task without asking the database.
    struct Known {
        std::int64_t row = 0;  // 0: it has none yet
        Tail tail{};
        std::exception_ptr damage{};     // why nothing may be appended
        std::optional<Listed> listed{};  // as the indexes have it
    };

    Known& known(const Id& task);
    void insert_task(Known& task, const Id& id);
    bool insert_record(const Record& record, std::int64_t task, const Blob* blob);
    void update_entry(Known& task, const TaskEntry& entry, std::uint32_t seq);
    JournalSize remove_records(std::int64_t task);
    std::exception_ptr damage(const Id& task) const;
    void load(Known& task, const Id& id);
    bool go_to_last_run(std::int64_t task, std::int64_t known);

    std::unique_ptr<Connection> connection_;
    WalMarker marker_;
    std::uint32_t epoch_;
    int checkpoint_pages_;
    int checkpoint_at_;
    std::unordered_map<Id, Known, IdHash> known_;

    Statement begin_, commit_, find_epoch_, find_task_, find_tail_, insert_task_, insert_record_, update_entry_,
        update_listed_entry_, put_, remove_, find_open_, measure_, doom_, remove_run_, remove_task_, find_doomed_,
        find_named_, undoom_;
    bool doomed_ = true;  // perhaps: an earlier process may have left some
};

}  // namespace cadre::storage
