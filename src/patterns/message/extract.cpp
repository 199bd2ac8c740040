#include "patterns/message/extract.hpp"

#include "base/json.hpp"
#include "engine/run.hpp"
#include "engine/step_id.hpp"
#include "model/wire_name.hpp"
#include "patterns/react.hpp"
#include "patterns/structured.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::patterns {

namespace {

boost::json::object data_in(const std::string& text)
{
    try {
        boost::json::value value = json_answer(text);
        if (value.is_object()) return std::move(value.get_object());
        return {{"data", std::move(value)}};
    } catch (const Error&) {
        return {{"text", text}};
    }
}

std::optional<boost::json::value> known(std::string_view name, const MessageWork& work,
                                        const model::conversation::ExecutionStep* step)
{
    const auto* given = step ? step->parameters.if_contains(name) : nullptr;
    if (given) return *given;
    if (name == "message") return boost::json::value(work.message);
    if (name == "channel") return boost::json::value(model::wire_name(work.setup.channel.channel));
    if (name == "user_name" && work.setup.user_name) return boost::json::value(*work.setup.user_name);
    return std::nullopt;
}

/// The call that can be made right away, if there is one.
std::optional<model::ToolCall> call_for(const engine::Agent& agent, const MessageWork& work,
                                        const model::conversation::ExecutionStep* step)
{
    if (agent.tools.size() != 1) return std::nullopt;
    const model::Tool* tool = agent.find_tool(agent.tools.front());
    if (!tool) return std::nullopt;
    model::ToolCall call{.id = "timesheet", .tool_name = agent.tools.front()};
    const boost::json::object schema = tool->input_schema.value_or(boost::json::object());
    const auto* properties = schema.if_contains("properties");
    if (properties && properties->is_object())
        for (const auto& property : properties->get_object())
            if (auto value = known(property.key(), work, step)) call.args[property.key()] = std::move(*value);
    const auto* required = schema.if_contains("required");
    if (required && required->is_array())
        for (const auto& name : required->get_array())
            if (!name.is_string() || !call.args.contains(name.get_string())) return std::nullopt;
    return call;
}

}  // namespace

Async<std::string> fetched_data(engine::Run& run, const MessageWork& work,
                                const model::conversation::ExecutionStep* step)
{
    const engine::Agent& agent = run.agent(kTimesheet);
    if (auto call = call_for(agent, work, step)) {
        std::vector<model::ToolCall> calls;
        calls.push_back(std::move(*call));
        const auto replies = co_await run.use(agent, std::move(calls));
        if (replies.front().is_error) throw Error(Code::upstream, replies.front().text);
        co_return to_text(data_in(replies.front().text));
    }
    run.tell(ask_for_data(work, step));
    const model::Reply said = co_await react_to_what_was_told(run, agent);
    co_return to_text(data_in(said.text));
}

}  // namespace cadre::patterns
