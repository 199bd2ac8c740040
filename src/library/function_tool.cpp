#include "library/function_tool.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/pool.hpp"

#include <boost/json.hpp>

#include <utility>

namespace cadre::library {

namespace {

model::Effect effect_of(Repeats repeats)
{
    switch (repeats) {
    case Repeats::pure: return model::Effect::pure;
    case Repeats::idempotent: return model::Effect::idempotent;
    case Repeats::keyed: return model::Effect::keyed;
    case Repeats::once: break;
    }
    return model::Effect::once;
}

}  // namespace

FunctionTool::FunctionTool(cadre::Tool tool) : function_(std::move(tool.call))
{
    if (tool.name.empty()) throw Error(Code::invalid, "a tool needs a name");
    if (!function_) throw Error(Code::invalid, "the tool " + in_quotes(tool.name) + " needs a function");
    definition_.name = std::move(tool.name);
    definition_.description = std::move(tool.description);
    definition_.effect = effect_of(tool.repeats);
    definition_.permission = tool.needs_approval ? model::Permission::ask : model::Permission::allow;
    if (tool.input_schema.empty()) return;
    json::value schema = parse_json(tool.input_schema);
    if (!schema.is_object())
        throw Error(Code::invalid, "the input_schema of " + in_quotes(definition_.name) + " is no JSON object");
    definition_.input_schema = std::move(schema.get_object());
}

Async<tools::Result> FunctionTool::call(tools::Call call, tools::ToolContext& context)
{
    auto work = [function = function_, arguments = Arguments(to_text(json::value(call.arguments)), call.key)] {
        try {
            return tools::Result{.text = function(arguments)};
        } catch (const std::exception& error) {
            return tools::Result{.text = error.what(), .is_error = true};  // it ran, and says what is wrong
        }
    };
    co_return co_await on(context.pool(), std::move(work));
}

}  // namespace cadre::library

namespace cadre {

namespace {

/// Found in the arguments: nothing when there is none, or they are no object.
json::value find_argument(const std::string& text, std::string_view name)
{
    const json::value arguments = parse_json(text);
    const json::object* object = arguments.if_object();
    const json::value* found = object ? object->if_contains(name) : nullptr;
    return found ? *found : json::value();
}

}  // namespace

std::string Arguments::text(std::string_view name) const
{
    const json::value found = find_argument(json_, name);
    return found.is_string() ? std::string(found.get_string()) : std::string();
}

double Arguments::number(std::string_view name) const
{
    const json::value found = find_argument(json_, name);
    return found.is_number() ? found.to_number<double>() : 0;
}

bool Arguments::flag(std::string_view name) const
{
    const json::value found = find_argument(json_, name);
    return found.is_bool() && found.get_bool();
}

}  // namespace cadre
