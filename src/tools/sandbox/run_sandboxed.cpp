#include "tools/sandbox/run_sandboxed.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/pool.hpp"
#include "base/timeout.hpp"
#include "net/loop.hpp"
#include "net/process.hpp"
#include "net/process_tree.hpp"
#include "tools/builtin/descriptor.hpp"
#include "tools/sandbox/bubblewrap.hpp"
#include "tools/sandbox/cgroup.hpp"
#include "tools/sandbox/folder_scan.hpp"
#include "tools/sandbox/kept_text.hpp"
#include "tools/sandbox/sandboxed_plan.hpp"
#include "tools/sandbox/seccomp.hpp"
#include "tools/sandbox/support.hpp"
#include "tools/sandbox/tree_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace cadre::tools {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = 64 << 10;
constexpr Millis kTreeEvery{50};
constexpr int kFolderEvery = 10;  // looks at the tree: files are slower to look at, and to write
/// How long what was killed may take to end, and what was said to arrive.
constexpr Millis kAfterKill{5'000}, kRest{1'000};
constexpr std::size_t kNoLimit = 1'000'000;

[[noreturn]] void refuse(const std::string& why)
{
    throw NotDispatched(Code::unavailable, "Programs of tools run only in a sandbox, and there is none here: " + why);
}

/// A file without a name that holds this.
Descriptor file_of(std::string_view content)
{
    Descriptor file(::memfd_create("cadre", MFD_CLOEXEC));
    while (file && !content.empty()) {
        const ssize_t put = ::write(file.number(), content.data(), content.size());
        if (put <= 0) break;
        content.remove_prefix(static_cast<std::size_t>(put));
    }
    if (!file || !content.empty() || ::lseek(file.number(), 0, SEEK_SET) != 0)
        refuse("no memory for its filter: " + std::generic_category().message(errno));
    return file;
}

/// What bubblewrap reads; closed here once it runs.
struct Given {
    explicit Given(bool network)
        : seccomp(file_of(seccomp_program(network))),
          first(file_of(kSandboxFirst)),
          passwd(file_of(kPasswd)),
          group(file_of(kGroup))
    {}

    BubblewrapFiles numbers() const
    {
        return {
            .seccomp = seccomp.number(), .first = first.number(), .passwd = passwd.number(), .group = group.number()};
    }

    Descriptor seccomp, first, passwd, group;
};

/// Of processes our first process inside sees to it: the kernel counts those of a user in a namespace, and here that is everything we run.
net::ProcessLimits limits_of(const SandboxLimits& limits)
{
    return {.memory = limits.memory,
            .cpu = limits.cpu,
            .file_size = limits.file_size,
            .open_files = limits.open_files,
            .one_core = true};
}

std::unique_ptr<net::Process> start_process(net::Loop& loop, net::ProcessPlan plan)
{
    try {
        return std::make_unique<net::Process>(loop, std::move(plan));
    } catch (const Error& error) {
        throw NotDispatched(error.code(), error.what());
    }
}

std::unique_ptr<net::Process> start(net::Loop& loop, const SandboxPolicy& policy, std::vector<std::string> program,
                                    const Cgroup* group, KeptText& errors)
{
    net::ProcessPlan plan{.argv = std::move(program),
                          .environment = program_environment(policy),
                          .folder = policy.workspace,
                          .limits = limits_of(policy.limits),
                          .cgroup = group ? group->descriptor() : -1,
                          .on_error = [&errors](std::string_view piece) { errors.add(piece); }};
    if (policy.mode == model::SandboxMode::none) return start_process(loop, std::move(plan));

    if (!has_seccomp_filters()) refuse(fmt::format("the kernel has no seccomp filters; {}", kSeccompFix));
    const Given given(policy.network);
    const BubblewrapFiles files = given.numbers();
    plan.argv = bubblewrap_command(policy, files, plan.argv);
    plan.passed = {files.seccomp, files.first, files.passwd, files.group};
    try {
        return start_process(loop, std::move(plan));
    } catch (const Error& error) {
        if (error.code() == Code::not_found) refuse(fmt::format("bubblewrap is not installed; {}", kBubblewrapFix));
        refuse(error.what());
    }
}

