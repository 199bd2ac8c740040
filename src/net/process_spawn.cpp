#include "net/process_spawn.hpp"

#include "base/error.hpp"
#include "net/descriptor_limit.hpp"
#include "net/process_keeper.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cadre::net {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

class Owned {
public:
    Owned() = default;
    explicit Owned(int number) : number_(number) {}
    Owned(Owned&& other) noexcept : number_(other.release()) {}
    Owned& operator=(Owned&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Owned()
    {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }
    int release() { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

[[noreturn]] void cannot_start(const std::string& program, const std::string& why)
{
    throw Error(Code::unavailable, "cannot start " + in_quotes(program) + ": " + why);
}

[[noreturn]] void cannot_start(const std::string& program, int error)
{
    const char* fix = error == EMFILE ? "; allow this program more of them (ulimit -n)" : "";
    cannot_start(program, std::generic_category().message(error) + fix);
}

struct Pipe {
    Owned read, write;
};

/// Above the three standard numbers, which the child gives away: a program may have been started without them.
Owned above_standard(int number)
{
    if (number > STDERR_FILENO) return Owned(number);
    const Owned low(number);
    return Owned(::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

Pipe make_pipe(const std::string& program)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) cannot_start(program, errno);
    Pipe pipe{above_standard(ends[0]), above_standard(ends[1])};
    if (pipe.read.number() < 0 || pipe.write.number() < 0) cannot_start(program, errno);
    return pipe;
}

std::string path_of(const std::vector<std::string>& environment)
{
    for (const std::string& entry : environment)
        if (entry.starts_with("PATH=")) return entry.substr(5);
    const char* ours = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
    return ours ? ours : kDefaultPath;
}

bool is_program(const std::string& file)
{
    struct stat entry{};
    return ::stat(file.c_str(), &entry) == 0 && S_ISREG(entry.st_mode) && ::access(file.c_str(), X_OK) == 0;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

struct Limit {
    int resource = 0;
    std::uint64_t most = 0;
    bool can_be_raised = false;  // by the program itself, as far as we could
};

std::vector<Limit> limits_of(const ProcessLimits& limits)
{
    std::vector<Limit> list{{RLIMIT_CORE, 0}};  // a core dump is the program's memory in a file
    const auto add = [&](int resource, const std::optional<std::uint64_t>& most) {
        if (most) list.push_back({resource, *most});
    };
    add(RLIMIT_AS, limits.memory);
    add(RLIMIT_CPU, limits.cpu);
    add(RLIMIT_FSIZE, limits.file_size);
    add(RLIMIT_NOFILE, limits.open_files);
    if (const auto earlier = earlier_descriptor_limit(); earlier && !limits.open_files)
        list.push_back({RLIMIT_NOFILE, *earlier, true});
    add(RLIMIT_NPROC, limits.processes);
    return list;
}

/// The next one of those that this process may use; nothing where that is not known.
std::optional<cpu_set_t> next_core()
{
    cpu_set_t ours;
    if (::sched_getaffinity(0, sizeof ours, &ours) != 0 || CPU_COUNT(&ours) < 2) return std::nullopt;
    static std::atomic<unsigned> turn = 0;
    int left = static_cast<int>(turn++ % static_cast<unsigned>(CPU_COUNT(&ours)));
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &ours) && left-- == 0) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            return one;
        }
    return std::nullopt;
}

/// What the child needs, made before there is one: it shares our memory, or has a copy in which another thread may hold any lock.
struct ChildPlan {
    const char* program = nullptr;
    char* const* argv = nullptr;
    char* const* environment = nullptr;
    const char* folder = nullptr;  // null: ours
    const std::vector<Limit>* limits = nullptr;
    const cpu_set_t* cores = nullptr;  // null: ours
    const std::vector<int>* passed = nullptr;
    std::array<int, 3> standard{};
    int report = -1;
    int cgroup = -1;
    bool keeper = false;
    pid_t parent = 0;
};

enum class Stage : int { prepare, folder, limits, program };

struct Report {
    Stage stage = Stage::prepare;
    int error = 0;
};

[[noreturn]] void give_up(const ChildPlan& plan, Stage stage)
{
    const Report report{stage, errno};
    [[maybe_unused]] const ssize_t ignored = ::write(plan.report, &report, sizeof report);
    ::_exit(127);
}

bool set_limit(const Limit& limit)
{
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource>(limit.resource), &now) != 0) return false;
    now.rlim_cur = std::min<rlim_t>(now.rlim_max, limit.most);
    // a second more before it is killed: a signal first, whose name says why
    if (!limit.can_be_raised)
        now.rlim_max = std::min<rlim_t>(now.rlim_max, limit.most + (limit.resource == RLIMIT_CPU ? 1 : 0));
    return ::setrlimit(static_cast<__rlimit_resource>(limit.resource), &now) == 0;
}

