// Contents: what versions hold, in a folder of one task: a file for each SHA-256, written once, never changed.
#pragma once

#include "storage/files.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::artifacts {

/// Throws Error(unavailable) when the disk does. Used by one thread at a time.
class Contents {
public:
    /// The folder is made when something is kept.
    explicit Contents(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// `sha256` is its hash, under which it is kept. Durable once commit() returns; until then nobody finds it.
    void keep(std::string_view content, const std::string& sha256);
    struct FromFile {
        std::string sha256{};
        bool is_new = false;
        bool fits = true;  // false: it is new, and has more than `room` bytes; it is not kept
    };
    /// The same of an open file, whose hash it says; nothing: it has more than `most` bytes, or cannot be read.
    std::optional<FromFile> keep_file(int file, std::uint64_t most, std::uint64_t room);
    void commit();
    /// Forgets what was not committed.
    void roll_back() noexcept;

    bool has(const std::string& sha256) const;
    /// Not open: there is none.
    storage::Descriptor find(const std::string& sha256) const;
    /// Of all that is kept.
    std::uint64_t bytes() const;
    void each(const std::function<void(const std::string& sha256)>& visit) const;
    void remove(const std::string& sha256) const;

private:
    struct Draft {
        std::string sha256{};
        std::filesystem::path file{};
    };
    storage::Descriptor begin(std::filesystem::path& file);
    std::filesystem::path file_of(const std::string& sha256) const { return folder_ / sha256; }

    std::filesystem::path folder_;
    std::vector<Draft> drafts_;
    bool made_ = false;
};

/// Whether an open file holds what has that SHA-256.
bool holds(int file, std::string_view sha256);

}  // namespace cadre::artifacts