/// bubblewrap said something else than that it stands.
[[noreturn]] void refuse_for(const std::string& said)
{
    std::string line = said.substr(0, said.find('\n'));
    if (line.empty()) line = "bwrap ended without a word";
    refuse(fmt::format("{}; {}", line, bubblewrap_fix(line, user_namespace_error())));
}

/// Only the first process of the namespace, which takes all others with it: so bubblewrap lives to tell what they used.
void kill_tree(net::Process& process, model::SandboxMode mode)
{
    const auto first = net::descendants_of(process.pid(), 1);
    if (mode == model::SandboxMode::none || first.empty()) process.signal(SIGKILL);
    else ::kill(first.front(), SIGKILL);
}

Async<> feed(net::Process& process, std::string input)
{
    co_await process.write(std::move(input));
    process.close_input();
}

Async<> collect(net::Process& process, KeptText& output)
{
    while (true) {
        const std::string piece = co_await process.read(kPiece);
        if (piece.empty()) co_return;
        output.add(piece);
    }
}

/// The folders that it may write to.
struct Folders {
    fs::path workspace, shared;
};
struct FolderScans {
    FolderScan workspace, shared;

    std::uint64_t bytes() const { return workspace.bytes + shared.bytes; }
    std::size_t entries() const { return workspace.entries + shared.entries; }
};

FolderScans scan_folders(const Folders& folders, std::size_t most)
{
    FolderScans scans;
    if (!folders.workspace.empty()) scans.workspace = scan_folder(folders.workspace, most);
    if (!folders.shared.empty()) scans.shared = scan_folder(folders.shared, most);
    return scans;
}

/// What is left to a call in folders that earlier ones have filled.
SandboxLimits limits_after(SandboxLimits limits, const FolderScans& before)
{
    limits.folder_size = std::max(limits.folder_size + before.workspace.our_bytes, before.bytes());
    limits.folder_files = std::max(limits.folder_files + before.workspace.our_entries, before.entries());
    return limits;
}

bool is_too_much(const FolderScans& scans, std::uint64_t unlinked, const SandboxLimits& limits)
{
    return scans.bytes() + unlinked > limits.folder_size || scans.entries() > limits.folder_files ||
           scans.workspace.is_too_deep || scans.shared.is_too_deep;
}

/// What the limits of single processes cannot say: what all of them take together.
std::optional<SandboxStop> judge(const TreeUse& use, const SandboxLimits& limits)
{
    // our first process, and in between its child that is about to become another program
    if (use.processes > limits.processes + 2) return SandboxStop::processes;
    if (use.memory > limits.memory) return SandboxStop::memory;
    return std::nullopt;
}

/// What is too much now, if anything.
Async<std::optional<SandboxStop>> look(Pool& pool, int pid, model::SandboxMode mode, std::optional<Folders> folders,
                                       SandboxLimits limits)
{
    const std::size_t most = limits.processes + 3;
    try {
        const TreeUse use = co_await on(pool, [pid, most] { return use_of_tree(pid, most); });
        if (const auto stop = judge(use, limits)) co_return stop;
        if (!folders) co_return std::nullopt;
        const bool too_much = co_await on(pool, [folders = std::move(*folders), pid, mode, most, limits] {
            if (mode != model::SandboxMode::none && scratch_files(pid) > limits.folder_files) return true;
            return is_too_much(scan_folders(folders, limits.folder_files + 1), unlinked_bytes(pid, most), limits);
        });
        if (too_much) co_return SandboxStop::folder;
    } catch (const Error&) {  // the pool is full: we look again
    }
    co_return std::nullopt;
}

