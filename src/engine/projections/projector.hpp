// Projector: keeps the files of all tasks up to date behind their journals, and never in the way of a run. The files are a
// copy for people: nothing is read back from them as truth, and whatever is missing or damaged is written again.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/id.hpp"
#include "base/log.hpp"
#include "base/loop.hpp"
#include "base/signal.hpp"
#include "engine/host.hpp"
#include "engine/projections/task_files.hpp"

#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cadre {
class Pool;
}

namespace cadre::engine {

/// Everything outlives the projector.
struct ProjectorSetting {
    Loop& loop;
    Pool& pool;  // one thread is enough; it reads no journal and waits for no disk but its own
    storage::Store& store;
    std::filesystem::path folder;  // of all tasks: `tasks/` in the home
    model::framework::RetentionPolicy policy{};
    Log log;
    Millis pause{1000};  // between two writes of a task that goes on
    /// Shows the versions of its files beside them; on some thread. Empty: nobody does.
    std::function<void(const std::string& task, const Histories&)> show_versions{};
};

/// Lives on its loop; finish() or close() before it dies.
class Projector final : public HostListener, Timer {
public:
    explicit Projector(ProjectorSetting setting);
    Projector(const Projector&) = delete;
    Projector& operator=(const Projector&) = delete;
    ~Projector();

    void on_append(const storage::Record& record) noexcept override;
    void on_progress(const Id& task, std::uint32_t seq) noexcept override;
    void on_rest(const Id& task) noexcept override;

    /// Finds what an earlier process has left behind, and begins.
    Async<> catch_up();
    /// Until catch_up() has found what is behind, or failed.
    Async<> until_caught_up();
    /// Writes all files of the task anew, whatever they hold. Throws Error(not_found) when there is no journal.
    Async<> rebuild(Id task);
    /// Waits until everything is written, or so long; then stops.
    Async<> finish(Millis limit);
    /// Stops at once. The next process finds what is missing.
    Async<> close();

    /// Whether something of the task is not written yet.
    bool is_behind(const Id& task) const;
    /// Until all of it is, of a task that nothing happens to any more.
    Async<> until_written(Id task);

private:
    /// A task that is being worked on, or whose files are behind.
    struct Watched {
        bool behind = false;                    // there is more in the journal than in the files
        bool ready = false;                     // in ready_
        bool rests = false;                     // nothing more comes for now
        Instant due{};                          // while it is behind and not ready: when it will be
        Instant next{};                         // not before
        std::shared_ptr<TaskFiles> files{};     // of a task that goes on
        std::uint32_t durable = 0;              // the last record that is known to be
        std::vector<storage::Record> recent{};  // not in the files yet, so that they need not be read; not all, perhaps
    };
    using Sessions = std::vector<model::framework::SubAgentSession>;
    using Team = std::shared_ptr<const PinnedTeam>;
    using Teams = std::map<std::string, Team, std::less<>>;

    using Place = std::map<Id, Watched>::iterator;

    void fire() noexcept override;
    void start_timer();
    void delay(const Id& task, Watched& watched);
    void make_ready(const Id& task, Watched& watched);
    /// Something below a task has changed that its files show.
    void touch(const Id& task);
    void forget(Watched& watched);
    void erase(Place place);
    std::vector<storage::Record> take_recent(const Id& task, std::uint32_t from);
    bool all_written() const { return due_.empty() && ready_.empty() && !busy_; }

    Async<> serve();
    Async<> project(Id task);
    Async<std::shared_ptr<TaskFiles>> write(Id task, std::shared_ptr<TaskFiles> files, bool anew);
    Async<Team> team_of(std::string key);
    Async<Sessions> sessions_of(std::vector<Id> children, std::string tenant, Team team);
    Async<> find_behind();
    Async<> until_all_written();
    Async<> mark(Time time, bool clean);

    ProjectorSetting setting_;
    std::map<Id, Watched> tasks_;
    std::size_t recent_bytes_ = 0;  // of all of them
    std::set<std::pair<Instant, Id>> due_;
    std::deque<Id> ready_;
    std::shared_ptr<const Teams> teams_;  // some that were asked for, by key
    bool busy_ = false;
    std::optional<Id> current_;  // the one that is being written
    bool finishing_ = false;
    bool looking_ = true;     // for what is behind: catch_up() has not come to its end
    bool caught_up_ = false;  // it has found everything
    bool failed_ = false;     // something could not be written: the next process must look again
    Signal changed_;
    AsyncScope scope_;  // last: its coroutines use all of the above
};

}  // namespace cadre::engine
