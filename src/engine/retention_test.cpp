#include "engine/retention.hpp"

#include "engine/index_detail.hpp"
#include "engine/projections/layout.hpp"
#include "engine/projections/projector.hpp"
#include "engine/test_world.hpp"
#include "engine/transfer.hpp"
#include "storage/files.hpp"
#include "storage/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::framework::PurgeScope;
using model::framework::RetentionPolicy;
using storage::TaskEntry;

namespace {

namespace fs = std::filesystem;

/// Talks, fails, or asks and waits for ever.
Async<model::Reply> as_told(Run& run)
{
    if (run.prompt() == "fail") throw Error(Code::invalid, "as told");
    if (run.prompt() == "wait") co_await run.ask({.agent = "worker"});
    if (run.prompt() == "delegate") co_return co_await run.delegate(run.agent("worker"), "talk");
    co_return run.reply((co_await run.think(run.agent())).text);
}

/// A home with tasks on the simulator's clock: days pass when they are told to.
struct Home : World {
    Home() : projector(setting())
    {
        patterns.add({"told@1", as_told});
        team = team_of({});
        model->answer = [](const llm::Request&) { return says("done"); };
        host->set_listener(&projector);
        wait(projector.catch_up());
    }
    ~Home() { host->set_listener(nullptr); }

    ProjectorSetting setting()
    {
        return {.loop = loop,
                .pool = pool,
                .store = store,
                .folder = tasks(),
                .policy = model::framework::standard_retention(),
                .log = Log(descriptor_sink(-1), Level::off)};
    }
    Id run(std::string prompt, std::string kind = "", std::optional<int> days = {})
    {
        const Id id = begin(
            "told@1",
            {.description = std::move(prompt), .agent = "worker", .kind = std::move(kind), .retention_days = days});
        wait(host->until_resting(id));
        loop.run_until([&] { return !projector.is_behind(id); });
        return id;
    }
    void pass(std::chrono::days days) { loop.manual_clock().jump(days); }

    Collector collector()
    {
        return Collector({.store = store, .pool = pool, .folder = tasks(), .clock = loop.clock()});
    }
    std::set<Id> planned(const RetentionPolicy& policy) { return ids(wait(collector().plan(policy))); }
    std::set<Id> collected(const RetentionPolicy& policy) { return ids(wait(collector().collect(policy))); }
    static std::set<Id> ids(const std::vector<Expired>& expired)
    {
        std::set<Id> all;
        for (const Expired& one : expired) all.insert(one.task.task);
        return all;
    }
    fs::path tasks() const { return temporary.path() / "tasks"; }
    fs::path file(const Id& id, std::string_view name) const { return tasks() / to_string(id) / name; }

    storage::TemporaryFolder temporary;
    Projector projector;
};

}  // namespace

TEST_CASE("retention: each task goes on its day and not before")  // TRACE-19 U
{
    Home home;
    const RetentionPolicy policy = model::framework::standard_retention();
    const Id completed = home.run("talk");
    const Id failed = home.run("fail");
    const Id critical = home.run("talk", "critical");
    const Id debug = home.run("talk", "debug");
    const Id own = home.run("fail", "critical", 1);
    home.run("wait");
    const std::pair<int, std::set<Id>> days[] = {
        {1, {own}}, {2, {}},        {3, {debug}}, {6, {}},          {7, {completed}},
        {13, {}},   {14, {failed}}, {29, {}},     {30, {critical}}, {90, {}},
    };
    int today = 0;
    for (const auto& [day, gone] : days) {
        CAPTURE(day);
        home.pass(std::chrono::days(day - today));
        today = day;
        CHECK(home.planned(policy) == gone);
        CHECK(home.planned(policy) == gone);  // a plan changes nothing
        CHECK(home.collected(policy) == gone);
    }
    CHECK(home.wait(home.store.tasks({})).size() == 6);
}

TEST_CASE("retention: a purge leaves task.json, artifacts and an entry; `all` leaves nothing")
{
    Home home;
    RetentionPolicy policy{.default_days = 1};
    const Id id = home.run("talk");
    fs::create_directories(home.file(id, "artifacts"));
    storage::write_private_file(home.file(id, "artifacts/report.md"), "mine");
    fs::create_directories(home.file(id, "memory"));
    storage::write_private_file(home.file(id, "memory/short_term.json"), "{}");
    home.pass(std::chrono::days(1));
    const auto plan = home.wait(home.collector().plan(policy));
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].file_bytes > 1000);
    CHECK(plan[0].journal_bytes > 100);
    const auto gone = home.wait(home.collector().collect(policy));
    CHECK(gone[0].file_bytes == plan[0].file_bytes);
    CHECK(gone[0].journal_bytes == plan[0].journal_bytes);

    std::set<std::string> left;
    for (const auto& item : fs::directory_iterator(home.file(id, ""))) left.insert(item.path().filename());
    CHECK(left == std::set<std::string>{"task.json", "artifacts"});
    CHECK(home.wait(home.store.read(id)).empty());
    const auto entry = home.wait(home.store.find_task(id));
    REQUIRE(entry);
    CHECK(entry->status == "completed");
    CHECK(detail_of(*entry).purged_at);
    CHECK_THROWS_WITH_AS(home.wait(home.queries->task(kAnn, id)), doctest::Contains("was removed on"), Error);
    CHECK(home.wait(home.queries->verify(kAnn, id)).problems.empty());
    CHECK(home.collected(policy).empty());

    policy.scope = PurgeScope::all;
    CHECK(home.collected(policy) == std::set{id});
    CHECK_FALSE(fs::exists(home.file(id, "")));
    CHECK_FALSE(home.wait(home.store.find_task(id)));
}

