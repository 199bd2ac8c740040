#include "engine/retention.hpp"

#include "base/async.hpp"
#include "base/crash_point.hpp"
#include "base/join.hpp"
#include "base/pool.hpp"
#include "engine/conversation.hpp"
#include "engine/index_detail.hpp"
#include "engine/projections/layout.hpp"
#include "engine/queries.hpp"
#include "engine/session.hpp"
#include "model/task.hpp"
#include "model/wire_name.hpp"
#include "storage/private_folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace cadre::engine {

using model::framework::PurgeScope;
using model::framework::RetentionPolicy;
using storage::PrivateFolder;
using storage::TaskEntry;

namespace {

namespace fs = std::filesystem;

/// Tasks whose journals go in one commit.
constexpr std::size_t kBatch = 64;
/// What was kept just now may be about to be referred to.
constexpr Millis kYoung{24 * 3'600'000};

/// What the policy asks about. A finished task's entry was last changed when it ended.
model::Task judged(const TaskEntry& entry, const IndexDetail& detail)
{
    const bool ended_elsewhere = detail.kept_from && !model::is_finished(listed_status(entry));
    return {.kind = detail.kind,
            .status = ended_elsewhere ? model::TaskStatus::cancelled : listed_status(entry),
            .completed_at = entry.open ? std::nullopt
                                       : std::optional(std::max(entry.updated_at, detail.kept_from.value_or(Time{}))),
            .retention_days = detail.retention_days};
}

std::vector<Id> ids_of(const Expired& expired)
{
    std::vector<Id> ids{expired.task.task};
    for (const TaskEntry& entry : expired.below) ids.push_back(entry.task);
    return ids;
}

std::uint64_t size_of_files(const fs::path& folder, PurgeScope scope)
{
    try {
        const auto own = PrivateFolder::find(folder);
        const auto counts = [&](const std::string& name) {
            return scope == PurgeScope::all || layout::is_history(name);
        };
        return own ? own->size_of(counts) : 0;
    } catch (const Error&) {
        return 0;  // whoever removes it says why that cannot be done
    }
}

void remove_files(const fs::path& tasks, const std::string& task, PurgeScope scope)
{
    auto all = PrivateFolder::find(tasks);
    if (!all) return;
    if (scope == PurgeScope::all) return all->remove(task);
    auto own = PrivateFolder::find(tasks / task);
    if (!own) return;
    std::vector<std::string> names;
    own->each([&](const std::string& name) {
        if (layout::is_history(name)) names.push_back(name);
    });
    for (const std::string& name : names) {
        own->remove(name);
        crash_point("gc_file_removed");
    }
}

}  // namespace

std::vector<Expired> expired(std::span<const TaskEntry> entries, const RetentionPolicy& policy, Time now)
{
    std::map<std::string, std::vector<const TaskEntry*>, std::less<>> children;
    std::set<std::string, std::less<>> known;
    for (const TaskEntry& entry : entries) known.insert(to_string(entry.task));
    std::vector<const TaskEntry*> roots;
    for (const TaskEntry& entry : entries) {
        if (!entry.parent.empty() && known.contains(entry.parent)) children[entry.parent].push_back(&entry);
        else roots.push_back(&entry);
    }

    std::vector<Expired> due;
    for (const TaskEntry* root : roots) {
        if (root->open) continue;
        const IndexDetail detail = detail_of(*root);
        // with scope `all`, what an earlier purge has left goes too
        if (detail.purged_at && policy.scope != PurgeScope::all) continue;
        const model::Task task = judged(*root, detail);
        const auto time = model::framework::purge_time(task, policy);
        if (!time || now < *time) continue;
        Expired one{.task = *root, .days = model::framework::retention_days(task, policy)};
        bool open = false;
        std::vector<std::string> to_visit{to_string(root->task)};
        while (!to_visit.empty()) {
            const auto below = children.find(to_visit.back());
            to_visit.pop_back();
            if (below == children.end()) continue;
            for (const TaskEntry* child : below->second) {
                open = open || child->open;
                to_visit.push_back(to_string(child->task));
                one.below.push_back(*child);
            }
        }
        if (!open) due.push_back(std::move(one));
    }
    std::ranges::sort(due, {}, [](const Expired& one) { return std::pair(one.task.updated_at, one.task.task); });
    return due;
}

