#include "net/process.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "net/await.hpp"
#include "net/loop.hpp"
#include "net/process_spawn.hpp"
#include "net/process_tree.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace cadre::net {

namespace {

namespace asio = boost::asio;
using Descriptor = asio::posix::stream_descriptor;
using boost::system::error_code;

constexpr std::size_t kOutputPiece = 64 << 10;
/// What is still read of standard error after the end; a descendant may go on writing for ever.
constexpr std::size_t kMostAfterEnd = 1 << 20;
/// How long the end of a killed process is waited for when its loop ends first.
constexpr int kReapPatience = 1000;  // ms

/// What can be read without waiting: nothing yet (null), or a piece, which is empty at the end.
std::optional<std::string> try_read(int descriptor, std::size_t most)
{
    char piece[kOutputPiece];
    while (true) {
        const ssize_t size = ::read(descriptor, piece, std::min(most, sizeof piece));
        if (size >= 0) return std::string(piece, static_cast<std::size_t>(size));
        if (errno == EAGAIN) return std::nullopt;
        if (errno != EINTR) return std::string();
    }
}

/// Bytes that could be written without waiting; nothing when nobody reads any more. A pipe without a reader raises SIGPIPE,
/// which must not end the program that we are a part of, whatever it does with that signal.
std::optional<std::size_t> try_write(int descriptor, std::string_view text)
{
    sigset_t broken_pipe, before;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
    ssize_t size = 0;
    do size = ::write(descriptor, text.data(), text.size());
    while (size < 0 && errno == EINTR);
    const int error = size < 0 ? errno : 0;
    const timespec at_once{};
    if (error == EPIPE && !sigismember(&before, SIGPIPE)) ::sigtimedwait(&broken_pipe, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error == EAGAIN) return 0;
    if (error != 0) return std::nullopt;
    return static_cast<std::size_t>(size);
}

Millis millis_of(const timeval& time)
{
    return std::chrono::seconds(time.tv_sec) + Millis(time.tv_usec / 1000);
}

/// How it ended, when it has. It stays a zombie, so that its number, which is its group's, is nobody else's until we let go.
std::optional<ProcessEnd> look_at_end(pid_t pid)
{
    siginfo_t info{};
    rusage used{};
    // not the library's waitid(), which has no place for what it used
    const long result = ::syscall(SYS_waitid, P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT, &used);
    if (result < 0 && errno == ECHILD) return ProcessEnd{.exit_code = 255};  // somebody else's wait() was faster
    if (result < 0 || info.si_pid == 0) return std::nullopt;
    ProcessEnd end{.exit_code = info.si_status,
                   .cpu = millis_of(used.ru_utime) + millis_of(used.ru_stime),
                   .peak_memory = static_cast<std::uint64_t>(used.ru_maxrss) << 10};
    if (info.si_code != CLD_EXITED) {
        end.signal = info.si_status;
        end.exit_code = 128 + info.si_status;
    }
    return end;
}

/// A killed process that has not ended yet, on its way to be forgotten. Blocks, for a moment, only if the loop ends first.
class Reaping {
public:
    Reaping(pid_t pid, Descriptor descriptor) : pid_(pid), descriptor_(std::move(descriptor)) {}
    Reaping(const Reaping&) = delete;
    Reaping& operator=(const Reaping&) = delete;
    ~Reaping()
    {
        if (pid_ == 0) return;
        pollfd ended{.fd = descriptor_.native_handle(), .events = POLLIN, .revents = 0};
        ::poll(&ended, 1, kReapPatience);
        reap();
    }

    bool reap() noexcept
    {
        if (::waitpid(pid_, nullptr, WNOHANG) == 0) return false;
        pid_ = 0;
        return true;
    }

    static void wait_for(std::unique_ptr<Reaping> one)
    {
        Descriptor& descriptor = one->descriptor_;
        descriptor.async_wait(Descriptor::wait_read, [kept = std::move(one)](const error_code& error) {
            if (!error) kept->reap();
        });
    }

private:
    pid_t pid_;
    Descriptor descriptor_;
};

}  // namespace

