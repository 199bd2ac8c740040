// Programs that try to get out, to take more than they may, or to outlive their call. Each fails with an error that has a name, and leaves
// nothing behind: no process, and no file but in its workspace.
#include "support/skip.hpp"
#include "tools/builtin/workspace.hpp"
#include "tools/sandbox/test_box.hpp"

#include "base/async_scope.hpp"
#include "base/timeout.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using namespace cadre::tools;
using namespace std::chrono_literals;

namespace {

struct Attempt {
    const char* name;
    const char*
        code;  // Python; `call(number, …)` makes a system call and says what came of it, OUTSIDE is a folder of ours
    const char* says;
};

constexpr const char* kPrelude = R"(
import ctypes, os, sys, socket, signal, subprocess, time, errno
libc = ctypes.CDLL(None, use_errno=True)
def call(*a):
    ctypes.set_errno(0)
    r = libc.syscall(*[ctypes.c_long(x) if isinstance(x, int) else x for x in a])
    print('went well' if r >= 0 else errno.errorcode[ctypes.get_errno()])
def attempt(f, *a, **k):
    try:
        print('went well', f(*a, **k))
    except OSError as e:
        print(errno.errorcode[e.errno])
)";

const Attempt kReading[] = {
    {"passwords", "attempt(open, '/etc/shadow')", "ENOENT"},
    {"passwords by a link", "os.symlink('/etc/shadow', 'link'); attempt(open, 'link')", "ENOENT"},
    {"the home folder",
     "attempt(os.listdir, os.path.expanduser('~root')); attempt(os.listdir, '/root'); attempt(os.listdir, '/home')",
     "ENOENT\nENOENT\n"},
    {"files of ours", "attempt(open, OUTSIDE + '/canary')", "ENOENT"},
    {"the container's master", "attempt(open, '/var/run/docker.sock'); attempt(open, '/run/docker.sock')",
     "ENOENT\nENOENT\n"},
    {"users of this machine", "print(open('/etc/passwd').read().count(':'), len(os.listdir('/etc')) < 25)", "6 True\n"},
    {"our environment", "print('SECRET' in str(os.environ), b'SECRET' in open('/proc/1/environ', 'rb').read())",
     "False False\n"},
    {"open files of ours", "print(sorted(int(n) for n in os.listdir('/proc/self/fd'))[:4])", "[0, 1, 2, 3]\n"},
    {"other processes", "print(len([n for n in os.listdir('/proc') if n.isdigit()]) <= 3)", "True\n"},
    {"environments of others",
     "print(sum(b'SECRET' in open(f'/proc/{n}/environ', 'rb').read() for n in os.listdir('/proc') if n.isdigit()))",
     "0\n"},
    {"open files of our first process",
     "print(all(os.readlink('/proc/1/fd/' + n).startswith('pipe:') for n in os.listdir('/proc/1/fd')))", "True\n"},
    {"the root of others", "attempt(open, '/proc/1/root' + OUTSIDE + '/canary'); attempt(os.listdir, '/sys')",
     "ENOENT\nENOENT\n"},
    {"a way back by an open folder",
     "os.chdir('/'); f = os.open('.', os.O_RDONLY); attempt(os.open, '../../../..' + OUTSIDE, os.O_RDONLY, dir_fd=f)",
     "ENOENT"},
    {"the kernel's memory", "attempt(open, '/proc/kmsg'); attempt(open, '/dev/mem'); attempt(open, '/dev/kmsg')",
     "EACCES\nENOENT\nENOENT\n"},
    {"disks", "print([n for n in os.listdir('/dev') if n.startswith(('vd', 'sd', 'nvme', 'loop', 'dm'))])", "[]\n"},
};

