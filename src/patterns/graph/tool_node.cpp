// Tool nodes: the workflow itself calls, as an agent without a model that is granted exactly this tool.
#include "patterns/graph/visit.hpp"

#include "base/error.hpp"
#include "engine/step_id.hpp"
#include "patterns/tool_names.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using engine::Agent;
using engine::Run;
using model::NodeWork;

namespace {

Agent hands_of(const Run& run, const Visit& visit, const std::string& tool)
{
    Agent hands{.name = visit.graph().name, .tools = {tool}};
    const auto& others = run.agents();
    if (!others.empty()) {
        hands.definitions = others.front().definitions;
        hands.permissions = others.front().permissions;
        hands.is_watched = std::ranges::all_of(others, &Agent::is_watched);
    } else {
        auto table = std::make_shared<engine::ToolTable>();
        for (const model::Tool& one : run.team().tools) table->emplace(one.name, one);
        hands.definitions = std::move(table);
        hands.permissions = std::make_shared<const model::Permissions>(run.team().permissions);
    }
    hands.tool_specs = std::make_shared<const std::vector<llm::ToolSpec>>();
    engine::digest(hands);
    if (!hands.find_tool(tool))
        throw Error(Code::not_found, fmt::format("node '{}' calls {}, which is not a tool of the task's team",
                                                 visit.node().name, in_quotes(tool)));
    return hands;
}

/// Parameters by name: from the state, then from the task's input; `text` is the last answer.
json::object found_arguments(const Run& run, const Visit& visit, const model::Tool& tool)
{
    json::object found;
    const json::value* properties = tool.input_schema ? tool.input_schema->if_contains("properties") : nullptr;
    if (!properties || !properties->is_object()) return found;
    for (const auto& property : properties->get_object()) {
        const json::value* value = visit.names.if_contains(property.key());
        if (!value) value = visit.walk.setting().names.if_contains(property.key());
        if (!value) value = visit.state->metadata.if_contains(property.key());
        if (!value) value = run.input().if_contains(property.key());
        if (value) found[property.key()] = *value;
        else if (property.key() == "text") found["text"] = last_of(visit.heard(), visit.walk.setting().last);
    }
    return found;
}

Code code_of(const engine::ToolReply& reply)
{
    if (reply.refused) return Code::forbidden;
    for (const Code code : {Code::timeout, Code::limit})
        if (reply.code == name_of(code)) return code;
    return Code::upstream;
}

}  // namespace

Async<NodeWork> call_tool(Run& run, const Visit& visit)
{
    const std::string tool = pinned_name(run, visit.def().tool.value_or(""));
    const Agent hands = hands_of(run, visit, tool);
    model::ToolCall call{.id = engine::call_id_of(engine::step_id_of(run.task(), run.scope()), 0), .tool_name = tool};
    call.args = visit.node().args ? visit.node().args->render(names_for(run, visit)).as_object()
                                  : found_arguments(run, visit, *hands.find_tool(tool));
    const std::vector<engine::ToolReply> replies = co_await run.use(hands, {std::move(call)});
    const engine::ToolReply& reply = replies.front();
    if (reply.is_error || reply.refused) throw Error(code_of(reply), reply.text);
    co_return NodeWork{.said = {{.text = reply.text}}};
}

}  // namespace cadre::patterns
