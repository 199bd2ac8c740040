// Programs that take more than they may, or want to outlive their call. Each is stopped with an error that has a name, and nothing of it
// is left.
#include "base/async_scope.hpp"
#include "base/timeout.hpp"
#include "support/skip.hpp"
#include "support/wait_until.hpp"
#include "tools/sandbox/cgroup.hpp"
#include "tools/sandbox/test_box.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <grp.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using namespace cadre::tools;
using namespace std::chrono_literals;

namespace {

#define NEEDS_SANDBOX()                                                                                                \
    if (const std::string why = why_no_sandbox(); !why.empty()) return test::skip(why.c_str())

std::size_t files_in(const std::filesystem::path& folder)
{
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

/// Killed is not yet gone.
bool none_survives(const TestFolder& folder)
{
    return test::wait_until([&] { return survivors(folder.workspace()) == 0; });
}

/// A process of ours is killed in the middle of a call; which one it was.
pid_t killed_in_a_call(const TestFolder& folder)
{
    const pid_t us = ::fork();
    if (us == 0) {
        net::Loop loop;
        ThreadPool pool(1);
        SandboxPolicy policy{.workspace = folder.workspace()};
        run(loop, run_sandboxed(loop, pool, policy, {"sh", "-c", "setsid sleep 1000 & touch ready; sleep 1000"}, ""));
        ::_exit(0);
    }
    CHECK(test::wait_until([&] { return std::filesystem::exists(folder.workspace() / "ready"); }));
    CHECK(survivors(folder.workspace()) > 0);
    ::kill(us, SIGKILL);
    ::waitpid(us, nullptr, 0);
    return us;
}

struct Bombed {
    int made = 0;
    bool stopped = false;
    int survivors = 0;
};

Bombed bomb()
{
    TestBox box;
    const auto outcome =
        box.python("import os, time\nfile, made = os.open('made', os.O_CREAT | os.O_WRONLY), 1\ntry:\n  while True:\n"
                   "    if os.fork() == 0: time.sleep(100)\n    made += 1\n    os.pwrite(file, b'%d' % made, 0)\n"
                   "except BlockingIOError: pass\n");
    return {.made = std::stoi(content_of(box.folder.workspace() / "made")),
            .stopped = outcome.stopped == SandboxStop::processes,
            .survivors = survivors(box.folder.workspace())};
}

/// In a process of its own, which is nobody's if we are root.
Bombed with_rights_of_nobody(Bombed (*what)())
{
    constexpr uid_t kNobody = 65534;
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        if (::getuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
            ::_exit(1);
        const Bombed result = what();
        ::_exit(::write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
    }
    ::close(ends[1]);
    Bombed result{.made = -1};
    if (::read(ends[0], &result, sizeof result) != sizeof result) result.made = -1;
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return result;
}

}  // namespace

TEST_CASE("bomb: attack 35: of processes without end there are never more than 64")
{
    NEEDS_SANDBOX();
    const Bombed bombed = with_rights_of_nobody(bomb);
    CHECK(bombed.made == 64);
    CHECK(!bombed.stopped);
    CHECK(bombed.survivors == 0);
}

/// The kernel does not count those of root; where no cgroup does, they are counted by looking, and what is found to be too many is ended.
TEST_CASE("bomb: attack 35: of root too: they are refused, or stopped as soon as they are seen")
{
    NEEDS_SANDBOX();
    const Bombed bombed = bomb();
    CHECK((bombed.made <= 64 || bombed.stopped));
    CHECK(bombed.survivors == 0);
}

TEST_CASE("bomb: memory, of one process and of many")
{
    NEEDS_SANDBOX();
    TestBox box;
    box.policy.limits.memory = 200 << 20;
    const auto one = box.python("x = bytearray(1 << 30)");
    CHECK(one.errors.find("MemoryError") != std::string::npos);
    CHECK(one.exit_code == 1);

    const auto many = box.python("import os, time\nfor i in range(6):\n  if os.fork() == 0: x = bytearray(100 << 20); "
                                 "time.sleep(100)\ntime.sleep(100)");
    CHECK(many.stopped == SandboxStop::memory);
    CHECK(survivors(box.folder.workspace()) == 0);
}

TEST_CASE("bomb: files that are too large, too many, or in memory")
{
    NEEDS_SANDBOX();
    TestBox box;
    box.policy.limits.file_size = 1 << 20;
    const auto large = box.python("f = open('large', 'wb')\nf.write(bytes(2 << 20)); f.flush()");
    CHECK(large.errors.find("File too large") != std::string::npos);
    CHECK(std::filesystem::file_size(box.folder.workspace() / "large") <= 1 << 20);

    box.policy.limits.folder_files = 100;
    put(box.folder.workspace() / "before", "stays");
    const auto many = box.python("import os\nos.makedirs('a/b')\nfor i in range(300): open(f'a/b/{i}', 'w').close()");
    CHECK(many.stopped == SandboxStop::folder);
    CHECK(many.changed.empty());
    CHECK(files_in(box.folder.workspace()) == 2);  // what was there
    CHECK(content_of(box.folder.workspace() / "before") == "stays");

    box.policy.limits.file_size = 64 << 20;
    box.policy.limits.folder_size = 8 << 20;
    const auto heavy =
        box.python("import time\nfor i in range(8): open(f'{i}', 'wb').write(bytes(4 << 20))\ntime.sleep(10)");
    CHECK(heavy.stopped == SandboxStop::folder);
    CHECK(files_in(box.folder.workspace()) == 2);

    box.policy.shared = shared_folder(box.policy.workspace);
    const auto beside = box.python("import os\nfor i in range(8): open(os.environ['CADRE_SHARED'] + f'/{i}', "
                                   "'wb').write(bytes(4 << 20))");
    CHECK(beside.stopped == SandboxStop::folder);
    CHECK(files_in(box.policy.shared) == 0);

    const auto nameless = box.python("import os, time\nfiles = []\nfor i in range(8):\n  f = open('x', 'wb'); "
                                     "f.write(bytes(4 << 20)); f.flush(); files.append(f); os.unlink('x')\n"
                                     "time.sleep(10)");
    CHECK(nameless.stopped == SandboxStop::folder);

    for (const char* folder : {"/tmp", "/dev/shm"}) {
        CAPTURE(std::string(folder));
        const auto empty = box.python("import time\nfor i in range(300): open(f'" + std::string(folder) +
                                      "/{i}', 'w').close()\ntime.sleep(10)");
        CHECK(empty.stopped == SandboxStop::folder);
    }

    box.policy.limits.scratch = 1 << 20;
    for (const char* folder : {"/tmp", "/dev/shm"}) {
        CAPTURE(std::string(folder));
        const auto scratch =
            box.python("f = open('" + std::string(folder) + "/x', 'wb')\nf.write(bytes(4 << 20)); f.flush()");
        CHECK(scratch.errors.find("No space left on device") != std::string::npos);
    }
}

TEST_CASE("bomb: folders in folders without end, or closed to everybody")
{
    NEEDS_SANDBOX();
    TestBox box;
    put(box.folder.workspace() / "before", "stays");
    const auto deep = box.python("import os\nfor i in range(1500):\n  os.mkdir('d'); os.chdir('d')\n"
                                 "open('hidden', 'wb').write(bytes(1 << 20))");
    CHECK(deep.stopped == SandboxStop::folder);
    CHECK(files_in(box.folder.workspace()) == 1);
    CHECK(content_of(box.folder.workspace() / "before") == "stays");

    box.policy.limits.folder_files = 10;
    const auto closed = box.python("import os\nos.mkdir('d')\nfor i in range(20): open(f'd/{i}', 'w').close()\n"
                                   "os.chmod('d', 0)");
    CHECK(closed.stopped == SandboxStop::folder);
    CHECK(files_in(box.folder.workspace()) == 1);
}

TEST_CASE("bomb: names that are no text are told as text")
{
    NEEDS_SANDBOX();
    TestBox box;
    const auto outcome = box.python("import os\nopen(b'\\xff\\n', 'w').close()");
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.changed == std::vector<std::string>{"\uFFFD\n"});
}

TEST_CASE("bomb: open files, CPU time, core dumps")
{
    NEEDS_SANDBOX();
    TestBox box;
    CHECK(box.python("x = [open('/dev/null') for i in range(1000)]").errors.find("Too many open files") !=
          std::string::npos);

    box.policy.limits.cpu = 1;
    const auto busy = box.python("while True: pass");
    CHECK(busy.exit_code == 128 + SIGXCPU);
    CHECK(busy.usage.cpu_ms >= 800);  // of a second, as the kernel counts it, in ticks

    const auto crash = box.python("import os\nos.abort()");
    CHECK(crash.exit_code == 128 + SIGABRT);
    CHECK(files_in(box.folder.workspace()) == 0);
}

TEST_CASE("bomb: words without end are counted and dropped, and time comes to an end")
{
    NEEDS_SANDBOX();
    TestBox box;
    box.policy.limits.time = 700ms;
    box.policy.limits.output = 1000;
    const auto flood = box.sh("yes & yes errors >&2");
    CHECK(flood.stopped == SandboxStop::time);
    CHECK(flood.output.size() < 1100);
    CHECK(flood.errors.size() < 1100);
    CHECK(flood.output.find(" bytes left out]\n") != std::string::npos);
    CHECK(flood.errors.find(" bytes left out]\n") != std::string::npos);

    const auto sleeper = box.sh("trap '' TERM INT HUP; sleep 100");
    CHECK(sleeper.stopped == SandboxStop::time);
    CHECK(survivors(box.folder.workspace()) == 0);
}

TEST_CASE("bomb: nothing outlives the call")
{
    NEEDS_SANDBOX();
    struct {
        const char* name;
        const char* script;
        int exit_code;
    } const cases[] = {
        {"in the background", "sleep 1000 & exit 0", 0},
        {"in a session of its own", "setsid sleep 1000 & exit 3", 3},
        {"without a parent, deaf to signals",
         "(trap '' TERM HUP INT; setsid sh -c 'sleep 1000; sleep 1000' &) ; exit 0", 0},
        {"zombies", "for i in 1 2 3 4 5; do (sh -c 'exit 0' & exec sleep 1000) & done; exit 0", 0},
        {"holding the pipes open", "exec 3>&1 4>&2; setsid sleep 1000 & exit 0", 0},
        {"killing everybody", "sleep 1000 & kill -9 -1; exit 5", 5},  // but the first one and itself
        {"killing the first", "kill -9 1; kill -TERM 1; exit 0", 0},
    };
    TestBox box;
    for (const auto& c : cases) {
        CAPTURE(std::string(c.name));
        const auto outcome = box.sh(c.script);
        CHECK(outcome.exit_code == c.exit_code);
        CHECK_FALSE(outcome.stopped.has_value());
        CHECK(survivors(box.folder.workspace()) == 0);
    }
    CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);
}