const Attempt kWriting[] = {
    {"the system", "[attempt(open, p + '/x', 'w') for p in ('/usr', '/usr/bin', '/etc', '/', '/dev', '/proc')]",
     "EROFS\nEROFS\nEROFS\nEROFS\nEROFS\n"},
    {"above the workspace",
     "attempt(open, '../x', 'w'); attempt(open, '../../../x', 'w'); attempt(os.rename, '/task/artifacts', '/task/y')",
     "EROFS\nEROFS\nE"},
    {"files of ours", "attempt(open, OUTSIDE + '/new', 'w')", "ENOENT"},
    {"the kernel's settings",
     "attempt(open, '/proc/sys/kernel/core_pattern', 'r+'); attempt(open, '/proc/sys/kernel/printk_ratelimit', 'a')",
     "EROFS\nEROFS\n"},
    {"the kernel's triggers",
     "attempt(lambda: os.write(os.open('/proc/self/uid_map', os.O_WRONLY), b'0 0 1')); attempt(open, "
     "'/proc/sys/user/max_user_namespaces', 'w'); "
     "attempt(open, '/proc/sysrq-trigger', 'w')",
     "EACCES\nEACCES\nE"},
    {"our first process",
     "attempt(open, '/first', 'w'); attempt(os.chmod, '/first', 0o777); attempt(os.unlink, '/first')",
     "EROFS\nEROFS\nEROFS\n"},
    {"through links of an earlier call",
     "os.symlink(OUTSIDE, 'way'); os.symlink('/proc/1/root/etc/passwd', 'who'); attempt(open, 'way/new', 'w'); "
     "attempt(open, 'who', 'a'); os.unlink('way'); os.unlink('who')",
     "ENOENT\nEROFS\n"},
    {"a hard link to a file that is only to be read",
     "attempt(os.link, '/proc/self/exe', 'exe', follow_symlinks=True); attempt(os.link, '/first', '/tmp/first')",
     "EXDEV\nEXDEV\n"},
    {"a hard link to the system", "attempt(os.link, '/usr/bin/env', 'env'); attempt(os.link, '/etc/passwd', 'p')",
     "EXDEV\nEXDEV\n"},
    {"device nodes",
     "import stat; attempt(os.mknod, 'disk', 0o600 | stat.S_IFBLK, os.makedev(8, 0)); attempt(os.mknod, '/tmp/mem', "
     "0o600 | stat.S_IFCHR, os.makedev(1, 1))",
     "EPERM\nEPERM\n"},
    {"a program that runs as its owner",
     "open('x', 'w').close(); attempt(os.chmod, 'x', 0o4755); attempt(os.open, 'y', os.O_CREAT | os.O_WRONLY, 0o6755)",
     "EPERM\nEPERM\n"},
};

