// Words of models in tasks below one, for who asks for them.
#include "engine/test_world.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;

namespace {

struct Family : World {
    Family()
    {
        team = team_of({});
        model->answer = [](const llm::Request& request) { return says("about " + request.messages.back()->text); };
        patterns.add({"down@1", [](Run& run) -> Async<model::Reply> {
                          run.tell(run.prompt());
                          const Step step = co_await run.think(run.agent());
                          if (run.prompt() == "2") co_return run.reply(step.text);
                          co_return co_await run.delegate(run.agent(), run.prompt() == "0" ? "1" : "2");
                      }});
    }

    /// What somebody sees who watches all the time: the text, and whose it is.
    std::vector<std::pair<std::string, std::string>> watch(Id id, bool children)
    {
        std::vector<std::pair<std::string, std::string>> seen;
        const auto watching = wait(commands->watch(kAnn, id, 0, children));
        wait([](Subscription& one, std::vector<std::pair<std::string, std::string>>& texts) -> Async<> {
            while (const auto what = co_await one.next())
                if (const auto* chunk = std::get_if<model::StreamChunk>(&*what); chunk && !chunk->text.empty())
                    texts.emplace_back(chunk->text, chunk->task_id.value_or(""));
        }(*watching, seen));
        return seen;
    }
};

}  // namespace

TEST_CASE("watching: children's words come with their task and agent, to who asks for them")
{
    Family family;
    family.model->delay = 10ms;
    const Id plain = family.begin("down@1", {.description = "0", .agent = "worker"});
    const auto own = family.watch(plain, false);
    REQUIRE(own.size() == 1);
    CHECK(own[0] == std::pair(std::string("about 0"), std::string()));

    const Id id = family.begin("down@1", {.description = "0", .agent = "worker"});
    const auto all = family.watch(id, true);
    REQUIRE(all.size() == 3);
    CHECK(all[0] == std::pair(std::string("about 0"), std::string()));
    CHECK(all[1].first == "about 1");
    CHECK(all[2].first == "about 2");  // also of the one below that
    const auto child = find_id(all[1].second);
    REQUIRE(child);
    CHECK(family.state(*child).spec.parent == to_string(id));
    CHECK(family.state(*find_id(all[2].second)).spec.parent == all[1].second);
}
