#include "cli/probe.hpp"

#include "cli/output_fixture.hpp"
#include "cli/probe_sandbox.hpp"
#include "cli/probe_storage.hpp"
#include "cli/probe_system.hpp"
#include "tools/sandbox/cgroup.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <cstdint>

using namespace cadre;
using namespace cadre::cli;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

Time year(int number)
{
    return std::chrono::sys_days{std::chrono::year{number} / 6 / 1};
}

}  // namespace

TEST_CASE("disk: warns below 1 GiB, fails below 100 MiB")
{
    CHECK(judge_disk(1024 * kMiB).status == Status::ok);
    CHECK(judge_disk(1024 * kMiB - 1).status == Status::warning);
    CHECK(judge_disk(100 * kMiB).status == Status::warning);
    CHECK(judge_disk(100 * kMiB - 1).status == Status::failed);
}

TEST_CASE("home: must be a place where we can write, and should be ours alone")
{
    const HomeFacts fine{.path = "/h",
                         .has_default = true,
                         .place = "/h",
                         .exists = true,
                         .is_folder = true,
                         .keeps_files = true,
                         .writable = true,
                         .is_ours = true,
                         .permissions = 0700};
    CHECK(judge_home(fine).status == Status::ok);

    auto changed = [&](auto change) {
        HomeFacts home = fine;
        change(home);
        return judge_home(home);
    };
    struct {
        Finding finding;
        Status status;
        const char* says;
    } const cases[] = {
        {changed([](HomeFacts& h) { h.path = ""; }), Status::failed, "neither CADRE_HOME nor HOME is set"},
        {changed([](HomeFacts& h) { h.path = "h"; }), Status::failed, "must be absolute"},
        {changed([](HomeFacts& h) { h.path = "~ann/h"; }), Status::failed, "must be absolute"},
        {changed([](HomeFacts& h) { h.path = "/" + std::string(256, 'x'); }), Status::failed, "too long"},
        {changed([](HomeFacts& h) { h.path = std::string(4096, '/'); }), Status::failed, "too long"},
        {changed([](HomeFacts& h) { h.is_folder = false; }), Status::failed, "neither a folder"},
        {changed([](HomeFacts& h) { h.keeps_files = false; }), Status::failed, "kernel"},
        {changed([](HomeFacts& h) { h.writable = false; }), Status::failed, "cannot be written"},
        {changed([](HomeFacts& h) { h.exists = h.writable = false; }), Status::failed, "cannot be created"},
        {changed([](HomeFacts& h) { h.is_for_others = true, h.permissions = 0755; }), Status::warning, "for everyone"},
        {changed([](HomeFacts& h) { h.is_ours = false, h.permissions = 0755; }), Status::warning, "another user"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.says);
        CHECK(c.finding.status == c.status);
        CHECK(contains(c.finding.found, c.says));
        CHECK(c.finding.fix == "use a folder of its own, for example CADRE_HOME=$HOME/.multi-agent");
    }
    CHECK(changed([](HomeFacts& h) { h.exists = h.is_ours = false; }).status == Status::ok);
    CHECK(changed([](HomeFacts& h) { h.path = "/" + std::string(255, 'x'); }).status == Status::ok);
    CHECK(changed([](HomeFacts& h) { h.permissions = 0750; }).fix == "chmod 700 /h");
    CHECK(changed([](HomeFacts& h) { h.path = "/it's", h.permissions = 0701; }).fix == "chmod 700 '/it'\\''s'");
    CHECK_FALSE(contains(judge_home({}).fix, "$HOME"));
}

TEST_CASE("open files: the fix is one that the person can carry out")
{
    CHECK(judge_open_files(4096, 4096).status == Status::ok);
    CHECK(judge_open_files(~std::uint64_t{0}, ~std::uint64_t{0}).found == "no limit");
    CHECK(judge_open_files(1024, 1'048'576).fix == "ulimit -n 4096");
    CHECK(contains(judge_open_files(1024, 2048).fix, "limits.conf"));
}

TEST_CASE("memory: enough for one tool, or a warning")
{
    CHECK(judge_memory(1024 * kMiB, 512 * kMiB).status == Status::ok);
    CHECK(judge_memory(1024 * kMiB, 512 * kMiB - 1).status == Status::warning);
    CHECK(judge_memory(0, 0).status == Status::warning);
}

