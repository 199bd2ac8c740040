#include "artifacts/keeper.hpp"

#include "artifacts/contents.hpp"
#include "artifacts/media_type.hpp"
#include "artifacts/path.hpp"
#include "artifacts/shown.hpp"
#include "artifacts/workspace.hpp"
#include "base/crash_point.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace cadre::artifacts {

namespace {

namespace fs = std::filesystem;

/// Tasks whose files we remember; of others everything is read again.
constexpr std::size_t kMostTasks = 256;

std::string size_words(std::uint64_t bytes)
{
    return bytes >= std::uint64_t{1} << 30 ? fmt::format("{} GiB", bytes >> 30) : fmt::format("{} MiB", bytes >> 20);
}

}  // namespace

struct Keeper::Task {
    explicit Task(const fs::path& folder) : folder(folder), contents(folder / kContentsFolder) {}

    /// Of all that is kept, and what is about to be; a content that came twice counts twice until somebody counts anew.
    std::uint64_t bytes()
    {
        if (!used) used = contents.bytes();
        return *used;
    }

    struct Seen {
        Mark mark{};
        std::string sha256{};
    };

    std::mutex mutex;  // of all that follows
    fs::path folder;
    Contents contents;
    std::optional<std::uint64_t> used;
    std::map<std::string, Seen, std::less<>> seen;  // what files held when they were last read, by path
    std::set<std::string> complained;               // paths that were said not to be kept
    std::set<std::string> fresh;                    // kept by this process, and perhaps not on record yet
    std::set<std::string> intact;                   // read and found whole
};

Keeper::Keeper(fs::path tasks, Limits limits) : tasks_(std::move(tasks)), limits_(limits)
{}

Keeper::~Keeper() = default;

std::shared_ptr<Keeper::Task> Keeper::task_of(const std::string& id)
{
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(id); found != known_.end()) return found->second;
    if (known_.size() >= kMostTasks)
        std::erase_if(known_, [](const auto& one) { return one.second.use_count() == 1 && one.second->fresh.empty(); });
    return known_[id] = std::make_shared<Task>(tasks_ / id);
}

KeptFile Keeper::keep(const std::string& id, const Draft& draft)
{
    std::string path = plain_path(draft.path);
    if (!draft.mime_type.empty() && !is_media_type(draft.mime_type))
        throw Error(Code::invalid, in_quotes(draft.mime_type) + " is not a media type, like text/markdown");
    if (!draft.has_place && path.find('/') == std::string::npos)
        path = plain_path(std::string(folder_for(path, draft.mime_type)) + "/" + path);
    if (draft.content.size() > limits_.file)
        throw Error(Code::too_large, fmt::format("{} has {} bytes; an artifact may have {}", in_quotes(path),
                                                 draft.content.size(), size_words(limits_.file)));
    const auto task = task_of(id);
    const std::lock_guard lock(task->mutex);
    KeptFile kept{.path = path,
                  .size = static_cast<std::int64_t>(draft.content.size()),
                  .mime_type = draft.mime_type.empty() ? std::string(media_type_of(path)) : draft.mime_type};
    kept.sha256 = to_hex(sha256(draft.content));
    const bool is_new = !task->contents.has(kept.sha256);
    if (is_new && task->bytes() + draft.content.size() > limits_.task)
        throw Error(Code::too_large, fmt::format("{} does not fit: the versions of all artifacts of a task may have {}",
                                                 in_quotes(path), size_words(limits_.task)));
    try {
        task->contents.keep(draft.content, kept.sha256);
        task->contents.commit();
    } catch (...) {
        task->contents.roll_back();
        throw;
    }
    task->fresh.insert(kept.sha256);
    if (is_new) *task->used += draft.content.size();
    crash_point("artifact_kept");
    return kept;
}

void Keeper::put(const std::string& id, const std::string& path, const std::string& sha256)
{
    const auto task = task_of(id);
    const auto content = open(id, sha256);
    const std::lock_guard lock(task->mutex);
    Workspace files(task->folder / "artifacts");
    files.put(path, content.get());
    task->seen.erase(path);
}

bool Keeper::has_files(const std::string& id) const
{
    struct stat status{};
    return ::stat((tasks_ / id / "artifacts").c_str(), &status) == 0;
}

/// Said once of each file: it lies there after every call.
void Keeper::note(Task& task, Found& found, const std::string& path, const std::string& why)
{
    found.kept_out.push_back(path);
    if (task.complained.insert(path).second)
        found.problems.push_back(fmt::format("{} is not kept: it {}", in_quotes(path), why));
}

