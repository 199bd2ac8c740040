#include "cli/probe_sandbox.hpp"

#include "cli/environment.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <linux/landlock.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace cadre::cli {
namespace {

constexpr Millis kBubblewrapLimit{5000};
constexpr const char* kControllers[] = {"cpu", "memory", "pids"};

Finding look_at_bubblewrap()
{
    return judge_bubblewrap(run_command({"bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"}, kBubblewrapLimit));
}

/// Only trying tells: distributions forbid user namespaces in half a dozen ways.
Finding look_at_user_namespaces()
{
    const bool root = ::geteuid() == 0;
    const pid_t child = ::fork();
    if (child < 0) return judge_user_namespaces(errno, root);
    if (child == 0) ::_exit(::unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return judge_user_namespaces(WIFEXITED(status) ? WEXITSTATUS(status) : EPERM, root);
}

Finding look_at_landlock()
{
    const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return judge_landlock(abi < 0 ? -errno : abi);
}

Finding look_at_seccomp()
{
    // a null filter is refused as a bad address by a kernel that has filters, as a bad request by one that has none
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr, 0, 0);
    if (errno == EFAULT) return {.found = "filters are available"};
    return {Status::warning, "the kernel has no seccomp filters", "use a kernel with CONFIG_SECCOMP_FILTER"};
}

/// The path of our own group: /proc/self/cgroup has lines like `4:cpu,cpuacct:/path`, and `0::/path` for version 2.
std::string own_group(const std::string& controller)
{
    std::istringstream lines(file_text("/proc/self/cgroup"));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t names = line.find(':') + 1;
        const std::size_t path = line.find(':', names) + 1;
        const std::string listed = "," + line.substr(names, path - 1 - names) + ",";
        if (listed.find("," + controller + ",") != std::string::npos) return line.substr(path);
    }
    return "/";
}

bool is_version_2(const char* mount)
{
    struct statfs system{};
    return ::statfs(mount, &system) == 0 && system.f_type == CGROUP2_SUPER_MAGIC;
}

CgroupFacts version_2_facts()
{
    for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
        if (!is_version_2(mount)) continue;
        CgroupFacts facts{.version = 2};
        const std::string folder = mount + own_group("");
        std::istringstream offered(file_text(folder + "/cgroup.controllers"));
        for (std::string name; offered >> name;)
            if (std::ranges::find(kControllers, name) != std::end(kControllers)) facts.controllers.push_back(name);
        facts.writable =
            ::access(folder.c_str(), W_OK) == 0 && ::access((folder + "/cgroup.subtree_control").c_str(), W_OK) == 0;
        return facts;
    }
    return {};
}

CgroupFacts version_1_facts()
{
    CgroupFacts facts{.writable = true};
    for (const char* name : kControllers) {
        const std::string folder = fmt::format("/sys/fs/cgroup/{}{}", name, own_group(name));
        if (::access(folder.c_str(), F_OK) != 0) continue;
        facts.version = 1;
        facts.controllers.push_back(name);
        facts.writable = facts.writable && ::access(folder.c_str(), W_OK) == 0;
    }
    return facts;
}

Finding look_at_cgroups()
{
    CgroupFacts facts = version_2_facts();
    if (facts.controllers.empty()) facts = version_1_facts();
    facts.systemd = runs_systemd();
    return judge_cgroups(facts);
}

constexpr Probe kProbes[] = {
    {"bubblewrap", look_at_bubblewrap}, {"user namespaces", look_at_user_namespaces},
    {"Landlock", look_at_landlock},     {"seccomp", look_at_seccomp},
    {"cgroups", look_at_cgroups},
};

std::string first_line(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

}  // namespace

Finding judge_bubblewrap(const Outcome& outcome)
{
    const std::string price = "tools that need the sandbox will be refused";
    if (!outcome.ran())
        return {Status::warning, fmt::format("{}: bwrap: {}", price, outcome.output), "apt-get install bubblewrap"};
    if (outcome.timed_out)
        return {Status::warning, fmt::format("{}: bwrap did not end in time", price),
                "see what `bwrap --unshare-all --ro-bind / / true` waits for"};
    if (outcome.exit != 0)
        return {Status::warning, fmt::format("{}: {}", price, first_line(outcome.output)),
                "allow user namespaces, and in a container nested ones"};
    return {.found = "can run a program"};
}

Finding judge_user_namespaces(int error, bool root)
{
    if (error == 0) return {.found = root ? "can be made; this was tried as root" : "can be made"};
    const std::string found = fmt::format("refused: {}", std::generic_category().message(error));
    if (error == ENOSPC) return {Status::warning, found, "sysctl user.max_user_namespaces=10000"};
    return {Status::warning, found,
            "sysctl kernel.unprivileged_userns_clone=1 on Debian, kernel.apparmor_restrict_unprivileged_userns=0 on "
            "Ubuntu; in a container, a looser seccomp profile"};
}

Finding judge_landlock(long abi)
{
    if (abi >= 1) return {.found = fmt::format("ABI {}", abi)};
    if (abi == -EOPNOTSUPP)
        return {Status::warning, "built into the kernel, but switched off",
                "add landlock to the kernel's boot parameter lsm="};
    return {Status::warning, "the kernel does not have it; bubblewrap alone guards files",
            "use a kernel of 5.13 or later with Landlock"};
}

Finding judge_cgroups(const CgroupFacts& cgroups)
{
    const std::string fix = cgroups.systemd && cgroups.version != 1
                                ? fmt::format("systemd-run --user --scope -p Delegate=yes {} ...", program_name())
                                : "none from here: it takes systemd and cgroups of version 2";
    const std::string price = "a tool's processes are limited one by one, not together";
    if (cgroups.controllers.empty()) return {Status::warning, "none that could be used; " + price, fix};
    const std::string found = fmt::format("version {}: {}", cgroups.version, fmt::join(cgroups.controllers, ", "));
    if (!cgroups.writable) return {Status::warning, found + ", not writable; " + price, fix};
    if (cgroups.controllers.size() < std::size(kControllers))
        return {Status::warning, found + "; for the rest " + price, fix};
    return {.found = found + ", writable"};
}

std::span<const Probe> sandbox_probes()
{
    return kProbes;
}

}  // namespace cadre::cli
