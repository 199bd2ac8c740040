#include "storage/sqlite/tables.hpp"

#include "base/crash_point.hpp"
#include "base/error.hpp"
#include "storage/sqlite/database.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::storage {

namespace {

/// More tasks than are ever active at once; about 20 MiB.
constexpr std::size_t kKnownTasks = 65'536;

std::int64_t millis(Time time)
{
    return time.time_since_epoch().count();
}

}  // namespace

Tables::Tables(std::unique_ptr<Connection> connection, std::uint32_t epoch, int checkpoint_pages)
    : connection_(std::move(connection)),
      marker_(connection_->file()),
      epoch_(epoch),
      checkpoint_pages_(checkpoint_pages),
      checkpoint_at_(checkpoint_pages),         //
      begin_(*connection_, "BEGIN IMMEDIATE"),  //
      commit_(*connection_, "COMMIT"),          //
      find_epoch_(*connection_, "SELECT value FROM meta WHERE name = 'epoch'"),
      find_task_(*connection_, "SELECT id, seq FROM task WHERE name = ?1"),
      find_tail_(*connection_,
                 "SELECT seq, hash FROM record WHERE seq >> 6 = ?1 AND task = ?2 ORDER BY seq DESC LIMIT 1"),
      insert_task_(*connection_, "INSERT INTO task(name) VALUES(?1)"),
      insert_record_(*connection_, "INSERT OR IGNORE INTO record(task, seq, version, kind, event_seq, epoch, at, "
                                   "tenant, path, ask, body, blob, size, "
                                   "hash) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"),
      update_entry_(
          *connection_,
          "UPDATE task SET seq = ?2, status = ?3, updated_at = ?4, due = ?5, title = ?6, agent = ?7, detail = ?8 WHERE "
          "id = ?1"),
      update_listed_entry_(*connection_,
                           "UPDATE task SET created_at = ?2, open = ?3, tenant = ?4, session = ?5, turn = "
                           "?6, parent = ?7, created_by = ?8 WHERE id = ?1"),
      put_(*connection_, "INSERT INTO document(kind, key, text, updated_at) VALUES(?1, ?2, ?3, ?4) "
                         "ON CONFLICT(kind, key) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at"),
      remove_(*connection_, "DELETE FROM document WHERE kind = ?1 AND key = ?2"),
      find_open_(*connection_, "SELECT id, open FROM task WHERE name = ?1"),
      measure_(*connection_, kMeasure),
      doom_(*connection_, "INSERT OR IGNORE INTO doomed SELECT blob FROM record WHERE seq >> 6 = ?1 AND task = ?2 AND "
                          "blob IS NOT NULL"),
      remove_run_(*connection_, "DELETE FROM record WHERE seq >> 6 = ?1 AND task = ?2"),
      remove_task_(*connection_, "DELETE FROM task WHERE id = ?1"),
      find_doomed_(*connection_, "SELECT blob FROM doomed LIMIT 256"),
      find_named_(*connection_, "SELECT 1 FROM record WHERE blob = ?1 LIMIT 1"),
      undoom_(*connection_, "DELETE FROM doomed WHERE blob = ?1")
{}

void Tables::begin()
{
    begin_.run();
    const Rows rows(find_epoch_);
    const std::int64_t epoch = find_epoch_.step() ? find_epoch_.number(0) : 0;
    if (epoch != epoch_)
        throw Error(Code::conflict, fmt::format("{} now belongs to another process (its epoch is {}, ours {})",
                                                connection_->file().string(), epoch, epoch_));
}

void Tables::commit()
{
    commit_.run();
    marker_.set(connection_->wal_pages());
}

std::exception_ptr Tables::append(const Record& record, const TaskEntry* entry, const Blob* blob)
{
    Known& task = known(record.task);
    if (task.damage) return task.damage;
    if (auto error = why_not(record, task.tail, epoch_, blob)) return error;
    if (task.row == 0) insert_task(task, record.task);
    if (!insert_record(record, task.row, blob)) return task.damage = damage(record.task);
    if (entry) update_entry(task, *entry, record.seq);
    task.tail = {record.seq, record.hash};
    return nullptr;
}

