#include "artifacts/contents.hpp"

#include "base/error.hpp"
#include "base/sha256.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace cadre::artifacts {

namespace {

namespace fs = std::filesystem;
using storage::Descriptor;

constexpr std::size_t kPiece = 256 << 10;
/// What is read at once.
constexpr std::size_t kWhole = 4 << 20;
constexpr mode_t kReadOnly = 0400;
constexpr std::string_view kDraft = ".draft-";
/// From so many on, one sync of the file system is quicker than one of each file.
constexpr std::size_t kMany = 16;

void write_all(int file, std::string_view bytes, const fs::path& shown)
{
    while (!bytes.empty()) {
        const ssize_t put = ::write(file, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) storage::throw_errno("write", shown);
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
}

/// What comes next in the file; empty at its end, nothing when it cannot be read.
std::optional<std::string_view> read_piece(int file, std::string& buffer)
{
    buffer.resize(kPiece);
    ssize_t got = 0;
    do got = ::read(file, buffer.data(), buffer.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) return std::nullopt;
    return std::string_view(buffer).substr(0, static_cast<std::size_t>(got));
}

/// Of all of the file, which then stands at its beginning again; nothing when it cannot be read.
std::optional<std::string> hash_of(int file)
{
    Sha256 hash;
    std::string buffer;
    if (::lseek(file, 0, SEEK_SET) != 0) return std::nullopt;
    while (true) {
        const auto piece = read_piece(file, buffer);
        if (!piece) return std::nullopt;
        if (piece->empty()) break;
        hash.add(*piece);
    }
    if (::lseek(file, 0, SEEK_SET) != 0) return std::nullopt;
    return to_hex(hash.finish());
}

}  // namespace

Descriptor Contents::begin(fs::path& file)
{
    static std::atomic<std::uint64_t> count{0};
    if (!made_) storage::make_private_folder(folder_);
    made_ = true;
    file = folder_ / (std::string(kDraft) + std::to_string(::getpid()) + "-" + std::to_string(++count));
    Descriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kReadOnly));
    if (!opened) storage::throw_errno("write", file);
    return opened;
}

void Contents::keep(std::string_view content, const std::string& name)
{
    if (has(name)) return;
    fs::path draft;
    const Descriptor file = begin(draft);
    drafts_.push_back({name, draft});
    write_all(file.get(), content, draft);
}

/// Read first and written only when it is new: after a restart all files of a task are looked at again.
std::optional<Contents::FromFile> Contents::keep_file(int source, std::uint64_t most, std::uint64_t room)
{
    struct stat status{};
    if (::fstat(source, &status) != 0 || static_cast<std::uint64_t>(status.st_size) > most) return std::nullopt;
    std::string buffer;
    if (static_cast<std::size_t>(status.st_size) <= kWhole) {
        std::string whole;
        whole.reserve(static_cast<std::size_t>(status.st_size));
        while (whole.size() <= most) {
            const auto piece = read_piece(source, buffer);
            if (!piece) return std::nullopt;
            whole += *piece;
            if (!piece->empty()) continue;
            std::string name = to_hex(sha256(whole));
            if (has(name)) return FromFile{.sha256 = std::move(name)};
            if (whole.size() > room) return FromFile{.is_new = true, .fits = false};
            keep(whole, name);
            return FromFile{.sha256 = std::move(name), .is_new = true};
        }
        return std::nullopt;
    }
    auto known = hash_of(source);
    if (!known) return std::nullopt;
    if (has(*known)) return FromFile{.sha256 = std::move(*known)};
    if (static_cast<std::uint64_t>(status.st_size) > room) return FromFile{.is_new = true, .fits = false};
    fs::path draft;
    const Descriptor file = begin(draft);
    drafts_.push_back({{}, draft});
    Sha256 hash;
    std::uint64_t count = 0;
    while (true) {
        const auto piece = read_piece(source, buffer);
        count += piece ? piece->size() : 0;
        if (!piece || count > std::min(most, room)) {
            ::unlink(draft.c_str());
            drafts_.pop_back();
            return std::nullopt;
        }
        if (piece->empty()) break;
        hash.add(*piece);
        write_all(file.get(), *piece, draft);
    }
    drafts_.back().sha256 = to_hex(hash.finish());
    return FromFile{.sha256 = drafts_.back().sha256, .is_new = true};
}

void Contents::commit()
{
    if (drafts_.empty()) return;
    if (drafts_.size() >= kMany) {
        const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!folder || ::syncfs(folder.get()) != 0) storage::throw_errno("sync", folder_);
    } else {
        for (const Draft& draft : drafts_) {
            const Descriptor file(::open(draft.file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
            if (!file || ::fsync(file.get()) != 0) storage::throw_errno("sync", draft.file);
        }
    }
    for (const Draft& draft : drafts_)
        if (::rename(draft.file.c_str(), file_of(draft.sha256).c_str()) != 0) storage::throw_errno("keep", draft.file);
    drafts_.clear();
    storage::sync_folder(folder_);
}

void Contents::roll_back() noexcept
{
    for (const Draft& draft : drafts_) ::unlink(draft.file.c_str());
    drafts_.clear();
}

bool Contents::has(const std::string& sha256) const
{
    struct stat status{};
    return ::stat(file_of(sha256).c_str(), &status) == 0;
}

Descriptor Contents::find(const std::string& sha256) const
{
    Descriptor file(::open(file_of(sha256).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file && errno != ENOENT) storage::throw_errno("read", file_of(sha256));
    return file;
}

std::uint64_t Contents::bytes() const
{
    std::uint64_t all = 0;
    std::error_code none;
    for (fs::directory_iterator at(folder_, none), end; !none && at != end; at.increment(none))
        if (const auto size = at->file_size(none); !none) all += size;
    return all;
}

void Contents::each(const std::function<void(const std::string&)>& visit) const
{
    std::error_code none;
    std::vector<std::string> names;
    for (fs::directory_iterator at(folder_, none), end; !none && at != end; at.increment(none))
        names.push_back(at->path().filename().string());
    for (const std::string& name : names) visit(name);
}

void Contents::remove(const std::string& sha256) const
{
    ::unlink(file_of(sha256).c_str());
}

bool holds(int file, std::string_view sha256)
{
    return hash_of(file) == sha256;
}

}  // namespace cadre::artifacts