/// Only what is safe after fork() in a program of many threads: system calls.
[[noreturn]] void become(const ChildPlan& plan)
{
    // our handlers must not run here, nor may what we ignore be ignored there
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);

    if (::setpgid(0, 0) != 0) give_up(plan, Stage::prepare);
    if (::prctl(PR_SET_PDEATHSIG, plan.keeper ? kOwnerEnded : SIGKILL) != 0 || ::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        give_up(plan, Stage::prepare);
    if (::getppid() != plan.parent) ::_exit(127);  // it ended before we asked to be told
    if (plan.keeper && !is_kept()) give_up(plan, Stage::prepare);

    for (int number = 0; number < 3; ++number)
        if (::dup2(plan.standard[static_cast<std::size_t>(number)], number) < 0) give_up(plan, Stage::prepare);
    ::close_range(STDERR_FILENO + 1, ~0U,
                  CLOSE_RANGE_CLOEXEC);  // where it fails, what we opened ourselves is marked anyway
    for (const int number : *plan.passed)
        if (::fcntl(number, F_SETFD, 0) != 0) give_up(plan, Stage::prepare);

    if (plan.folder && ::chdir(plan.folder) != 0) give_up(plan, Stage::folder);
    for (const Limit& limit : *plan.limits)
        if (!set_limit(limit)) give_up(plan, Stage::limits);
    if (plan.cores) ::sched_setaffinity(0, sizeof *plan.cores, plan.cores);  // where it fails, it has ours

    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(plan.program, plan.argv, plan.environment);
    give_up(plan, Stage::program);
}

/// Born there and not moved there, which makes the whole machine wait for some milliseconds; for that a copy of our page tables is the
/// lesser price. Below 0: not to be had.
pid_t fork_into(int cgroup)
{
    if (cgroup < 0) return -1;
    clone_args how{};
    how.flags = CLONE_INTO_CGROUP;
    how.exit_signal = SIGCHLD;
    how.cgroup = static_cast<std::uint64_t>(cgroup);
    return static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
}

/// vfork: a copy of a large program's page tables takes milliseconds. All signals wait meanwhile, because a handler of ours
/// would run in the child on our memory.
[[gnu::noinline]] pid_t start(const ChildPlan& plan)
{
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork_into(plan.cgroup);
    if (pid < 0 && plan.keeper) pid = ::_Fork();  // it stays what it is, so it cannot have our memory
    else if (pid < 0) pid = ::vfork();            // NOLINT(clang-analyzer-security.insecureAPI.vfork): see above
    if (pid == 0) become(plan);
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return pid;
}

[[noreturn]] void fail(const ProcessPlan& plan, const std::string& program, const Report& report)
{
    const std::string why = std::generic_category().message(report.error);
    switch (report.stage) {
    case Stage::folder: cannot_start(program, "its folder " + plan.folder.string() + ": " + why);
    case Stage::limits: cannot_start(program, "its limits cannot be set: " + why);
    case Stage::prepare: cannot_start(program, why);
    case Stage::program: break;
    }
    if (report.error == ENOENT || report.error == ENOTDIR)
        throw Error(Code::not_found,
                    "there is no program " + in_quotes(program) + ", or not the interpreter that its first line names");
    if (report.error == ENOEXEC)
        cannot_start(
            program,
            "it is neither a program for this machine nor a script whose first line (#!) names its interpreter");
    if (report.error == EACCES) cannot_start(program, why + "; is it executable? (chmod +x)");
    cannot_start(program, why);
}

int without_blocking(Owned descriptor)
{
    ::fcntl(descriptor.number(), F_SETFL, ::fcntl(descriptor.number(), F_GETFL) | O_NONBLOCK);
    return descriptor.release();
}

}  // namespace

std::string find_program(const ProcessPlan& plan)
{
    const std::string& name = plan.argv.at(0);
    if (name.find('/') != std::string::npos) return name;
    const std::string path = path_of(plan.environment);
    for (std::size_t start = 0; start <= path.size();) {
        const std::size_t end = std::min(path.find(':', start), path.size());
        const std::string folder = path.substr(start, end - start);
        start = end + 1;
        if (!folder.starts_with('/')) continue;  // whose it is depends on where somebody stands
        if (std::string file = folder + "/" + name; is_program(file)) return file;
    }
    throw Error(Code::not_found,
                "there is no program " + in_quotes(name) + " in PATH; install it, or give its full path");
}

Spawned spawn(const ProcessPlan& plan)
{
    const std::string program = find_program(plan);
    const std::vector<char*> argv = pointers_to(plan.argv), environment = pointers_to(plan.environment);
    const std::vector<Limit> limits = limits_of(plan.limits);
    const auto cores = plan.limits.one_core ? next_core() : std::nullopt;
    Pipe in = make_pipe(program), out = make_pipe(program), err = make_pipe(program), report = make_pipe(program);
    const ChildPlan child{.program = program.c_str(),
                          .argv = argv.data(),
                          .environment = environment.data(),
                          .folder = plan.folder.empty() ? nullptr : plan.folder.c_str(),
                          .limits = &limits,
                          .cores = cores ? &*cores : nullptr,
                          .passed = &plan.passed,
                          .standard = {in.read.number(), out.write.number(), err.write.number()},
                          .report = report.write.number(),
                          .cgroup = plan.cgroup,
                          .keeper = plan.keeper,
                          .parent = ::getpid()};
    const pid_t pid = start(child);
    if (pid < 0) cannot_start(program, errno);

    report.write = Owned();  // else we would wait for ourselves
    Report said;
    ssize_t size = 0;
    do size = ::read(report.read.number(), &said, sizeof said);
    while (size < 0 && errno == EINTR);
    const int pidfd = size == 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)) : -1;
    if (pidfd < 0) {
        if (size != sizeof said) said = {Stage::prepare, errno};
        ::kill(pid, SIGKILL);
        while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {}
        fail(plan, program, said);
    }
    return {.pid = pid,
            .pidfd = pidfd,
            .in = without_blocking(std::move(in.write)),
            .out = without_blocking(std::move(out.read)),
            .err = without_blocking(std::move(err.read))};
}

}  // namespace cadre::net
