#include "net/process.hpp"

#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "net/descriptor_limit.hpp"
#include "net/http_fetch_fixture.hpp"
#include "net/loop.hpp"
#include "support/error_of.hpp"
#include "support/wait_until.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using namespace std::chrono_literals;
using net::Process;
using net::ProcessEnd;
using net::ProcessPlan;

namespace {

ProcessPlan sh(std::string script)
{
    return {.argv = {"sh", "-c", std::move(script)}, .environment = {"PATH=/usr/bin:/bin"}};
}

Async<std::string> read_all(Process& process)
{
    std::string all;
    while (true) {
        const std::string piece = co_await process.read(64 << 10);
        if (piece.empty()) co_return all;
        all += piece;
    }
}

struct Outcome {
    std::string output;
    std::string errors;
    ProcessEnd end;
};

Async<Outcome> run_whole(net::Loop& loop, ProcessPlan plan, std::string input)
{
    Outcome outcome;
    plan.on_error = [&outcome](std::string_view piece) { outcome.errors += piece; };
    Process process(loop, std::move(plan));
    AsyncScope scope(co_await this_context());
    scope.spawn([](Process& p, std::string text) -> Async<> {
        co_await p.write(std::move(text));
        p.close_input();
    }(process, std::move(input)));
    outcome.output = co_await read_all(process);
    outcome.end = co_await process.end();
    co_await scope.join();
    co_return outcome;
}

Outcome outcome_of(ProcessPlan plan, std::string input = "")
{
    net::Loop loop;
    return run(loop, with_timeout(run_whole(loop, std::move(plan), std::move(input)), 30s, "the test's program"));
}

bool lives(pid_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    return !text.empty() && text.find(") Z") == std::string::npos;
}

/// Killed is not yet gone.
bool dies(pid_t pid)
{
    return test::wait_until([pid] { return !lives(pid); });
}

/// Numbers that the script says, one a line.
Async<std::vector<pid_t>> said(Process& process, std::size_t count)
{
    std::string text;
    while (std::ranges::count(text, '\n') < static_cast<std::ptrdiff_t>(count)) text += co_await process.read(100);
    std::vector<pid_t> pids;
    for (std::size_t start = 0; pids.size() < count; start = text.find('\n', start) + 1)
        pids.push_back(std::stoi(text.substr(start)));
    co_return pids;
}

}  // namespace

TEST_CASE("process: what it reads, writes and ends with")
{
    const Outcome outcome = outcome_of(sh("cat; echo oops >&2; exit 3"), "one\ntwo\n");
    CHECK(outcome.output == "one\ntwo\n");
    CHECK(outcome.errors == "oops\n");
    CHECK(outcome.end.exit_code == 3);
    CHECK_FALSE(outcome.end.signal.has_value());
    CHECK(outcome.end.peak_memory > 100'000);

    const Outcome killed = outcome_of(sh("kill -USR1 $$"));
    CHECK(killed.end.signal == SIGUSR1);
    CHECK(killed.end.exit_code == 128 + SIGUSR1);
}

TEST_CASE("process: more than a pipe holds goes through in both directions")
{
    const std::string much(3'000'000, 'x');
    CHECK(outcome_of({.argv = {"cat"}}, much).output == much);
    const Outcome noisy = outcome_of(sh("head -c 2000000 /dev/zero >&2; echo done"));
    CHECK(noisy.output == "done\n");
    CHECK(noisy.errors.size() == 2'000'000);
}

TEST_CASE("process: one that reads no more is noticed, and ends nobody else")
{
    const auto before = ::signal(SIGPIPE, SIG_DFL);
    net::Loop loop;
    run(loop, [](net::Loop& l) -> Async<> {
        Process process(l, sh("exec 0<&-; echo closed; sleep 60"));
        CHECK(co_await process.read(100) == "closed\n");
        CHECK_FALSE(co_await process.write("anybody there?"));
        process.close_input();
        CHECK_FALSE(co_await process.write("still?"));
    }(loop));
    ::signal(SIGPIPE, before);
}

TEST_CASE("process: nothing of ours reaches it but what is given")
{
    ::setenv("CADRE_TEST_SECRET", "hidden", 1);
    const int open = ::fcntl(STDIN_FILENO, F_DUPFD, 100);  // not marked: somebody else's library may do so
    const int given = ::fcntl(STDIN_FILENO, F_DUPFD, 100);
    ::signal(SIGUSR2, SIG_IGN);
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before);

    ProcessPlan plan{.argv = {"sh", "-c", "env; for f in /proc/$$/fd/*; do echo fd ${f##*/}; done"},
                     .environment = {"PATH=/usr/bin:/bin", "GIVEN=yes"},
                     .passed = {given}};
    std::string output = outcome_of(plan).output;
    plan.argv = {"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"};
    output += outcome_of(plan).output;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::signal(SIGUSR2, SIG_DFL);
    ::close(open);
    ::close(given);
    ::unsetenv("CADRE_TEST_SECRET");

    CHECK(output.find("hidden") == std::string::npos);
    CHECK(output.find("GIVEN=yes\n") != std::string::npos);
    CHECK(output.find("fd " + std::to_string(open) + "\n") == std::string::npos);
    CHECK(output.find("fd " + std::to_string(given) + "\n") != std::string::npos);
    CHECK(output.find("SigBlk:\t0000000000000000") != std::string::npos);
    CHECK(output.find("SigIgn:\t0000000000000000") != std::string::npos);
}