TEST_CASE("bomb: a cancelled call takes everything with it")
{
    NEEDS_SANDBOX();
    TestBox box;
    const auto cancelled = [](TestBox& b) -> Async<> {
        auto running =
            run_sandboxed(b.loop, b.pool, b.policy, {"sh", "-c", "setsid sleep 1000 & touch ready; sleep 1000"}, "");
        AsyncScope scope(co_await this_context());
        scope.spawn([](Async<SandboxOutcome> r) -> Async<> { co_await std::move(r); }(std::move(running)));
        const auto ready = b.folder.workspace() / "ready";
        while (!std::filesystem::exists(ready)) co_await sleep_for(1ms);  // sleeps: between two looks
        CHECK(survivors(b.folder.workspace()) > 0);
        co_await scope.close();
    };
    run(box.loop, cancelled(box));
    CHECK(none_survives(box.folder));
}

TEST_CASE("bomb: when we are killed, so is everything")
{
    NEEDS_SANDBOX();
    const TestFolder folder;
    killed_in_a_call(folder);
    CHECK(none_survives(folder));
}

TEST_CASE("bomb: when we are killed, whoever starts next removes what is left of our cgroups")
{
    NEEDS_SANDBOX();
    const CgroupFacts groups = own_cgroup();
    if (const CgroupPlan plan = plan_cgroups(groups); !plan.used) return test::skip("no cgroups here: " + plan.missing);
    const TestFolder folder;
    const pid_t us = killed_in_a_call(folder);
    CHECK(none_survives(folder));
    sweep_cgroups(groups.folder);
    for (const auto& entry : std::filesystem::directory_iterator(groups.folder))
        CHECK_FALSE(entry.path().filename().string().starts_with("cadre-" + std::to_string(us) + "-"));
}
