#include "tools/builtin.hpp"

#include "tools/builtin/builtin_tool.hpp"
#include "tools/builtin/calculator.hpp"
#include "tools/builtin/clock.hpp"
#include "tools/builtin/files.hpp"

#include <boost/json.hpp>

namespace cadre::tools {

void add_builtin_tools(Registry& registry, const Clock& clock)
{
    registry.add(calculator_tool());
    registry.add(clock_tool(clock));
    registry.add(read_file_tool());
    registry.add(write_file_tool());
    registry.add(list_files_tool());
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

}  // namespace cadre::tools