Async<> watch(Pool& pool, net::Process& process, model::SandboxMode mode, Folders folders, SandboxLimits limits,
              std::optional<SandboxStop>& stopped)
{
    for (int count = 1;; ++count) {
        co_await sleep_for(kTreeEvery);
        auto looking =
            look(pool, process.pid(), mode, count % kFolderEvery == 0 ? std::optional(folders) : std::nullopt, limits);
        const auto stop = co_await std::move(looking);
        if (stopped) co_return;  // time was up meanwhile
        if (!stop) continue;
        stopped = stop;
        kill_tree(process, mode);
        co_return;
    }
}

/// Nothing when time is up first.
Async<std::optional<net::ProcessEnd>> end_within(net::Process& process, Millis time)
{
    try {
        co_return co_await with_timeout(process.end(), time, "a program");
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw;
    }
    co_return std::nullopt;
}

Async<net::ProcessEnd> end_of(net::Process& process, const SandboxPolicy& policy, std::optional<SandboxStop>& stopped)
{
    if (const auto end = co_await end_within(process, policy.limits.time)) co_return *end;
    if (!stopped) stopped = SandboxStop::time;
    kill_tree(process, policy.mode);
    if (const auto end = co_await end_within(process, kAfterKill)) co_return *end;
    process.signal(SIGKILL);
    co_return co_await process.end();
}

/// What was written before the end has all come when the pipe ends. A survivor may hold it open where there is no sandbox.
Async<> finish_reading(AsyncScope& reading, net::Process& process)
{
    process.signal(SIGKILL);
    try {
        co_await with_timeout(reading.join(), kRest, "the rest of the output");
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw;
    }
}

/// What the kernel counted of the whole tree, where it did, and of those that were waited for, where not. Nothing of it is left then.
Async<> settle_group(Pool& pool, std::shared_ptr<Cgroup> group, SandboxOutcome& outcome)
{
    if (!group) co_return;
    const CgroupUse use = co_await on(pool, [group] {
        const CgroupUse all = use_of_cgroup(group->folder());
        group->remove();
        return all;
    });
    outcome.usage.cpu_ms = std::max<std::int64_t>(outcome.usage.cpu_ms, use.cpu.count());
    if (use.peak_memory > 0) outcome.usage.peak_memory = static_cast<std::int64_t>(use.peak_memory);
    if (use.ran_out && !outcome.stopped) outcome.stopped = SandboxStop::memory;
}

Async<SandboxOutcome> run_program(net::Loop& loop, Pool& pool, const SandboxPolicy& policy,
                                  std::vector<std::string> program, std::string input, const SandboxLimits& limits,
                                  std::shared_ptr<Cgroup> group)
{
    KeptText output(policy.limits.output), errors(policy.limits.output + kBegun.size());
    const auto process = start(loop, policy, std::move(program), group.get(), errors);
    SandboxOutcome outcome;
    AsyncScope reading(co_await this_context()), others(co_await this_context());
    reading.spawn(collect(*process, output));
    others.spawn(feed(*process, std::move(input)));
    others.spawn(watch(pool, *process, policy.mode, {policy.workspace, policy.shared}, limits, outcome.stopped));

    const net::ProcessEnd end = co_await end_of(*process, policy, outcome.stopped);
    others.cancel();
    if (group) group->kill();
    co_await finish_reading(reading, *process);
    co_await others.close();
    co_await reading.close();
    const bool begun = policy.mode == model::SandboxMode::none || errors.drop_through(kBegun);
    if (!begun && !outcome.stopped) refuse_for(errors.text());

    outcome.output = output.text();
    outcome.errors = errors.text();
    outcome.exit_code = end.exit_code;
    outcome.usage = {.cpu_ms = end.cpu.count(), .peak_memory = static_cast<std::int64_t>(end.peak_memory)};
    co_await settle_group(pool, std::move(group), outcome);
    co_return outcome;
}

