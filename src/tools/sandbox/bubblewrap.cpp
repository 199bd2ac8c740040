#include "tools/sandbox/bubblewrap.hpp"

#include <initializer_list>
#include <system_error>

namespace cadre::tools {

namespace {

namespace fs = std::filesystem;

constexpr const char* kNobody = "65534";
constexpr const char* kFirst = "/first";

/// Folders of the system; on most machines links into /usr.
constexpr const char* kSystem[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

/// What programs need to start, to show times and to know whom to trust. Nothing that says who uses this machine.
constexpr const char* kSettings[] = {
    "/etc/ld.so.cache", "/etc/ld.so.conf",      "/etc/ld.so.conf.d",    "/etc/alternatives",
    "/etc/ssl/certs",   "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/ca-certificates.conf",
    "/etc/localtime",   "/etc/timezone",        "/etc/mime.types",      "/etc/magic",
    "/etc/python3",     "/etc/python3.11",      "/etc/java-17-openjdk", "/etc/perl"};
constexpr const char* kNetworkSettings[] = {"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/services",
                                            "/etc/protocols"};

/// A sandbox of root's is root for the kernel where only the number of the owner is asked for, as with the settings in /proc/sys:
/// there it could name the program that the kernel runs at the next crash. So these cannot be written to …
constexpr const char* kKernelFolders[] = {"/proc/sys",  "/proc/fs",   "/proc/irq",    "/proc/bus",
                                          "/proc/acpi", "/proc/scsi", "/proc/asound", "/proc/driver"};
/// … nor these be opened: a device on a mount without devices.
constexpr const char* kKernelFiles[] = {
    "/proc/sysrq-trigger", "/proc/kcore",         "/proc/kmsg",        "/proc/keys",       "/proc/key-users",
    "/proc/timer_list",    "/proc/sched_debug",   "/proc/mtrr",        "/proc/kpagecount", "/proc/kpageflags",
    "/proc/kpagecgroup",   "/proc/latency_stats", "/proc/vmallocinfo", "/proc/slabinfo",   "/proc/swaps"};

class Arguments {
public:
    void add(std::initializer_list<std::string> more) { list_.insert(list_.end(), more); }
    std::vector<std::string> take() { return std::move(list_); }

private:
    std::vector<std::string> list_;
};

void add_namespaces(Arguments& out, bool network)
{
    // one by one and not --unshare-all, which goes on without those that it cannot have
    out.add({"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try",
             "--disable-userns"});
    if (!network) out.add({"--unshare-net"});
    out.add({"--uid", kNobody, "--gid", kNobody, "--hostname", "sandbox", "--cap-drop", "ALL"});
    // --as-pid-1: when our first process ends, the kernel ends all others before anybody hears of it
    out.add({"--die-with-parent", "--new-session", "--as-pid-1"});
}

void add_system(Arguments& out, const SandboxPolicy& policy, const BubblewrapFiles& files)
{
    out.add({"--ro-bind", "/usr", "/usr"});
    std::error_code none;
    for (const char* folder : kSystem) {
        if (fs::is_symlink(folder, none)) out.add({"--symlink", fs::read_symlink(folder, none).string(), folder});
        else out.add({"--ro-bind-try", folder, folder});
    }
    for (const char* file : kSettings) out.add({"--ro-bind-try", file, file});
    if (policy.network)
        for (const char* file : kNetworkSettings) out.add({"--ro-bind-try", file, file});
    out.add({"--ro-bind-data", std::to_string(files.passwd), "/etc/passwd"});
    out.add({"--ro-bind-data", std::to_string(files.group), "/etc/group"});
}

void add_kernel(Arguments& out, const SandboxLimits& limits)
{
    out.add({"--proc", "/proc"});
    for (const char* folder : kKernelFolders) out.add({"--ro-bind-try", folder, folder});
    std::error_code none;
    for (const char* file : kKernelFiles)
        if (fs::exists(file, none)) out.add({"--ro-bind", "/dev/null", file});
    out.add({"--dev", "/dev", "--size", std::to_string(limits.scratch), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"});
}

void add_folders(Arguments& out, const SandboxPolicy& policy, const BubblewrapFiles& files)
{
    out.add({"--size", std::to_string(policy.limits.scratch), "--tmpfs", "/tmp"});
    for (const Readable& one : policy.readable) out.add({"--ro-bind", one.source.string(), one.place});
    if (!policy.workspace.empty()) out.add({"--bind", policy.workspace.string(), kInnerWorkspace});
    if (!policy.shared.empty()) out.add({"--bind", policy.shared.string(), kInnerShared});
    out.add({"--chdir", policy.workspace.empty() ? "/tmp" : kInnerWorkspace});
    out.add({"--perms", "0555", "--file", std::to_string(files.first), kFirst, "--remount-ro", "/"});
}

/// What our first process is told: how many others there may be, whether it is to forbid TCP, where may be written.
void add_first(Arguments& out, const SandboxPolicy& policy)
{
    out.add({"--", kFirst, std::to_string(policy.limits.processes), policy.network ? "network" : "alone", "/tmp",
             "/dev/shm"});
    if (!policy.workspace.empty()) out.add({kInnerWorkspace});
    if (!policy.shared.empty()) out.add({kInnerShared});
    out.add({"--"});
}

}  // namespace

std::vector<std::string> bubblewrap_command(const SandboxPolicy& policy, const BubblewrapFiles& files,
                                            const std::vector<std::string>& program)
{
    Arguments out;
    out.add({"bwrap"});
    add_namespaces(out, policy.network);
    add_system(out, policy, files);
    add_kernel(out, policy.limits);
    add_folders(out, policy, files);
    out.add({"--seccomp", std::to_string(files.seccomp)});
    add_first(out, policy);
    std::vector<std::string> all = out.take();
    all.insert(all.end(), program.begin(), program.end());
    return all;
}

std::vector<std::string> program_environment(const SandboxPolicy& policy)
{
    const bool bare = policy.mode == model::SandboxMode::none;
    const std::string workspace = bare ? policy.workspace.string() : kInnerWorkspace;
    const std::string shared = bare ? policy.shared.string() : kInnerShared;
    std::vector<std::string> all{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", "TMPDIR=/tmp", "LANG=C.UTF-8"};
    if (!policy.workspace.empty()) all.push_back("CADRE_ARTIFACTS=" + workspace);
    if (!policy.shared.empty()) all.push_back("CADRE_SHARED=" + shared);
    if (!policy.key.empty()) all.push_back("CADRE_IDEMPOTENCY_KEY=" + policy.key);
    return all;
}

}  // namespace cadre::tools
