#include "tools/sandbox/cgroup.hpp"

#include "support/skip.hpp"
#include "tools/sandbox/test_box.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using namespace cadre::tools;

namespace fs = std::filesystem;

namespace {

/// A folder with the files of a group.
CgroupFacts group_with(const fs::path& folder, const char* offered, const char* handed_on, bool is_root)
{
    fs::create_directories(folder);
    put(folder / "cgroup.controllers", offered);
    put(folder / "cgroup.subtree_control", handed_on);
    put(folder / "cgroup.procs", "1\n");
    if (!is_root) put(folder / "cgroup.type", "domain\n");
    return look_at_cgroup(folder);
}

/// A process that has ended and was waited for: nobody has its number for a while.
pid_t somebody_gone()
{
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(0);
    ::waitpid(pid, nullptr, 0);
    return pid;
}

std::size_t groups_of_ours()
{
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(own_cgroup().folder))
        if (entry.path().filename().string().starts_with("cadre-" + std::to_string(::getpid()) + "-")) ++count;
    return count;
}

}  // namespace

TEST_CASE("cgroup: ours is found in both layouts, and not what is outside of our namespace")
{
    const TestFolder folder;
    const fs::path mount = folder.outside();
    fs::create_directories(mount / "user/scope");
    CHECK(find_own_cgroup({mount}, "4:memory:/x\n0::/user/scope\n") == mount / "user/scope");
    CHECK(find_own_cgroup({mount}, "0::/\n") == mount);
    CHECK(find_own_cgroup({mount}, "0::/../other\n").empty());
    CHECK(find_own_cgroup({mount}, "0::/gone\n").empty());
    CHECK(find_own_cgroup({mount}, "4:memory:/x\n").empty());
    CHECK(find_own_cgroup({}, "0::/\n").empty());
}

TEST_CASE("cgroup: what can be had of one, and why not all")
{
    const TestFolder folder;
    const fs::path at = folder.outside() / "group";
    const CgroupPlan all = plan_cgroups(group_with(at, "cpu memory pids", "memory pids", false));
    CHECK((all.used && all.memory && all.processes && all.missing.empty() && all.hand_on.empty()));

    const CgroupPlan root = plan_cgroups(group_with(folder.outside() / "root", "memory pids", "memory", true));
    CHECK(root.hand_on == std::vector<std::string>{"pids"});
    CHECK(root.missing.empty());

    const CgroupPlan busy = plan_cgroups(group_with(at, "memory pids", "", false));
    CHECK((busy.used && !busy.memory && !busy.processes && busy.hand_on.empty()));
    CHECK(busy.missing == at.string() + " has processes, and is not delegated to us");

    CgroupFacts given = group_with(at, "memory pids", "", false);
    given.is_delegated = true;
    CHECK(plan_cgroups(given).hand_on == std::vector<std::string>{"memory", "pids"});

    const CgroupPlan poor = plan_cgroups(group_with(at, "hugetlb", "", false));
    CHECK((poor.used && !poor.memory));
    CHECK(poor.missing == at.string() + " has no controller memory, " + at.string() + " has no controller pids");

    given.is_writable = false;
    CHECK_FALSE(plan_cgroups(given).used);
    CHECK(plan_cgroups(given).missing == at.string() + " is not writable for us");
    CHECK(plan_cgroups({}).missing == "there are no cgroups of version 2");
}

TEST_CASE("cgroup: limits as the kernel reads them, and its counts as it writes them")
{
    const SandboxLimits limits{.memory = 100, .processes = 5, .scratch = 10};
    CHECK(cgroup_settings(limits) ==
          std::vector<CgroupSetting>{
              {"memory.max", "120"}, {"memory.swap.max", "0"}, {"memory.oom.group", "1"}, {"pids.max", "8"}});

    const TestFolder folder;
    const fs::path at = folder.outside();
    CHECK(use_of_cgroup(at).cpu == Millis(0));
    put(at / "cpu.stat", "usage_usec 1234567\nuser_usec 1\n");
    put(at / "memory.peak", "4096\n");
    put(at / "memory.events", "low 0\nmax 7\noom 1\noom_kill 2\n");
    const CgroupUse use = use_of_cgroup(at);
    CHECK(use.cpu == Millis(1234));
    CHECK(use.peak_memory == 4096);
    CHECK(use.ran_out);
}

