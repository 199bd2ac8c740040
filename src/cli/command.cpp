#include "cli/command.hpp"

#include "cli/environment.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cadre::cli {
namespace {

constexpr std::size_t kMaxOutput = 4096;

struct Descriptor {
    int number = -1;

    Descriptor() = default;
    explicit Descriptor(int n) : number(n) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }

    void close()
    {
        if (number >= 0) ::close(std::exchange(number, -1));
    }
};

std::string text_of(int error)
{
    return std::generic_category().message(error);
}

/// Starts the program with `output` as its standard output and error; 0 or why it could not be started.
int start(const std::vector<std::string>& words, int output, pid_t& pid)
{
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);  // we ignore it, and that would be inherited
    posix_spawnattr_setsigdefault(&attributes, &broken_pipe);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);

    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::string path = "PATH=" + environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
    std::array<char*, 2> variables{path.data(), nullptr};
    const int error = ::posix_spawnp(&pid, arguments[0], &files, &attributes, arguments.data(), variables.data());

    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/// Appends what can be read now, as far as there is room; false at the end of the output.
bool drain(int descriptor, std::string& output)
{
    std::array<char, kMaxOutput> piece;
    while (true) {
        const ssize_t size = ::read(descriptor, piece.data(), piece.size());
        if (size == 0) return false;
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return true;
        output.append(piece.data(), std::min(static_cast<std::size_t>(size), kMaxOutput - output.size()));
    }
}

/// Collects output until the process `handle` stands for has ended; false when the time is over first.
bool listen(int descriptor, int handle, Instant deadline, std::string& output)
{
    const Clock& clock = system_clock();
    std::array<pollfd, 2> waits{pollfd{handle, POLLIN, 0}, pollfd{descriptor, POLLIN, 0}};
    for (Instant now = clock.instant(); now < deadline; now = clock.instant()) {
        const auto left = std::chrono::ceil<Millis>(deadline - now);
        if (::poll(waits.data(), waits.size(), static_cast<int>(left.count())) <= 0) continue;
        if (waits[1].revents && !drain(descriptor, output)) waits[1].fd = -1;  // its end of the pipe is closed
        if (waits[0].revents) return true;
    }
    return false;
}

}  // namespace

Outcome run_command(const std::vector<std::string>& words, Millis limit)
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {.output = text_of(errno)};
    const Descriptor read_end(ends[0]);
    Descriptor write_end(ends[1]);
    ::fcntl(read_end.number, F_SETFL, O_NONBLOCK);

    pid_t pid = 0;
    if (const int error = start(words, write_end.number, pid)) return {.output = text_of(error)};
    write_end.close();

    // no wrapper in glibc 2.36; without a handle listen() runs into its deadline, and the process is killed
    const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    Outcome outcome;
    outcome.timed_out = !listen(read_end.number, handle.number, system_clock().instant() + limit, outcome.output);
    if (outcome.timed_out) ::kill(-pid, SIGKILL);

    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    drain(read_end.number, outcome.output);
    outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}

}  // namespace cadre::cli
