#include "storage/sqlite/reader.hpp"

#include "base/error.hpp"
#include "storage/follow.hpp"
#include "storage/sqlite/database.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace cadre::storage {

namespace {

/// Columns that an entry has.
constexpr int kEntryWidth = 14;

std::int64_t as_limit(std::size_t limit)
{
    constexpr std::size_t kMost = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::min(limit, kMost));
}

Time time_of(std::int64_t millis)
{
    return Time(Millis(millis));
}

/// The least text that is greater than all that begin with `prefix`; nothing if there is none.
std::optional<std::string> behind(std::string prefix)
{
    while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
    if (prefix.empty()) return std::nullopt;
    ++prefix.back();
    return prefix;
}

/// Ids are stored as people see them. Not id_from(): whether an id is a good UUID is not for the store to say.
std::optional<Id> find_task_id(std::string text)
{
    std::erase(text, '-');
    const auto bits = find_digest(text);
    if (!bits) return std::nullopt;
    return Id{.bytes = bits->bytes};
}

struct Damage {
    std::string text;
};

template <class Number>
Number fitting(std::int64_t value, const char* name)
{
    if (!std::in_range<Number>(value)) throw Damage{fmt::format("{} cannot be {}", name, value)};
    return static_cast<Number>(value);
}

template <std::size_t size>
std::array<std::uint8_t, size> exactly(std::span<const std::uint8_t> bytes, const char* name)
{
    if (bytes.size() != size) throw Damage{fmt::format("{} cannot have {} bytes", name, bytes.size())};
    std::array<std::uint8_t, size> all;
    std::ranges::copy(bytes, all.begin());
    return all;
}

/// The conditions of a query, and what is bound to them.
class Narrowed {
public:
    void add(std::string_view condition) { sql_ += fmt::format(" AND {}", condition); }
    void add(std::string_view condition, const std::string& value)
    {
        add(fmt::format("{} {}", condition, mark(value)));
    }
    void add_prefix(std::string_view column, const std::string& prefix)
    {
        if (prefix.empty()) return;
        add(fmt::format("{} >=", column), prefix);
        if (const auto end = behind(prefix)) add(fmt::format("{} <", column), *end);
    }
    /// What stands for the value.
    std::string mark(const std::string& value)
    {
        values_.push_back(value);
        return fmt::format("?{}", values_.size());
    }

    const std::string& sql() const { return sql_; }
    void bind_to(Statement& statement) const
    {
        for (std::size_t i = 0; i < values_.size(); ++i) statement.bind(static_cast<int>(i + 1), values_[i]);
    }

private:
    std::string sql_;
    std::vector<std::string> values_;
};

Document document_of(const Statement& row)
{
    return {.kind = std::string(row.text(0)),
            .key = std::string(row.text(1)),
            .text = std::string(row.text(2)),
            .updated_at = time_of(row.number(3))};
}

}  // namespace

EntryColumns::EntryColumns(Connection& connection)
{
    const bool whole = has_later_columns(connection);
    turn = whole ? "turn" : std::string(kTurnInDetail);
    created_by = whole ? "created_by" : "''";
    all = fmt::format(
        "name, tenant, status, open, created_at, updated_at, due, title, agent, session, {}, parent, {}, detail", turn,
        created_by);
}

Reader::Reader(std::unique_ptr<Connection> connection, BlobFolder blobs)
    : connection_(std::move(connection)),
      blobs_(std::move(blobs)),
      columns_(*connection_),
      read_(*connection_,
            "SELECT seq, version, kind, event_seq, epoch, at, tenant, path, ask, body, blob, size, hash FROM "
            "record WHERE seq >> 6 = ?1 AND task = ?2 AND seq >= ?3 ORDER BY seq LIMIT ?4"),
      find_end_(*connection_, "SELECT id, seq FROM task WHERE name = ?1"),
      find_task_(*connection_,
                 fmt::format("SELECT {} FROM task WHERE name = ?1 AND created_at IS NOT NULL", columns_.all)),
      find_(*connection_, "SELECT kind, key, text, updated_at FROM document WHERE kind = ?1 AND key = ?2"),
      list_(*connection_, "SELECT kind, key, text, updated_at FROM document WHERE kind = ?1 AND key >= ?2 AND "
                          "(?3 IS NULL OR key < ?3) ORDER BY key LIMIT ?4"),
      measure_(*connection_, kMeasure)
{}

