#include "cli/graph/live_drawing.hpp"

#include "base/json.hpp"
#include "cli/output_fixture.hpp"
#include "engine/test_cut.hpp"
#include "engine/test_flow.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <sstream>

using namespace cadre;
using namespace cadre::cli;
using namespace cadre::engine::testing;
using engine::Run;

namespace {

/// `first`, then `inner`, which runs a workflow of one node, then `last`.
model::WorkflowSetup three_nodes()
{
    model::WorkflowSetup setup{.graph = {.name = "three", .patterns = {"react"}, .entry = "first"}};
    setup.graph.nodes["first"].agent = "worker";
    setup.graph.nodes["inner"] = {.type = model::NodeType::workflow, .workflow = "other"};
    setup.graph.nodes["last"] = {.type = model::NodeType::human};
    setup.graph.edges = {{.from = "first", .to = boost::json::value("inner")},
                         {.from = "inner", .to = boost::json::value("last")}};
    model::Graph other{.name = "other", .patterns = {"react"}, .entry = "only"};
    other.nodes["only"].agent = "worker";
    setup.nested["other"] = other;
    return setup;
}

/// What the pattern of workflows does, as far as these are concerned.
Async<std::string> walk_part(Run& run, std::size_t part)
{
    if (part == 2) co_await run.ask({.context = {{"question", "ok?"}}});
    const auto pay = [](Run& inner) { return pay_for(inner, 1, 2'000); };
    if (part == 1) co_return co_await run.node("only", pay);
    co_return co_await pay_for(run, 0, 2'000);
}

Async<model::Reply> walk(Run& run)
{
    const TestFlow flow({{.name = "first"}, {.name = "inner", .inputs = {0}}, {.name = "last", .inputs = {1}}});
    co_await run.flow<std::string>(
        flow, [](Run& at, std::size_t part, const engine::Inputs<std::string>&) { return walk_part(at, part); });
    co_return run.reply("done");
}

struct Drawn : Stage {
    Drawn() : Stage(walk) { patterns.add({"graph@1", walk}); }

    Id begin_workflow()
    {
        engine::TaskSpec spec{.description = "Go.", .agent = "worker"};
        wait(host->teams().pin_setup(model::to_json_text(three_nodes()), spec));
        return begin("graph@1", spec);
    }
    std::unique_ptr<DrawnTask> open(const Id& id) { return wait(DrawnTask::open(*queries, kAnn, to_string(id))); }

    /// What is written while the task runs, and a person answers.
    std::string follow(Captured& captured, bool redraws, TerminalSize size)
    {
        const Id id = begin_workflow();
        const auto task = open(id);
        const DrawingPlace place{
            .output = captured.output, .redraws = redraws, .size = [size] { return size; }, .clock = loop.clock()};
        wait(watch(*this, id, *task, place));
        return captured.out;
    }

    static Async<> watch(Drawn& world, Id id, DrawnTask& task, const DrawingPlace& place)
    {
        LiveDrawing live(task, place);
        AsyncScope scope(co_await this_context());
        scope.spawn(answer(world, id));
        co_await live.follow();
        co_await scope.close();
    }
    static Async<> answer(Drawn& world, Id id)
    {
        co_await world.host->until_resting(id);
        co_await sleep_for(Millis(3'000));
        co_await world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve});
    }
};

std::vector<std::string> rows_of(const std::string& text)
{
    std::vector<std::string> rows;
    std::istringstream stream(text);
    for (std::string row; std::getline(stream, row);) rows.push_back(row);
    return rows;
}

}  // namespace

TEST_CASE("a task's drawing says how far its nodes are, those of workflows inside too")
{
    Drawn world;
    const Id id = world.begin_workflow();
    CHECK(world.rest(id).status == model::TaskStatus::waiting);
    const Drawings drawings = world.open(id)->drawings();
    CHECK(summary_of(drawings.main) == "3 nodes: 2 done, 1 waiting");
    REQUIRE(drawings.nested.size() == 1);
    CHECK(drawings.nested[0].name == "other");
    CHECK(summary_of(drawings.nested[0]) == "1 node: 1 done");
}

TEST_CASE("a task without a workflow has nothing to draw, and says where its steps are seen")
{
    Drawn world;
    const Id id = world.play();
    world.finish(id);
    try {
        world.open(id);
        FAIL("it was drawn");
    } catch (const Error& error) {
        CHECK(contains(error.what(), "runs no workflow"));
        CHECK(contains(error.what(), "play@1"));
    }
    CHECK_THROWS_AS(world.wait(DrawnTask::open(*world.queries, kAnn, "ffffffff")), Error);
}

TEST_CASE("followed without a terminal: the drawing once, then a line for each change, and the end")
{
    Drawn world;
    Captured captured;
    captured.output.utf8 = true;
    const auto rows = rows_of(world.follow(captured, false, {.width = 60, .height = 10}));
    const auto count = [&](std::string_view part) {
        return std::ranges::count_if(rows, [&](const std::string& row) { return contains(row, part); });
    };
    CHECK(count("workflow three, 3 nodes: ") == 1);
    for (const char* line : {"  first  ✓ done 2 s", "  inner  ▶ running", "  only  ✓ done", "  last  ? waiting",
                             "  last  ✓ done", "completed"}) {
        CAPTURE(line);
        CHECK(count(line) == 1);
    }
    CHECK(contains(rows.back(), " completed"));
    CHECK_FALSE(contains(captured.out, "\x1b"));
}

TEST_CASE("followed on a terminal: it is drawn in place, and stands there whole at the end")
{
    Drawn world;
    Captured captured;
    const std::string text = world.follow(captured, true, {.width = 60, .height = 40});
    CHECK(contains(text, "\x1b[J"));
    CHECK(contains(text, "3 nodes: 2 done, 1 waiting"));
    const auto rows = rows_of(text.substr(text.rfind("\x1b[J")));
    REQUIRE(rows.size() > 5);
    CHECK(contains(rows[0], "workflow three, 3 nodes: 3 done"));
    CHECK(contains(rows.back(), " completed"));
    for (const std::string& row : rows) CHECK(row.size() < 70);
}

TEST_CASE("followed on a terminal that is too low: a line for each change")
{
    Drawn world;
    Captured captured;
    CHECK_FALSE(contains(world.follow(captured, true, {.width = 60, .height = 8}), "\x1b"));
    CHECK(contains(captured.out, "last  ? waiting"));
}

TEST_CASE("followed for programs: every line is JSON, the first and the last have all nodes")
{
    Drawn world;
    Captured captured;
    captured.output.json = true;
    const auto rows = rows_of(world.follow(captured, true, {.width = 60, .height = 40}));
    REQUIRE(rows.size() > 4);
    for (const std::string& row : rows) CHECK(parse_json(row).is_object());
    CHECK(parse_json(rows.front()).at("nodes").as_array().size() == 3);
    CHECK(parse_json(rows.back()).at("task").at("status") == "completed");
    CHECK(parse_json(rows[1]).at("node") == "first");
}