const Attempt kKernel[] = {
    {"tracing", "call(101, 0, 0, 0, 0); call(101, 16, 1, 0, 0)", "EPERM\nEPERM\n"},
    {"to be root", "attempt(os.setuid, 0); attempt(os.setgid, 0); attempt(os.setgroups, [0])", "EINVAL\nEINVAL\nE"},
    {"to gain rights",
     "s = open('/proc/self/status').read(); print([l.split()[1] for l in s.splitlines() if l.startswith(('CapEff', "
     "'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp:'))])",
     "['0000000000000000', '0000000000000000', '0000000000000000', '1', '2']\n"},
    {"the clock",
     "call(164, b'0' * 16, None); call(227, 0, b'0' * 16); call(159, b'0' * 256); call(305, 0, b'0' * 256)",
     "EPERM\nEPERM\nEPERM\nEPERM\n"},
    {"rings of work for the kernel", "call(425, 8, b'0' * 128); call(426, 3, 1, 0, 0); call(427, 3, 0, 0)",
     "ENOSYS\nENOSYS\nENOSYS\n"},
    {"files by their number", "call(303, -100, b'/', b'0' * 128, b'0' * 8, 0); call(304, 3, b'0' * 128, 0)",
     "EPERM\nEPERM\n"},
    {"a file of another by its process", "call(438, 1, 0, 0); call(312, 1, 1, 0, 0, 0)", "EPERM\nEPERM\n"},
    {"higher limits",
     "import resource as r\n"
     "def more(what): r.setrlimit(what, (r.RLIM_INFINITY, r.RLIM_INFINITY))\n"
     "for what in (r.RLIMIT_AS, r.RLIMIT_CPU, r.RLIMIT_FSIZE, r.RLIMIT_NPROC):\n"
     "  try: more(what); print('went well')\n"
     "  except (ValueError, PermissionError) as e: print('refused')",
     "refused\nrefused\nrefused\nrefused\n"},
    {"another's memory", "call(310, 1, 0, 0, 0, 0, 0); call(311, 1, 0, 0, 0, 0, 0)", "EPERM\nEPERM\n"},
    {"mounting",
     "call(165, b'none', b'/tmp', b'tmpfs', 0, None); call(166, b'/usr', 2); call(428, -100, b'/', 0); call(430, "
     "b'tmpfs', 0)",
     "EPERM\nEPERM\nEPERM\nEPERM\n"},
    {"another root", "attempt(os.chroot, '/tmp'); call(155, b'/tmp', b'/tmp')", "EPERM\nEPERM\n"},
    {"namespaces",
     "call(272, 0x10000000); call(272, 0x20000); call(56, 0x10000000 | 17, 0, 0, 0, 0); call(435, 0, 0); call(308, 0, "
     "0)",
     "EPERM\nEPERM\nEPERM\nENOSYS\nEPERM\n"},
    {"keyrings", "call(248, b'user', b'k', b'v', 1, -3); call(250, 0, -3, 0); call(249, b'user', b'k', None, 0)",
     "EPERM\nEPERM\nEPERM\n"},
    {"programs for the kernel",
     "call(321, 0, 0, 0); call(298, 0, 0, -1, -1, 0); call(323, 0); call(425, 1, 0); call(175, 0, 0, b''); call(246, "
     "0, 0, 0, 0)",
     "EPERM\nEPERM\nEPERM\nENOSYS\nEPERM\nEPERM\n"},
    {"memory that is not counted",
     "attempt(os.memfd_create, 'm'); call(29, 0, 1 << 20, 0o1600); call(68, 0, 0o1600); call(64, 0, 100, 0o1600); "
     "call(206, 1000, b'0' * 8)",
     "EPERM\nEPERM\nEPERM\nEPERM\nENOSYS\n"},
    {"another personality", "call(135, 0x40000)", "EPERM"},
    {"the terminal of somebody",
     "import fcntl; m, s = os.openpty(); attempt(fcntl.ioctl, s, 0x5412, b'x'); "
     "attempt(fcntl.ioctl, s, 0x5423, b'0' * 4)",
     "EPERM\nEPERM\n"},
    {"calls of another machine", "call(0x40000000 + 39)", "ENOSYS"},
};

const Attempt kOthers[] = {
    {"the network", "s = socket.socket(); s.settimeout(5); attempt(s.connect, ('1.1.1.1', 80))", "ENETUNREACH"},
    {"strange sockets",
     "attempt(socket.socket, 17, 3); attempt(socket.socket, 16, 3); attempt(socket.socket, 40, 1); "
     "attempt(socket.socket, 38, 5)",
     "EAFNOSUPPORT\nEAFNOSUPPORT\nEAFNOSUPPORT\nEAFNOSUPPORT\n"},
    {"strange protocols",
     "[attempt(socket.socket, 2, t, p) for t, p in ((1, 132), (6, 33), (1, 262), (2, 136), (3, 255))]",
     "EPROTONOSUPPORT\nEPROTONOSUPPORT\nEPROTONOSUPPORT\nEPROTONOSUPPORT\nE"},
    {"our own server", "s = socket.socket(); s.settimeout(5); attempt(s.connect, ('127.0.0.1', PORT))", "ECONNREFUSED"},
    {"an abstract socket of ours", "s = socket.socket(socket.AF_UNIX); attempt(s.connect, '\\0' + NAME)",
     "ECONNREFUSED"},
    {"a signal to us", "attempt(os.kill, OUR_PID, 9); attempt(os.kill, PARENT_PID, 9)", "ESRCH\nESRCH\n"},
};