Async<std::vector<Expired>> Collector::due_now(const RetentionPolicy& policy)
{
    const auto entries = co_await setting_.store.tasks({.limit = SIZE_MAX});
    co_return expired(entries, policy, setting_.clock.now());
}

void Collector::leave_busy(std::vector<Expired>& due) const
{
    if (!setting_.is_busy) return;
    std::erase_if(due, [&](const Expired& one) { return std::ranges::any_of(ids_of(one), setting_.is_busy); });
}

Async<std::vector<Expired>> Collector::plan(RetentionPolicy policy)
{
    auto due = co_await due_now(policy);
    leave_busy(due);
    co_await measure(due, policy.scope);
    co_return due;
}

Async<> Collector::measure(std::span<Expired> due, PurgeScope scope)
{
    // the journals are measured on other threads than the files, and both take long when there are many
    std::vector<Async<>> measures;
    measures.push_back(measure_journals(due));
    measures.push_back(measure_files(due.first(due.size() / 2), scope));
    measures.push_back(measure_files(due.subspan(due.size() / 2), scope));
    co_await all(std::move(measures));
}

Async<> Collector::measure_journals(std::span<Expired> due)
{
    std::vector<Id> ids;
    for (const Expired& one : due)
        for (const Id& id : ids_of(one)) ids.push_back(id);
    const auto sizes = co_await setting_.store.sizes(std::move(ids));
    std::size_t next = 0;
    for (Expired& one : due)
        for (std::size_t i = 0; i <= one.below.size(); ++i) one.journal_bytes += sizes[next++].bytes;
}

Async<> Collector::measure_files(std::span<Expired> due, PurgeScope scope)
{
    std::vector<std::vector<Id>> families;
    for (const Expired& one : due) families.push_back(ids_of(one));
    const auto sizes = co_await on(setting_.pool, [families, scope, folder = setting_.folder] {
        std::vector<std::uint64_t> bytes;
        for (const auto& family : families) {
            std::uint64_t& sum = bytes.emplace_back();
            for (const Id& id : family) sum += size_of_files(folder / to_string(id), scope);
        }
        return bytes;
    });
    for (std::size_t i = 0; i < due.size(); ++i) due[i].file_bytes = sizes[i];
}

Async<std::vector<Expired>> Collector::collect(RetentionPolicy policy, std::vector<Unremoved>* failed)
{
    const auto due = co_await due_now(policy);
    std::vector<Expired> gone;
    // one batch after the other from its measure to its end: who has little time removes little, and not nothing
    for (std::size_t first = 0; first < due.size(); first += kBatch) {
        const auto begin = due.begin() + static_cast<std::ptrdiff_t>(first);
        std::vector<Expired> batch(begin, begin + static_cast<std::ptrdiff_t>(std::min(kBatch, due.size() - first)));
        leave_busy(batch);
        co_await measure(batch, policy.scope);
        co_await remove(batch, policy.scope, failed);
        std::ranges::move(batch, std::back_inserter(gone));
    }
    if (std::ranges::any_of(gone, [](const Expired& one) {
            return !one.task.session.empty() ||
                   detail_of(one.task).history.has_value();  // the latter of one that was imported
        }))
        co_await forget_conversations();
    co_return gone;
}

Async<Expired> Collector::ended_family(Id task)
{
    storage::Store& store = setting_.store;
    auto entry = co_await store.find_task(task);
    if (!entry) throw Error(Code::not_found, missing_task(task));
    if (const auto above = find_id(entry->parent); above && co_await store.find_task(*above))
        throw Error(Code::conflict,
                    fmt::format("task {} is a part of task {}, and goes with it", to_string(task), to_string(*above)));
    Expired family{.task = std::move(*entry)};
    std::set<Id> known{task};
    std::vector<Id> to_visit{task};
    while (!to_visit.empty()) {
        storage::TaskQuery query{.parent = to_string(to_visit.back()), .limit = SIZE_MAX};
        to_visit.pop_back();
        for (TaskEntry& child : co_await store.tasks(std::move(query))) {
            if (!known.insert(child.task).second) continue;
            to_visit.push_back(child.task);
            family.below.push_back(std::move(child));
        }
    }
    if (family.task.open || std::ranges::any_of(family.below, &TaskEntry::open))
        throw Error(Code::conflict, fmt::format("task {} has not ended", to_string(task)));
    co_return family;
}

