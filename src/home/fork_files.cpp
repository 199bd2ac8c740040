#include "home/fork_files.hpp"

#include "base/error.hpp"
#include "engine/body.hpp"
#include "engine/effect_body.hpp"
#include "storage/files.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <iterator>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace cadre::home {

namespace fs = std::filesystem;
using storage::Record;
using storage::RecordKind;

namespace {

std::set<std::string> files_written(std::span<const Record> records)
{
    std::set<std::string> files;
    for (const Record& record : records) {
        if (record.kind != RecordKind::outcome) continue;
        const auto effect = engine::effect_of(record);
        if (effect != engine::EffectKind::use && effect != engine::EffectKind::save) continue;
        const auto outcome = engine::body_of<engine::OutcomeBody>(record);
        if (outcome.cancelled || outcome.error.is_set()) continue;
        if (const auto* save = std::get_if<engine::SaveOutcome>(&outcome.of)) {
            files.insert(save->artifact.get().path);
            continue;
        }
        const auto& use = engine::own_of<engine::UseOutcome>(outcome, record);
        for (const std::string& path : use.artifacts.get()) files.insert(fs::path(path).lexically_normal().string());
        for (const engine::Saved& file : use.files.get()) files.insert(file.artifact.path);
    }
    return files;
}

bool is_below(const fs::path& path, const fs::path& folder)
{
    const auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return in_folder == folder.end();
}

/// From `begin` to `end`, by the kernel.
void copy_range(int from, int to, off_t begin, off_t end, const fs::path& shown)
{
    off_t out = begin;
    while (begin < end) {
        const ssize_t size = ::copy_file_range(from, &begin, to, &out, static_cast<std::size_t>(end - begin), 0);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) storage::throw_errno("copy", shown);
        if (size == 0) return;  // it has become shorter
    }
}

void copy_with_holes(const fs::path& from, const fs::path& to)
{
    const storage::Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat facts{};
    if (!source || ::fstat(source.get(), &facts) != 0) storage::throw_errno("read", from);
    if (!S_ISREG(facts.st_mode)) return;  // it has become something else
    const storage::Descriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, facts.st_mode & 0777));
    if (!target || ::ftruncate(target.get(), facts.st_size) != 0) storage::throw_errno("write", to);
    for (off_t begin = ::lseek(source.get(), 0, SEEK_DATA); begin >= 0 && begin < facts.st_size;) {
        const off_t hole = ::lseek(source.get(), begin, SEEK_HOLE);
        const off_t end = hole < 0 ? facts.st_size : hole;
        copy_range(source.get(), target.get(), begin, end, from);
        begin = ::lseek(source.get(), end, SEEK_DATA);
    }
}

}  // namespace

std::set<std::string> files_behind(std::span<const Record> source, std::span<const Record> fork)
{
    const std::set<std::string> before = files_written(fork), all = files_written(source);
    std::set<std::string> behind;
    std::ranges::set_difference(all, before, std::inserter(behind, behind.end()));
    return behind;
}

void remove_below(const fs::path& folder, const std::set<std::string>& files)
{
    std::error_code error;
    const fs::path whole = fs::canonical(folder, error);
    if (error) return;
    for (const std::string& file : files) {
        const fs::path path = whole / file;
        const fs::path parent = fs::canonical(path.parent_path(), error);
        if (error || !is_below(parent, whole)) continue;
        fs::remove(parent / path.filename(), error);
    }
}

void copy_folder(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    fs::create_directory(to, from, error);
    for (fs::directory_iterator item(from, error), end; !error && item != end; item.increment(error)) {
        const fs::path target = to / item->path().filename();
        const fs::file_type type = item->symlink_status(error).type();
        if (type == fs::file_type::directory) copy_folder(item->path(), target);
        else if (type == fs::file_type::symlink) fs::copy_symlink(item->path(), target, error);
        else if (type == fs::file_type::regular) copy_with_holes(item->path(), target);
        if (error) break;
    }
    if (error) throw Error(Code::unavailable, "cannot copy the files in " + from.string() + ": " + error.message());
}

}  // namespace cadre::home
