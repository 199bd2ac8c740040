// Bringing a run into a home.
#include "base/async.hpp"
#include "engine/body.hpp"
#include "engine/commands.hpp"
#include "engine/host.hpp"
#include "engine/index_detail.hpp"
#include "engine/transfer.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <ranges>
#include <utility>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

/// Whether both say that the same happened; who wrote it down and where does not matter.
bool is_same(const std::vector<Record>& here, const std::vector<Record>& there)
{
    const auto same = [](const Record& a, const Record& b) {
        const bool is_first = a.kind == RecordKind::created && b.kind == RecordKind::created;
        return a.kind == b.kind && a.event_seq == b.event_seq && a.at == b.at && a.path == b.path && a.ask == b.ask &&
               (is_first ? with_mark(a, nullptr) == with_mark(b, nullptr) : a.body == b.body);
    };
    return std::ranges::equal(here, there, same);
}

std::vector<JournalEntry> entries_of(const std::vector<Record>& journal, bool redacted, Time now)
{
    const Imported mark{.hash = to_hex(journal.back().hash), .redacted = redacted, .at = now};
    std::vector<JournalEntry> entries;
    std::uint32_t events = 0;
    for (const Record& record : journal) {
        const int own_events = static_cast<int>(record.event_seq - std::exchange(events, record.event_seq));
        entries.push_back({.kind = record.kind,
                           .path = record.path,
                           .ask = record.ask,
                           .body = record.kind == RecordKind::created ? with_mark(record, &mark) : record.body,
                           .events = own_events,
                           .at = record.at});
    }
    return entries;
}

/// A file cannot put its task below one of ours.
Async<> expect_stranger(storage::Store& store, const Transfer& transfer)
{
    const auto& first = transfer.journals.front();
    const auto parent = fold(std::span(first).first(1)).spec.parent;
    const auto above = parent ? find_id(*parent) : std::nullopt;
    const auto entry = above ? co_await store.find_task(*above) : std::nullopt;
    if (entry && !detail_of(*entry).kept_from && !co_await store.find_task(transfer.task))
        throw Error(Code::invalid, "the file says that task " + *parent + " has delegated task " +
                                       to_string(transfer.task) + "; that task is here, and has not");
}

}  // namespace

Async<ImportReport> Commands::import_run(Principal by, Transfer transfer)
{
    expect_may(by, Act::change);
    ImportReport report{.task = transfer.task, .tasks = transfer.journals.size(), .redacted = transfer.redacted};
    std::vector<const std::vector<Record>*> missing;
    for (const auto& journal : transfer.journals) {
        report.records += journal.size();
        const Id& task = journal.front().task;
        const auto entry = co_await store_.find_task(task);
        if (!entry || detail_of(*entry).purged_at) {  // what retention has removed may come back
            missing.push_back(&journal);
        } else if (const auto here = co_await store_.read(task);
                   entry->tenant != by.tenant || !is_same(here, journal)) {
            throw Error(Code::conflict, "there is a task " + to_string(task) + " already, and it is another one");
        }
    }
    report.existed = missing.empty();
    co_await expect_stranger(store_, transfer);
    for (storage::Document& document : transfer.documents)
        if (!co_await store_.find(document.kind, document.key)) co_await store_.put(std::move(document));
    // those below first: whoever finds the task finds all of it
    for (const auto* journal : std::views::reverse(missing)) {
        // one that a crash has cut off goes on as it began
        const auto begun = co_await store_.read(journal->front().task);
        const std::optional<Imported> mark = begun.empty() ? std::nullopt : fold(begun).spec.imported;
        const Time now = host_.env().loop.clock().now();
        auto entries = entries_of(*journal, transfer.redacted, mark ? mark->at.value_or(now) : now);
        co_await host_.write_journal(by.tenant, journal->front().task, std::move(entries));
    }
    co_return report;
}

}  // namespace cadre::engine
