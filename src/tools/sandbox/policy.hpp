// What a program that a tool runs may do and take.
#pragma once

#include "base/time.hpp"
#include "model/sandbox_mode.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cadre::tools {

/// All are always set. Memory, processes and the folders' contents are also watched as a whole while the program runs.
struct SandboxLimits {
    std::uint64_t memory = 512 << 20;  // bytes, of each process and of all together
    std::uint64_t cpu = 60;            // seconds, of each process
    std::uint64_t processes = 64;
    std::uint64_t open_files = 256;       // of each process
    std::uint64_t file_size = 256 << 20;  // bytes of one file
    std::uint64_t folder_size = 1 << 30;  // bytes in the workspace
    std::size_t folder_files = 10'000;    // files and folders in the workspace
    std::uint64_t scratch = 64 << 20;     // bytes in /tmp
    std::size_t output = 1 << 20;         // bytes that are kept of what it says, and of its errors; the rest is counted
    Millis time{300'000};
};

/// Something of the machine that the program sees, and cannot change.
struct Readable {
    std::filesystem::path source{};
    std::string place{};  // where it sees it
};

struct SandboxPolicy {
    model::SandboxMode mode = model::SandboxMode::bubblewrap;
    bool network = false;               // all of it: the machine's own, without the egress policy
    std::filesystem::path workspace{};  // its working folder, which it may write to; empty: it has only /tmp
    std::filesystem::path shared{};     // another folder that it may write to; empty: none
    std::vector<Readable> readable{};   // besides the system
    std::string key{};                  // CADRE_IDEMPOTENCY_KEY: the same on every dispatch of a call; empty: none
    SandboxLimits limits{};
};

/// Where the two folders are for the program. Without a sandbox they are where they are.
inline constexpr const char* kInnerWorkspace = "/task/artifacts";
inline constexpr const char* kInnerShared = "/task/sandbox/shared";

/// `sandbox/shared/` beside the task's `artifacts/`; empty when there is no workspace.
std::filesystem::path shared_folder(const std::filesystem::path& workspace);

}  // namespace cadre::tools
