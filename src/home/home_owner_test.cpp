#include "home/home_owner.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/run.hpp"
#include "engine/numbered_event.hpp"
#include "home/telling.hpp"
#include "net/loop.hpp"
#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace cadre;
using namespace cadre::home;
using engine::Principal;
using engine::Role;
using model::TaskStatus;
using test::error_of;

namespace {

namespace fs = std::filesystem;

struct Heard final : Listener {
    Async<> hear(Told told) override
    {
        if (const auto* event = std::get_if<engine::EventPtr>(&told)) events = (*event)->number;
        if (const auto* chunk = std::get_if<model::StreamChunk>(&told)) text += chunk->text;
        if (const auto* rest = std::get_if<TaskAtRest>(&told)) rests.push_back(rest->task);
        co_return;
    }

    std::uint32_t events = 0;
    std::string text;
    std::vector<Id> rests;
};

/// A home with its owner, and a model that knows one answer.
struct OwnedHome {
    OwnedHome() : owner(open()) {}
    ~OwnedHome() { wait(owner->leave()); }

    template <class T>
    T wait(Async<T> work)
    {
        return run(loop, std::move(work));
    }

    std::unique_ptr<HomeOwner> open()
    {
        std::ofstream(folder.path() / "script.yaml") << "- text: Hello.\n";
        std::ofstream(folder.path() / "slow.yaml") << "- {text: Hello., delay_ms: 60000}\n";
        auto lock = storage::HomeLock::try_acquire(home());
        REQUIRE(lock);
        const RuntimeOptions options{
            .place = {.folder = folder.path(), .environment = [](const std::string&) { return std::nullopt; }},
            .home = home()};
        return std::make_unique<HomeOwner>(loop, options, std::move(*lock), [](const std::exception_ptr&) {});
    }
    void restart()
    {
        wait(owner->leave());
        owner.reset();
        owner = open();
    }

    fs::path home() const { return folder.path() / "home"; }
    Create wanted(bool start = true) const
    {
        return {
            .task = {.team = {.name = "t", .description = "d", .agents = {{.name = "a", .role = "r", .prompt = "p"}}},
                     .description = "hi",
                     .model = "script:" + (folder.path() / "script.yaml").string(),
                     .start = start}};
    }
    Id create(const Principal& by, bool start = true) { return wait(owner->perform(by, wanted(start))).task; }

    storage::TemporaryFolder folder;
    net::Loop loop;
    std::unique_ptr<HomeOwner> owner;
};

const Principal kAnn{.tenant = "acme", .subject = "ann", .roles = {Role::user}};
const Principal kBob{.tenant = "globex", .subject = "bob", .roles = {Role::steward}};
const Principal kEve{.tenant = "acme", .subject = "eve", .roles = {Role::viewer}};

}  // namespace

TEST_CASE("home: two tenants work in one process, and neither sees the other's tasks")
{
    OwnedHome at;
    const Id anns = at.create(kAnn), bobs = at.create(kBob);
    Heard heard;
    CHECK(at.wait(at.owner->perform(kAnn, Drive{.task = anns}, heard)).status == TaskStatus::completed);
    CHECK(heard.events > 0);
    CHECK(at.wait(at.owner->perform(kBob, Drive{.task = bobs}, heard)).status == TaskStatus::completed);

    const doctest::String missing(("not_found: there is no task " + to_string(anns)).c_str());
    CHECK(error_of([&] { at.wait(at.owner->perform(kBob, Drive{.task = anns}, heard)); }) == missing);
    CHECK(error_of([&] { at.wait(at.owner->perform(kBob, Cancel{.task = anns})); }) == missing);
    CHECK(error_of([&] { at.wait(at.owner->perform(kBob, Fork{{.from = anns}})); }) == missing);
    CHECK(error_of([&] { at.wait(at.owner->perform(kBob, Park{.task = anns})); }) == missing);
    CHECK(error_of([&] { at.wait(at.owner->perform(kBob, AwaitRest{anns})); }) == missing);
    engine::Queries& queries = at.owner->runtime().queries();
    const auto seen = at.wait(queries.tasks(kBob, {}));
    REQUIRE(seen.size() == 1);
    CHECK(seen.front().task == bobs);
    CHECK(at.wait(queries.tasks(kEve, {})).front().task == anns);
}

