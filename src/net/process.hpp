// Process: a program that somebody started, spoken to over pipes. It never outlives its owner, nor does what it has started.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::net {

class Loop;

/// What a process may take of the machine; what is not set is not limited. Inherited by all that it starts.
struct ProcessLimits {
    std::optional<std::uint64_t> memory{};     // bytes of address space, of each process
    std::optional<std::uint64_t> cpu{};        // seconds, of each process
    std::optional<std::uint64_t> file_size{};  // bytes of one file
    std::optional<std::uint64_t> open_files{};
    std::optional<std::uint64_t> processes{};  // of the user
    bool one_core = false;                     // of those that we may use, in turn
};

struct ProcessPlan {
    std::vector<std::string> argv{};         // argv[0] is looked up in the PATH of its environment, or ours
    std::vector<std::string> environment{};  // all of it, as NAME=value; nothing of ours is inherited
    std::filesystem::path folder{};          // empty: ours
    ProcessLimits limits{};
    std::vector<int> passed{};  // descriptors that it gets, besides its three, under the same numbers
    int cgroup = -1;  // a descriptor of the folder of one that it is born in; where the kernel refuses, in ours
    /// With a process between, which ends all that it has started when we are killed, or it ends by itself. The price is a copy of our
    /// page tables, and of what we write to while it lives.
    bool keeper = false;
    /// Gets what it writes to standard error, piece by piece, on the loop. Always drained, also when nobody wants it.
    std::function<void(std::string_view)> on_error{};
};

struct ProcessEnd {
    int exit_code = 0;  // 128 + signal for one that a signal ended
    std::optional<int> signal{};
    Millis cpu{};                   // of it and all it has waited for
    std::uint64_t peak_memory = 0;  // bytes, of the largest of them
};

/// In a process group of its own. Destroyed: the whole group is killed at once, and reaped. At most one coroutine reads and one
/// writes. Lives on its loop.
class Process {
public:
    /// Throws Error(not_found) when there is no such program, Error(unavailable) when it cannot be started.
    Process(Loop& loop, ProcessPlan plan);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    /// Of its group.
    int pid() const;

    /// What it has written to standard output, at most `most` bytes; empty at its end.
    Async<std::string> read(std::size_t most);
    /// All of it; false when the process reads no more.
    Async<bool> write(std::string text);
    /// It reads the end of its input.
    void close_input() noexcept;

    /// Waits until it has ended.
    Async<ProcessEnd> end();
    /// Sends a signal to the whole group.
    void signal(int number) noexcept;
    /// In good order: closes its input, waits `patience`, asks it to end (SIGTERM), waits again, kills the group.
    Async<ProcessEnd> stop(Millis patience);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::net
