#include "home/backup.hpp"

#include "base/error.hpp"
#include "engine/body.hpp"
#include "engine/task_state.hpp"
#include "storage/files.hpp"
#include "storage/sqlite/backup.hpp"
#include "storage/sqlite/salvage.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;

/// What the journal's own copy has, and what belongs to a process.
bool is_left_out(const std::string& name)
{
    return name.starts_with("cadre.db") || name == "blobs" || name == "lock" || name.ends_with(".sock");
}

class FileCopy {
public:
    explicit FileCopy(std::vector<std::string>& problems) : problems_(problems) {}

    std::uint64_t files = 0;

    /// Files and folders; a link stays one. Pipes, sockets and devices are not of any use elsewhere.
    void copy(const fs::directory_entry& entry, const fs::path& to)
    {
        std::error_code problem;
        const fs::file_status status = entry.symlink_status(problem);
        if (fs::is_directory(status)) return copy_folder(entry.path(), to);
        if (fs::is_symlink(status)) fs::copy_symlink(entry.path(), to, problem);
        else if (fs::is_regular_file(status)) fs::copy_file(entry.path(), to, problem);
        else return;
        if (!problem) ++files;
        // what is rewritten all the time may be gone between looking and copying
        else if (problem != std::errc::no_such_file_or_directory) note(entry.path(), problem);
    }

    void copy_folder(const fs::path& from, const fs::path& to)
    {
        storage::make_private_folder(to);
        std::error_code problem;
        fs::directory_iterator list(from, problem);
        for (; !problem && list != fs::directory_iterator(); list.increment(problem))
            copy(*list, to / list->path().filename());
        std::error_code ignored;
        // a folder that is still being made gets its name meanwhile
        if (problem == std::errc::no_such_file_or_directory) fs::remove(to, ignored);
        else if (problem) note(from, problem);
    }

private:
    void note(const fs::path& path, const std::error_code& problem)
    {
        problems_.push_back(path.string() + ": " + problem.message());
    }

    std::vector<std::string>& problems_;
};

/// Everything in the home but its journal. Returns how many files that were.
std::uint64_t copy_rest(const fs::path& home, const fs::path& to, std::vector<std::string>& problems)
{
    FileCopy copy(problems);
    for (const auto& entry : fs::directory_iterator(home))
        if (!is_left_out(entry.path().filename().string())) copy.copy(entry, to / entry.path().filename());
    return copy.files;
}

/// Throws Error: a copy there would be no copy, or would overwrite something.
void expect_room(const fs::path& home, const fs::path& folder)
{
    const fs::path from = fs::weakly_canonical(home), to = fs::weakly_canonical(folder);
    if (std::mismatch(from.begin(), from.end(), to.begin(), to.end()).first == from.end())
        throw Error(Code::invalid, folder.string() + " lies in the home itself; a backup belongs elsewhere");
    std::error_code missing;
    if (fs::exists(fs::symlink_status(folder, missing)) &&
        !(fs::is_directory(folder, missing) && fs::is_empty(folder, missing)))
        throw Error(Code::conflict,
                    folder.string() + " is there already; give a folder that does not exist, or is empty");
}

/// A folder that is seen under its name when all of it is there.
class Draft {
public:
    Draft(const fs::path& home, const fs::path& folder)
        : folder_(folder),
          target_(fs::absolute(folder).lexically_normal()),
          path_(target_.parent_path() / ("." + target_.filename().string() + ".part"))
    {
        expect_room(home, folder);
        std::error_code ignored;
        fs::remove_all(path_, ignored);  // of one that was interrupted
        storage::make_private_folder(path_);
    }
    const fs::path& path() const { return path_; }
    void publish() const
    {
        std::error_code problem;
        fs::rename(path_, target_, problem);
        if (problem) throw Error(Code::unavailable, "cannot make " + folder_.string() + ": " + problem.message());
        storage::sync_folder(target_.parent_path());
    }

private:
    fs::path folder_, target_, path_;
};

void add_record(storage::Salvaged& task, storage::RecordKind kind, std::string body, int events)
{
    storage::Record record = task.records.back();
    ++record.seq;
    record.event_seq += static_cast<std::uint32_t>(events);
    record.at = std::max(record.at, system_clock().now());
    record.kind = kind;
    record.path.clear();
    record.ask = {};
    record.body = std::move(body);
    storage::seal(record, task.records.back().hash);
    task.records.push_back(std::move(record));
}

bool complete(storage::Salvaged& task)
{
    engine::TaskState state = engine::fold(task.records);
    if (state.created_at == Time{}) return false;  // not even what it was to do
    if (task.is_cut && !state.finished() && !state.spec.imported) {
        add_record(task, storage::RecordKind::cancel,
                   engine::text_of(engine::CancelBody{.by = "salvage", .reason = "what it did last may be lost"}), 0);
        add_record(task, storage::RecordKind::cancelled, engine::text_of(engine::CancelledBody{.steps = state.steps}),
                   1);
        state = engine::fold(task.records);
    }
    task.entry = engine::index_entry(state);
    return true;
}

}  // namespace

BackedUp back_up(const fs::path& home, const fs::path& folder)
{
    const Draft draft(home, folder);
    const storage::JournalCopy journal = storage::copy_journal(home, draft.path());
    BackedUp done{.folder = folder, .tasks = journal.tasks, .records = journal.records, .problems = journal.problems};
    done.files = copy_rest(home, draft.path(), done.problems);
    draft.publish();
    return done;
}

Saved salvage(const fs::path& home, const fs::path& folder)
{
    const Draft draft(home, folder);
    storage::SalvageReport journal = storage::salvage_journal(home, draft.path(), complete);
    Saved saved{.folder = folder, .tasks = journal.tasks, .records = journal.records, .lost = std::move(journal.lost)};
    copy_rest(home, draft.path(), saved.lost);
    draft.publish();
    return saved;
}

}  // namespace cadre::home