Async<> Collector::remove_family(Expired family)
{
    const bool is_of_session = !family.task.session.empty();
    const std::string what = to_string(family.task.task);
    std::vector<Expired> batch;
    batch.push_back(std::move(family));
    leave_busy(batch);
    if (batch.empty()) throw Error(Code::unavailable, "files of task " + what + " are being written; try again");
    std::vector<Unremoved> failed;
    co_await remove(batch, PurgeScope::all, &failed);
    if (!failed.empty()) throw Error(Code::unavailable, failed.front().error);
    if (is_of_session) co_await forget_conversations();
}

/// Turns that no task needs any more: of sessions all of whose tasks are gone, or that were left out.
Async<> Collector::forget_conversations()
{
    storage::Store& store = setting_.store;
    const auto turns = co_await store.list(std::string(kConversationDocument), {}, SIZE_MAX);
    std::map<std::string, std::optional<std::string>, std::less<>> before;
    for (const storage::Document& turn : turns) {
        try {
            before.emplace(turn.key, turn_from(turn.text).before);
        } catch (const Error&) {
            before.emplace(turn.key, std::nullopt);  // damaged: whoever needs it will hear of it
        }
    }
    std::set<std::string, std::less<>> needed, sessions;
    const auto mark = [&](std::optional<std::string> key) {
        while (key && needed.insert(*key).second) {
            const auto place = before.find(*key);
            key = place == before.end() ? std::nullopt : place->second;
        }
    };
    for (const TaskEntry& entry : co_await store.tasks({.limit = SIZE_MAX})) {
        const IndexDetail detail = detail_of(entry);
        if (detail.purged_at) continue;
        if (!entry.session.empty()) sessions.insert(session_key(entry.tenant, entry.session));
        mark(detail.history);
    }
    for (const storage::Document& session : co_await store.list(std::string(kSessionDocument), {}, SIZE_MAX))
        if (!sessions.contains(session.key)) co_await store.remove(session.kind, session.key);
    for (const storage::Document& turn : turns)
        if (!needed.contains(turn.key) && setting_.clock.now() - turn.updated_at >= kYoung)
            co_await store.remove(turn.kind, turn.key);
}

/// What cannot be removed leaves the batch.
Async<> Collector::remove_files_of(std::vector<Expired>& batch, PurgeScope scope, std::vector<Unremoved>* failed)
{
    std::vector<std::vector<Id>> families;
    for (const Expired& one : batch) families.push_back(ids_of(one));
    const auto problems = co_await on(setting_.pool, [families, folder = setting_.folder, scope] {
        std::vector<std::string> said(families.size());
        for (std::size_t i = 0; i < families.size(); ++i) {
            try {
                for (const Id& id : families[i]) remove_files(folder, to_string(id), scope);
            } catch (const Error& error) {
                said[i] = error.what();
            }
        }
        return said;
    });
    for (std::size_t i = batch.size(); i-- > 0;) {
        if (problems[i].empty()) continue;
        if (failed) failed->push_back({batch[i].task.task, problems[i]});
        batch.erase(batch.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

Async<> Collector::remove(std::vector<Expired>& batch, PurgeScope scope, std::vector<Unremoved>* failed)
{
    co_await remove_files_of(batch, scope, failed);
    crash_point("gc_files_removed");
    std::vector<storage::Purge> purges;
    const Time now = setting_.clock.now();
    const auto add = [&](TaskEntry entry) {
        storage::Purge purge{.task = entry.task};
        if (scope != PurgeScope::all) {
            IndexDetail detail = detail_of(entry);
            if (!detail.purged_at) detail.purged_at = now;
            entry.detail = detail_text(detail);
            purge.rest = std::move(entry);
        }
        purges.push_back(std::move(purge));
    };
    for (const Expired& one : batch) {
        for (const TaskEntry& entry : one.below) add(entry);
        add(one.task);
    }
    co_await setting_.store.purge(std::move(purges));
    crash_point("gc_journal_removed");
}

}  // namespace cadre::engine
