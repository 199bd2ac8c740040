#include "base/log_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace cadre {
namespace {

namespace fs = std::filesystem;

/// More than anybody keeps; only looked for.
constexpr int kMostKept = 100;

fs::path older(const fs::path& file, int number)
{
    return fmt::format("{}.{}", file.string(), number);
}

class FileSink final : public LogSink {
public:
    FileSink(fs::path file, LogFileOptions options) : file_(std::move(file)), options_(options) {}
    FileSink(const FileSink&) = delete;
    FileSink& operator=(const FileSink&) = delete;
    ~FileSink() override { close(); }

    void write(Level, std::string_view line) override
    {
        const std::lock_guard lock(mutex_);
        if (!open_current()) return;
        if (size() > 0 && size() + line.size() > options_.max_bytes) rotate();
        if (!open_current()) return;
        // O_APPEND: lines of processes that share the file do not mix
        while (!line.empty()) {
            const ssize_t written = ::write(descriptor_, line.data(), line.size());
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) return;
            line.remove_prefix(static_cast<std::size_t>(written));
        }
    }

private:
    /// Opens what has the name now: another process may have put our file aside.
    bool open_current()
    {
        struct stat named{};
        struct stat ours{};
        if (descriptor_ >= 0 && ::stat(file_.c_str(), &named) == 0 && ::fstat(descriptor_, &ours) == 0 &&
            named.st_ino == ours.st_ino && named.st_dev == ours.st_dev)
            return true;
        close();
        ::mkdir(file_.parent_path().c_str(), 0700);
        descriptor_ = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        return descriptor_ >= 0;
    }

    std::size_t size() const
    {
        struct stat ours{};
        return ::fstat(descriptor_, &ours) == 0 ? static_cast<std::size_t>(ours.st_size) : 0;
    }

    /// The lock is on the file that is put aside: whoever waited for it finds another one under the name.
    void rotate()
    {
        if (::flock(descriptor_, LOCK_EX) != 0) return;
        struct stat named{};
        struct stat ours{};
        const bool still_ours =
            ::stat(file_.c_str(), &named) == 0 && ::fstat(descriptor_, &ours) == 0 && named.st_ino == ours.st_ino;
        if (still_ours) {
            ::unlink(older(file_, options_.kept).c_str());
            for (int i = options_.kept - 1; i >= 1; --i) ::rename(older(file_, i).c_str(), older(file_, i + 1).c_str());
            if (options_.kept > 0) ::rename(file_.c_str(), older(file_, 1).c_str());
            else ::unlink(file_.c_str());
        }
        close();  // which unlocks it
    }

    void close()
    {
        if (descriptor_ >= 0) ::close(descriptor_);
        descriptor_ = -1;
    }

    const fs::path file_;
    const LogFileOptions options_;
    std::mutex mutex_;
    int descriptor_ = -1;
};

class RoutedSink final : public LogSink {
public:
    explicit RoutedSink(std::vector<LogRoute> routes) : routes_(std::move(routes)) {}

    void write(Level level, std::string_view line) override
    {
        for (const LogRoute& route : routes_)
            if (level >= route.minimum) route.sink->write(level, line);
    }

private:
    const std::vector<LogRoute> routes_;
};

}  // namespace

std::shared_ptr<LogSink> file_sink(fs::path file, LogFileOptions options)
{
    return std::make_shared<FileSink>(std::move(file), options);
}

std::vector<fs::path> log_files(const fs::path& file)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (int i = 1; i <= kMostKept && fs::exists(older(file, i), error); ++i) files.push_back(older(file, i));
    std::ranges::reverse(files);
    if (fs::exists(file, error)) files.push_back(file);
    return files;
}

std::shared_ptr<LogSink> routed_sink(std::vector<LogRoute> routes)
{
    return std::make_shared<RoutedSink>(std::move(routes));
}

}  // namespace cadre
