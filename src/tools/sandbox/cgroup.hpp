// A cgroup (of version 2) for one call: limits of all its processes together, what they used, and a word that ends them all. Used where
// this process may make one; where it may not, limits of single processes and our own look at the tree have to do.
#pragma once

#include "base/time.hpp"
#include "tools/builtin/descriptor.hpp"
#include "tools/sandbox/policy.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cadre {
class Pool;
}

namespace cadre::tools {

/// What the group says that we are in, beneath which those of calls are made.
struct CgroupFacts {
    std::filesystem::path folder{};        // empty: there are no cgroups of version 2
    bool is_writable = false;              // groups can be made in it
    bool is_delegated = false;             // systemd has left it to us
    bool is_root = false;                  // which alone may have processes beside groups with controllers
    std::vector<std::string> offered{};    // controllers that it has …
    std::vector<std::string> handed_on{};  // … and that groups in it have
};

/// `mounts` are where the file system may be, `groups` is like /proc/self/cgroup.
std::filesystem::path find_own_cgroup(const std::vector<std::filesystem::path>& mounts, const std::string& groups);
CgroupFacts look_at_cgroup(std::filesystem::path folder);
/// Of the group that this process is in. Blocks, briefly.
CgroupFacts own_cgroup();

/// What can be made of it.
struct CgroupPlan {
    bool used = false;                       // for CPU time and the end of all processes at least
    bool memory = false, processes = false;  // limited together
    std::vector<std::string> hand_on{};      // controllers that have to be asked for first
    std::string missing{};                   // why it is not all; empty: it is
};
CgroupPlan plan_cgroups(const CgroupFacts& facts);

/// A file of the group and what is put into it.
struct CgroupSetting {
    std::string_view file;
    std::string text;

    bool operator==(const CgroupSetting&) const = default;
};
std::vector<CgroupSetting> cgroup_settings(const SandboxLimits& limits);

struct CgroupUse {
    Millis cpu{};                   // of all processes, waited for or not
    std::uint64_t peak_memory = 0;  // bytes, of all together; 0: not known
    bool ran_out = false;           // the kernel ended them because of their memory
};

CgroupUse use_of_cgroup(const std::filesystem::path& folder);

/// Groups are made where this process is, or in a folder that a test has.
class Cgroup {
public:
    /// Null where there is none to be had: never a reason not to run. Blocks, briefly.
    static std::shared_ptr<Cgroup> make(Pool& pool, const SandboxLimits& limits);
    static std::shared_ptr<Cgroup> make_in(const CgroupFacts& facts, const CgroupPlan& plan, Pool& pool,
                                           const SandboxLimits& limits);
    /// Ends all that is in it; the rest is done on the pool, which outlives it.
    ~Cgroup();
    Cgroup(const Cgroup&) = delete;
    Cgroup& operator=(const Cgroup&) = delete;

    /// A descriptor, for processes that are to be born in it.
    int descriptor() const { return descriptor_.number(); }
    const std::filesystem::path& folder() const { return folder_; }
    /// Ends all processes in it at once.
    void kill() noexcept;
    /// When all have ended. Blocks, until they have.
    void remove() noexcept;

private:
    Cgroup(std::filesystem::path folder, Pool& pool);

    std::filesystem::path folder_;
    Pool& pool_;
    Descriptor descriptor_;
};

/// Ends and removes groups of processes that are no more.
void sweep_cgroups(const std::filesystem::path& folder);

}  // namespace cadre::tools
