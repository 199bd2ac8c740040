#include "storage/sqlite/wal_mark.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cadre::storage {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMagic = 0x4357616c;  // "CWal"
constexpr off_t kSaltsAt = 16;                // in the header of a log

using MarkBytes = std::array<std::uint8_t, 20>;  // magic, salts (2), frames, a sum of these; big-endian

void put(MarkBytes& bytes, std::size_t at, std::uint32_t number)
{
    for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
}

std::uint32_t get(const std::uint8_t* bytes)
{
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

std::uint32_t sum_of(const MarkBytes& bytes)
{
    std::uint32_t sum = 2166136261u;  // FNV-1a
    for (std::size_t i = 0; i < 16; ++i) sum = (sum ^ bytes[i]) * 16777619u;
    return sum;
}

fs::path mark_file(const fs::path& database)
{
    return database.string() + "-mark";
}

}  // namespace

std::optional<WalMark> find_mark(const fs::path& database)
{
    const Descriptor file(::open(mark_file(database).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    MarkBytes bytes;
    if (!file || ::pread(file.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
    if (get(&bytes[0]) != kMagic || get(&bytes[16]) != sum_of(bytes)) return {};
    return WalMark{.salts = {get(&bytes[4]), get(&bytes[8])}, .frames = get(&bytes[12])};
}

WalMarker::WalMarker(const fs::path& database)
    : database_(database), log_(database.string() + "-wal"), path_(mark_file(database))
{}

void WalMarker::set(int frames) noexcept
{
    const auto count = static_cast<std::uint32_t>(frames);
    if (mark_.frames == 0 || count < mark_.frames) {  // the log has begun again
        mark_ = {};
        const Descriptor opened(::open(log_.c_str(), O_RDONLY | O_CLOEXEC));
        std::uint8_t salts[8];
        if (!opened || ::pread(opened.get(), salts, sizeof salts, kSaltsAt) != sizeof salts) return;
        mark_.salts[0] = get(salts);
        mark_.salts[1] = get(salts + 4);
    }
    mark_.frames = count;
    write(mark_);
}

void WalMarker::clear()
{
    mark_ = {};
    if (!find_mark(database_)) return;  // there was never one
    if (!write(mark_) || ::fdatasync(file_.get()) != 0) throw_errno("write", path_);
}

bool WalMarker::write(const WalMark& mark) noexcept
{
    if (!file_) {
        file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kPrivateFile));
        if (file_) ::fchmod(file_.get(), kPrivateFile);  // whatever the umask
    }
    MarkBytes bytes;
    put(bytes, 0, kMagic);
    put(bytes, 4, mark.salts[0]);
    put(bytes, 8, mark.salts[1]);
    put(bytes, 12, mark.frames);
    put(bytes, 16, sum_of(bytes));
    return file_ && ::pwrite(file_.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
}

}  // namespace cadre::storage
