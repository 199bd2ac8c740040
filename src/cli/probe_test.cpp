#include "cli/probe.hpp"

#include "cli/captured.hpp"
#include "cli/probe_sandbox.hpp"
#include "cli/probe_storage.hpp"
#include "cli/probe_system.hpp"

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
}

TEST_CASE("user namespaces, Landlock: each refusal has its own fix")
{
    CHECK(judge_user_namespaces(0, false).found == "can be made");
    CHECK(contains(judge_user_namespaces(0, true).found, "as root"));
    CHECK(contains(judge_user_namespaces(ENOSPC, false).fix, "max_user_namespaces"));
    CHECK(contains(judge_user_namespaces(EPERM, false).fix, "unprivileged_userns_clone"));
    CHECK(judge_landlock(4).found == "ABI 4");
    CHECK(contains(judge_landlock(-EOPNOTSUPP).fix, "lsm="));
    CHECK(contains(judge_landlock(-ENOSYS).fix, "5.13"));
}

TEST_CASE("cgroups: all three controllers and writable, or a warning that says what is left")
{
    CHECK(judge_cgroups({2, {"cpu", "memory", "pids"}, true}).found == "version 2: cpu, memory, pids, writable");
    CHECK(judge_cgroups({1, {"cpu", "memory", "pids"}, true}).status == Status::ok);
    CHECK(contains(judge_cgroups({2, {"cpu", "memory", "pids"}, false}).found, "not writable; a tool's processes"));
    CHECK(contains(judge_cgroups({2, {"memory", "pids"}, true}).found, "for the rest a tool's processes"));
    CHECK(contains(judge_cgroups({}).found, "one by one"));
}

TEST_CASE("cgroups: systemd-run is only advised where it can help")
{
    CHECK(contains(judge_cgroups({2, {"cpu"}, false, true}).fix, "systemd-run"));
    CHECK(contains(judge_cgroups({.systemd = true}).fix, "systemd-run"));
    CHECK_FALSE(contains(judge_cgroups({1, {"cpu"}, false, true}).fix, "systemd-run"));
    CHECK_FALSE(contains(judge_cgroups({2, {"cpu"}, false, false}).fix, "systemd-run"));
}
