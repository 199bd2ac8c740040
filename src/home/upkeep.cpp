#include "home/upkeep.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "engine/index_detail.hpp"
#include "home/project/retention.hpp"
#include "storage/private_folder.hpp"

#include <utility>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using engine::Expired;
using model::framework::RetentionPolicy;

/// How long a process that ends waits for its files.
constexpr Millis kFinish{3000};
constexpr Millis kCollectEvery{3'600'000};
/// Whoever has taken the home may want to collect by itself, and then wants to be told what went.
constexpr Millis kCollectAfter{1000};
/// How long a process that was short does it at its end.
constexpr Millis kCollectAtEnd{1000};
/// When something was last removed, or there was nothing to remove.
constexpr std::string_view kCollectedAt = ".collected";

/// A policy that cannot be read must not keep tasks from running; whoever asks for a collection is told.
RetentionPolicy policy_for_files(const Place& place, const fs::path& home)
{
    try {
        return retention_of(place, home).policy;
    } catch (const Error&) {
        return model::framework::standard_retention();
    }
}

bool is_due(const fs::path& folder, Time now)
{
    auto own = storage::PrivateFolder::find(folder);
    const auto text = own ? own->read(kCollectedAt, 100) : std::nullopt;
    try {
        const Time last = text ? time_from_iso(text->substr(0, text->find('\n'))) : Time{};
        return now < last || now - last >= kCollectEvery;
    } catch (const Error&) {
        return true;
    }
}

}  // namespace

fs::path task_folders(const fs::path& home)
{
    return home / "tasks";
}

Collected collected(std::span<const Expired> expired)
{
    Collected all;
    for (const Expired& one : expired) {
        ExpiredTask& task = all.tasks.emplace_back(ExpiredTask{.id = one.task.task,
                                                               .status = one.task.status,
                                                               .title = one.task.title,
                                                               .ended_at = one.task.updated_at,
                                                               .days = one.days});
        for (const storage::TaskEntry& entry : one.below) task.below.push_back(entry.task);
        task.file_bytes = static_cast<std::int64_t>(one.file_bytes);
        task.journal_bytes = static_cast<std::int64_t>(one.journal_bytes);
        all.file_bytes += task.file_bytes;
        all.journal_bytes += task.journal_bytes;
    }
    return all;
}

HomeUpkeep::HomeUpkeep(net::Loop& loop, Runtime& room)
    : loop_(loop),
      home_(room.home()),
      room_(room),
      pool_(1),
      projector_({.loop = loop,
                  .pool = pool_,
                  .store = room.store(),
                  .folder = task_folders(home_),
                  .policy = policy_for_files(room.place(), home_),
                  .log = room.host().env().log}),
      collector_({.store = room.store(),
                  .pool = pool_,
                  .folder = task_folders(home_),
                  .clock = loop.clock(),
                  .is_busy = [this](const Id& task) { return projector_.is_behind(task); }}),
      scope_(loop)
{
    room_.host().set_listener(&projector_);
    scope_.spawn(tend());
}

HomeUpkeep::~HomeUpkeep()
{
    room_.host().set_listener(nullptr);
}

/// Nobody waits for this: what goes wrong is a line in the log.
Async<> HomeUpkeep::tend()
{
    try {
        co_await projector_.catch_up();
        co_await sleep_for(kCollectAfter);
        while (true) {
            looked_ = true;
            co_await collect_if_due();
            co_await sleep_for(kCollectEvery);
        }
    } catch (const Error& error) {
        room_.host().env().log.error(error.what());
    }
}

Async<> HomeUpkeep::collect_if_due()
{
    const Time now = loop_.clock().now();
    const bool due = co_await on(pool_, [folder = task_folders(home_), now] { return is_due(folder, now); });
    if (due) co_await collect(retention_of(room_.place(), home_).policy);
}

Async<Collected> HomeUpkeep::collect(RetentionPolicy policy)
{
    const auto lock = co_await files_.lock();
    const Time now = loop_.clock().now();
    const auto gone = co_await collector_.collect(std::move(policy));
    co_await on(pool_, [folder = task_folders(home_), now] {
        storage::PrivateFolder(folder).replace(kCollectedAt, to_iso(now) + "\n");
    });
    co_return collected(gone);
}

/// What could not be done; empty: all is well, or the task's history is gone meanwhile.
Async<std::string> HomeUpkeep::rebuild_one(Id task)
{
    const auto lock = co_await files_.lock();
    std::string problem;
    try {
        const auto entry = co_await room_.store().find_task(task);
        if (entry && !engine::detail_of(*entry).purged_at) co_await projector_.rebuild(task);
    } catch (const Error& error) {
        problem = error.what();
    }
    co_return problem;
}

Async<Rebuilt> HomeUpkeep::rebuild(std::optional<Id> task)
{
    Rebuilt rebuilt;
    if (task) {
        if (const std::string problem = co_await rebuild_one(*task); !problem.empty())
            throw Error(Code::unavailable, problem);
        rebuilt.tasks = 1;
        co_return rebuilt;
    }
    for (const storage::TaskEntry& entry : co_await room_.store().tasks({.limit = SIZE_MAX})) {
        if (engine::detail_of(entry).purged_at) continue;
        std::string problem = co_await rebuild_one(entry.task);
        if (problem.empty()) ++rebuilt.tasks;
        else rebuilt.failed.push_back({entry.task, std::move(problem)});
    }
    co_return rebuilt;
}

Async<> HomeUpkeep::finish()
{
    try {
        co_await with_timeout(projector_.until_caught_up(), kFinish, "looking for tasks without files");
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw;
    }
    co_await scope_.close();
    try {
        if (!looked_) co_await with_timeout(collect_if_due(), kCollectAtEnd, "removing what is over");
    } catch (const Error& error) {
        // what is left, the next one finds
        if (error.code() != Code::timeout) room_.host().env().log.error(error.what());
    }
    co_await projector_.finish(kFinish);
}

}  // namespace cadre::home
