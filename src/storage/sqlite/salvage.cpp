#include "storage/sqlite/salvage.hpp"

#include "base/error.hpp"
#include "base/plural.hpp"
#include "storage/files.hpp"
#include "storage/sqlite/blobs.hpp"
#include "storage/sqlite/database.hpp"
#include "storage/sqlite/wal_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>

namespace cadre::storage {

namespace {

namespace fs = std::filesystem;

/// So many rows are passed over before a table is given up.
constexpr std::int64_t kFurthest = std::int64_t{1} << 40;
constexpr std::size_t kPage = 4096;  // as we make them

Time time_at(std::int64_t millis)
{
    return Time(Millis(millis));
}

/// Where rows can be read again behind row `from`; nothing: nowhere.
std::optional<std::int64_t> behind_damage(Connection& connection, const std::string& select, std::int64_t from)
{
    const auto can_read = [&](std::int64_t after) {
        try {
            Statement rows(connection, select);
            rows.bind(1, after).step();
            return true;
        } catch (const Error&) {
            return false;
        }
    };
    std::int64_t bad = from;
    for (std::int64_t step = 1; step < kFurthest; step *= 2) {
        std::int64_t good = from + step;
        if (!can_read(good)) {
            bad = good;
            continue;
        }
        while (good - bad > 1) {  // the first of them
            const std::int64_t middle = bad + (good - bad) / 2;
            (can_read(middle) ? good : bad) = middle;
        }
        return good;
    }
    return std::nullopt;
}

/// Goes through a table by the numbers of its rows, the first column; what cannot be read is passed over. False: something was.
template <class Take>
bool scan(Connection& connection, const std::string& select, Take take)
{
    std::int64_t last = 0;
    bool is_whole = true;
    while (true) {
        try {
            Statement rows(connection, select);
            rows.bind(1, last);
            while (rows.step()) {
                last = rows.number(0);
                take(rows);
            }
            return is_whole;
        } catch (const Error&) {
            is_whole = false;
            const auto next = behind_damage(connection, select, last);
            if (!next) return false;
            last = *next;
        }
    }
}

/// The tables of a database are always made in the same order, so the first page of a new one fits: it says where they begin.
void replace_first_page(const fs::path& file)
{
    const fs::path folder = file.parent_path() / "fresh";
    open_database(folder, {})->execute("PRAGMA journal_mode=DELETE");
    std::string page(kPage, '\0');
    std::ifstream(database_file(folder), std::ios::binary).read(page.data(), kPage);
    const auto put = [&](std::size_t at, std::uint32_t number) {
        for (std::size_t i = 0; i < 4; ++i) page[at + i] = static_cast<char>(number >> (24 - 8 * i));
    };
    put(28, static_cast<std::uint32_t>(fs::file_size(file) / kPage));  // pages
    put(24, 1);                                                        // changes, and
    put(92, 1);                                                        // up to which of them the number of pages holds
    put(32, 0);                                                        // pages that are free
    put(36, 0);
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out.write(page.data(), kPage);
    if (!out.flush()) throw_errno("write", file);
}

bool has_tables(Connection& connection)
{
    try {
        const Statement record(connection, "SELECT id FROM record"), task(connection, "SELECT id FROM task");
        return true;
    } catch (const Error&) {
        return false;
    }
}

/// A copy to work on.
std::unique_ptr<Connection> open_copy(const fs::path& from, const fs::path& folder)
{
    make_private_folder(folder);
    const fs::path file = database_file(folder);
    for (const char* side : {"", "-wal"}) {
        const fs::path source = database_file(from).string() + side;
        if (fs::exists(source)) fs::copy_file(source, file.string() + side);
    }
    try {
        auto connection = std::make_unique<Connection>(file, Access::read_write, "");
        if (has_tables(*connection)) return connection;
    } catch (const Error&) {
        // its head is damaged
    }
    replace_first_page(file);
    auto connection = std::make_unique<Connection>(file, Access::read_write, "");
    if (!has_tables(*connection))
        throw Error(Code::unavailable, fmt::format("nothing can be read of {}", database_file(from).string()));
    return connection;
}

bool is_damaged(const fs::path& database, SalvageReport& report)
{
    try {
        check_wal(database);
        return false;
    } catch (const Error& error) {
        report.lost.emplace_back(error.what());
        return true;
    }
}

class Salvage {
public:
    Salvage(const fs::path& from, const fs::path& to, const Complete& complete, SalvageReport& report)
        : complete_(complete),
          report_(report),
          is_open_ended_(is_damaged(database_file(from), report)),
          work_(to / ".salvage"),
          source_(open_copy(from, work_.path)),
          from_blobs_(from / "blobs"),
          to_blobs_(to / "blobs"),
          target_(open_database(to, {})),
          read_(*source_, "SELECT seq, version, kind, event_seq, epoch, at, tenant, path, ask, body, blob, size, hash "
                          "FROM record NOT INDEXED WHERE id = ?1"),
          insert_(*target_,
                  "INSERT INTO record(task, seq, version, kind, event_seq, epoch, at, tenant, path, ask, body, "
                  "blob, size, hash) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"),
          insert_task_(*target_,
                       "INSERT INTO task(name, seq, tenant, status, open, created_at, updated_at, due, title, agent, "
                       "session, parent, detail, turn, created_by) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
                       "?11, ?12, ?13, ?14, ?15)")
    {}