struct Process::Impl {
    Impl(Loop& loop, Spawned s, std::function<void(std::string_view)> on_error_)
        : pid(s.pid),
          ended(loop.io(), s.pidfd),
          in(loop.io(), s.in),
          out(loop.io(), s.out),
          err(loop.io(), s.err),
          on_error(std::move(on_error_)),
          scope(loop)
    {
        scope.spawn(drain_errors());
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl()
    {
        if (!look_at_end(pid)) kill_descendants(pid);
        ::kill(-pid, SIGKILL);
        auto reaping = std::make_unique<Reaping>(pid, std::move(ended));
        if (!reaping->reap()) Reaping::wait_for(std::move(reaping));
    }

    /// False at its end.
    bool take_errors(std::size_t most)
    {
        for (std::size_t taken = 0; taken < most;) {
            const auto piece = try_read(err.native_handle(), kOutputPiece);
            if (!piece) return true;
            if (piece->empty()) return false;
            taken += piece->size();
            if (on_error) on_error(*piece);
        }
        return true;
    }

    Async<> drain_errors()
    {
        while (take_errors(kOutputPiece)) co_await err.async_wait(Descriptor::wait_read, use_async);
    }

    pid_t pid;
    Descriptor ended;  // readable when it has
    Descriptor in, out, err;
    bool drained = true;  // there was nothing more to read the last time
    std::function<void(std::string_view)> on_error;
    AsyncScope scope;
};

Process::Process(Loop& loop, ProcessPlan plan)
{
    const Spawned spawned = spawn(plan);
    impl_ = std::make_unique<Impl>(loop, spawned, std::move(plan.on_error));
}

Process::~Process() = default;

int Process::pid() const
{
    return impl_->pid;
}

Async<std::string> Process::read(std::size_t most)
{
    Impl& me = *impl_;
    while (true) {
        if (me.drained) co_await me.out.async_wait(Descriptor::wait_read, use_async);
        auto piece = try_read(me.out.native_handle(), most);
        me.drained = !piece || piece->size() < std::min(most, kOutputPiece);
        if (piece) co_return std::move(*piece);
    }
}

Async<bool> Process::write(std::string text)
{
    Impl& me = *impl_;
    for (std::size_t sent = 0; sent < text.size();) {
        if (!me.in.is_open()) co_return false;
        const auto size = try_write(me.in.native_handle(), std::string_view(text).substr(sent));
        if (!size) co_return false;
        sent += *size;
        if (*size == 0) co_await me.in.async_wait(Descriptor::wait_write, use_async);
    }
    co_return me.in.is_open();
}

void Process::close_input() noexcept
{
    error_code ignored;
    impl_->in.close(ignored);
}

Async<ProcessEnd> Process::end()
{
    Impl& me = *impl_;
    while (true) {
        if (const auto end = look_at_end(me.pid)) {
            me.take_errors(kMostAfterEnd);
            co_return *end;
        }
        co_await me.ended.async_wait(Descriptor::wait_read, use_async);
    }
}

void Process::signal(int number) noexcept
{
    if (number == SIGKILL && !look_at_end(impl_->pid)) kill_descendants(impl_->pid);
    ::kill(-impl_->pid, number);
}

Async<ProcessEnd> Process::stop(Millis patience)
{
    // of one that ends by itself nobody would find those that have left its group
    const Descendants started(impl_->pid);
    close_input();
    std::optional<ProcessEnd> ended;
    for (const int number : {SIGTERM, SIGKILL}) {
        try {
            ended = co_await with_timeout(end(), patience, "the end of a process");
            break;
        } catch (const Error& error) {
            if (error.code() != Code::timeout) throw;
        }
        signal(number);
    }
    if (!ended) ended = co_await end();
    started.kill();
    co_return std::move(*ended);
}

}  // namespace cadre::net
