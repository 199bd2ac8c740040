// The first process in a sandbox: sets what can only be set from inside, says that it all stands, starts the program, is the parent of all
// that lose theirs, and ends as the program does. Its end is the end of everybody in there.
//
//     first PROCESSES network|alone [FOLDER…] -- PROGRAM [ARGUMENT…]        FOLDER: may be written to
//
// It comes into the sandbox as a file that we carry, so it has no library: a machine may have none that fits, and it starts sooner.
#include "tools/sandbox/landlock.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

namespace {

namespace landlock = cadre::tools::landlock;

long call(long number, long a = 0, long b = 0, long c = 0, long d = 0)
{
#if defined(__x86_64__)
    long result = 0;
    register long fourth asm("r10") = d;
    register long fifth asm("r8") = 0;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                 : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long result asm("x0") = a;
    register long second asm("x1") = b;
    register long third asm("x2") = c;
    register long fourth asm("x3") = d;
    register long fifth asm("x4") = 0;
    register long what asm("x8") = number;
    asm volatile("svc 0" : "+r"(result) : "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(what) : "memory");
    return result;
#else
#error "how this machine calls its kernel is not known"
#endif
}

long at(const void* pointer)
{
    return reinterpret_cast<long>(pointer);
}

unsigned long length(const char* text)
{
    unsigned long size = 0;
    while (text[size] != '\0') ++size;
    return size;
}

bool is_same(const char* a, const char* b)
{
    while (*a != '\0' && *a == *b) ++a, ++b;
    return *a == *b;
}

void say(const char* text)
{
    call(SYS_write, 2, at(text), static_cast<long>(length(text)));
}

void say_number(long number)
{
    char digits[24];
    char* first = digits + sizeof digits - 1;
    *first = '\0';
    do *--first = static_cast<char>('0' + number % 10);
    while ((number /= 10) > 0);
    say(first);
}

[[noreturn]] void end(int code)
{
    while (true) call(SYS_exit_group, code);
}

/// Before the program has begun: what is said is why the sandbox is not there.
long must(const char* what, long result)
{
    if (result >= 0) return result;
    say(what);
    say(" failed with error ");
    say_number(-result);
    say("\n");
    end(126);
}

struct [[gnu::packed]] Rule {
    std::uint64_t allowed = 0;
    std::int32_t folder = -1;
};

void allow(long rules, std::uint64_t rights, const char* folder)
{
    const long place = call(SYS_openat, AT_FDCWD, at(folder), O_PATH | O_CLOEXEC);
    if (place == -ENOENT) return;
    must("landlock: opening a folder", place);
    const Rule rule{rights, static_cast<std::int32_t>(place)};
    must("landlock_add_rule", call(SYS_landlock_add_rule, rules, 1, at(&rule)));
    call(SYS_close, place);
}

void lock(bool network, char** folders)
{
    const long abi = call(SYS_landlock_create_ruleset, 0, 0, 1);
    if (abi < landlock::kFirstAbi) return;  // doctor says so
    const landlock::Ruleset forbidden = landlock::ruleset(abi, network);
    const long rules =
        must("landlock_create_ruleset", call(SYS_landlock_create_ruleset, at(&forbidden), sizeof forbidden));
    allow(rules, landlock::kEverywhere, "/");
    allow(rules, landlock::kDevices & forbidden.files, "/dev");
    for (; !is_same(*folders, "--"); ++folders) allow(rules, landlock::kWritable & forbidden.files, *folders);
    must("landlock_restrict_self", call(SYS_landlock_restrict_self, rules));
    call(SYS_close, rules);
}

/// The kernel counts processes in the namespace only for a limit that is set inside of it.
void limit_processes(const char* text)
{
    unsigned long most = 0;
    for (; *text != '\0'; ++text) most = most * 10 + static_cast<unsigned long>(*text - '0');
    const unsigned long both[2] = {most + 1, most + 1};  // and this one
    must("prlimit", call(SYS_prlimit64, 0, RLIMIT_NPROC, at(both)));
}

/// Returns when it cannot be run. What is no program of the machine's and names no interpreter is the shell's, as everywhere; what stands
/// before `argv` is the `--`, in whose place that comes.
long execute(const char* file, char** argv, char** environment)
{
    const long result = call(SYS_execve, at(file), at(argv), at(environment));
    if (result != -ENOEXEC) return result;
    argv[-1] = const_cast<char*>("/bin/sh");
    argv[0] = const_cast<char*>(file);
    return call(SYS_execve, at(argv[-1]), at(argv - 1), at(environment));
}

[[noreturn]] void become(char** argv, char** environment)
{
    const char* name = argv[0];
    bool has_folder = false;
    for (const char* c = name; *c != '\0'; ++c) has_folder = has_folder || *c == '/';
    long error = -ENOENT;
    if (has_folder) {
        error = execute(name, argv, environment);
    } else if (length(name) < 256) {
        constexpr const char* folders[] = {"/usr/local/bin/", "/usr/bin/", "/bin/"};
        for (const char* folder : folders) {
            char file[320];
            char* place = file;
            for (const char* c = folder; *c != '\0';) *place++ = *c++;
            for (const char* c = name; *c != '\0';) *place++ = *c++;
            *place = '\0';
            const long result = execute(file, argv, environment);
            if (result != -ENOENT) error = result;
        }
    }
    say(name);
    say(error == -ENOENT ? ": not found\n" : error == -EACCES ? ": not executable\n" : ": cannot be run\n");
    end(error == -ENOENT ? 127 : 126);
}

[[noreturn]] void run(char** argv, char** environment)
{
    const long child = must("fork", call(SYS_clone, SIGCHLD));
    if (child == 0) become(argv, environment);
    while (true) {
        int status = 0;
        if (call(SYS_wait4, -1, at(&status)) != child) continue;  // somebody's orphan
        const int signal = status & 0x7f;
        end(signal != 0 ? 128 + signal : (status >> 8) & 0xff);
    }
}

}  // namespace

/// What the kernel puts there: the number of arguments, they, null, the environment, null.
extern "C" [[noreturn, gnu::used]] void begin(long* stack)
{
    char** argv = reinterpret_cast<char**>(stack + 1);
    char** environment = argv + stack[0] + 1;
    if (stack[0] < 5) end(126);
    limit_processes(argv[1]);
    lock(is_same(argv[2], "network"), argv + 3);
    char** program = argv + 3;
    while (!is_same(*program, "--")) ++program;
    say("\001begun\n");
    run(program + 1, environment);
}

#if defined(__x86_64__)
asm(".globl _start\n_start:\n xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call begin\n");
#elif defined(__aarch64__)
asm(".globl _start\n_start:\n mov x29, #0\n mov x0, sp\n bl begin\n");
#endif
