#include "engine/projections/projector.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/pool.hpp"
#include "base/timeout.hpp"
#include "engine/index_detail.hpp"
#include "engine/projections/layout.hpp"
#include "storage/files.hpp"
#include "storage/private_folder.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

namespace cadre::engine {

using model::framework::RetentionPolicy;
using storage::PrivateFolder;
using storage::Record;

namespace {

namespace fs = std::filesystem;

/// `2026-01-12T09:00:00Z clean`: what was recorded before that time is in the files. `open`: a process is at work, or died.
constexpr std::string_view kWatermark = ".watermark";
constexpr std::string_view kClean = " clean\n";
constexpr std::string_view kOpen = " open\n";
/// Clocks are set back now and then.
constexpr Millis kMargin{60'000};
/// A task whose files take long to write is written rarely: so many times as long is between two writes.
constexpr int kRarely = 20;
constexpr std::size_t kTeams = 64;
/// What is appended while so much is kept already is read from the store later.
constexpr std::size_t kRecentBytes = std::size_t{16} << 20;

std::size_t bytes_of(const Record& record)
{
    return sizeof(Record) + record.path.size() + record.body.size();
}

struct Watermark {
    Time since{};
    bool clean = false;
};

Watermark watermark_from(const std::optional<std::string>& text)
{
    if (!text) return {};
    const bool clean = text->ends_with(kClean);
    if (!clean && !text->ends_with(kOpen)) return {};
    try {
        return {time_from_iso(text->substr(0, text->find(' '))), clean};
    } catch (const Error&) {
        return {};
    }
}

/// Whatever stands where our files belong.
void remove_projected(const fs::path& folder)
{
    auto own = PrivateFolder::find(folder);
    if (!own) return;
    std::vector<std::string> names;
    own->each([&](const std::string& name) {
        if (layout::is_projected(name)) names.push_back(name);
    });
    // the one with the cursor first: what a crash leaves is behind, and will be found
    std::ranges::sort(names, {}, [](const std::string& name) { return !layout::kCursor.starts_with(name + '/'); });
    for (const std::string& name : names) own->remove(name);
}

/// Folders that a process made for tasks and died before there was a journal: nobody knows them.
void remove_left_over(const fs::path& tasks, const std::vector<storage::TaskEntry>& entries, fs::file_time_type begin)
{
    std::set<std::string, std::less<>> known;
    for (const storage::TaskEntry& entry : entries) known.insert(to_string(entry.task));
    std::vector<std::string> unknown;
    PrivateFolder all(tasks);
    all.each([&](const std::string& name) {
        std::error_code error;
        if (find_id(name) && !known.contains(name) && fs::last_write_time(tasks / name, error) < begin && !error)
            unknown.push_back(name);
    });
    for (const std::string& name : unknown) all.remove(name);
}

/// Those whose files do not show what the index says of them.
std::vector<Id> behind_among(const fs::path& folder, const std::vector<storage::TaskEntry>& entries)
{
    std::vector<Id> behind;
    for (const storage::TaskEntry& entry : entries) {
        try {
            auto own = PrivateFolder::find(folder / to_string(entry.task));
            const auto cursor = own ? find_cursor(*own) : std::nullopt;
            // a step changes the journal and not the index: of a task that was interrupted only the journal knows
            if (cursor && cursor->updated_at >= entry.updated_at && listed_status(entry) != model::TaskStatus::running)
                continue;
        } catch (const Error&) {
            // whoever writes it will say what is wrong
        }
        behind.push_back(entry.task);
    }
    return behind;
}

/// Nobody sees the folder of a new task before all its files are there.
bool write_into(const fs::path& folder, TaskFiles& files, const PinnedTeam& team, const RetentionPolicy& policy,
                std::span<const model::framework::SubAgentSession> sessions, bool anew)
{
    if (anew) remove_projected(folder);
    if (auto own = PrivateFolder::find(folder)) return files.write(*own, team, policy, sessions);
    auto draft = PrivateFolder::draft(folder);
    return files.write(draft, team, policy, sessions) && draft.publish();
}

}  // namespace

Projector::Projector(ProjectorSetting setting)
    : setting_(std::move(setting)), teams_(std::make_shared<const Teams>()), scope_(setting_.loop)
{
    scope_.spawn(serve());
}

Projector::~Projector() = default;

// ---- what is to be written, and when ----

void Projector::on_append(const Record& record) noexcept
{
    Watched& watched = tasks_[record.task];
    const bool follows = watched.recent.empty() || watched.recent.back().seq + 1 == record.seq;
    if (!follows || recent_bytes_ + bytes_of(record) > kRecentBytes) forget(watched);
    if (recent_bytes_ + bytes_of(record) > kRecentBytes) return;
    recent_bytes_ += bytes_of(record);
    watched.recent.push_back(record);
}

void Projector::forget(Watched& watched)
{
    for (const Record& record : watched.recent) recent_bytes_ -= bytes_of(record);
    watched.recent.clear();
}

void Projector::erase(Place place)
{
    forget(place->second);
    tasks_.erase(place);
}

/// What is known without reading of the durable records from `from` on; empty: they must be read.
std::vector<Record> Projector::take_recent(const Id& task, std::uint32_t from)
{
    const auto place = tasks_.find(task);
    if (place == tasks_.end()) return {};
    std::vector<Record>& recent = place->second.recent;
    std::vector<Record> taken;
    const auto first_new =
        std::ranges::find_if(recent, [&](const Record& record) { return record.seq > place->second.durable; });
    for (auto record = recent.begin(); record != first_new; ++record) {
        recent_bytes_ -= bytes_of(*record);
        if (record->seq == from + taken.size()) taken.push_back(std::move(*record));
    }
    recent.erase(recent.begin(), first_new);
    return taken;
}

void Projector::on_progress(const Id& task, std::uint32_t seq) noexcept
{
    Watched& watched = tasks_[task];
    watched.durable = seq;
    watched.rests = false;
    if (!watched.behind) delay(task, watched);
}

void Projector::on_rest(const Id& task) noexcept
{
    const auto place = tasks_.find(task);
    if (place == tasks_.end()) return;
    Watched& watched = place->second;
    watched.rests = true;
    if (!watched.recent.empty() && watched.recent.back().seq > watched.durable) forget(watched);
    if (watched.behind) make_ready(task, watched);
    else if (current_ != task) erase(place);
}

void Projector::touch(const Id& task)
{
    const auto [place, is_new] = tasks_.try_emplace(task);
    if (is_new) place->second.rests = true;
    if (!place->second.behind) delay(task, place->second);
}

void Projector::delay(const Id& task, Watched& watched)
{
    watched.behind = true;
    if (finishing_) return make_ready(task, watched);
    const Instant now = setting_.loop.now();
    // what has only begun may be over soon: then it is written once
    watched.due = watched.next == Instant{} ? later(now, setting_.pause) : std::max(now, watched.next);
    due_.emplace(watched.due, task);
    if (due_.begin()->second == task) start_timer();
}

void Projector::make_ready(const Id& task, Watched& watched)
{
    due_.erase({watched.due, task});
    if (std::exchange(watched.ready, true)) return;
    ready_.push_back(task);
    changed_.notify();
}

void Projector::start_timer()
{
    stop();
    if (!due_.empty()) setting_.loop.start(*this, due_.begin()->first);
}

void Projector::fire() noexcept
{
    const Instant now = setting_.loop.now();
    while (!due_.empty() && due_.begin()->first <= now) {
        const Id task = due_.begin()->second;
        make_ready(task, tasks_.at(task));
    }
    start_timer();
}

bool Projector::is_behind(const Id& task) const
{
    return tasks_.contains(task);
}

Async<> Projector::until_written(Id task)
{
    while (is_behind(task)) co_await changed_.wait();
}

// ---- writing ----

/// One task after the other: a journal that grows meanwhile is written again later.
Async<> Projector::serve()
{
    while (true) {
        while (ready_.empty() || busy_) co_await changed_.wait();
        const Id task = ready_.front();
        ready_.pop_front();
        Watched& watched = tasks_.at(task);
        watched.ready = watched.behind = false;
        co_await project(task);
    }
}

Async<> Projector::project(Id task)
{
    busy_ = true;
    current_ = task;
    const Instant begin = setting_.loop.now();
    std::shared_ptr<TaskFiles> files = tasks_.at(task).files;
    std::string problem;
    try {
        files = co_await write(task, std::move(files), false);
    } catch (const Error& error) {
        problem = error.what();
        files.reset();
    }
    if (!problem.empty() && !std::exchange(failed_, true))
        setting_.log.error("the files of a task could not be written; they can be rebuilt later",
                           {{"task", to_string(task)}, {"problem", problem}});
    const Instant now = setting_.loop.now();
    if (const auto place = tasks_.find(task); place != tasks_.end()) {
        Watched& watched = place->second;
        watched.next = now + std::max<Instant::duration>(setting_.pause, kRarely * (now - begin));
        watched.files = watched.rests ? nullptr : files;
        if (watched.rests && !watched.behind) erase(place);
    }
    if (files)
        if (const auto& parent = files->chronicle().state().spec.parent)
            if (const auto id = find_id(*parent)) touch(*id);
    current_.reset();
    busy_ = false;
    changed_.notify();
}

/// Null: the task has no journal any more. `anew`: whatever is in the folder does not count.
Async<std::shared_ptr<TaskFiles>> Projector::write(Id task, std::shared_ptr<TaskFiles> files, bool anew)
{
    const fs::path folder = setting_.folder / to_string(task);
    const std::uint32_t from = files ? files->chronicle().seq() + 1 : 1;
    std::vector<Record> records;
    if (!anew) records = take_recent(task, from);
    if (records.empty()) records = co_await setting_.store.read(task, from);
    if (records.empty() && !files) co_return nullptr;
    // most tasks have delegated nothing, and their team is known: those need to go to the other thread once
    std::optional<bool> written;
    std::tie(files, written) =
        co_await on(setting_.pool, [ours = std::move(files), folder, anew, teams = teams_, policy = setting_.policy,
                                    show = setting_.show_versions, records = std::move(records)]() mutable {
            if (!ours) {
                auto found = anew ? std::nullopt : PrivateFolder::find(folder);
                ours = std::make_shared<TaskFiles>(found ? find_cursor(*found) : std::nullopt);
            }
            for (const Record& record : records) ours->apply(record);
            // before there is a cursor that says that all is shown
            if (show)
                if (const Histories* histories = ours->new_histories()) show(folder.filename().string(), *histories);
            std::optional<bool> done;
            const auto team = teams->find(ours->chronicle().state().spec.config);
            if (team != teams->end() && ours->chronicle().children().empty())
                done = write_into(folder, *ours, *team->second, policy, {}, anew);
            return std::pair(std::move(ours), done);
        });
    if (!written) {
        const Team team = co_await team_of(files->chronicle().state().spec.config);
        auto sessions = co_await sessions_of(files->chronicle().children(), files->chronicle().state().tenant, team);
        written = co_await on(setting_.pool,
                              [files, folder, anew, team, policy = setting_.policy, sessions = std::move(sessions)] {
                                  return write_into(folder, *files, *team, policy, sessions, anew);
                              });
    }
    if (*written) co_return files;
    // somebody has changed a file that only grows
    co_return co_await write(task, nullptr, true);
}

Async<Projector::Team> Projector::team_of(std::string key)
{
    if (const auto known = teams_->find(key); known != teams_->end()) co_return known->second;
    auto team = std::make_shared<const PinnedTeam>();
    if (!key.empty()) {
        const auto document = co_await setting_.store.find(std::string(kTeamDocument), key);
        if (!document) co_return team;
        team = co_await on(setting_.pool, [text = document->text] {
            return std::make_shared<const PinnedTeam>(pinned_team_from(text));
        });
    }
    Teams teams = teams_->size() < kTeams ? *teams_ : Teams{};
    teams.emplace(key, team);
    teams_ = std::make_shared<const Teams>(std::move(teams));
    co_return team;
}

Async<Projector::Sessions> Projector::sessions_of(std::vector<Id> children, std::string tenant, Team team)
{
    Sessions sessions;
    for (const Id& child : children) {
        auto records = co_await setting_.store.read(child);
        if (records.empty()) continue;                   // it was never started
        if (records.front().tenant != tenant) continue;  // an imported journal may name whatever it likes
        sessions.push_back(co_await on(setting_.pool, [team, records = std::move(records)] {
            Chronicle chronicle;
            for (const Record& record : records)
                if (const auto shown = find_masked(record)) chronicle.apply(*shown);
                else chronicle.apply(record);
            return session_of(chronicle, *team);
        }));
    }
    co_return sessions;
}

Async<> Projector::rebuild(Id task)
{
    while (busy_) co_await changed_.wait();
    busy_ = true;
    std::exception_ptr failure;
    std::shared_ptr<TaskFiles> files;
    try {
        co_await on(setting_.pool, [folder = setting_.folder] { storage::make_private_folder(folder); });
        files = co_await write(task, nullptr, true);
    } catch (...) {
        failure = std::current_exception();
    }
    if (const auto place = tasks_.find(task); place != tasks_.end()) place->second.files.reset();
    busy_ = false;
    changed_.notify();
    if (failure) std::rethrow_exception(failure);
    if (!files) throw Error(Code::not_found, "task " + to_string(task) + " has no journal");
}

// ---- beginning and end ----

Async<> Projector::catch_up()
{
    std::exception_ptr failure;
    try {
        co_await find_behind();
        caught_up_ = true;
    } catch (...) {
        failure = std::current_exception();
    }
    looking_ = false;
    changed_.notify();
    if (failure) std::rethrow_exception(failure);
}

Async<> Projector::until_caught_up()
{
    while (looking_) co_await changed_.wait();
}

Async<> Projector::find_behind()
{
    const auto begin = fs::file_time_type::clock::now();
    const Watermark found = co_await on(setting_.pool, [folder = setting_.folder] {
        storage::make_private_folder(folder);
        return watermark_from(PrivateFolder(folder).read(kWatermark, 100));
    });
    co_await mark(found.since, false);
    if (found.clean) co_return;
    auto entries = co_await setting_.store.tasks({.limit = SIZE_MAX});
    co_await on(setting_.pool,
                [folder = setting_.folder, entries, begin] { remove_left_over(folder, entries, begin); });
    std::erase_if(entries, [&](const storage::TaskEntry& entry) {
        const bool old = entry.updated_at + kMargin < found.since && listed_status(entry) != model::TaskStatus::running;
        return old || detail_of(entry).purged_at;
    });
    const auto behind = co_await on(setting_.pool, [folder = setting_.folder, entries = std::move(entries)] {
        return behind_among(folder, entries);
    });
    for (const Id& task : behind) {
        const auto [place, is_new] = tasks_.try_emplace(task);
        if (!is_new) continue;  // it is at work already
        place->second.rests = place->second.behind = true;
        make_ready(task, place->second);
    }
}

Async<> Projector::mark(Time time, bool clean)
{
    std::string text = to_iso(time);
    text += clean ? kClean : kOpen;
    co_await on(setting_.pool, [folder = setting_.folder, text] { PrivateFolder(folder).replace(kWatermark, text); });
}

Async<> Projector::until_all_written()
{
    while (!all_written()) co_await changed_.wait();
}

Async<> Projector::finish(Millis limit)
{
    finishing_ = true;
    const Time begin = setting_.loop.clock().now();
    while (!due_.empty()) {
        const Id task = due_.begin()->second;
        make_ready(task, tasks_.at(task));
    }
    bool written = false;
    try {
        co_await with_timeout(until_all_written(), limit, "writing the files of tasks");
        written = caught_up_ && !failed_;
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw;
    }
    co_await close();
    if (written) co_await mark(begin, true);
}

Async<> Projector::close()
{
    stop();
    co_await scope_.close();
}

}  // namespace cadre::engine