void Tables::put(const Document& document)
{
    put_.bind(1, document.kind).bind(2, document.key).bind(3, document.text).bind(4, millis(document.updated_at)).run();
}

bool Tables::remove(const std::string& kind, const std::string& key)
{
    remove_.bind(1, kind).bind(2, key).run();
    return connection_->changed_rows() > 0;
}

std::exception_ptr Tables::purge(const std::vector<Purge>& tasks, JournalSize& gone)
{
    std::vector<std::pair<const Purge*, std::int64_t>> found;
    for (const Purge& purge : tasks) {
        const std::string name = to_string(purge.task);
        const Rows rows(find_open_.bind(1, name));
        if (!find_open_.step()) continue;
        try {
            TaskEntry entry{.open = find_open_.number(1) != 0};
            refuse_open(purge.task, find_open_.is_null(1) ? std::nullopt : std::optional(std::move(entry)));
        } catch (const Error&) {
            return std::current_exception();
        }
        found.emplace_back(&purge, find_open_.number(0));
    }
    for (const auto& [purge, row] : found) {
        gone += remove_records(row);
        known_.erase(purge->task);
        if (purge->rest) {
            Known task{.row = row};
            update_entry(task, *purge->rest, 0);
        } else {
            remove_task_.bind(1, row).run();
        }
    }
    doomed_ = true;
    return nullptr;
}

JournalSize Tables::remove_records(std::int64_t task)
{
    JournalSize gone;
    for (std::int64_t run = 0;; ++run) {
        {
            const Rows rows(measure_.bind(1, run).bind(2, task));
            if (!measure_.step() || measure_.number(0) == 0) return gone;
            gone += {.records = static_cast<std::uint64_t>(measure_.number(0)),
                     .bytes = static_cast<std::uint64_t>(measure_.number(1))};
        }
        doom_.bind(1, run).bind(2, task).run();
        remove_run_.bind(1, run).bind(2, task).run();
    }
}

void Tables::sweep(const BlobFolder& blobs)
{
    std::vector<Hash> doomed;
    {
        const Rows rows(find_doomed_);
        while (find_doomed_.step()) {
            Hash hash{};
            const auto bytes = find_doomed_.bytes(0);
            if (bytes.size() == hash.size()) std::ranges::copy(bytes, hash.begin());
            doomed.push_back(hash);
        }
    }
    doomed_ = !doomed.empty();
    if (!doomed_) return;
    begin();
    for (const Hash& hash : doomed) {
        const Rows rows(find_named_.bind(1, hash));
        // a crash between the two leaves the row, and a file that is gone is gone
        if (!find_named_.step()) blobs.remove(hash);
        undoom_.bind(1, hash).run();
    }
    commit();
}

void Tables::checkpoint_if_due()
{
    const int pages = connection_->wal_pages();
    if (pages < checkpoint_at_) {
        if (pages < checkpoint_pages_) checkpoint_at_ = checkpoint_pages_;  // the WAL has begun anew
        return;
    }
    crash_point("before_checkpoint");
    // a long reader keeps the WAL growing: then again after as many pages, not after every commit
    checkpoint_at_ = connection_->checkpoint() ? checkpoint_pages_ : pages + checkpoint_pages_;
}

void Tables::close()
{
    marker_.clear();
    connection_->checkpoint_and_truncate();
    connection_->remove_log_on_close();
}

Tables::Known& Tables::known(const Id& task)
{
    if (const auto found = known_.find(task); found != known_.end()) return found->second;
    if (known_.size() >= kKnownTasks) known_.clear();
    Known& made = known_[task];
    load(made, task);
    return made;
}

