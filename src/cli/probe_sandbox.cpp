#include "cli/probe_sandbox.hpp"

#include "cli/environment.hpp"
#include "cli/here.hpp"
#include "home/project/project.hpp"
#include "tools/sandbox/cgroup.hpp"
#include "tools/sandbox/landlock.hpp"
#include "tools/sandbox/support.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <system_error>
#include <unistd.h>

namespace cadre::cli {
namespace {

constexpr Millis kBubblewrapLimit{5000};

Finding look_at_bubblewrap()
{
    if (home::sandbox_mode(place_here()) == model::SandboxMode::none)
        return {Status::warning, "not used, because of CADRE_SANDBOX=none: programs of tools can do whatever you can",
                "unset CADRE_SANDBOX"};
    return judge_bubblewrap(
        run_command({"bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"},
                    kBubblewrapLimit));
}

Finding look_at_user_namespaces()
{
    const bool root = ::geteuid() == 0;
    return judge_user_namespaces(tools::user_namespace_error(), root);
}

Finding look_at_landlock()
{
    return judge_landlock(tools::landlock_abi());
}

Finding look_at_seccomp()
{
    if (tools::has_seccomp_filters()) return {.found = "filters are available"};
    return {Status::warning, "the kernel has no seccomp filters; tools that need the sandbox will be refused",
            std::string(tools::kSeccompFix)};
}

Finding look_at_cgroups()
{
    return judge_cgroups(tools::plan_cgroups(tools::own_cgroup()), runs_systemd());
}

constexpr Probe kSandboxProbes[] = {
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
        return {Status::warning, fmt::format("{}: bwrap: {}", price, outcome.output),
                std::string(tools::kBubblewrapFix)};
    if (outcome.timed_out)
        return {Status::warning, fmt::format("{}: bwrap did not end in time", price),
                "see what `bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev true` waits for"};
    if (outcome.exit != 0)
        return {Status::warning, fmt::format("{}: {}", price, first_line(outcome.output)),
                outcome.output.find("mount proc") != std::string::npos
                    ? tools::bubblewrap_fix(outcome.output, 0)
                    : "allow user namespaces, and in a container nested ones"};
    return {.found = "can run a program"};
}

Finding judge_user_namespaces(int error, bool root)
{
    if (error == 0) return {.found = root ? "can be made; this was tried as root" : "can be made"};
    const std::string found = fmt::format("refused: {}", std::generic_category().message(error));
    return {Status::warning, found, tools::user_namespace_fix(error)};
}

Finding judge_landlock(long abi)
{
    const std::string price = "not used: bubblewrap alone guards files";
    const std::string fix = "use a kernel of 5.19 or later with Landlock";
    if (abi == -EOPNOTSUPP)
        return {Status::warning, price + ", because it is switched off in the kernel",
                "add landlock to the kernel's boot parameter lsm="};
    if (abi < 1)
        return {Status::warning,
                fmt::format("{}, because the kernel does not offer it: {}", price,
                            std::generic_category().message(static_cast<int>(-abi))),
                fix};
    const std::vector<Number> value{{"abi", static_cast<std::uint64_t>(abi)}};
    if (abi < tools::landlock::kFirstAbi)
        return {Status::warning, price + ", because ABI 1 forbids to move files between folders", fix, value};
    const tools::landlock::Ruleset rules = tools::landlock::ruleset(abi, false);
    return {.found = fmt::format("used, for files{}{} (ABI {})", rules.network != 0 ? ", TCP" : "",
                                 rules.scoped != 0 ? ", signals and sockets of others" : "", abi),
            .value = value};
}

Finding judge_cgroups(const tools::CgroupPlan& plan, bool systemd)
{
    const std::string fix =
        systemd ? fmt::format("systemd-run --user --scope -p Delegate=yes {} ...", program_name())
                : "start Cadre in a cgroup of version 2 that has memory and pids and is writable for it";
    if (!plan.used)
        return {Status::warning,
                "not used: a tool's processes are limited one by one, and watched together, because " + plan.missing,
                fix};
    std::string found = "used, for CPU time";
    if (plan.memory) found += ", memory";
    if (plan.processes) found += ", the number of processes";
    found += " and the end of all that a tool starts";
    if (plan.missing.empty()) return {.found = found};
    return {Status::warning, fmt::format("{}; not for the rest, because {}", found, plan.missing), fix};
}

std::span<const Probe> sandbox_probes()
{
    return kSandboxProbes;
}

}  // namespace cadre::cli
