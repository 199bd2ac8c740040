#include "model/plan.hpp"

#include "support/entity.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

TEST_CASE("a plan's items have ids of their own and wait for each other without end only in error")
{
    struct {
        const char* tasks;
        const char* says;
    } const cases[] = {
        {"[]", ""},
        {R"([{"id":"a","agent":"x","action":"y"},{"id":"a","agent":"x","action":"y"}])",
         "tasks[1].id: \"a\" is here twice; rename one of them"},
        {R"([{"id":"a","agent":"x","action":"y","depends_on":["b"]}])",
         "tasks[0].depends_on[0]: \"b\" is not in the plan; add it, or name an item that is"},
        {R"([{"id":"a","agent":"x","action":"y","depends_on":["b"]},{"id":"b","agent":"x","action":"y","depends_on":["a"]}])",
         "tasks: wait for each other: a → b → a"},
        {R"([{"id":"a","agent":"x","action":"y","status":"done"}])",
         "tasks[0].status: \"done\" is none of pending, running, completed, failed, skipped"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.tasks);
        CHECK(problems_with<Plan>("tasks", c.tasks) == c.says);
    }
}

TEST_CASE("what a plan can do next follows from what is done")
{
    using enum PlanItemStatus;
    Plan plan{.goal = "g",
              .items = {{.id = "a", .status = completed},
                        {.id = "b", .status = skipped},
                        {.id = "c", .depends_on = {"a", "b"}},
                        {.id = "d", .depends_on = {"c"}},
                        {.id = "e"},
                        {.id = "f", .status = failed}}};
    CHECK(ready_items(plan) == std::vector<std::string>{"c", "e"});
    CHECK(progress_of(plan) == PlanProgress{.total = 6, .completed = 2, .failed = 1});
}