TEST_CASE("clock: a wrong year fails, no synchronisation warns, not knowing is fine")
{
    CHECK(judge_clock({year(2026), true, 1ms, 1ns}).status == Status::ok);
    CHECK(judge_clock({year(2026), std::nullopt, 1ms, 1ns}).status == Status::ok);
    CHECK(judge_clock({year(2026), false, 1ms, 1ns}).status == Status::warning);
    CHECK(judge_clock({year(2026), true, 21ms, 1ns}).status == Status::warning);
    CHECK(judge_clock({year(2026), true, 1ms, 21ms}).status == Status::warning);
    CHECK(judge_clock({year(1970), true, 1ms, 1ns}).status == Status::failed);
    CHECK(judge_clock({year(2101), true, 1ms, 1ns}).status == Status::failed);
    for (const int now : {1970, 2026}) {
        CHECK(judge_clock({year(now), false, 1ms, 1ns, true}).fix == "timedatectl set-ntp true");
        CHECK(contains(judge_clock({year(now), false, 1ms, 1ns}).fix, "host of this container"));
    }
}

TEST_CASE("terminal: only a missing UTF-8 locale is worth a warning")
{
    CHECK(judge_terminal({.present = true, .utf8 = true, .colours = true}).found == "UTF-8, colours");
    CHECK(judge_terminal({.present = true, .utf8 = true}).found == "UTF-8, no colours");
    CHECK(judge_terminal({.utf8 = true}).status == Status::ok);
    CHECK(judge_terminal({.present = true}).status == Status::warning);
}

TEST_CASE("tokens: a build that can only estimate says how to get one that counts")
{
    CHECK(judge_tokens(true).status == Status::ok);
    CHECK(judge_tokens(false).status == Status::warning);
    CHECK(contains(judge_tokens(false).fix, "build again"));
}

TEST_CASE("bubblewrap: must be there, end in time and succeed")
{
    CHECK(judge_bubblewrap({.exit = 0}).status == Status::ok);
    CHECK(judge_bubblewrap({.output = "No such file"}).fix == "apt-get install bubblewrap");
    CHECK(contains(judge_bubblewrap({.exit = 137, .timed_out = true}).found, "in time"));
    const Finding refused = judge_bubblewrap({.exit = 1, .output = "bwrap: no permission\nmore"});
    CHECK(refused.status == Status::warning);
    CHECK(refused.found.ends_with("refused: bwrap: no permission"));
    CHECK(contains(judge_bubblewrap({.exit = 1, .output = "bwrap: Can't mount proc on /newroot/proc"}).fix,
                   "systempaths=unconfined"));
}

TEST_CASE("user namespaces, Landlock: each refusal has its own fix")
{
    CHECK(judge_user_namespaces(0, false).found == "can be made");
    CHECK(contains(judge_user_namespaces(0, true).found, "as root"));
    CHECK(contains(judge_user_namespaces(ENOSPC, false).fix, "max_user_namespaces"));
    CHECK(contains(judge_user_namespaces(EPERM, false).fix, "unprivileged_userns_clone"));
    CHECK(judge_landlock(2).found == "used, for files (ABI 2)");
    CHECK(judge_landlock(4).found == "used, for files, TCP (ABI 4)");
    CHECK(judge_landlock(7).found == "used, for files, TCP, signals and sockets of others (ABI 7)");
    CHECK(contains(judge_landlock(1).found, "not used: bubblewrap alone guards files, because ABI 1"));
    CHECK(contains(judge_landlock(-EOPNOTSUPP).fix, "lsm="));
    CHECK(contains(judge_landlock(-ENOSYS).found, "does not offer it: Function not implemented"));
    CHECK(contains(judge_landlock(-ENOSYS).fix, "5.19"));
}

TEST_CASE("cgroups: what they are used for, or why not")
{
    const Finding all = judge_cgroups({.used = true, .memory = true, .processes = true}, true);
    CHECK(all.status == Status::ok);
    CHECK(all.found == "used, for CPU time, memory, the number of processes and the end of all that a tool starts");

    const Finding some = judge_cgroups({.used = true, .missing = "x has no controller"}, false);
    CHECK(some.status == Status::warning);
    CHECK(some.found ==
          "used, for CPU time and the end of all that a tool starts; not for the rest, because x has no controller");

    const Finding none = judge_cgroups({.missing = "x is not writable for us"}, true);
    CHECK(contains(none.found, "not used: a tool's processes are limited one by one"));
    CHECK(contains(none.found, "because x is not writable for us"));
    CHECK(contains(none.fix, "systemd-run"));
    CHECK_FALSE(contains(some.fix, "systemd-run"));
}