void Tables::load(Known& task, const Id& id)
{
    const std::string name = to_string(id);
    const Rows tasks(find_task_.bind(1, name));
    if (!find_task_.step()) return;
    task.row = find_task_.number(0);
    const std::int64_t entry_seq = find_task_.number(1);

    const Rows tails(find_tail_);
    std::size_t hash_size = task.tail.hash.size();
    if (go_to_last_run(task.row, run_of(entry_seq))) {
        task.tail.seq = static_cast<std::uint32_t>(find_tail_.number(0));
        const auto hash = find_tail_.bytes(1);
        hash_size = hash.size();
        std::copy_n(hash.begin(), std::min(hash_size, task.tail.hash.size()), task.tail.hash.begin());
    }
    if (task.tail.seq < entry_seq || hash_size != task.tail.hash.size()) task.damage = damage(id);
}

std::exception_ptr Tables::damage(const Id& task) const
{
    return std::make_exception_ptr(
        Error(Code::unavailable,
              fmt::format("task {}: the end of its journal in {} is damaged. Restore the folder from a backup",
                          to_string(task), connection_->file().string())));
}

/// Puts find_tail_ on the last record of the task, which stands in the run `known` or behind it. False: there is none.
bool Tables::go_to_last_run(std::int64_t task, std::int64_t known)
{
    const auto has = [&](std::int64_t run) {
        find_tail_.reset();
        return find_tail_.bind(1, run).bind(2, task).step();
    };
    std::int64_t step = 1;
    for (; has(known + step); step *= 2) known += step;
    while ((step /= 2) > 0)
        if (has(known + step)) known += step;
    return has(known);
}

void Tables::insert_task(Known& task, const Id& id)
{
    const std::string name = to_string(id);
    insert_task_.bind(1, name).run();
    task.row = connection_->last_row();
}

/// False when there is such a record already, although the journal seemed to end before it.
bool Tables::insert_record(const Record& record, std::int64_t task, const Blob* blob)
{
    insert_record_.bind(1, task)
        .bind(2, std::int64_t{record.seq})
        .bind(3, std::int64_t{record.version})
        .bind(4, static_cast<std::int64_t>(record.kind))
        .bind(5, std::int64_t{record.event_seq})
        .bind(6, std::int64_t{record.epoch})
        .bind(7, millis(record.at))
        .bind(8, record.tenant)
        .bind(9, record.path)
        .bind(14, record.hash);
    if (record.ask) insert_record_.bind(10, record.ask.bytes);
    else insert_record_.bind_null(10);
    if (blob) {
        insert_record_.bind(11, std::string_view{})
            .bind(12, blob->hash)
            .bind(13, static_cast<std::int64_t>(blob->size));
    } else {
        insert_record_.bind(11, record.body).bind_null(12).bind_null(13);
    }
    insert_record_.run();
    return connection_->changed_rows() > 0;
}

void Tables::update_entry(Known& task, const TaskEntry& entry, std::uint32_t seq)
{
    update_entry_.bind(1, task.row)
        .bind(2, std::int64_t{seq})
        .bind(3, entry.status)
        .bind(4, millis(entry.updated_at))
        .bind(6, entry.title)
        .bind(7, entry.agent)
        .bind(8, entry.detail);
    if (entry.due) update_entry_.bind(5, millis(*entry.due));
    else update_entry_.bind_null(5);
    update_entry_.run();

    // apart, and rarely: these are in indexes, which SQLite rewrites whenever such a column is set
    if (task.listed && task.listed->is_of(entry)) return;
    update_listed_entry_.bind(1, task.row)
        .bind(2, millis(entry.created_at))
        .bind(3, std::int64_t{entry.open})
        .bind(4, entry.tenant)
        .bind(5, entry.session)
        .bind(6, std::int64_t{entry.turn})
        .bind(7, entry.parent)
        .bind(8, entry.created_by)
        .run();
    task.listed = Listed(entry);
}

}  // namespace cadre::storage
