// A task stands still when all that it waits for below it needs a person.
#include "engine/test_world.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;

namespace {

/// A root with two children; each of those does what its message says.
struct Askers : World {
    Askers()
    {
        team = team_of({});
        patterns.add({"child@1", [](Run& run) -> Async<model::Reply> {
                          if (run.prompt() == "work") {
                              co_await run.sleep(10ms);
                              co_return run.reply("worked");
                          }
                          if (run.prompt() == "hand on")
                              co_return co_await run.delegate(run.agent(), "ask", {.pattern = "child@1"});
                          const auto answer = co_await run.ask({.context = {{"question", "Which colour?"}}});
                          if (run.prompt() == "ask twice") co_await run.ask({.context = {{"question", "Sure?"}}});
                          co_return run.reply(answer.message);
                      }});
        patterns.add({"root@1", [](Run& run) -> Async<model::Reply> {
                          std::vector<std::string> errands;
                          for (const auto& errand : run.input().at("errands").get_array())
                              errands.emplace_back(errand.get_string());
                          co_await run.map(std::move(errands), [](Run& branch, std::string errand) -> Async<int> {
                              co_await branch.delegate(branch.agent(), std::move(errand), {.pattern = "child@1"});
                              co_return 0;
                          });
                          co_return run.reply("all done");
                      }});
    }

    Id begin_with(std::initializer_list<boost::json::value_ref> errands)
    {
        return begin("root@1", {.agent = "worker", .input = {{"errands", boost::json::array(errands)}}});
    }
    std::vector<std::shared_ptr<const TaskState>> held_up(Id id)
    {
        auto tree = wait(queries->open_tree(kAnn, id));
        std::erase_if(tree, [](const auto& task) { return !task->pause_reason && task->questions.empty(); });
        return tree;
    }
    Id top_of(Id task) { return wait(queries->top_of(kAnn, task))->id; }
    void answer(Id task) { wait(commands->answer(kAnn, task, "", {.message = "blue"})); }
};

}  // namespace

TEST_CASE("a task stands still once all below it that it waits for need a person, also over a restart")
{
    for (const bool restarts : {false, true})
        for (const char* errand : {"ask", "hand on"}) {
            CAPTURE(errand);
            Askers world;
            const Id root = world.begin_with({errand, "work", "ask"});
            if (restarts) {
                world.wait(sleep_for(5ms));
                world.restart();
                world.wait(world.host->wake(root));
            }
            world.wait(world.host->until_resting(root, true));
            CHECK(world.host->stands_still(root));
            CHECK(world.state(root).status == model::TaskStatus::running);
            CHECK(world.state(root).children.size() == 2);  // the one that works is waited for

            auto asking = world.held_up(root);
            REQUIRE(asking.size() == 2);
            CHECK(world.top_of(asking[0]->id) == root);
            world.answer(asking[0]->id);
            world.wait(world.host->until_resting(root, true));
            CHECK(world.host->stands_still(root));
            world.answer(asking[1]->id);
            world.wait(world.host->until_resting(root, true));
            CHECK(world.state(root).status == model::TaskStatus::completed);
            CHECK_FALSE(world.host->stands_still(root));
        }
}

TEST_CASE("who waits for a move below a task that stands still misses none, however short")
{
    Askers world;
    const Id root = world.begin_with({"ask twice"});
    world.wait(world.host->until_resting(root, true));
    const auto before = world.host->moves_below(root);
    REQUIRE(before);
    const Id child = world.held_up(root).at(0)->id;
    world.answer(child);
    world.wait(world.host->until_resting(root, true));  // it stands still again
    REQUIRE(world.host->stands_still(root));
    world.wait(world.host->until_moved(root, *before));
    CHECK(world.host->moves_below(root) != before);
    world.answer(child);
    world.wait(world.host->until_resting(root, true));
    CHECK(world.state(root).status == model::TaskStatus::completed);
    CHECK_FALSE(world.host->moves_below(root));
}

TEST_CASE("a paused task below holds its root up; where the root is paused too, the one below is a top of its own")
{
    Askers world;
    const Id root = world.begin_with({"ask"});
    world.wait(world.host->until_resting(root, true));
    const Id child = world.held_up(root).at(0)->id;
    world.wait(world.commands->pause(kAnn, child));
    world.wait(world.host->until_resting(root, true));
    CHECK(world.host->stands_still(root));
    REQUIRE(world.held_up(root).size() == 1);
    CHECK(world.held_up(root)[0]->pause_reason == model::PauseReason::user_request);

    world.wait(world.commands->pause(kAnn, root));
    CHECK_FALSE(world.host->stands_still(root));
    CHECK(world.top_of(child) == child);
    world.wait(world.commands->cancel(kAnn, root, ""));
    world.wait(world.host->until_resting(root, true));
    CHECK(world.state(root).status == model::TaskStatus::cancelled);
}
