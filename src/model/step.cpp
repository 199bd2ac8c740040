#include "model/step.hpp"

#include "base/error.hpp"
#include "model/describe.hpp"

#include <set>

namespace cadre::model {

std::span<const EnumName> names_of(const Role*)
{
    static constexpr EnumName names[] = {{int(Role::user), "user"},
                                         {int(Role::assistant), "assistant"},
                                         {int(Role::tool), "tool"},
                                         {int(Role::system), "system"}};
    return names;
}

std::span<const EnumName> names_of(const Level*)
{
    static constexpr EnumName names[] = {
        {int(Level::info), "info"}, {int(Level::warning), "warning"}, {int(Level::error), "error"}};
    return names;
}

const Entity& describe(const Step*)
{
    static const Entity entity{
        .name = "step",
        .doc = "One complete turn of an agent, a tool executor or a person.",
        .fields = {field("id", &Step::id, "`step_` and 32 hex digits.", {.min_length = 1, .fill = Fill::step_id}),
                   field("task", &Step::task, "The task it belongs to.", {.required = true, .min_length = 1}),
                   field("seq", &Step::seq, "Its place in the task's history.", {.required = true, .min = 0}),
                   field("agent", &Step::agent, "Who took the turn.", {.required = true, .min_length = 1}),
                   field("role", &Step::role, "As whom: the role of its message."),
                   field("parent", &Step::parent, "The step that delegated this one."),
                   field("plan_item", &Step::plan_item, "The item of the plan that it works on."),
                   field("mode", &Step::mode, "How the task was run: autonomous, step, hitl or another."),
                   field("level", &Step::level, "How it ended, as a log level."),
                   field("parts", &Step::parts, "What it is made of.", {.required = true, .min_length = 1}),
                   field("memory_context", &Step::memory_context, "The memory that it was given."),
                   field("metadata", &Step::metadata, "Anything else."),
                   field("at", &Step::at, "When it was complete.", {.fill = Fill::now}),
                   field("duration", &Step::duration, "Milliseconds that it took.", {.min = 0})},
        .home = {Home::Kind::inside, "shown to others as [task_step](task_step.md)"},
        .example =
            R"({"id":"step_6f1c8a2e4b7d4c3fa9e05d1b2c3a4f60","task":"7c9e6679-7425-40de-944b-e07fc1f90ae7","seq":3,
"agent":"writer","role":"assistant","parent":null,"plan_item":"outline","mode":"autonomous","level":"info",
"parts":[{"type":"text","text":"The report is done.","language":null,"confidence":null}],
"memory_context":{},"metadata":{},"at":"2025-11-02T10:30:00Z","duration":3100})"};
    return entity;
}

Problems broken_references(std::span<const Step> history)
{
    Problems problems;
    std::set<std::string_view> steps, calls;
    const Path root;
    for (std::size_t i = 0; i < history.size(); ++i) {
        const Step& step = history[i];
        const Path here(root, i);
        if (step.parent && !steps.contains(*step.parent))
            problems.add(Path(here, "parent"), ProblemKind::unknown_name,
                         in_quotes(*step.parent) + " is not an earlier step");
        const Path parts(here, "parts");
        for (std::size_t j = 0; j < step.parts.size(); ++j) {
            const Path part(parts, j);
            if (const auto* call = std::get_if<ToolCallPart>(&step.parts[j])) calls.insert(call->tool_call.id);
            const auto* result = std::get_if<ToolResultPart>(&step.parts[j]);
            if (result && !calls.contains(result->tool_result.tool_call_id))
                problems.add(Path(part, "tool_call_id"), ProblemKind::unknown_name,
                             in_quotes(result->tool_result.tool_call_id) + " is not an earlier call");
        }
        if (!steps.insert(step.id).second)
            problems.add(Path(here, "id"), ProblemKind::duplicate, in_quotes(step.id) + " is here twice");
    }
    return problems;
}

}  // namespace cadre::model
