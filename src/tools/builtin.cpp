#include "tools/builtin.hpp"

#include "tools/builtin/builtin_tool.hpp"
#include "tools/builtin/calculator.hpp"
#include "tools/builtin/clock.hpp"
#include "tools/builtin/files.hpp"
#include "tools/builtin/memory.hpp"

#include <boost/json.hpp>

namespace cadre::tools {

void add_builtin_tools(Registry& registry, const Clock& clock)
{
    registry.add(calculator_tool());
    registry.add(clock_tool(clock));
    registry.add(read_file_tool());
    registry.add(write_file_tool());
    registry.add(list_files_tool());
    registry.add(remember_tool());
    registry.add(recall_tool());
}

const model::Tool& ask_human_definition()
{
    static const model::Tool tool{
        .name = "ask_human",
        .type = model::ToolType::hitl,
        .description = "Asks a person a question and gives their answer; use it when only a person can know or decide.",
        .input_schema = object_schema(
            {{"question", {{"type", "string"}, {"minLength", 1}, {"description", "What the person is asked."}}},
             {"choices?",
              {{"type", "array"},
               {"items", {{"type", "string"}, {"minLength", 1}}},
               {"minItems", 1},
               {"uniqueItems", true},
               {"description", "Answers to choose from; left out: the person answers freely."}}}}),
        .effect = model::Effect::once};
    return tool;
}

const model::Tool& search_tools_definition()
{
    static const model::Tool tool{
        .name = "search_tools",
        .type = model::ToolType::builtin,
        .description = "Finds more tools: you have many that are not listed here. Say what you need to do; tools that "
                       "are found can be called from then on.",
        .input_schema = object_schema(
            {{"query",
              {{"type", "string"}, {"minLength", 1}, {"description", "What the tool should do, or its name."}}},
             {"limit?",
              {{"type", "integer"}, {"minimum", 1}, {"maximum", 20}, {"description", "Tools at most; else 5."}}}}),
        .effect = model::Effect::pure};
    return tool;
}

}  // namespace cadre::tools
