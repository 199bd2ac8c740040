#include "tools/sandbox/run_sandboxed.hpp"

#include "support/skip.hpp"
#include "tools/sandbox/bubblewrap.hpp"
#include "tools/sandbox/kept_text.hpp"
#include "tools/sandbox/test_box.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>

using namespace cadre;
using namespace cadre::tools;

TEST_CASE("sandbox: a program reads, writes its folders, and is measured")
{
    if (const std::string why = why_no_sandbox(); !why.empty()) return test::skip(why);
    TestBox box;
    box.policy.shared = shared_folder(box.policy.workspace);
    put(box.folder.workspace() / "old.txt", "old");
    const auto outcome =
        box.run({"sh", "-c",
                 "cat; cat old.txt; mkdir -p sub; echo 1 > sub/new.txt; echo x >> old.txt; echo y > $CADRE_SHARED/s; "
                 "pwd; hostname; id -u; echo oops >&2; exit 3"},
                "input ");
    CHECK(outcome.output == "input old/task/artifacts\nsandbox\n65534\n");
    CHECK(outcome.errors == "oops\n");
    CHECK(outcome.exit_code == 3);
    CHECK(outcome.changed == std::vector<std::string>{"old.txt", "sub/new.txt"});
    CHECK(content_of(box.policy.shared / "s") == "y\n");
    CHECK(outcome.usage.peak_memory > 100'000);
    CHECK(box.python("sum(i * i for i in range(3000000))").usage.cpu_ms > 20);
}

TEST_CASE("sandbox: without bubblewrap nothing runs, and it is said what to do")
{
    // a PATH without it would be ours: so the sandbox is made impossible another way
    if (const std::string why = why_no_sandbox(); !why.empty()) return test::skip(why);
    TestBox box;
    box.policy.readable = {{"/no/such/folder", "/tool"}};
    try {
        box.sh("touch ran");
        FAIL("it ran");
    } catch (const NotDispatched& error) {
        CHECK(error.code() == Code::unavailable);
        CHECK(std::string(error.what())
                  .starts_with("Programs of tools run only in a sandbox, and there is none here: bwrap: "));
    }
    CHECK_FALSE(std::filesystem::exists(box.folder.workspace() / "ran"));
}

TEST_CASE("sandbox: none runs programs as they are, with a clean environment and within limits")
{
    TestBox box;
    box.policy.mode = model::SandboxMode::none;
    ::setenv("CADRE_TEST_SECRET", "SECRET", 1);
    const auto outcome =
        box.sh("env | grep -c SECRET; pwd; ulimit -n; setsid sleep 1000 & echo $! > pid; echo x > new.txt");
    ::unsetenv("CADRE_TEST_SECRET");
    CHECK(outcome.output == "0\n" + std::filesystem::canonical(box.folder.workspace()).string() + "\n256\n");
    CHECK(outcome.changed == std::vector<std::string>{"new.txt", "pid"});
    ::kill(std::stoi(content_of(box.folder.workspace() / "pid")), SIGKILL);  // out of reach once its parent has ended
    box.policy.limits.time = Millis(300);
    CHECK(box.sh("setsid sleep 1000 & sleep 100").stopped == SandboxStop::time);
}

TEST_CASE("sandbox: the network is a grant, and comes without sockets of others")
{
    const BubblewrapFiles files{.seccomp = 10, .passwd = 11, .group = 12};
    const auto has = [&](const SandboxPolicy& policy, const char* argument) {
        return std::ranges::count(bubblewrap_command(policy, files, {"true"}), argument) > 0;
    };
    CHECK(has({}, "--unshare-net"));
    CHECK_FALSE(has({}, "/etc/resolv.conf"));
    CHECK_FALSE(has({.network = true}, "--unshare-net"));
    CHECK(has({.network = true}, "/etc/resolv.conf"));

    if (const std::string why = why_no_sandbox(); !why.empty()) return test::skip(why);
    TestBox box;
    box.policy.network = true;
    const auto outcome =
        box.python("import socket\nsocket.socket()\nsocket.socketpair()\ntry: socket.socket(socket.AF_UNIX)\n"
                   "except OSError as e: print(e.strerror)");
    CHECK(outcome.output == "Address family not supported by protocol\n");
}

TEST_CASE("sandbox: what is kept of a long text is its beginning and its end")
{
    KeptText text(10);
    text.add("abc");
    CHECK(text.text() == "abc");
    text.add("defghij");
    CHECK(text.text() == "abcdefghij");
    text.add("k");
    CHECK(text.text() == "abcde\n[1 bytes left out]\nghijk");
    for (int i = 0; i < 1000; ++i) text.add("0123456789");
    CHECK(text.text() == "abcde\n[10001 bytes left out]\n56789");
    CHECK(text.size() == 10'011);

    KeptText marked(100);
    marked.add("noise\001begun\nwords");
    CHECK(marked.drop_through(kBegun));
    CHECK(marked.text() == "words");
    CHECK_FALSE(marked.drop_through(kBegun));
    CHECK(valid_utf8("a\xFFz\xE2\x82") == "a\uFFFDz\uFFFD\uFFFD");
}