std::vector<Record> Reader::read(const Id& task, std::uint32_t from, std::size_t limit)
{
    const std::string name = to_string(task);
    std::vector<Record> records;
    try {
        const Rows ends(find_end_.bind(1, name));
        if (!find_end_.step()) return records;
        const std::int64_t row = find_end_.number(0);
        const std::int64_t entry_seq = find_end_.number(1);  // what is committed later only makes the journal longer
        for (std::int64_t run = run_of(from); records.size() < limit; ++run)
            if (!read_run(task, row, run, from, limit, records)) break;

        const std::int64_t end = records.empty() ? std::int64_t{from} - 1 : std::int64_t{records.back().seq};
        if (records.size() < limit && end < entry_seq)
            throw Error(
                Code::unavailable,
                fmt::format("the journal in {} ends with record {}, but had a record {}. Restore the folder from a "
                            "backup",
                            connection_->file().string(), end, entry_seq));
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("task {}: {}", name, error.what()));
    }
    return records;
}

/// False when there is nothing in this run, so that the journal has come to its end.
bool Reader::read_run(const Id& task, std::int64_t row, std::int64_t run, std::uint32_t from, std::size_t limit,
                      std::vector<Record>& records)
{
    const std::size_t before = records.size();
    const Rows rows(
        read_.bind(1, run).bind(2, row).bind(3, std::int64_t{from}).bind(4, as_limit(limit - records.size())));
    while (read_.step()) records.push_back(record_of_row(task));
    return records.size() > before;
}

Record Reader::record_of_row(const Id& task) const
{
    const std::int64_t seq = read_.number(0);
    try {
        Record record{.version = fitting<std::uint8_t>(read_.number(1), "its format"),
                      .tenant = std::string(read_.text(6)),
                      .task = task,
                      .seq = fitting<std::uint32_t>(seq, "its number"),
                      .event_seq = fitting<std::uint32_t>(read_.number(3), "its event number"),
                      .epoch = fitting<std::uint32_t>(read_.number(4), "its epoch"),
                      .at = time_of(read_.number(5)),
                      .kind = RecordKind{fitting<std::uint8_t>(read_.number(2), "its kind")},
                      .path = std::string(read_.text(7)),
                      .hash = exactly<32>(read_.bytes(12), "its hash")};
        if (!read_.is_null(8)) record.ask.bytes = exactly<16>(read_.bytes(8), "its digest");
        refuse_newer(record);
        if (read_.is_null(10)) {
            record.body = read_.text(9);
        } else {
            record.body = blobs_.read({.hash = exactly<32>(read_.bytes(10), "the name of its blob"),
                                       .size = fitting<std::size_t>(read_.number(11), "the size of its blob")});
        }
        return record;
    } catch (const Damage& damage) {
        throw Error(Code::unavailable, fmt::format("record {} in {} is damaged: {}. Restore the folder from a backup",
                                                   seq, connection_->file().string(), damage.text));
    }
}

std::vector<TaskEntry> Reader::tasks(const TaskQuery& query)
{
    Narrowed where;
    // written out: else SQLite would not use the indexes of open ones, of sessions and of children
    if (query.open_only) where.add("open = 1");
    if (!query.session.empty()) where.add("session <> '' AND session =", query.session);
    if (!query.parent.empty()) where.add("parent <> '' AND parent =", query.parent);
    // `+`: not by the tenant's list, where few among many others are wanted
    const bool few = query.session.empty() && (!query.parent.empty() || !query.id_prefix.empty() || query.open_only);
    if (!query.tenant.empty()) where.add(few ? "+tenant =" : "tenant =", query.tenant);
    if (!query.created_by.empty()) where.add(columns_.created_by + " =", query.created_by);
    if (!query.statuses.empty()) {
        std::string marks;
        for (const std::string& status : query.statuses) marks += (marks.empty() ? "" : ", ") + where.mark(status);
        where.add(fmt::format("status IN ({})", marks));
    }
    where.add_prefix("name", query.id_prefix);
    if (query.before)
        where.add(fmt::format("(created_at, name) < ({}, {})", query.before->created_at.time_since_epoch().count(),
                              where.mark(to_string(query.before->task))));
    Statement rows(*connection_, fmt::format("SELECT {} FROM task WHERE created_at IS NOT NULL{} ORDER BY created_at "
                                             "DESC, name DESC LIMIT {}",
                                             columns_.all, where.sql(), as_limit(query.limit)));
    where.bind_to(rows);
    std::vector<TaskEntry> entries;
    while (rows.step()) entries.push_back(entry_of_row(rows));
    return entries;
}

