#include "tools/sandbox/seccomp.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <initializer_list>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <vector>

namespace cadre::tools {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "which system calls this machine has is not known"
#endif

constexpr std::uint32_t kOtherAbi = 0x40000000;  // x32: the same calls under other numbers
constexpr int kFchmodat2 = 452;                  // newer than Debian's headers
constexpr std::uint32_t kFirstUnknown = 463;     // the kernel's that are newer than this list
constexpr std::uint32_t kSetId = S_ISUID | S_ISGID;
constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                                      CLONE_NEWUTS | CLONE_NEWCGROUP;  // not of time: that bit is a signal here

/// Other programs and the kernel itself: no tool needs them, and most holes of past kernels were behind one of them.
constexpr int kForbidden[] = {
    // other processes
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_pidfd_getfd,
    SYS_kcmp,
    // what is seen of the file system
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_swapon,
    SYS_swapoff,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_fanotify_init,
    SYS_acct,
    // namespaces
    SYS_unshare,
    SYS_setns,
    // keys, which are not in a namespace
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    // programs inside the kernel, and its bowels
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_syslog,
    SYS_reboot,
    SYS_lookup_dcookie,
    // memory that no limit counts
    SYS_memfd_create,
    SYS_memfd_secret,
    SYS_mbind,
    // more cores than its own
    SYS_sched_setaffinity,
    SYS_set_mempolicy,
    SYS_migrate_pages,
    SYS_move_pages,
    SYS_shmget,
    SYS_msgget,
    SYS_semget,
    // the machine's clock and terminals
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_vhangup,
    SYS_personality,
#if defined(__x86_64__)
    SYS_ioperm,
    SYS_iopl,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_ustat,
    SYS_sysfs,
    SYS__sysctl,
    SYS_create_module,
    SYS_query_module,
    SYS_get_kernel_syms,
    SYS_nfsservctl,
#endif
};

/// Programs have another way when the kernel does not have these: clone, open. What is behind a pointer cannot be looked at.
/// Of io_setup() all programs of a machine together have a number that one could use up.
constexpr int kUnknown[] = {SYS_clone3,         SYS_openat2,        SYS_io_setup,
                            SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register};

class Filter {
public:
    Filter()
    {
        add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
        jump(BPF_JEQ, kArchitecture, 1, 0);
        answer(SECCOMP_RET_KILL_PROCESS);
        load_number();
    }

    void forbid(int number, int error)
    {
        jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 1);
        answer(error_of(error));
    }
    void forbid_from(std::uint32_t first, int error)
    {
        jump(BPF_JGE, first, 0, 1);
        answer(error_of(error));
    }
    /// When an argument has any of these bits.
    void forbid_bits(int number, unsigned argument, std::uint32_t bits, int error)
    {
        jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 4);
        load_argument(argument);
        jump(BPF_JSET, bits, 0, 1);
        answer(error_of(error));
        load_number();
    }
    /// When an argument has any of the first bits, and another any of the second.
    void forbid_bits(int number, unsigned argument, std::uint32_t bits, unsigned other, std::uint32_t other_bits,
                     int error)
    {
        jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 6);
        load_argument(argument);
        jump(BPF_JSET, bits, 0, 3);
        load_argument(other);
        jump(BPF_JSET, other_bits, 0, 1);
        answer(error_of(error));
        load_number();
    }
    void forbid_value(int number, unsigned argument, std::uint32_t value, int error)
    {
        jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 4);
        load_argument(argument);
        jump(BPF_JEQ, value, 0, 1);
        answer(error_of(error));
        load_number();
    }
    void forbid_others(int number, unsigned argument, std::initializer_list<std::uint32_t> allowed, int error)
    {
        const auto count = static_cast<std::uint8_t>(allowed.size());
        jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, static_cast<std::uint8_t>(count + 3));
        load_argument(argument);
        std::uint8_t left = count;
        for (const std::uint32_t value : allowed) jump(BPF_JEQ, value, left--, 0);
        answer(error_of(error));
        load_number();
    }

    std::string finished()
    {
        answer(SECCOMP_RET_ALLOW);
        return {reinterpret_cast<const char*>(code_.data()), code_.size() * sizeof(sock_filter)};
    }

private:
    static std::uint32_t error_of(int error) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error); }
    void add(std::uint16_t operation, std::uint32_t value, std::uint8_t yes = 0, std::uint8_t no = 0)
    {
        code_.push_back({operation, yes, no, value});
    }
    void jump(std::uint16_t test, std::uint32_t value, std::uint8_t yes, std::uint8_t no)
    {
        add(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, yes, no);
    }
    void answer(std::uint32_t what) { add(BPF_RET | BPF_K, what); }
    void load_number() { add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)); }
    /// Its lower half: what is looked at here is an int for the kernel, which ignores the rest.
    void load_argument(unsigned index)
    {
        add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offsetof(seccomp_data, args) + index * 8));
    }

    std::vector<sock_filter> code_;
};

/// Files that would run as somebody else for whoever finds them in the workspace; see systemd's RestrictSUIDSGID.
void forbid_set_id(Filter& filter)
{
    constexpr std::uint32_t creates = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);
#if defined(__x86_64__)
    filter.forbid_bits(SYS_chmod, 1, kSetId, EPERM);
    filter.forbid_bits(SYS_creat, 1, kSetId, EPERM);
    filter.forbid_bits(SYS_mknod, 1, kSetId, EPERM);
    filter.forbid_bits(SYS_open, 1, creates, 2, kSetId, EPERM);
#endif
    filter.forbid_bits(SYS_fchmod, 1, kSetId, EPERM);
    filter.forbid_bits(SYS_fchmodat, 2, kSetId, EPERM);
    filter.forbid_bits(kFchmodat2, 2, kSetId, EPERM);
    filter.forbid_bits(SYS_mknodat, 2, kSetId, EPERM);
    filter.forbid_bits(SYS_openat, 2, creates, 3, kSetId, EPERM);
}

void forbid_sockets(Filter& filter, bool network)
{
    if (network) filter.forbid_others(SYS_socket, 0, {AF_INET, AF_INET6}, EAFNOSUPPORT);
    else filter.forbid_others(SYS_socket, 0, {AF_UNIX, AF_INET, AF_INET6}, EAFNOSUPPORT);
    // not the rarer protocols, whose code in the kernel is loaded when somebody asks for it
    filter.forbid_others(SYS_socket, 2, {0, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP, IPPROTO_ICMPV6}, EPROTONOSUPPORT);
    filter.forbid_others(SYS_socketpair, 0, {AF_UNIX}, EAFNOSUPPORT);
}

}  // namespace

std::string seccomp_program(bool network)
{
    Filter filter;
#if defined(__x86_64__)
    filter.forbid_from(kOtherAbi, ENOSYS);
#endif
    filter.forbid_from(kFirstUnknown, ENOSYS);  // what came after us may do anything
    for (const int number : kForbidden) filter.forbid(number, EPERM);
    for (const int number : kUnknown) filter.forbid(number, ENOSYS);
    filter.forbid_bits(SYS_clone, 0, kNamespaces, EPERM);
    filter.forbid_value(SYS_ioctl, 1, TIOCSTI, EPERM);
    filter.forbid_value(SYS_ioctl, 1, TIOCLINUX, EPERM);
    filter.forbid_value(SYS_ioctl, 1, TIOCSETD, EPERM);
    forbid_sockets(filter, network);
    forbid_set_id(filter);
    return filter.finished();
}

}  // namespace cadre::tools
