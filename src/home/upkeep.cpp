#include "home/upkeep.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "engine/index_detail.hpp"
#include "engine/task_state.hpp"
#include "home/project/prepare_route.hpp"
#include "home/project/retention.hpp"
#include "home/redis_copies.hpp"
#include "home/redis_options.hpp"
#include "home/run_artifacts.hpp"
#include "home/run_memory.hpp"
#include "storage/private_folder.hpp"

#include <utility>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using engine::Expired;
using model::framework::RetentionPolicy;

/// How long a process that ends waits for its files.
constexpr Millis kFinish{3000};
/// And for copies of tasks.
constexpr Millis kFinishCopies{1000};
/// And whoever wants all of them again.
constexpr Millis kRebuildCopies{60'000};
constexpr Millis kCollectEvery{3'600'000};
/// Whoever has taken the home may want to collect by itself, and then wants to be told what went.
constexpr Millis kCollectAfter{1000};
/// How long a process that was short does it at its end.
constexpr Millis kCollectAtEnd{1000};
/// When something was last removed, or there was nothing to remove.
constexpr std::string_view kCollectedAt = ".collected";

/// When the home was last used, to the hour.
constexpr std::string_view kUsedAt = ".used";
constexpr Millis kUsedEvery{3'600'000};
/// A clock that is further ahead of the last use may be wrong, and what is removed is gone for good.
constexpr Millis kPlausible{24 * 3'600'000};

std::optional<Time> time_in(storage::PrivateFolder& folder, std::string_view name)
{
    const auto text = folder.read(name, 100);
    try {
        return text ? std::optional(time_from_iso(text->substr(0, text->find('\n')))) : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// How far the clock is ahead of the last use of the home, which is now.
Millis use(const fs::path& folder, Time now)
{
    try {
        auto own = storage::PrivateFolder::find(folder);
        if (!own) return Millis{0};  // a new home
        const auto used = time_in(*own, kUsedAt);
        if (!used || now < *used || now - *used >= kUsedEvery) own->replace(kUsedAt, to_iso(now) + "\n");
        const auto last = used ? used : time_in(*own, kCollectedAt);
        return last ? now - *last : Millis{0};
    } catch (const Error&) {
        return Millis{0};  // whoever writes files there complains
    }
}

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
    const auto last = own ? time_in(*own, kCollectedAt) : std::nullopt;
    return !last || now < *last || now - *last >= kCollectEvery;
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
                  .log = room.host().env().log,
                  .show_versions = [&keeper = room.artifacts().keeper()](
                                       const std::string& task,
                                       const engine::Histories& histories) { keeper.settle(task, histories); }}),
      collector_({.store = room.store(),
                  .pool = pool_,
                  .folder = task_folders(home_),
                  .clock = loop.clock(),
                  .is_busy = [this](const Id& task) { return projector_.is_behind(task); }}),
      copies_(redis_copies()),
      taken_at_(loop.clock().now()),
      taken_(loop.now()),
      ahead_(use(task_folders(home_), taken_at_)),
      scope_(loop)
{
    followers_.files = &projector_;
    followers_.copies = copies_.get();
    room_.host().set_listener(&followers_);
    scope_.spawn(tend());
}

HomeUpkeep::~HomeUpkeep()
{
    room_.host().set_listener(nullptr);
}

void HomeUpkeep::Followers::on_append(const storage::Record& record) noexcept
{
    files->on_append(record);
    if (copies) copies->on_append(record);
}

void HomeUpkeep::Followers::on_progress(const Id& task, std::uint32_t seq) noexcept
{
    files->on_progress(task, seq);
    if (copies) copies->on_progress(task, seq);
}

void HomeUpkeep::Followers::on_rest(const Id& task) noexcept
{
    files->on_rest(task);
    if (copies) copies->on_rest(task);
}

/// Throws Error(invalid) for a Redis that must not be spoken to. A project that cannot be read is told by those who need it.
std::unique_ptr<RedisCopies> HomeUpkeep::redis_copies()
{
    const Log& log = room_.host().env().log;
    std::shared_ptr<const Project> project;
    try {
        project = room_.projects().open(room_.place().folder);
    } catch (const Error&) {
        return nullptr;
    }
    auto redis = redis_options(*project);
    if (!redis) return nullptr;
    if (!not_trusted(*project, redis_wants(*project)).empty()) {
        log.warning("tasks are not copied to Redis, because the project was not made here and is not trusted",
                    {{"redis", redis->address.origin()}});
        return nullptr;
    }
    return std::make_unique<RedisCopies>(RedisCopiesSetting{.loop = loop_,
                                                            .pool = pool_,
                                                            .store = room_.store(),
                                                            .teams = room_.host().teams(),
                                                            .redis = std::move(*redis),
                                                            .lifetime = context_lifetime_in(*project),
                                                            .log = log});
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

/// Of when the home was last used; of where it should be, since this process took the home. A day later the clock has proved right.
Millis HomeUpkeep::clock_ahead() const
{
    const Millis passed = std::chrono::floor<Millis>(loop_.now() - taken_);
    const Millis set = loop_.clock().now() - taken_at_ - passed;
    return std::max(set, passed < kPlausible ? ahead_ : Millis{0});
}

Async<> HomeUpkeep::collect_if_due()
{
    const Time now = loop_.clock().now();
    if (clock_ahead() > kPlausible) {
        if (!std::exchange(warned_, true))
            room_.host().env().log.warning("the clock is ahead of the last use of this home, so nothing is removed by "
                                           "itself; `gc --force` removes it",
                                           {{"ahead", to_text(clock_ahead())}});
        co_return;
    }
    const bool due = co_await on(pool_, [folder = task_folders(home_), now] { return is_due(folder, now); });
    if (!due) co_return;
    const Collected done = co_await collect(retention_of(room_.place(), home_).policy, false);
    for (const FailedTask& one : done.failed) room_.host().env().log.error(one.error, {{"task", to_string(one.task)}});
}

Async<Collected> HomeUpkeep::collect(RetentionPolicy policy, bool force)
{
    const auto lock = co_await files_.lock();
    if (const Millis ahead = clock_ahead(); ahead > kPlausible && !force)
        co_return Collected{.clock_ahead_ms = ahead.count()};
    const Time now = loop_.clock().now();
    std::vector<engine::Unremoved> failed;
    const auto gone = co_await collector_.collect(std::move(policy), &failed);
    co_await on(pool_, [folder = task_folders(home_), now] {
        storage::PrivateFolder(folder).replace(kCollectedAt, to_iso(now) + "\n");
    });
    co_await forget_traces(gone);
    Collected done = collected(gone);
    for (engine::Unremoved& one : failed) done.failed.push_back({one.task, std::move(one.error)});
    co_return done;
}

Async<Collected> HomeUpkeep::remove(Id task)
{
    const auto lock = co_await files_.lock();
    std::vector<Expired> family;
    family.push_back(co_await collector_.ended_family(task));
    co_await projector_.until_written(task);
    for (const storage::TaskEntry& below : family.front().below) co_await projector_.until_written(below.task);
    co_await collector_.remove_family(family.front());
    co_await forget_traces(family);
    co_return collected(family);
}

/// What tasks that are gone have noted for themselves alone, and their copies.
Async<> HomeUpkeep::forget_traces(std::span<const Expired> gone)
{
    for (const Expired& one : gone) {
        if (copies_) copies_->renew(one.task.task, one.task.tenant);
        co_await room_.memory().drop_task(one.task.tenant, one.task.task);
        for (const storage::TaskEntry& below : one.below) co_await room_.memory().drop_task(below.tenant, below.task);
    }
}

/// What could not be done; empty: all is well, or the task's history is gone meanwhile.
Async<std::string> HomeUpkeep::rebuild_one(Id task)
{
    const auto lock = co_await files_.lock();
    std::string problem;
    try {
        const auto entry = co_await room_.store().find_task(task);
        if (entry && !engine::detail_of(*entry).purged_at) {
            co_await projector_.rebuild(task);
            const auto records = co_await room_.store().read(task);
            auto state = std::make_shared<const engine::TaskState>(engine::fold(records));
            TaskMemory memory = co_await room_.memory().of_task(std::move(state));
            co_await room_.memory().write_files(task, std::move(memory.scopes));
            if (copies_) copies_->renew(task, entry->tenant);
        }
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
        if (copies_) co_await copies_->settle(kRebuildCopies);
        co_return rebuilt;
    }
    for (const storage::TaskEntry& entry : co_await room_.store().tasks({.limit = SIZE_MAX})) {
        if (engine::detail_of(entry).purged_at) continue;
        std::string problem = co_await rebuild_one(entry.task);
        if (problem.empty()) ++rebuilt.tasks;
        else rebuilt.failed.push_back({entry.task, std::move(problem)});
    }
    if (copies_) co_await copies_->settle(kRebuildCopies);
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
    if (copies_) co_await copies_->finish(kFinishCopies);
    co_await on(pool_, [folder = task_folders(home_), now = loop_.clock().now()] { use(folder, now); });
}

}  // namespace cadre::home