TEST_CASE("home: roles are checked for what does not go through an engine command, too")
{
    OwnedHome at;
    const Id task = at.create(kAnn);
    Heard heard;
    CHECK(error_of([&] { at.wait(at.owner->perform(kEve, Drive{.task = task}, heard)); }) ==
          doctest::Contains("forbidden"));
    CHECK(error_of([&] { at.wait(at.owner->perform(kEve, Park{.task = task})); }) == doctest::Contains("forbidden"));
    CHECK(error_of([&] { at.wait(at.owner->perform(kAnn, Collect{})); }) == doctest::Contains("forbidden"));
    CHECK(error_of([&] { at.wait(at.owner->perform(kAnn, Import{"/etc/passwd"})); }) == doctest::Contains("forbidden"));
    CHECK(at.wait(at.owner->perform(engine::local_user("me"), Rebuild{})).failed.empty());
}

TEST_CASE("home: a pending task waits for its start, over restarts, and is not driven before")
{
    OwnedHome at;
    const Id task = at.create(kAnn, false);
    Heard heard;
    CHECK(at.wait(at.owner->perform(kAnn, DriveAll{}, heard)).tasks == 0);
    at.restart();
    engine::Queries& queries = at.owner->runtime().queries();
    CHECK(at.wait(queries.task(kAnn, task))->status == TaskStatus::pending);
    at.wait(at.owner->perform(kAnn, Start{task}));
    CHECK(at.wait(at.owner->perform(kAnn, Drive{.task = task}, heard)).status == TaskStatus::completed);
    CHECK(error_of([&] { at.wait(at.owner->perform(kAnn, Start{task})); }) == doctest::Contains("conflict"));
}

TEST_CASE("home: who drives a task that is held hears every word of it, however fast its model is")
{
    OwnedHome at;
    Create held = at.wanted();
    held.held = true;
    held.task.mode = model::ExecutionMode::step;
    const Id task = at.wait(at.owner->perform(kAnn, held)).task;
    at.wait(at.owner->perform(kAnn, AwaitRest{task}));
    CHECK(at.wait(at.owner->runtime().queries().task(kAnn, task))->end.event_seq == 1);  // it has not begun
    Heard heard;
    CHECK(at.wait(at.owner->perform(kAnn, Drive{.task = task}, heard)).status == TaskStatus::paused);
    CHECK(heard.text.empty());

    const TaskReply before = at.wait(at.owner->perform(kAnn, Resume{.task = task, .freely = true, .held = true}));
    CHECK(at.wait(at.owner->perform(kAnn, AwaitRest{task})).status ==
          TaskStatus::running);  // what was said is recorded
    CHECK(at.wait(at.owner->perform(kAnn, Drive{.task = task, .after = before.events}, heard)).status ==
          TaskStatus::completed);
    CHECK(heard.text == "Hello.");

    held.task.mode = model::ExecutionMode::autonomous;
    const Id other = at.wait(at.owner->perform(kAnn, held)).task;
    at.restart();  // whoever created it was killed before it began
    Heard later;
    CHECK(at.wait(at.owner->perform(kAnn, DriveAll{}, later)).tasks == 1);
    CHECK(later.rests == std::vector{other});
    CHECK(at.wait(at.owner->runtime().queries().task(kAnn, other))->status == TaskStatus::completed);
}

TEST_CASE("home: when the owner leaves, who waits for a task is told that, not that somebody has stopped it")
{
    OwnedHome at;
    Create slow = at.wanted();
    slow.task.model = "script:" + (at.folder.path() / "slow.yaml").string();
    const Id task = at.wait(at.owner->perform(kAnn, slow)).task;
    Heard heard;
    std::string end = "the drive goes on";
    AsyncScope drives(at.loop);
    drives.spawn([](HomeOwner& owner, Id task, Listener& listener, std::string& end) -> Async<> {
        try {
            co_await owner.perform(kAnn, Drive{.task = task}, listener);
            end = "at rest";
        } catch (const Leaving&) {
            end = "the owner leaves";
        }
    }(*at.owner, task, heard, end));
    at.wait([](HomeOwner& owner, Id task) -> Async<> {
        AsyncScope both(co_await this_context());
        both.spawn(owner.settle());
        co_await owner.runtime().host().park_at_once(task);  // the model takes a minute
        co_await both.join();
    }(*at.owner, task));
    at.wait(drives.join());
    CHECK(end == "the owner leaves");
}