TEST_CASE("process: its folder and its limits are those of the plan")
{
    ProcessPlan plan = sh("pwd; ulimit -n; ulimit -f; ulimit -t; ulimit -v; ulimit -c");
    plan.folder = "/usr";
    plan.limits = {.memory = 512 << 20, .cpu = 7, .file_size = 1 << 20, .open_files = 20};
    CHECK(outcome_of(plan).output == "/usr\n20\n2048\n7\n524288\n0\n");
}

TEST_CASE("process: the descriptors that we asked for are ours; it may ask for itself")
{
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    const rlimit low{.rlim_cur = 900, .rlim_max = limit.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
    net::raise_descriptor_limit();
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK(limit.rlim_cur > 900);
    CHECK(outcome_of(sh("ulimit -n; ulimit -n 901; ulimit -n")).output == "900\n901\n");
}

TEST_CASE("process: what cannot be started is said with its reason")
{
    net::Loop loop;
    const auto error = [&](ProcessPlan plan) {
        return test::error_of([&] { Process process(loop, std::move(plan)); });
    };
    CHECK(error({.argv = {"no-such-program"}}) ==
          doctest::Contains("not_found: there is no program \"no-such-program\" in PATH"));
    CHECK(error({.argv = {"/no/such/program"}}) ==
          doctest::Contains("not_found: there is no program \"/no/such/program\""));
    CHECK(error({.argv = {"/etc/passwd"}}) ==
          doctest::Contains("unavailable: cannot start \"/etc/passwd\": Permission denied"));
    CHECK(error({.argv = {"true"}, .folder = "/no/such"}) == doctest::Contains("its folder /no/such: No such file"));
    CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);  // no child is left
}

TEST_CASE("process: its whole group dies with its owner, and is reaped")
{
    net::Loop loop;
    const auto pids = run(loop, [](net::Loop& l) -> Async<std::vector<pid_t>> {
        Process process(l, sh("trap '' TERM; sleep 60 & echo $$; echo $!; wait"));
        co_return co_await said(process, 2);
    }(loop));
    for (const pid_t pid : pids) CHECK(dies(pid));
    test::await(loop, [&] { return ::kill(pids[0], 0) != 0; });
    CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);
}

TEST_CASE("process: a descendant that left the group and lost its parent dies too")
{
    net::Loop loop;
    const auto pids = run(loop, [](net::Loop& l) -> Async<std::vector<pid_t>> {
        Process process(l, sh("sh -c 'setsid sh -c \"echo \\$\\$; sleep 60 & echo \\$!; wait\" &'; sleep 60"));
        co_return co_await said(process, 2);
    }(loop));
    for (const pid_t pid : pids) CHECK(dies(pid));
}

TEST_CASE("process: it leaves no descendant behind when it is stopped and ends by itself")
{
    net::Loop loop;
    const auto pids = run(loop, [](net::Loop& l) -> Async<std::vector<pid_t>> {
        Process process(l, sh("sh -c 'setsid sh -c \"echo \\$\\$; sleep 60 & echo \\$!; wait\" &'; cat"));
        auto found = co_await said(process, 2);
        CHECK((co_await process.stop(20s)).exit_code == 0);
        co_return found;
    }(loop));
    for (const pid_t pid : pids) CHECK(dies(pid));
}

TEST_CASE("process: what dies with a loop leaves no zombie")
{
    {
        net::Loop loop;
        Process process(loop, sh("sleep 60"));
    }
    CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);
}

TEST_CASE("process: stopping asks before it kills")
{
    net::Loop loop;
    const auto stopped = [&](std::string script) {
        return run(loop, [](net::Loop& l, std::string text) -> Async<ProcessEnd> {
            Process process(l, sh(std::move(text)));
            co_await process.read(10);  // ready
            co_return co_await process.stop(200ms);
        }(loop, std::move(script)));
    };
    CHECK(stopped("echo; cat; exit 4").exit_code == 4);
    CHECK(stopped("trap 'exit 5' TERM; echo; while :; do sleep 0.01; done").exit_code == 5);
    CHECK(stopped("trap '' TERM; echo; while :; do sleep 0.01; done").signal == SIGKILL);
}

