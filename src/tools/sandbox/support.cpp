#include "tools/sandbox/support.hpp"

#include <cerrno>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cadre::tools {

namespace {

std::string in_a_container(const char* option)
{
    return std::string("in a container, start that with --security-opt ") + option +
           ", or Cadre with CADRE_SANDBOX=none if the container is sandbox enough";
}

}  // namespace

int user_namespace_error()
{
    const pid_t child = ::fork();
    if (child < 0) return errno;
    if (child == 0) ::_exit(::unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

std::string user_namespace_fix(int error)
{
    if (error == ENOSPC) return "sysctl user.max_user_namespaces=10000";
    return "sysctl kernel.unprivileged_userns_clone=1 on Debian, kernel.apparmor_restrict_unprivileged_userns=0 on "
           "Ubuntu; " +
           in_a_container("seccomp=unconfined");
}

std::string bubblewrap_fix(std::string_view said, int error)
{
    if (error != 0) return user_namespace_fix(error);
    if (said.find("mount proc") != said.npos) return in_a_container("systempaths=unconfined");
    return "`doctor` says what this machine has";
}

bool has_seccomp_filters()
{
    // a null filter is refused as a bad address by a kernel that has filters, as a bad request by one that has none
    errno = 0;
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr, 0, 0);
    return errno == EFAULT;
}

long landlock_abi()
{
    const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return abi < 0 ? -errno : abi;
}

}  // namespace cadre::tools