/// Somebody to talk to, outside.
class Listener {
public:
    explicit Listener(int family) : socket_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
    ~Listener() { ::close(socket_); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    int port() const
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(socket_, 1) == 0);
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
        return ntohs(address.sin_port);
    }
    void at(const std::string& name) const
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        name.copy(address.sun_path + 1, sizeof address.sun_path - 2);
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
        REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(socket_, 1) == 0);
    }

private:
    int socket_;
};

/// A read-only mount, somebody else's file, no such way, or a rule of Landlock: which of them forbids it first depends on who runs this, and
/// on the kernel.
std::string in_one_voice(std::string text)
{
    for (const std::string_view name : {"EACCES", "ENETUNREACH", "ECONNREFUSED", "EXDEV", "EPERM"})
        for (std::size_t place = 0; (place = text.find(name)) != std::string::npos;)
            text.replace(place, name.size(), "EROFS");
    return text;
}

template <std::size_t N>
void try_all(const Attempt (&attempts)[N], const std::string& constants = "")
{
    if (const std::string why = why_no_sandbox(); !why.empty()) return test::skip(why.c_str());
    ::setenv("CADRE_TEST_SECRET", "SECRET", 1);
    TestBox box;
    put(box.folder.outside() / "canary", "ours");
    const std::string start = kPrelude + ("OUTSIDE = '" + box.folder.outside().string() + "'\n") + constants;
    for (const Attempt& attempt : attempts) {
        CAPTURE(std::string(attempt.name));
        const SandboxOutcome outcome = box.python(start + attempt.code);
        CAPTURE(outcome.errors);
        CAPTURE(outcome.output);
        CHECK(outcome.exit_code == 0);
        CHECK(in_one_voice(outcome.output).starts_with(in_one_voice(attempt.says)));
        CHECK(outcome.output.find("went well") == std::string::npos);
        CHECK(survivors(box.folder.workspace()) == 0);
        CHECK(content_of(box.folder.outside() / "canary") == "ours");
        CHECK(std::distance(std::filesystem::directory_iterator(box.folder.outside()), {}) == 1);
    }
    ::unsetenv("CADRE_TEST_SECRET");
}

}  // namespace

TEST_CASE("escape: reading what is not for it")
{
    try_all(kReading);
}

TEST_CASE("escape: writing where it may not")
{
    try_all(kWriting);
}

#if defined(__x86_64__)  // the numbers of its system calls
TEST_CASE("escape: asking the kernel")
{
    try_all(kKernel);
}
#endif

TEST_CASE("escape: reaching others")
{
    const Listener server(AF_INET), local(AF_UNIX);
    const std::string name = "cadre-escape-" + std::to_string(::getpid());
    local.at(name);
    try_all(kOthers, "PORT = " + std::to_string(server.port()) + "\nNAME = '" + name + "'\nOUR_PID = " +
                         std::to_string(::getpid()) + "\nPARENT_PID = " + std::to_string(::getppid()) + "\n");
}

TEST_CASE("escape: a link that it leaves leads nobody out")
{
    if (const std::string why = why_no_sandbox(); !why.empty()) return test::skip(why.c_str());
    TestBox box;
    put(box.folder.outside() / "canary", "ours");
    const auto outcome = box.sh("ln -s ../outside/canary link; ln -s ../outside way; ls");
    CHECK(outcome.output == "link\nway\n");
    CHECK(outcome.changed.empty());  // links are no files
    CHECK(box.sh("echo x > way/new; echo x > link").exit_code != 0);
    const Workspace workspace(box.folder.workspace());
    CHECK_THROWS_WITH_AS(workspace.read("link", 0, 10), doctest::Contains("symbolic link"), Error);
    CHECK_THROWS_WITH_AS(workspace.read("way/canary", 0, 10), doctest::Contains("symbolic link"), Error);
}
