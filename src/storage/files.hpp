// Files and folders that are ours alone (0600, 0700, whatever the umask) and that survive a power cut.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace cadre::storage {

inline constexpr unsigned kPrivateFile = 0600;
inline constexpr unsigned kPrivateFolder = 0700;

/// An open file descriptor; closed with it, and not inherited by programs that we start.
class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor();

    int get() const { return number_; }
    /// Whoever takes it closes it.
    int release() { return std::exchange(number_, -1); }
    explicit operator bool() const { return number_ >= 0; }

private:
    int number_;
};

/// Throws Error(unavailable) `cannot WHAT PATH: why`, from errno.
[[noreturn]] void throw_errno(std::string_view what, const std::filesystem::path& path);

/// Makes the folder and those above it that are missing. Durable. One that is there stays as it is.
void make_private_folder(const std::filesystem::path& folder);

/// Makes an empty file if there is none. Durable.
void make_private_file(const std::filesystem::path& file);

/// Puts `text` under this name, whole or not at all: written beside it, synced, renamed. Durable.
void write_private_file(const std::filesystem::path& file, std::string_view text);

/// Nothing when there is no such file.
std::optional<std::string> find_file(const std::filesystem::path& file);

void sync_folder(const std::filesystem::path& folder);

}  // namespace cadre::storage
