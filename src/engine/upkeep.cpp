#include "engine/upkeep.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "engine/active_task.hpp"
#include "engine/body.hpp"
#include "engine/commands.hpp"
#include "engine/host.hpp"
#include "engine/host_loading.hpp"
#include "engine/whole_journal.hpp"
#include "storage/verify.hpp"

#include <boost/json.hpp>

#include <set>

namespace cadre::engine {

using storage::RecordKind;

namespace {

/// Of files, in one record.
constexpr std::size_t kMostChanges = 1'000;

}  // namespace

Saved next_version(const TaskState& state, SavedVersion artifact)
{
    const auto before = state.artifacts.find(artifact.path);
    if (before == state.artifacts.end()) {
        artifact.version = 1;
        return {std::move(artifact), ArtifactChange::created};
    }
    if (before->second.sha256 == artifact.sha256 && !state.deleted.contains(artifact.path))
        return {before->second, ArtifactChange::unchanged};
    artifact.version = before->second.version + 1;
    return {std::move(artifact), ArtifactChange::modified, before->second.size};
}

std::vector<Saved> changes_in(const TaskState& state, FoundFiles found)
{
    std::vector<Saved> changes;
    std::set<std::string> there(found.kept_out.begin(), found.kept_out.end());
    for (const KeptBlob& file : found.files) there.insert(file.path);
    for (KeptBlob& file : found.files) {
        SavedVersion version{.path = std::move(file.path),
                             .sha256 = std::move(file.sha256),
                             .size = file.size,
                             .mime_type = std::move(file.mime_type)};
        // a tool says nothing of these, so they stay
        if (const auto before = state.artifacts.find(version.path); before != state.artifacts.end()) {
            version.description = before->second.description;
            version.tags = before->second.tags;
        }
        Saved saved = next_version(state, std::move(version));
        if (saved.change != ArtifactChange::unchanged) changes.push_back(std::move(saved));
    }
    if (found.is_all)
        for (const auto& [path, version] : state.artifacts)
            if (!there.contains(path) && !state.deleted.contains(path))
                changes.push_back({version, ArtifactChange::deleted, version.size});
    if (changes.size() > kMostChanges) changes.resize(kMostChanges);  // the next look finds the others
    return changes;
}

std::optional<JournalEntry> upkeep_entry(const TaskState& state, Upkeep upkeep, Time now, Upkept& upkept)
{
    UpkeepBody body{.what = upkeep.what, .by = Text::unless_empty(upkeep.by)};
    int events = static_cast<int>(upkeep.events.size());
    if (upkeep.artifact) {
        upkept.artifact = next_version(state, std::move(*upkeep.artifact));
        if (upkept.artifact->change == ArtifactChange::unchanged) return std::nullopt;
        body.before = upkept.artifact->before;
        body.artifact = upkept.artifact->artifact;
        body.change = upkept.artifact->change;
        events += upkept.artifact->change == ArtifactChange::created ? 1 : 2;
    }
    for (model::Event& event : upkeep.events)
        std::visit(
            [&](auto& one) {
                if constexpr (requires { one.timestamp; }) one.timestamp = now;
            },
            event);
    const std::string detail = to_text(upkeep.detail);
    if (!upkeep.detail.empty()) body.detail = RawJson{detail};
    if (!upkeep.events.empty()) body.events = upkeep.events;
    return JournalEntry{.kind = RecordKind::upkeep, .body = text_of(body), .events = events, .at = now};
}

Async<Upkept> Host::upkeep(Id task, Upkeep upkeep)
{
    expect_open();
    while (loading_.contains(task)) co_await changes_.changed(task);
    Upkept upkept;
    if (const auto place = active_.find(task);
        place != active_.end() && !place->second->over() && !place->second->state().view().finished()) {
        RunState& run = place->second->state();
        auto entry = upkeep_entry(run.view(), std::move(upkeep), env_.loop.clock().now(), upkept);
        if (!entry) co_return upkept;
        upkept.seq = run.append_change(std::move(*entry));
        co_await durable(task, upkept.seq);
        co_return upkept;
    }
    const Loading loading(*this, task);
    while (active_.contains(task)) co_await changes_.changed(task);  // it has just ended and is about to go
    const auto lease = co_await env_.store.acquire(task, env_.owner, kLease);
    const auto records = co_await env_.store.read(task);
    if (records.empty()) throw Error(Code::not_found, "there is no task " + to_string(task));
    storage::expect_intact(records);
    TaskState state = fold(records);
    const Time now = env_.loop.clock().now();
    auto entry = upkeep_entry(state, std::move(upkeep), now, upkept);
    if (!entry) co_return upkept;
    Journal::Owner owner{state.tenant, task, lease.epoch};
    co_await write_behind(*port_, std::move(owner), state, std::move(*entry));
    upkept.seq = state.end.seq;
    hub_.durable(task);
    if (listener_) {
        listener_->on_progress(task, upkept.seq);
        listener_->on_rest(task);
    }
    co_return upkept;
}

Async<Upkept> Commands::upkeep(Principal by, Id task, Upkeep upkeep)
{
    co_await queries_.expect(by, Act::work, task);
    upkeep.by = by.subject;
    co_return co_await host_.upkeep(task, std::move(upkeep));
}

}  // namespace cadre::engine