    void run()
    {
        find_all();
        target_->execute("BEGIN IMMEDIATE");
        for (auto& [row, task] : tasks_) save(task);
        save_documents();
        target_->execute(fmt::format("UPDATE meta SET value = {} WHERE name = 'epoch'; COMMIT", highest_epoch_));
        target_->checkpoint_and_truncate();
        target_->remove_log_on_close();
    }

private:
    /// Goes with what is in it, when nobody has that open any more.
    struct WorkFolder {
        explicit WorkFolder(fs::path p) : path(std::move(p)) {}
        WorkFolder(const WorkFolder&) = delete;
        WorkFolder& operator=(const WorkFolder&) = delete;
        ~WorkFolder()
        {
            std::error_code ignored;
            fs::remove_all(path, ignored);
        }
        fs::path path;
    };
    struct Found {
        std::string name{};
        std::int64_t end = 0;  // the record that brought its entry
        TaskEntry entry{};
        std::map<std::int64_t, std::int64_t> rows{};  // of its records, by their numbers
    };

    void find_all()
    {
        const bool all_tasks = scan(*source_,
                                    "SELECT id, name, seq, tenant, status, open, created_at, updated_at, title, agent, "
                                    "session, parent, detail FROM task NOT INDEXED WHERE id > ?1 ORDER BY id",
                                    [&](const Statement& row) { find_task(row); });
        const bool all_records =
            scan(*source_, "SELECT id, task, seq FROM record NOT INDEXED WHERE id > ?1 ORDER BY id",
                 [&](const Statement& row) { tasks_[row.number(1)].rows[row.number(2)] = row.number(0); });
        if (!all_tasks) find_names();
        if (!all_records) report_.lost.emplace_back("some records: their pages are damaged");
    }

    /// The index of names has pages of its own, and needs none of the table's.
    void find_names()
    {
        try {
            Statement names(*source_, "SELECT id, name FROM task ORDER BY name");
            while (names.step())
                if (Found& task = tasks_[names.number(0)]; task.name.empty()) task.name = names.text(1);
        } catch (const Error&) {
            report_.lost.emplace_back("some tasks: the pages with their names are damaged");
        }
    }

    void find_task(const Statement& row)
    {
        Found& task = tasks_[row.number(0)];
        task.name = row.text(1);
        task.end = row.number(2);
        task.entry = {.tenant = std::string(row.text(3)),
                      .status = std::string(row.text(4)),
                      .open = row.number(5) != 0,
                      .created_at = time_at(row.number(6)),
                      .updated_at = time_at(row.number(7)),
                      .title = std::string(row.text(8)),
                      .agent = std::string(row.text(9)),
                      .session = std::string(row.text(10)),
                      .parent = std::string(row.text(11)),
                      .detail = std::string(row.text(12))};
    }

    void lose(const Found& task, std::string_view why)
    {
        report_.lost.push_back(fmt::format("task {}: {}", task.name.empty() ? "without a name" : task.name, why));
    }

    void save(Found& task)
    {
        const auto id = find_id(task.name);
        if (!id) return lose(task, plural(task.rows.size(), "record") + " of a task whose name cannot be read");
        task.entry.task = *id;
        if (task.rows.empty()) {  // retention has removed its history
            if (!task.entry.open && !task.entry.detail.empty()) return insert_task(task.entry, 0);
            return lose(task, "all of it");
        }
        Salvaged saved{.entry = task.entry};
        Hash before = kGenesis;
        for (const auto& [seq, row] : task.rows) {
            auto record = record_at(row, *id);
            const bool follows = record && record->seq == saved.records.size() + 1 && seq == record->seq &&
                                 chain_hash(*record, before) == record->hash;
            if (!follows) break;
            before = record->hash;
            saved.records.push_back(std::move(*record));
        }
        const std::int64_t last = std::max(task.end, task.rows.rbegin()->first);
        const auto kept = static_cast<std::int64_t>(saved.records.size());
        saved.is_cut = is_open_ended_ || kept < last;
        if (kept < last) lose(task, fmt::format("records {} to {}", kept + 1, last));
        if (saved.records.empty()) return;
        if (!complete_(saved)) return lose(task, "what is left of it cannot be understood");
        insert(saved);
    }