void Keeper::collect_one(Task& task, const Workspace& files, const std::string& path, bool is_named, Found& found)
{
    if (const auto problem = problem_with(path)) return note(task, found, path, *problem);
    OpenFile opened = files.open(path);
    if (!opened.problem.empty()) {
        if (is_named) note(task, found, path, opened.problem);
        else found.kept_out.push_back(path);
        return;
    }
    if (!opened.file) return;
    const auto add = [&](const std::string& sha256) {
        found.files.push_back({.path = path,
                               .sha256 = sha256,
                               .size = static_cast<std::int64_t>(opened.mark.size),
                               .mime_type = std::string(media_type_of(path))});
        task.complained.erase(path);
    };
    if (const auto known = task.seen.find(path); known != task.seen.end() && known->second.mark == opened.mark)
        return add(known->second.sha256);
    if (opened.mark.size > limits_.file)
        return note(
            task, found, path,
            fmt::format("has {} bytes, and an artifact may have {}", opened.mark.size, size_words(limits_.file)));
    const bool is_settled = opened.mark.is_settled();
    const std::uint64_t room = limits_.task - std::min(limits_.task, task.bytes());
    const auto kept = task.contents.keep_file(opened.file.get(), limits_.file, room);
    if (kept && !kept->fits)
        return note(task, found, path,
                    fmt::format("does not fit, because the versions of all artifacts of a task may have {}",
                                size_words(limits_.task)));
    const auto mark = Workspace::mark_of(opened.file.get());
    if (!kept || !mark) {
        if (is_named) note(task, found, path, "was changed while it was read");
        else found.kept_out.push_back(path);
        return;
    }
    // what it held while it was read is what is kept; whether it holds that still, the next look tells
    if (*mark == opened.mark && is_settled) task.seen.insert_or_assign(path, Task::Seen{*mark, kept->sha256});
    else task.seen.erase(path);
    task.fresh.insert(kept->sha256);
    opened.mark.size = mark->size;
    if (kept->is_new) *task.used += mark->size;
    add(kept->sha256);
}

Found Keeper::collect(const std::string& id, std::span<const std::string> named, bool all)
{
    const auto task = task_of(id);
    const std::lock_guard lock(task->mutex);
    Found found;
    const Workspace files(task->folder / "artifacts");
    std::vector<std::string> paths;
    found.is_all = all && files.list(paths, limits_.files);
    if (all && !found.is_all && task->complained.insert("").second)
        found.problems.push_back(
            fmt::format("there are more than {} files, or folders in folders deeper than we look, so not all are kept",
                        limits_.files));
    std::set<std::string> names(named.begin(), named.end());
    paths.insert(paths.end(), names.begin(), names.end());
    std::ranges::sort(paths);
    paths.erase(std::ranges::unique(paths).begin(), paths.end());
    try {
        for (const std::string& path : paths) collect_one(*task, files, path, names.contains(path), found);
        task->contents.commit();
    } catch (...) {
        task->contents.roll_back();
        task->seen.clear();  // it may name what was not committed
        task->used.reset();
        throw;
    }
    crash_point("artifact_kept");
    return found;
}

storage::Descriptor Keeper::open(const std::string& id, const std::string& sha256)
{
    const auto task = task_of(id);
    const std::lock_guard lock(task->mutex);
    storage::Descriptor file = task->contents.find(sha256);
    if (!file)
        throw Error(Code::not_found,
                    "the content of this version is not kept here: it is one of many that are too old, "
                    "or its task ran elsewhere");
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) throw Error(Code::unavailable, "the content of this version cannot be read");
    const std::string mark = fmt::format("{} {} {} {}", sha256, status.st_ino, status.st_size,
                                         status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec);
    if (!task->intact.contains(mark)) {
        if (!holds(file.get(), sha256))
            throw Error(Code::unavailable, "the content of this version is damaged: it does not have the hash that it "
                                           "was kept under. Restore it from a backup");
        task->intact.insert(mark);
    }
    return file;
}

std::string Keeper::read(const std::string& id, const std::string& sha256)
{
    const storage::Descriptor file = open(id, sha256);
    struct stat status{};
    std::string text(::fstat(file.get(), &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0, '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t got = ::read(file.get(), text.data() + done, text.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) throw Error(Code::unavailable, "the content of this version cannot be read");
        done += static_cast<std::size_t>(got);
    }
    return text;
}

bool keeps_content(int version, int newest, std::size_t most)
{
    return version == 1 || newest - version + 1 < static_cast<int>(most);
}

void Keeper::settle(const std::string& id, const std::map<std::string, History>& histories)
{
    const auto task = task_of(id);
    const std::lock_guard lock(task->mutex);
    std::set<std::string> needed, old;
    for (const auto& [path, history] : histories)
        for (const Version& version : history.versions) {
            task->fresh.erase(version.sha256);
            const bool keeps = keeps_content(version.version, history.versions.back().version, limits_.versions);
            (keeps ? needed : old).insert(version.sha256);
        }
    // what this process has kept may be about to be recorded
    task->contents.each([&](const std::string& sha256) {
        if (!needed.contains(sha256) && !task->fresh.contains(sha256)) task->contents.remove(sha256);
    });
    task->used.reset();
    Workspace files(task->folder / "artifacts");
    if (!files.exists()) return;
    show_versions(files, task->contents, histories, limits_.versions);
    show_metadata(files, histories);
}

void Keeper::share(const std::string& from, const std::string& to)
{
    const auto source = task_of(from);
    const std::lock_guard lock(source->mutex);
    const fs::path folder = tasks_ / to / kContentsFolder;
    std::error_code error;
    if (!fs::is_directory(source->folder / kContentsFolder, error)) return;
    storage::make_private_folder(folder);
    source->contents.each([&](const std::string& sha256) {
        if (sha256.front() == '.') return;
        const fs::path content = source->folder / kContentsFolder / sha256;
        if (::link(content.c_str(), (folder / sha256).c_str()) != 0 && errno != EEXIST)
            fs::copy_file(content, folder / sha256, fs::copy_options::skip_existing, error);
    });
    storage::sync_folder(folder);
}

}  // namespace cadre::artifacts