TEST_CASE("process: a wait for its end or its words can be given up")
{
    net::Loop loop;
    run(loop, [](net::Loop& l) -> Async<> {
        Process process(l, sh("read line; echo got $line"));
        CHECK_THROWS_AS(co_await with_timeout(process.read(10), 10ms, "read"), Error);
        CHECK_THROWS_AS(co_await with_timeout(process.end(), 10ms, "end"), Error);
        CHECK(co_await process.write("it\n"));
        CHECK(co_await process.read(10) == "got it\n");
        CHECK((co_await process.end()).exit_code == 0);
        CHECK((co_await process.end()).exit_code == 0);
    }(loop));
}

namespace {

/// The number that a process of ours was told on its descriptor before it was killed.
pid_t told_before_we_were_killed(const std::function<pid_t(net::Loop&)>& start)
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t us = ::fork();
    if (us == 0) {
        net::Loop loop;
        const pid_t pid = start(loop);
        if (::write(ends[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
        while (true) ::pause();
    }
    pid_t pid = 0;
    REQUIRE(::read(ends[0], &pid, sizeof pid) == sizeof pid);
    CHECK(lives(pid));
    ::kill(us, SIGKILL);
    ::waitpid(us, nullptr, 0);
    ::close(ends[0]);
    ::close(ends[1]);
    return pid;
}

ProcessPlan kept(std::string script)
{
    ProcessPlan plan = sh(std::move(script));
    plan.keeper = true;
    return plan;
}

/// Says the number of one that has left its group and its parent.
constexpr const char* kGone = "sh -c 'setsid sh -c \"echo \\$\\$; exec sleep 60 >&- 2>&-\" &'; ";

}  // namespace

TEST_CASE("process: it dies with us, also when we are killed")
{
    std::unique_ptr<Process> process;
    CHECK(dies(told_before_we_were_killed([&](net::Loop& loop) {
        process = std::make_unique<Process>(loop, sh("sleep 60"));
        return process->pid();
    })));
}

TEST_CASE("process: attack 22: what a kept one has started dies with us when we are killed, wherever it has gone")
{
    std::unique_ptr<Process> process;
    CHECK(dies(told_before_we_were_killed([&](net::Loop& loop) {
        process = std::make_unique<Process>(loop, kept(std::string(kGone) + "sleep 60"));
        return run(loop, said(*process, 1)).at(0);
    })));
}

TEST_CASE("process: attack 22: what a kept one has started dies when that ends by itself, which is told as it was")
{
    net::Loop loop;
    const auto ended = [&](const std::string& last) {
        return run(loop, [](net::Loop& l, std::string script) -> Async<ProcessEnd> {
            Process process(l, kept(std::move(script)));
            const auto gone = co_await said(process, 1);
            CHECK(lives(gone.at(0)));
            co_await process.write("now\n");
            const ProcessEnd end = co_await process.end();
            CHECK(dies(gone.at(0)));
            CHECK((co_await process.read(10)).empty());
            co_return end;
        }(loop, kGone + ("read line; " + last)));
    };
    CHECK(ended("exit 7").exit_code == 7);
    CHECK(ended("kill -TERM $$; sleep 60").signal == SIGTERM);
    CHECK(ended("kill -KILL $$; sleep 60").signal == SIGKILL);
    CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);
}

TEST_CASE("process: a kept one is asked to end, told of its input's end and refused as any other")
{
    net::Loop loop;
    const auto stopped = [&](std::string script) {
        return run(loop, [](net::Loop& l, std::string text) -> Async<ProcessEnd> {
            Process process(l, kept(std::move(text)));
            co_await process.read(10);  // ready
            co_return co_await process.stop(200ms);
        }(loop, std::move(script)));
    };
    CHECK(stopped("echo; cat; exit 4").exit_code == 4);
    CHECK(stopped("trap 'exit 5' TERM; echo; while :; do sleep 0.01; done").exit_code == 5);
    CHECK(stopped("trap '' TERM; echo; while :; do sleep 0.01; done").signal == SIGKILL);
    CHECK(outcome_of(kept("cat; echo $0 >&2"), "in").output == "in");
    ProcessPlan folder{.argv = {"true"}, .folder = "/no/such", .keeper = true};
    CHECK(test::error_of([&] { Process process(loop, std::move(folder)); }) ==
          doctest::Contains("its folder /no/such"));
    CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);
}