TEST_CASE("cgroup: one is gone with its call, and those of the dead are swept")
{
    const TestFolder folder;
    ThreadPool pool(1);
    const CgroupFacts facts = group_with(folder.outside() / "group", "", "", false);
    fs::path made;
    {
        const auto group = Cgroup::make_in(facts, plan_cgroups(facts), pool, {});
        REQUIRE(group);
        made = group->folder();
        CHECK(fs::is_directory(made));
    }
    CHECK_FALSE(fs::exists(made));
    CHECK(Cgroup::make_in(facts, {}, pool, {}) == nullptr);

    const fs::path dead = facts.folder / ("cadre-" + std::to_string(somebody_gone()) + "-3");
    const fs::path alive = facts.folder / ("cadre-" + std::to_string(::getpid()) + "-77");
    const fs::path other = facts.folder / "cadre-main";
    for (const fs::path& one : {dead, alive, other}) fs::create_directory(one);
    sweep_cgroups(facts.folder);
    CHECK_FALSE(fs::exists(dead));
    CHECK(fs::exists(alive));
    CHECK(fs::exists(other));
}

TEST_CASE("cgroup: a call is born in one, counted as a whole, and leaves none")
{
    const CgroupPlan plan = plan_cgroups(own_cgroup());
    if (!plan.used) return test::skip("no cgroups here: " + plan.missing);
    TestBox box;
    box.policy.mode = model::SandboxMode::none;  // where nothing else holds the tree together
    // nobody waits for the busy one
    const auto outcome = box.sh("grep ^0:: /proc/self/cgroup; (setsid sh -c 'i=0; while [ $i -lt 100000 ]; do "
                                "i=$((i+1)); done; touch done; sleep 1000' &); echo $$ > pid; "
                                "while [ ! -e done ]; do sleep 0.01; done");
    CHECK(outcome.output.find("/cadre-" + std::to_string(::getpid()) + "-") != std::string::npos);
    CHECK(outcome.usage.cpu_ms >= 10);
    CHECK(groups_of_ours() == 0);  // which can be removed only when all processes have ended
}

TEST_CASE("cgroup: a call in a sandbox leaves none, however it ends")
{
    if (const std::string why = why_no_sandbox(); !why.empty()) return test::skip(why);
    if (const CgroupPlan plan = plan_cgroups(own_cgroup()); !plan.used)
        return test::skip("no cgroups here: " + plan.missing);
    TestBox box;
    CHECK(box.sh("exit 3").exit_code == 3);
    box.policy.limits.time = Millis(200);
    CHECK(box.sh("setsid sleep 1000 & sleep 1000").stopped == SandboxStop::time);
    CHECK(groups_of_ours() == 0);
}

TEST_CASE("cgroup: memory is counted over all processes of a call")
{
    if (const std::string why = why_no_sandbox(); !why.empty()) return test::skip(why);
    if (const CgroupPlan plan = plan_cgroups(own_cgroup()); !plan.memory)
        return test::skip("memory is not limited by cgroups here: " + plan.missing);
    TestBox box;
    box.policy.limits = {.memory = 64 << 20, .scratch = 1 << 20, .time = Millis(20'000)};
    const auto heavy = box.python("import os, time\nfor i in range(8):\n  if os.fork() == 0: x = bytearray(30 << 20); "
                                  "time.sleep(9)\ntime.sleep(9)");
    CHECK(heavy.stopped == SandboxStop::memory);
    CHECK(groups_of_ours() == 0);
}