TEST_CASE("retention: what was delegated goes with its root, and never by itself")
{
    Home home;
    const RetentionPolicy policy{.default_days = 3};
    const Id root = home.run("delegate", "", 5);
    home.pass(std::chrono::days(4));
    CHECK(home.planned(policy).empty());  // the child's 3 days are over, and do not count
    home.pass(std::chrono::days(1));
    const auto gone = home.wait(home.collector().collect(policy));
    REQUIRE(gone.size() == 1);
    CHECK(gone[0].task.task == root);
    REQUIRE(gone[0].below.size() == 1);
    CHECK(home.wait(home.store.read(gone[0].below[0].task)).empty());
    CHECK_FALSE(fs::exists(home.file(gone[0].below[0].task, layout::kTrace)));
}

TEST_CASE("retention: while something below has not ended, nothing goes")
{
    const Time now = Time{} + std::chrono::years(50);
    const auto entry = [&](Id id, bool open, std::string parent = "") {
        return TaskEntry{.task = id,
                         .status = open ? "running" : "completed",
                         .open = open,
                         .updated_at = now - std::chrono::days(9),
                         .parent = std::move(parent)};
    };
    const Id root = new_id(), child = new_id(), grandchild = new_id(), orphan = new_id();
    std::vector<TaskEntry> entries{entry(grandchild, true, to_string(child)), entry(child, false, to_string(root)),
                                   entry(root, false), entry(orphan, false, to_string(new_id()))};
    CHECK(Home::ids(expired(entries, {}, now)) == std::set{orphan});  // whose parent is gone: its own root
    entries[0] = entry(grandchild, false, to_string(child));
    CHECK(Home::ids(expired(entries, {}, now)) == std::set{root, orphan});
}

TEST_CASE("retention: what is being written just now is left for the next time")
{
    Home home;
    const Id id = home.run("talk");
    Collector busy({.store = home.store,
                    .pool = home.pool,
                    .folder = home.tasks(),
                    .clock = home.loop.clock(),
                    .is_busy = [&](const Id& task) { return task == id; }});
    home.pass(std::chrono::days(100));
    CHECK(home.wait(busy.collect({})).empty());
    CHECK(home.collected({}) == std::set{id});
}

TEST_CASE(
    "retention: a task is removed before its time with all below it, and neither a part of one nor what has not ended")
{
    Home home;
    const Id root = home.run("delegate"), kept = home.run("talk"), open = home.run("wait");
    const auto below = home.wait(home.store.tasks({.parent = to_string(root)}));
    REQUIRE(below.size() == 1);
    const Id child = below[0].task;
    Collector collector = home.collector();
    const auto refused = [&](const Id& id) {
        try {
            home.wait(collector.ended_family(id));
        } catch (const Error& error) {
            return error.code();
        }
        return Code::internal;
    };
    CHECK(refused(child) == Code::conflict);
    CHECK(refused(open) == Code::conflict);
    CHECK(refused(new_id()) == Code::not_found);

    home.wait(collector.remove_family(home.wait(collector.ended_family(root))));
    for (const Id& id : {root, child}) {
        CHECK_FALSE(home.wait(home.store.find_task(id)));
        CHECK(home.wait(home.store.read(id)).empty());
        CHECK_FALSE(fs::exists(home.tasks() / to_string(id)));
    }
    CHECK(home.wait(home.store.find_task(kept)));

    Collector busy({.store = home.store,
                    .pool = home.pool,
                    .folder = home.tasks(),
                    .clock = home.loop.clock(),
                    .is_busy = [](const Id&) { return true; }});
    CHECK_THROWS_AS(home.wait(busy.remove_family(home.wait(busy.ended_family(kept)))), Error);
    CHECK(home.wait(home.store.find_task(kept)));
}

TEST_CASE("retention: an imported task's time begins when it comes, and what was removed can come back")
{
    Home there;
    const Id id = there.run("talk");
    const std::string file = file_of(there.wait(there.queries->export_run(kAnn, id, false)));

    Home home;
    home.pass(std::chrono::days(100));
    const auto import = [&] { return home.wait(home.commands->import_run(kAnn, transfer_from(file))); };
    CHECK_FALSE(import().existed);
    CHECK(home.collected({}).empty());
    home.pass(std::chrono::days(8));
    CHECK(home.collected({}) == std::set{id});
    CHECK(home.records(id).empty());
    CHECK_FALSE(import().existed);
    CHECK(home.state(id).reply->text == "done");
    CHECK(home.collected({}).empty());
}

TEST_CASE("attack 10: what cannot be removed is named and stays due, and everything else goes")
{
    Home home;
    const RetentionPolicy policy{.default_days = 1, .scope = PurgeScope::history};
    const Id first = home.run("talk");
    const Id stuck = home.run("talk");
    const Id last = home.run("talk");
    const fs::path folder = home.tasks() / to_string(stuck);
    fs::rename(folder, home.temporary.path() / "elsewhere");
    fs::create_symlink(home.temporary.path() / "elsewhere", folder);
    home.pass(std::chrono::days(100));
    std::vector<Unremoved> failed;
    CHECK(Home::ids(home.wait(home.collector().collect(policy, &failed))) == std::set<Id>{first, last});
    REQUIRE(failed.size() == 1);
    CHECK(failed.front().task == stuck);
    CHECK(failed.front().error.find(to_string(stuck)) != std::string::npos);
    CHECK(home.planned(policy) == std::set<Id>{stuck});

    fs::remove(folder);
    fs::rename(home.temporary.path() / "elsewhere", folder);
    CHECK(home.collected(policy) == std::set<Id>{stuck});
}
