#include "net/process_keeper.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Only what is safe after fork() in a program of many threads: system calls.
namespace cadre::net {

namespace {

/// Kills those that are children at this moment. False: there are none that it can kill.
bool kill_children()
{
    const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool any = false;
    pid_t pid = 0;
    char text[4096];
    for (ssize_t size = 0; (size = ::read(file, text, sizeof text)) > 0;)
        for (ssize_t i = 0; i < size; ++i) {
            if (text[i] >= '0' && text[i] <= '9') pid = pid * 10 + (text[i] - '0');
            else if (pid > 0) {
                any = ::kill(pid, SIGKILL) == 0 || any;
                pid = 0;
            }
        }
    ::close(file);
    return any;
}

/// The children of one that was killed become ours, wherever they have gone, until there are none.
void end_all()
{
    while (kill_children())
        if (::waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) return;
}

[[noreturn]] void end_like(int status)
{
    end_all();
    if (WIFSIGNALED(status)) {
        const int number = WTERMSIG(status);
        sigset_t it;
        sigemptyset(&it);
        sigaddset(&it, number);
        ::kill(::getpid(), number);
        ::sigprocmask(SIG_UNBLOCK, &it, nullptr);
    }
    ::_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

[[noreturn]] void keep(pid_t program)
{
    ::prctl(PR_SET_NAME, "cadre-keeper");
    ::close_range(0, ~0U, 0);  // else nobody would see that the program has closed its own
    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    sigaddset(&heard, kOwnerEnded);
    while (true) {
        int status = 0;
        for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;)
            if (ended == program) end_like(status);
        if (::sigwaitinfo(&heard, nullptr) == kOwnerEnded) {
            end_all();
            ::_exit(128 + SIGKILL);
        }
    }
}

}  // namespace

bool is_kept()
{
    const pid_t keeper = ::getpid(), program = ::_Fork();
    if (program > 0) keep(program);
    return program == 0 && ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == keeper;
}

}  // namespace cadre::net
