#include "tools/sandbox/cgroup.hpp"

#include "base/error.hpp"
#include "base/pool.hpp"
#include "net/process_tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <linux/magic.h>
#include <optional>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace cadre::tools {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "cadre-";
constexpr const char* kOwnLeaf =
    "cadre-main";  // for ourselves, where groups with controllers may not be beside processes
constexpr const char* kControllers[] = {"memory", "pids"};
/// How long what was killed may take to leave its group.
constexpr Millis kPatience{1'000}, kPause{1};

std::string text_of(const fs::path& file)
{
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> words_of(const fs::path& file)
{
    std::istringstream words(text_of(file));
    return {std::istream_iterator<std::string>(words), {}};
}

/// In one piece, as the kernel wants it. 0, or an errno.
int put(const fs::path& file, std::string_view text) noexcept
{
    const Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!descriptor) return errno;
    return ::write(descriptor.number(), text.data(), text.size()) < 0 ? errno : 0;
}

/// `name` and a number in a line of its own; 0 when it is not there.
std::uint64_t number_in(const fs::path& file, std::string_view name)
{
    const std::vector<std::string> words = words_of(file);
    const auto found = std::ranges::find(words, name);
    if (found == words.end() || std::next(found) == words.end()) return 0;
    std::uint64_t number = 0;
    const std::string& digits = *std::next(found);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

bool has(const std::vector<std::string>& words, std::string_view word)
{
    return std::ranges::find(words, word) != words.end();
}

bool is_version_2(const fs::path& mount)
{
    struct statfs system{};
    return ::statfs(mount.c_str(), &system) == 0 && system.f_type == CGROUP2_SUPER_MAGIC;
}

bool is_marked_delegated(const fs::path& folder)
{
    char value = '0';
    return (::getxattr(folder.c_str(), "user.delegate", &value, 1) == 1 && value == '1') ||
           (::getxattr(folder.c_str(), "trusted.delegate", &value, 1) == 1 && value == '1');
}

/// Moves us and ours into a leaf; false when somebody else is in the group too.
bool make_room(const fs::path& folder)
{
    const std::vector<pid_t> ours = net::descendants_of(::getpid(), 10'000);
    const std::vector<std::string> all = words_of(folder / "cgroup.procs");
    for (const std::string& pid : all)
        if (pid != std::to_string(::getpid()) &&
            std::ranges::none_of(ours, [&](pid_t one) { return pid == std::to_string(one); }))
            return false;
    const fs::path leaf = folder / kOwnLeaf;
    if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) return false;
    for (const std::string& pid : all)
        if (put(leaf / "cgroup.procs", pid) != 0) return false;
    return true;
}

void hand_on(const CgroupFacts& facts, const std::vector<std::string>& controllers)
{
    if (controllers.empty()) return;
    const std::string wish = fmt::format("+{}", fmt::join(controllers, " +"));
    const fs::path file = facts.folder / "cgroup.subtree_control";
    if (put(file, wish) == EBUSY && facts.is_delegated && make_room(facts.folder)) put(file, wish);
}

/// Whose group it is, by its name.
std::optional<pid_t> owner_of(std::string_view name)
{
    if (!name.starts_with(kPrefix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    return error == std::errc() && pid > 0 && end != name.data() + name.size() && *end == '-' ? std::optional(pid)
                                                                                              : std::nullopt;
}

void remove_group(const fs::path& folder) noexcept
{
    put(folder / "cgroup.kill", "1");
    for (Millis waited{}; ::rmdir(folder.c_str()) != 0 && errno == EBUSY && waited < kPatience; waited += kPause)
        std::this_thread::sleep_for(kPause);
}

}  // namespace

fs::path find_own_cgroup(const std::vector<fs::path>& mounts, const std::string& groups)
{
    std::istringstream lines(groups);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("0::/") || line.starts_with("0::/..")) continue;  // /..: outside of what we see
        for (const fs::path& mount : mounts) {
            std::error_code none;
            fs::path folder = line == "0::/" ? mount : mount / line.substr(4);
            if (fs::is_directory(folder, none)) return folder;
        }
    }
    return {};
}

CgroupFacts look_at_cgroup(fs::path folder)
{
    std::error_code none;
    CgroupFacts facts{.is_writable =
                          ::access(folder.c_str(), W_OK) == 0 && ::access((folder / "cgroup.procs").c_str(), W_OK) == 0,
                      .is_delegated = is_marked_delegated(folder),
                      .is_root = !fs::exists(folder / "cgroup.type", none),
                      .offered = words_of(folder / "cgroup.controllers"),
                      .handed_on = words_of(folder / "cgroup.subtree_control")};
    facts.folder = std::move(folder);
    return facts;
}

CgroupFacts own_cgroup()
{
    std::vector<fs::path> mounts;
    for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
        if (is_version_2(mount)) mounts.emplace_back(mount);
    const fs::path folder = find_own_cgroup(mounts, text_of("/proc/self/cgroup"));
    return folder.empty() ? CgroupFacts{} : look_at_cgroup(folder);
}

CgroupPlan plan_cgroups(const CgroupFacts& facts)
{
    CgroupPlan plan;
    if (facts.folder.empty()) {
        plan.missing = "there are no cgroups of version 2";
        return plan;
    }
    if (!facts.is_writable) {
        plan.missing = fmt::format("{} is not writable for us", facts.folder.string());
        return plan;
    }
    plan.used = true;
    for (const char* name : kControllers) {
        bool& can = std::string_view(name) == "memory" ? plan.memory : plan.processes;
        can = has(facts.handed_on, name);
        if (can) continue;
        if (!has(facts.offered, name)) {
            plan.missing +=
                fmt::format("{}{} has no controller {}", plan.missing.empty() ? "" : ", ", facts.folder.string(), name);
            continue;
        }
        can = facts.is_delegated || facts.is_root;
        if (can) plan.hand_on.emplace_back(name);
        else plan.missing = fmt::format("{} has processes, and is not delegated to us", facts.folder.string());
    }
    return plan;
}

std::vector<CgroupSetting> cgroup_settings(const SandboxLimits& limits)
{
    return {
        // what lies in /tmp and /dev/shm is memory too, and has limits of its own
        {"memory.max", std::to_string(limits.memory + 2 * limits.scratch)},
        {"memory.swap.max", "0"},
        {"memory.oom.group", "1"},
        // bubblewrap, our first process, and its child that is about to become another program
        {"pids.max", std::to_string(limits.processes + 3)},
    };
}

CgroupUse use_of_cgroup(const fs::path& folder)
{
    CgroupUse use{.cpu = Millis(static_cast<std::int64_t>(number_in(folder / "cpu.stat", "usage_usec") / 1000)),
                  .ran_out = number_in(folder / "memory.events", "oom_kill") > 0};
    const std::string peak = text_of(folder / "memory.peak");
    std::from_chars(peak.data(), peak.data() + peak.size(), use.peak_memory);
    return use;
}

std::shared_ptr<Cgroup> Cgroup::make(Pool& pool, const SandboxLimits& limits)
{
    struct Home {
        CgroupFacts facts = own_cgroup();
        CgroupPlan plan = plan_cgroups(facts);
        Home()
        {
            if (!plan.used) return;
            hand_on(facts, plan.hand_on);
            sweep_cgroups(facts.folder);
        }
    };
    static const Home home;
    return make_in(home.facts, home.plan, pool, limits);
}

std::shared_ptr<Cgroup> Cgroup::make_in(const CgroupFacts& facts, const CgroupPlan& plan, Pool& pool,
                                        const SandboxLimits& limits)
{
    static std::atomic<unsigned> count = 0;
    if (!plan.used) return nullptr;
    const fs::path folder = facts.folder / fmt::format("{}{}-{}", kPrefix, ::getpid(), ++count);
    if (::mkdir(folder.c_str(), 0755) != 0) return nullptr;
    // what can be had is had; what not is watched by ourselves
    for (const CgroupSetting& setting : cgroup_settings(limits)) put(folder / setting.file, setting.text);
    return std::shared_ptr<Cgroup>(new Cgroup(folder, pool));
}

Cgroup::Cgroup(fs::path folder, Pool& pool)
    : folder_(std::move(folder)), pool_(pool), descriptor_(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
{}

Cgroup::~Cgroup()
{
    if (folder_.empty()) return;
    kill();
    if (::rmdir(folder_.c_str()) == 0) return;
    try {
        pool_.submit([folder = folder_] { remove_group(folder); });
    } catch (const Error&) {  // the pool is full or ends: the next start of ours sweeps it
    }
}

void Cgroup::kill() noexcept
{
    put(folder_ / "cgroup.kill", "1");
}

void Cgroup::remove() noexcept
{
    remove_group(folder_);
    folder_.clear();
}

void sweep_cgroups(const fs::path& folder)
{
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const auto owner = owner_of(entry.path().filename().string());
        if (owner && ::kill(*owner, 0) != 0 && errno == ESRCH) remove_group(entry.path());
    }
}

}  // namespace cadre::tools
