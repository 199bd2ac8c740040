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

constexpr std::string_view kEntryColumns =
    "name, tenant, status, open, created_at, updated_at, due, title, agent, session, parent, detail";

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

Document document_of(const Statement& row)
{
    return {.kind = std::string(row.text(0)),
            .key = std::string(row.text(1)),
            .text = std::string(row.text(2)),
            .updated_at = time_of(row.number(3))};
}

}  // namespace

Reader::Reader(std::unique_ptr<Connection> connection, BlobFolder blobs)
    : connection_(std::move(connection)),
      blobs_(std::move(blobs)),
      read_(*connection_,
            "SELECT seq, version, kind, event_seq, epoch, at, tenant, path, ask, body, blob, size, hash FROM "
            "record WHERE seq >> 6 = ?1 AND task = ?2 AND seq >= ?3 ORDER BY seq LIMIT ?4"),
      find_end_(*connection_, "SELECT id, seq FROM task WHERE name = ?1"),
      find_task_(*connection_,
                 fmt::format("SELECT {} FROM task WHERE name = ?1 AND created_at IS NOT NULL", kEntryColumns)),
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
    std::string sql = fmt::format("SELECT {} FROM task WHERE created_at IS NOT NULL", kEntryColumns);
    std::vector<std::string> values;
    const auto narrow = [&](std::string_view condition, const std::string& value) {
        values.push_back(value);
        sql += fmt::format(" AND {} ?{}", condition, values.size());
    };
    if (query.open_only) sql += " AND open = 1";  // written out: else SQLite would not use the index of open ones
    if (!query.tenant.empty()) narrow("tenant =", query.tenant);
    if (!query.status.empty()) narrow("status =", query.status);
    if (!query.session.empty()) narrow("session =", query.session);
    if (!query.id_prefix.empty()) {
        narrow("name >=", query.id_prefix);
        if (const auto end = behind(query.id_prefix)) narrow("name <", *end);
    }
    sql += fmt::format(" ORDER BY created_at DESC, id DESC LIMIT {}", as_limit(query.limit));

    Statement rows(*connection_, sql);
    for (std::size_t i = 0; i < values.size(); ++i) rows.bind(static_cast<int>(i + 1), values[i]);
    std::vector<TaskEntry> entries;
    while (rows.step()) entries.push_back(entry_of_row(rows));
    return entries;
}

TaskEntry Reader::entry_of_row(const Statement& row) const
{
    const std::string name(row.text(0));
    const auto id = find_task_id(name);
    if (!id)
        throw Error(Code::unavailable, fmt::format("{} is damaged: {} is no task id. Restore the folder from a backup",
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
                    .parent = std::string(row.text(10)),
                    .detail = std::string(row.text(11))};
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