std::vector<SessionSummary> Reader::sessions(const SessionQuery& query)
{
    Narrowed where;
    if (!query.tenant.empty()) where.add("tenant =", query.tenant);
    if (!query.id.empty()) where.add("session =", query.id);
    where.add_prefix("session", query.id_prefix);
    // the index of sessions has all of this, but for the last turn's own entry
    const auto turn = [&](std::string_view direction) {
        return fmt::format(
            "(SELECT id FROM task WHERE session <> '' AND tenant = g.in_tenant AND session = g.named ORDER "
            "BY {1} {0}, created_at {0}, name {0} LIMIT 1)",
            direction, columns_.turn);
    };
    const std::string first = fmt::format("(SELECT {} FROM task WHERE id = {})", columns_.created_by, turn("ASC"));
    Statement rows(
        *connection_,
        fmt::format("SELECT {}, turns, began, {} FROM (SELECT tenant AS in_tenant, session AS named, count(*) "
                    "AS turns, min(created_at) AS began FROM task WHERE session <> ''{} GROUP BY tenant, "
                    "session) AS g JOIN task ON id = {} ORDER BY updated_at DESC, session DESC, tenant DESC",
                    columns_.all, first, where.sql(), turn("DESC")));
    where.bind_to(rows);
    std::vector<SessionSummary> sessions;
    while (rows.step()) {
        TaskEntry last = entry_of_row(rows);
        SessionSummary session{.id = last.session,
                               .turns = static_cast<std::size_t>(rows.number(kEntryWidth)),
                               .created_at = time_of(rows.number(kEntryWidth + 1)),
                               .created_by = std::string(rows.text(kEntryWidth + 2)),
                               .last = std::move(last)};
        sessions.push_back(std::move(session));
    }
    return sessions;
}

TaskEntry Reader::entry_of_row(const Statement& row) const
{
    const std::string name(row.text(0));
    const auto id = find_task_id(name);
    if (!id)
        throw Error(Code::unavailable,
                    fmt::format("{} is damaged: {} is not a task id. Restore the folder from a backup",
                                connection_->file().string(), in_quotes(name)));
    TaskEntry entry{.task = *id,
                    .tenant = std::string(row.text(1)),
                    .status = std::string(row.text(2)),
                    .open = row.number(3) != 0,
                    .created_at = time_of(row.number(4)),
                    .updated_at = time_of(row.number(5)),
                    .title = std::string(row.text(7)),
                    .agent = std::string(row.text(8)),
                    .session = std::string(row.text(9)),
                    .turn = static_cast<int>(row.number(10)),
                    .parent = std::string(row.text(11)),
                    .created_by = std::string(row.text(12)),
                    .detail = std::string(row.text(13))};
    if (!row.is_null(6)) entry.due = time_of(row.number(6));
    return entry;
}

std::optional<TaskEntry> Reader::find_task(const Id& task)
{
    const std::string name = to_string(task);
    const Rows rows(find_task_.bind(1, name));
    if (!find_task_.step()) return std::nullopt;
    return entry_of_row(find_task_);
}

std::optional<Document> Reader::find(const std::string& kind, const std::string& key)
{
    const Rows rows(find_.bind(1, kind).bind(2, key));
    if (!find_.step()) return std::nullopt;
    return document_of(find_);
}

std::vector<Document> Reader::list(const std::string& kind, const std::string& key_prefix, std::size_t limit)
{
    const auto end = behind(key_prefix);
    list_.bind(1, kind).bind(2, key_prefix).bind(4, as_limit(limit));
    if (end) list_.bind(3, *end);
    else list_.bind_null(3);
    const Rows rows(list_);
    std::vector<Document> documents;
    while (list_.step()) documents.push_back(document_of(list_));
    return documents;
}

std::vector<JournalSize> Reader::sizes(const std::vector<Id>& tasks)
{
    std::vector<JournalSize> sizes;
    for (const Id& task : tasks) {
        JournalSize& size = sizes.emplace_back();
        const std::string name = to_string(task);
        const Rows ends(find_end_.bind(1, name));
        if (!find_end_.step()) continue;
        for (std::int64_t run = 0;; ++run) {
            const Rows rows(measure_.bind(1, run).bind(2, find_end_.number(0)));
            if (!measure_.step() || measure_.number(0) == 0) break;
            size += {.records = static_cast<std::uint64_t>(measure_.number(0)),
                     .bytes = static_cast<std::uint64_t>(measure_.number(1))};
        }
    }
    return sizes;
}

std::unique_ptr<Reader> Readers::take()
{
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            auto reader = std::move(idle_.back());
            idle_.pop_back();
            return reader;
        }
    }
    return open_();
}

void Readers::give_back(std::unique_ptr<Reader> reader)
{
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(reader));
}

}  // namespace cadre::storage
