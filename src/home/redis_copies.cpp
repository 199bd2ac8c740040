#include "home/redis_copies.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/pool.hpp"
#include "base/timeout.hpp"
#include "engine/index_detail.hpp"
#include "engine/pinned_teams.hpp"
#include "engine/projections/context_copy.hpp"
#include "engine/projections/task_files.hpp"
#include "model/read.hpp"
#include "model/route_setup.hpp"
#include "net/loop.hpp"

#include <algorithm>
#include <utility>

namespace cadre::home {

using engine::kStays;
using storage::Record;

namespace {

/// So many are under way at once, each no more than kMostContextBytes.
constexpr std::size_t kAtOnce = 8;
/// So many times fewer tasks are looked up at once than may wait.
constexpr std::size_t kPages = 10;
constexpr Millis kFirstPause{100};
constexpr Millis kLongestPause{5'000};

/// Kind of the documents that say that copies in the Redis of that name are complete but for tasks that have not ended.
constexpr std::string_view kCompleteDocument = "redis_complete";

/// KEYS: the copy, its number. ARGV: the number of its last record, the copy, its time in ms, 0 for none. Equal numbers: the copy alone
/// may have been evicted. 0: somebody has written a later one; 2: the number was no number.
constexpr const char* kScript = R"(local seen = redis.pcall('GET', KEYS[2])
local odd = type(seen) == 'table' or (seen and not tonumber(seen))
if seen and not odd and tonumber(seen) > tonumber(ARGV[1]) then return 0 end
if ARGV[3] == '0' then
  redis.call('SET', KEYS[1], ARGV[2])
  redis.call('SET', KEYS[2], ARGV[1])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
end
return odd and 2 or 1
)";
constexpr std::int64_t kWasOdd = 2;

std::string name_of(const net::RedisAddress& address)
{
    return address.origin() + "/" + std::to_string(address.database);
}

}  // namespace

/// What is known of a task that goes on.
struct RedisCopies::Fold {
    engine::ContextCopy copy{};
    std::vector<engine::TurnMessage> before{};
    std::string router{};
    bool prepared = false;
};

struct RedisCopies::Stored {
    std::string key{};
    std::string number_key{};
    std::uint32_t seq = 0;
    std::string text{};  // empty: there is nothing to be kept
    Millis left{0};
};

RedisCopies::RedisCopies(RedisCopiesSetting setting)
    : setting_(std::move(setting)),
      redis_(setting_.loop, setting_.redis, setting_.log),
      script_(kScript),
      scope_(setting_.loop)
{
    scope_.spawn(pass_on_changes());
    scope_.spawn(serve());
}

RedisCopies::~RedisCopies() = default;

// ---- what is to be written ----

void RedisCopies::on_append(const Record& record) noexcept
{
    Task& entry = tasks_[record.task];
    entry.rests = false;
    entry.tenant = record.tenant;
    if (engine::changes_context(record)) entry.changed = record.seq;
}

void RedisCopies::on_progress(const Id& task, std::uint32_t seq) noexcept
{
    const auto [place, is_new] = tasks_.try_emplace(task);  // a journal that was written at once is new
    Task& entry = place->second;
    if (!is_new && (entry.changed == 0 || entry.changed > seq)) return;
    entry.changed = 0;
    mark(task, entry);
}

void RedisCopies::on_rest(const Id& task) noexcept
{
    const auto place = tasks_.find(task);
    if (place == tasks_.end()) return;
    Task& entry = place->second;
    entry.rests = true;
    entry.changed = 0;  // what was not durable by now never will be
    entry.fold.reset();
    if (!entry.behind && !entry.busy) tasks_.erase(place);
}

void RedisCopies::renew(const Id& task, const std::string& tenant)
{
    Task& entry = tasks_[task];
    entry.tenant = tenant;
    entry.fold.reset();
    mark(task, entry);
}

void RedisCopies::mark(const Id& task, Task& entry)
{
    if (entry.behind) return;
    if (line_.size() >= setting_.marks) {
        sweep_ = Sweep{};
        if (entry.rests && !entry.busy) tasks_.erase(task);
        return;
    }
    entry.behind = true;
    line_.push_back(task);
    changed_.notify();
}

Async<> RedisCopies::sweep_on()
{
    const Sweep now = *std::exchange(sweep_, std::nullopt);
    const storage::TaskQuery query{.open_only = now.open_only, .before = now.before, .limit = setting_.marks / kPages};
    const auto entries = co_await setting_.store.tasks(query);
    const Time time = setting_.loop.clock().now();
    for (const storage::TaskEntry& entry : entries) {
        const model::TaskStatus status = engine::listed_status(entry);
        // a step changes the journal and not the index
        const bool is_over = status != model::TaskStatus::running &&
                             engine::time_left(status, entry.updated_at, setting_.lifetime, time) == Millis{0};
        if (!entry.parent.empty() || is_over || engine::detail_of(entry).purged_at) continue;
        Task& task = tasks_[entry.task];
        task.tenant = entry.tenant;
        mark(entry.task, task);
    }
    if (entries.size() == query.limit && !sweep_)
        sweep_ = Sweep{now.open_only, storage::TaskCursor{entries.back().created_at, entries.back().task}};
}

// ---- writing ----

Async<> RedisCopies::pass_on_changes()
{
    while (true) {
        co_await redis_.changed().wait();
        changed_.notify();
    }
}

/// Nobody waits for this: what goes wrong is a line in the log, and is tried again ever later.
Async<> RedisCopies::serve()
{
    bool was_complete = false;
    Millis pause = kFirstPause;
    try {
        const storage::DocumentName complete{std::string(kCompleteDocument), name_of(setting_.redis.address)};
        was_complete = co_await setting_.store.remove(complete.kind, complete.key);
    } catch (const Error& error) {
        setting_.log.error(error.what());
    }
    if (!sweep_) sweep_ = Sweep{.open_only = was_complete};
    begun_ = true;
    while (true) {
        changed_.notify();
        while (!redis_.connected() || (line_.empty() && !sweep_)) co_await changed_.wait();
        if (line_.empty()) {
            ++busy_;
            try {
                co_await sweep_on();
            } catch (const Error& error) {
                setting_.log.error(error.what());
            }
            --busy_;
            continue;
        }
        const std::size_t most = refused_.empty() ? kAtOnce : 1;
        failure_.clear();
        for (std::size_t i = 0; i < most && !line_.empty(); ++i) {
            ++busy_;
            const Id task = line_.front();
            line_.pop_front();
            scope_.spawn(write(task));
        }
        while (busy_ > 0) co_await changed_.wait();
        refused_ = failure_;
        tell();
        if (refused_.empty() || !redis_.connected()) {
            pause = kFirstPause;
            continue;
        }
        changed_.notify();
        co_await sleep_for(pause);
        pause = std::min(2 * pause, kLongestPause);
    }
}

void RedisCopies::tell()
{
    if (refused_.empty() == !told_ || !redis_.connected()) return;
    told_ = !refused_.empty();
    if (told_) setting_.log.warning("Redis takes no copies of tasks; it is tried again", {{"what", refused_}});
    else setting_.log.info("Redis takes copies of tasks again");
}

Async<> RedisCopies::write(Id task)
{
    Task& entry = tasks_.at(task);  // stays while it is busy
    entry.behind = false;
    entry.busy = true;
    std::string failure, unreadable;
    std::optional<Stored> stored;
    try {
        stored = co_await stored_form(task);
    } catch (const Error& error) {
        unreadable = error.what();
    }
    try {
        if (stored) co_await put(std::move(*stored));
    } catch (const Error& error) {
        failure = error.what();
    }
    if (!unreadable.empty() && !std::exchange(unreadable_told_, true))
        setting_.log.error("a task could not be copied to Redis", {{"task", to_string(task)}, {"problem", unreadable}});
    entry.busy = false;
    --busy_;
    if (!failure.empty()) {
        failure_ = std::move(failure);
        mark(task, entry);
    } else if (entry.rests && !entry.behind) {
        tasks_.erase(task);
    }
    changed_.notify();
}

/// Nothing: it is no task that others look for.
Async<std::optional<RedisCopies::Stored>> RedisCopies::stored_form(Id task)
{
    auto fold = tasks_.at(task).fold;
    if (!fold) fold = std::make_shared<Fold>();
    auto records = co_await setting_.store.read(task, fold->copy.state().end.seq + 1);
    co_await on(setting_.pool, [fold, records = std::move(records)] {
        for (const Record& record : records)
            if (const auto shown = engine::find_masked(record)) fold->copy.apply(*shown);
            else fold->copy.apply(record);
    });
    const engine::TaskState& state = fold->copy.state();
    const std::string tenant = state.end.seq > 0 ? state.tenant : tasks_.at(task).tenant;
    Stored stored{.key = engine::stored_key(tenant, to_string(task)),
                  .number_key = engine::stored_number_key(tenant, to_string(task)),
                  .seq = state.end.seq};
    if (stored.seq == 0) co_return stored;  // it was removed
    if (state.spec.parent || state.spec.imported) co_return std::nullopt;
    stored.left = engine::time_left(state.status, state.updated_at, setting_.lifetime, setting_.loop.clock().now());
    if (stored.left == Millis{0}) co_return stored;
    if (!fold->prepared) co_await prepare(*fold);
    stored.text = co_await on(setting_.pool,
                              [fold] { return engine::stored_text(fold->copy.context(fold->before, fold->router)); });
    Task& entry = tasks_.at(task);
    if (!entry.rests) entry.fold = std::move(fold);
    co_return stored;
}

/// What does not change while it goes on.
Async<> RedisCopies::prepare(Fold& fold)
{
    const engine::TaskSpec& spec = fold.copy.state().spec;
    if (is_pending(fold.copy.state())) co_return;  // of a turn that waits, more will be said before it
    if (spec.setup && spec.pattern.starts_with("route@")) {
        const engine::Agents agents = co_await setting_.teams.agents_for(spec);
        fold.router = model::from_text<model::RouteSetup>(agents->setup).router_agent;
    }
    engine::HistoryWalk walk(spec.history);
    co_await engine::read_all(setting_.store, walk);
    fold.before = walk.messages();
    fold.prepared = true;
}

Async<> RedisCopies::put(Stored stored)
{
    if (stored.text.empty()) {
        co_await redis_.ask({"DEL", stored.key, stored.number_key});
        co_return;
    }
    const std::string left = std::to_string(stored.left == kStays ? 0 : stored.left.count());
    const net::RedisReply reply =
        co_await redis_.run(script_, {stored.key, stored.number_key}, {std::to_string(stored.seq), stored.text, left});
    if (reply.number == kWasOdd && !std::exchange(odd_told_, true))
        setting_.log.warning("something else stood in Redis where the number of a task's copy belongs; it was replaced",
                             {{"key", stored.number_key}});
}

// ---- the end ----

Async<> RedisCopies::until_settled()
{
    while (!is_all_written() && trouble().empty()) co_await changed_.wait();
}

Async<> RedisCopies::settle(Millis limit)
{
    try {
        co_await with_timeout(until_settled(), limit, "copying tasks to Redis");
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw;
    }
}

Async<> RedisCopies::finish(Millis limit)
{
    co_await settle(limit);
    try {
        storage::Document complete{.kind = std::string(kCompleteDocument), .key = name_of(setting_.redis.address)};
        if (is_all_written()) co_await setting_.store.put(std::move(complete));
    } catch (const Error&) {
        // the next process looks at all
    }
    co_await scope_.close();
    co_await redis_.close();
}

}  // namespace cadre::home