/// Throws NotDispatched.
void make_folder(const fs::path& folder)
{
    if (folder.empty()) return;
    std::error_code error;
    if (fs::is_symlink(folder, error)) refuse(folder.string() + " is a symbolic link");
    fs::create_directories(folder.parent_path(), error);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        refuse("cannot make " + folder.string() + ": " + std::generic_category().message(errno));
}

struct Prepared {
    FolderScans before;
    std::shared_ptr<Cgroup> group;  // null: there is none to be had
};

Prepared prepare(Pool& pool, const SandboxPolicy& policy)
{
    make_folder(policy.workspace);
    make_folder(policy.shared);
    return {.before = scan_folders({policy.workspace, policy.shared}, kNoLimit),
            .group = Cgroup::make(pool, policy.limits)};
}

/// Compares, and removes what is new when it is too much.
std::vector<std::string> settle(const Folders& folders, const FolderScans& before, const SandboxLimits& limits,
                                std::optional<SandboxStop>& stopped)
{
    const FolderScans after = scan_folders(folders, kNoLimit);
    if (!stopped && is_too_much(after, 0, limits)) stopped = SandboxStop::folder;
    if (stopped != SandboxStop::folder) return changed_files(before.workspace, after.workspace);
    if (!folders.workspace.empty()) remove_new(folders.workspace, before.workspace);
    if (!folders.shared.empty()) remove_new(folders.shared, before.shared);
    return {};
}

}  // namespace

SandboxedPlan sandboxed_plan(net::ProcessPlan plan, bool network)
{
    constexpr std::uint64_t kServerProcesses = 256;  // threads are counted, too
    if (!has_seccomp_filters()) refuse(fmt::format("the kernel has no seccomp filters; {}", kSeccompFix));
    SandboxPolicy policy{.network = network};
    policy.limits.processes = kServerProcesses;
    std::vector<std::string> program = std::move(plan.argv);
    if (!plan.folder.empty()) {
        policy.readable.push_back({plan.folder, plan.folder.string()});
        program.insert(program.begin(), {"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", plan.folder.string()});
    }
    const auto given = std::make_shared<const Given>(network);
    const BubblewrapFiles files = given->numbers();
    plan.argv = bubblewrap_command(policy, files, program);
    plan.passed = {files.seccomp, files.first, files.passwd, files.group};
    std::erase_if(plan.environment,
                  [](const std::string& one) { return one.starts_with("HOME=") || one.starts_with("TMPDIR="); });
    for (const char* own : {"HOME=/tmp", "TMPDIR=/tmp"}) plan.environment.emplace_back(own);
    return {.plan = std::move(plan), .given = given};
}

fs::path shared_folder(const fs::path& workspace)
{
    return workspace.empty() ? fs::path() : workspace.parent_path() / "sandbox" / "shared";
}

Async<SandboxOutcome> run_sandboxed(net::Loop& loop, Pool& pool, SandboxPolicy policy, std::vector<std::string> program,
                                    std::string input)
{
    Prepared prepared;
    try {
        prepared = co_await on(pool, [&pool, policy] { return prepare(pool, policy); });
    } catch (const Error& error) {
        throw NotDispatched(error.code(), error.what());
    }
    const SandboxLimits limits = limits_after(policy.limits, prepared.before);
    auto running =
        run_program(loop, pool, policy, std::move(program), std::move(input), limits, std::move(prepared.group));
    SandboxOutcome outcome = co_await std::move(running);

    struct Settled {
        std::vector<std::string> changed;
        std::optional<SandboxStop> stopped;
    };
    auto settled =
        co_await on(pool, [folders = Folders{policy.workspace, policy.shared}, before = std::move(prepared.before),
                           limits, stopped = outcome.stopped]() mutable {
            Settled both;
            both.changed = settle(folders, before, limits, stopped);
            both.stopped = stopped;
            return both;
        });
    outcome.changed = std::move(settled.changed);
    outcome.stopped = settled.stopped;
    co_return outcome;
}

}  // namespace cadre::tools
