#include "model/task.hpp"

#include "base/sim_loop.hpp"
#include "support/entity.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

TEST_CASE("a task's rules name the field that breaks them")
{
    struct {
        const char* field;
        const char* value;
        const char* says;
    } const cases[] = {
        {"id", "\"task-1\"", "id: \"task-1\" is not a UUID of version 4"},
        {"description", "\"\"", "description: must not be empty"},
        {"agent", "\"\"", "agent: must not be empty"},
        {"status", "\"running\"", "pause_reason: is only for a task that is paused"},
        {"pause_reason", "null", "pause_reason: is required for a task that is paused"},
        {"started_at", "\"2026-01-12T08:59:59Z\"", "started_at: must not be before created_at"},
        {"completed_at", "\"2026-01-12T09:00:02Z\"", "completed_at: is only for a task that has ended"},
        {"retention_days", "-1", "retention_days: must be at least 0, is -1"},
        {"mode", "\"fast\"", "mode: \"fast\" is none of autonomous, step, hitl"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.field);
        CHECK(problems_with<Task>(c.field, c.value) == c.says);
    }
    for (const char* field : {"id", "description", "agent"})
        CHECK(problems_without<Task>(field) == std::string(field) + ": is required");
}

TEST_CASE("cancelled is read in both spellings and written in one")
{
    for (const char* spelling : {"cancelled", "canceled"}) {
        auto task = from_text<Task>(std::string(R"({"id":"3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b","description":"d",
                                                   "agent":"a","status":")") +
                                    spelling + "\"}");
        CHECK(task.status == TaskStatus::cancelled);
        CHECK(to_json_text(task).find(R"("status":"cancelled")") != std::string::npos);
    }
}

TEST_CASE("a task keeps the times of its first run and of its end")
{
    ManualClock clock;
    Task task{
        .id = "3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b", .description = "d", .agent = "a", .created_at = clock.now()};
    const Time start = clock.now() + std::chrono::seconds(1);
    move_to(task, TaskStatus::running, start);
    pause(task, PauseReason::breakpoint);
    CHECK(task.pause_reason == PauseReason::breakpoint);
    CHECK(problems_of(task).text() == "");
    move_to(task, TaskStatus::running, start + std::chrono::seconds(5));
    CHECK(task.started_at == start);
    CHECK(!task.pause_reason);
    CHECK(!task.completed_at);
    move_to(task, TaskStatus::completed, start + std::chrono::seconds(9));
    CHECK(task.completed_at == start + std::chrono::seconds(9));
    CHECK(problems_of(task).text() == "");
    CHECK(error_of([&] { move_to(task, TaskStatus::running, start); }) ==
          "conflict: a task cannot go from completed to running; completed is final");
    CHECK(error_of([&] { pause(task, PauseReason::budget); }) ==
          "conflict: a task cannot go from completed to paused; completed is final");
}
