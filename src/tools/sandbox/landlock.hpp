// What Landlock is asked to forbid, by what the kernel's version of it knows. The first process in a sandbox is made of this too: it has no
// library, so nothing here needs one.
#pragma once

#include <cstdint>

namespace cadre::tools::landlock {

/// The kernel's numbers; the headers of this machine may be older than its kernel.
enum Right : std::uint64_t {
    execute = 1 << 0,
    write_file = 1 << 1,
    read_file = 1 << 2,
    read_dir = 1 << 3,
    make_char = 1 << 6,
    make_block = 1 << 11,
    refer = 1 << 13,
    truncate = 1 << 14,
    ioctl_dev = 1 << 15,
};
inline constexpr std::uint64_t kBindTcp = 1 << 0, kConnectTcp = 1 << 1;
inline constexpr std::uint64_t kAbstractSockets = 1 << 0, kSignals = 1 << 1;

/// As landlock_create_ruleset() takes it: what is forbidden where no rule allows it. An older kernel takes it too, if what it does not
/// know is 0.
struct Ruleset {
    std::uint64_t files = 0;
    std::uint64_t network = 0;
    std::uint64_t scoped = 0;  // nothing of it may reach processes outside

    bool operator==(const Ruleset&) const = default;
};

/// Its first version forbids to move files between folders, to everybody: programs would break.
inline constexpr long kFirstAbi = 2, kTcpAbi = 4, kScopeAbi = 6;

/// All rights on files that the version knows.
constexpr std::uint64_t file_rights(long abi)
{
    constexpr std::uint64_t first = (refer << 1) - 1;
    if (abi < kFirstAbi) return 0;
    if (abi < 3) return first;
    return abi < 5 ? first | truncate : first | truncate | ioctl_dev;
}

/// With `network`, TCP stays free.
constexpr Ruleset ruleset(long abi, bool network)
{
    Ruleset rules{.files = file_rights(abi)};
    if (abi >= kTcpAbi && !network) rules.network = kBindTcp | kConnectTcp;
    if (abi >= kScopeAbi) rules.scoped = kAbstractSockets | kSignals;
    return rules;
}

/// What is allowed beneath: the sandbox's root, /dev, and folders that are for writing. Nothing is to be written in /proc: it holds the
/// kernel's settings.
inline constexpr std::uint64_t kEverywhere = execute | read_file | read_dir;
inline constexpr std::uint64_t kDevices = read_file | read_dir | write_file | truncate | ioctl_dev;
inline constexpr std::uint64_t kWritable = ~std::uint64_t{make_char | make_block | ioctl_dev};

}  // namespace cadre::tools::landlock