    std::optional<Record> record_at(std::int64_t row, const Id& task)
    {
        try {
            const Rows rows(read_.bind(1, row));
            if (!read_.step()) return std::nullopt;
            Record record{.version = static_cast<std::uint8_t>(read_.number(1)),
                          .tenant = std::string(read_.text(6)),
                          .task = task,
                          .seq = static_cast<std::uint32_t>(read_.number(0)),
                          .event_seq = static_cast<std::uint32_t>(read_.number(3)),
                          .epoch = static_cast<std::uint32_t>(read_.number(4)),
                          .at = time_at(read_.number(5)),
                          .kind = static_cast<RecordKind>(read_.number(2)),
                          .path = std::string(read_.text(7)),
                          .body = std::string(read_.text(9))};
            const auto hash = read_.bytes(12), ask = read_.bytes(8), blob = read_.bytes(10);
            if (hash.size() != record.hash.size()) return std::nullopt;
            std::ranges::copy(hash, record.hash.begin());
            if (ask.size() == record.ask.bytes.size()) std::ranges::copy(ask, record.ask.bytes.begin());
            if (!read_.is_null(10)) {
                Blob large{.size = static_cast<std::size_t>(read_.number(11))};
                if (blob.size() != large.hash.size()) return std::nullopt;
                std::ranges::copy(blob, large.hash.begin());
                record.body = from_blobs_.read(large);
            }
            return record;
        } catch (const Error&) {
            return std::nullopt;
        }
    }

    void insert(const Salvaged& saved)
    {
        insert_task(saved.entry, saved.records.back().seq);
        const std::int64_t task = target_->last_row();
        for (const Record& record : saved.records) insert_record(record, task);
        ++report_.tasks;
        report_.records += saved.records.size();
    }

    void insert_task(const TaskEntry& entry, std::uint32_t seq)
    {
        const std::string name = to_string(entry.task);
        insert_task_.bind(1, name)
            .bind(2, std::int64_t{seq})
            .bind(3, entry.tenant)
            .bind(4, entry.status)
            .bind(5, std::int64_t{entry.open})
            .bind(6, entry.created_at.time_since_epoch().count())
            .bind(7, entry.updated_at.time_since_epoch().count())
            .bind(9, entry.title)
            .bind(10, entry.agent)
            .bind(11, entry.session)
            .bind(12, entry.parent)
            .bind(13, entry.detail)
            .bind(14, std::int64_t{entry.turn})
            .bind(15, entry.created_by);
        if (entry.due) insert_task_.bind(8, entry.due->time_since_epoch().count());
        else insert_task_.bind_null(8);
        insert_task_.run();
    }

    void insert_record(const Record& record, std::int64_t task)
    {
        insert_.bind(1, task)
            .bind(2, std::int64_t{record.seq})
            .bind(3, std::int64_t{record.version})
            .bind(4, static_cast<std::int64_t>(record.kind))
            .bind(5, std::int64_t{record.event_seq})
            .bind(6, std::int64_t{record.epoch})
            .bind(7, record.at.time_since_epoch().count())
            .bind(8, record.tenant)
            .bind(9, record.path)
            .bind(14, record.hash);
        if (record.ask) insert_.bind(10, record.ask.bytes);
        else insert_.bind_null(10);
        Blob blob;
        if (record.body.size() > kBlobThreshold) {
            blob = to_blobs_.write(record.body);
            insert_.bind(11, std::string_view{}).bind(12, blob.hash).bind(13, static_cast<std::int64_t>(blob.size));
        } else {
            insert_.bind(11, record.body).bind_null(12).bind_null(13);
        }
        insert_.run();
        highest_epoch_ = std::max(highest_epoch_, record.epoch);
    }

    void save_documents()
    {
        Statement insert(*target_,
                         "INSERT OR IGNORE INTO document(kind, key, text, updated_at) VALUES(?1, ?2, ?3, ?4)");
        const bool all =
            scan(*source_, "SELECT id, kind, key, text, updated_at FROM document NOT INDEXED WHERE id > ?1 ORDER BY id",
                 [&](const Statement& row) {
                     insert.bind(1, row.text(1)).bind(2, row.text(2)).bind(3, row.text(3));
                     insert.bind(4, row.number(4)).run();
                 });
        if (!all) report_.lost.emplace_back("some documents, such as the teams that tasks are pinned to");
    }

    const Complete& complete_;
    SalvageReport& report_;
    bool is_open_ended_;  // any task may have lost its end
    WorkFolder work_;
    std::unique_ptr<Connection> source_;
    BlobFolder from_blobs_, to_blobs_;
    std::unique_ptr<Connection> target_;
    Statement read_, insert_, insert_task_;
    std::map<std::int64_t, Found> tasks_;  // by their rows
    std::uint32_t highest_epoch_ = 1;
};

}  // namespace

SalvageReport salvage_journal(const fs::path& from, const fs::path& to, const Complete& complete)
{
    if (!fs::exists(database_file(from)))
        throw Error(Code::not_found, fmt::format("there is no journal in {}", from.string()));
    SalvageReport report;
    Salvage(from, to, complete, report).run();
    sync_folder(to);
    return report;
}

}  // namespace cadre::storage
