#include "library/tool_calls.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>

namespace cadre::library {

namespace {

json::object arguments_of(const ToolCall& call)
{
    json::value arguments = parse_json(call.arguments);
    if (!arguments.is_object())
        throw Error(Code::invalid,
                    "the arguments of " + call.tool + " are no JSON object: " + in_quotes(call.arguments));
    return std::move(arguments.get_object());
}

}  // namespace

std::vector<model::ToolCall> inner_form(const std::vector<ToolCall>& calls)
{
    std::vector<model::ToolCall> inner;
    inner.reserve(calls.size());
    for (const ToolCall& call : calls)
        inner.push_back({.id = call.id, .tool_name = call.tool, .args = arguments_of(call)});
    return inner;
}

std::vector<ToolCall> public_form(const std::vector<model::ToolCall>& calls)
{
    std::vector<ToolCall> shown;
    shown.reserve(calls.size());
    for (const model::ToolCall& call : calls)
        shown.push_back({call.tool_name, to_text(json::value(call.args)), call.id});
    return shown;
}

}  // namespace cadre::library
