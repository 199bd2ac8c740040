// Keeper: the contents of artifacts of all tasks in a home.
#pragma once

#include "artifacts/artifact.hpp"
#include "storage/files.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace cadre::artifacts {

class Workspace;

/// `blobs` in the folder of a task: what its versions hold. Nobody but us looks into it.
inline constexpr std::string_view kContentsFolder = "blobs";

/// Blocks, and may be called on several threads; what concerns one task is done one after the other. A task is named by its id.
class Keeper {
public:
    /// `tasks`: the folder of all tasks.
    explicit Keeper(std::filesystem::path tasks, Limits limits = {});
    ~Keeper();

    const Limits& limits() const { return limits_; }

    /// Durable when it returns; the task's folder is as it was. Throws Error(too_large) and Error(invalid) that name file and limit.
    KeptFile keep(const std::string& task, const Draft& draft);
    /// The file in the task's folder is that content from now on, whatever it was. Throws Error(not_found) when the content is not kept, and
    /// Error(conflict) when there is something else of that name.
    void put(const std::string& task, const std::string& path, const std::string& sha256);
    /// Whether there is such a folder: quick, for any thread.
    bool has_files(const std::string& task) const;
    /// What a tool has left in the task's folder: the files that it names, or all. What is returned is kept, durably.
    Found collect(const std::string& task, std::span<const std::string> named, bool all);

    /// Open at its beginning. Throws Error(not_found) when it is not kept, and Error(unavailable) when it is damaged.
    storage::Descriptor open(const std::string& task, const std::string& sha256);
    std::string read(const std::string& task, const std::string& sha256);

    /// Brings what people see up to date, in the folders of these files: `.versions/` and `.metadata.json`. `histories`: of all files.
    /// Removes contents that no version keeps any more, and what a crash left without one.
    void settle(const std::string& task, const std::map<std::string, History>& histories);

    /// A fork has the contents of the task that it was made of; shared, not copied.
    void share(const std::string& from, const std::string& to);

private:
    struct Task;

    std::shared_ptr<Task> task_of(const std::string& id);
    void collect_one(Task& task, const Workspace& files, const std::string& path, bool is_named, Found& found);
    void note(Task& task, Found& found, const std::string& path, const std::string& why);

    const std::filesystem::path tasks_;
    const Limits limits_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Task>> known_;
};

/// Versions that have lost their content, of so many that keep it: those behind the first, up to the latest.
bool keeps_content(int version, int newest, std::size_t most);

}  // namespace cadre::artifacts
