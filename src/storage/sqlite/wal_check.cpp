#include "storage/sqlite/wal_check.hpp"

#include "base/error.hpp"
#include "storage/files.hpp"
#include "storage/sqlite/wal_mark.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <span>
#include <unistd.h>
#include <vector>

namespace cadre::storage {

namespace {

// https://www.sqlite.org/fileformat2.html#the_write_ahead_log: numbers are big-endian
constexpr std::size_t kHeaderSize = 32;       // magic, version, page size, sequence, salts (2), checksum (2)
constexpr std::size_t kFrameHeaderSize = 24;  // page, size of the database after a commit or 0, salts (2), checksum (2)
constexpr std::uint32_t kWalMagic = 0x377f0682;  // the last bit: checksums are over big-endian words
constexpr std::size_t kPageSizeAt = 16;          // in the database's header

using Bytes = std::span<const std::uint8_t>;

std::uint32_t word(Bytes bytes, std::size_t at)
{
    return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 | std::uint32_t{bytes[at + 2]} << 8 |
           std::uint32_t{bytes[at + 3]};
}

struct Checksum {
    std::uint32_t first = 0;
    std::uint32_t second = 0;

    void add(Bytes bytes, bool big_endian)
    {
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
            const std::uint32_t a = word(bytes, at), b = word(bytes, at + 4);
            first += (big_endian ? a : __builtin_bswap32(a)) + second;
            second += (big_endian ? b : __builtin_bswap32(b)) + first;
        }
    }
    bool operator==(const Checksum&) const = default;
};

/// All of it, or less at the end of the file.
std::size_t read_at(const Descriptor& file, std::size_t offset, std::span<std::uint8_t> out,
                    const std::filesystem::path& path)
{
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t got =
            ::pread(file.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw_errno("read", path);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::size_t page_size_of(const std::filesystem::path& database)
{
    const Descriptor file(::open(database.c_str(), O_RDONLY | O_CLOEXEC));
    std::uint8_t bytes[2] = {};
    if (!file || read_at(file, kPageSizeAt, bytes, database) != 2) throw_errno("read", database);
    const std::size_t size = std::size_t{bytes[0]} << 8 | bytes[1];
    return size == 1 ? 65536 : size;
}

/// Walks the frames. A frame is held against the checksum that the one before it *states*, so that frames behind a damaged
/// one can still be told to be whole.
class Walk {
public:
    explicit Walk(Bytes header)
    {
        const std::uint32_t magic = word(header, 0);
        Checksum computed;
        computed.add(header.first(24), magic & 1);
        stated_ = {word(header, 24), word(header, 28)};
        const bool whole = (magic & ~1u) == kWalMagic && computed == stated_;
        if (whole) {
            big_endian_ = magic & 1;
            salts_ = {word(header, 16), word(header, 20)};
        } else {
            damaged_ = 0;
        }
    }

    void take(Bytes frame, std::size_t offset)
    {
        const Checksum salts{word(frame, 8), word(frame, 12)};
        if (!salts_) salts_ = salts;  // the header is damaged: whose frames these are is said by the first
        Checksum computed = stated_;
        computed.add(frame.first(8), big_endian_);
        computed.add(frame.subspan(kFrameHeaderSize), big_endian_);
        stated_ = {word(frame, 16), word(frame, 20)};
        const bool whole = salts == salts_ && computed == stated_;
        if (!whole && !damaged_) damaged_ = offset;
        if (!damaged_) ++whole_frames_;
        // the commit that is damaged may be the last one, torn by a power cut; then only its own end can follow
        if (whole && damaged_ && word(frame, 4) != 0) ++commits_behind_;
    }

    bool lost_commits() const { return commits_behind_ > 1; }
    std::size_t damaged_at() const { return damaged_.value_or(0); }
    /// Whether it lacks frames that were there.
    bool is_short_of(const WalMark& mark) const
    {
        if (whole_frames_ >= mark.frames) return false;
        if (damaged_ == 0 || !salts_) return true;
        const bool is_same = salts_->first == mark.salts[0] && salts_->second == mark.salts[1];
        return is_same;  // else it has begun again since, when all of it was in the database
    }

private:
    bool big_endian_ = false;
    std::optional<Checksum> salts_;
    Checksum stated_;
    std::optional<std::size_t> damaged_;
    std::uint32_t whole_frames_ = 0;
    int commits_behind_ = 0;
};

/// What is wrong with it; empty: nothing.
std::string damage_in(const std::filesystem::path& database, const WalMark& mark)
{
    const std::filesystem::path path = database.string() + "-wal";
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file && errno != ENOENT) throw_errno("read", path);
    std::uint8_t header[kHeaderSize] = {};
    if (!file || read_at(file, 0, header, path) != kHeaderSize)  // nothing was ever committed into it
        return mark.frames == 0 ? "" : fmt::format("{} is gone, and commits were in it", path.string());

    Walk walk(header);
    std::vector<std::uint8_t> frame(kFrameHeaderSize + page_size_of(database));
    for (std::size_t offset = kHeaderSize; read_at(file, offset, frame, path) == frame.size(); offset += frame.size())
        walk.take(frame, offset);
    if (walk.lost_commits())
        return fmt::format("{} is damaged at byte {}, and commits lie behind that", path.string(), walk.damaged_at());
    if (walk.is_short_of(mark))
        return fmt::format("{} is damaged at byte {}: its end was acknowledged, and is not whole", path.string(),
                           walk.damaged_at());
    return {};
}

}  // namespace

void check_wal(const std::filesystem::path& database)
{
    // first the mark: the owner may write meanwhile, and the log then has more than it says
    if (!std::filesystem::exists(database)) return;
    const auto mark = find_mark(database);
    const std::string damage = damage_in(database, mark.value_or(WalMark{}));
    if (damage.empty() || find_mark(database) != mark) return;  // the owner has come, or gone, meanwhile
    throw Error(Code::unavailable,
                damage + ". It was left as it is: keep a copy of the folder, and restore it from a backup",
                Hint{"to save what can be read", "verify --salvage FOLDER"});
}

}  // namespace cadre::storage
