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
        throw Error(Code::invalid, "the input_schema of " + in_quotes(definition_.name) + " is not a JSON object");
    definition_.input_schema = std::move(schema.get_object());
}

Async<tools::Result> FunctionTool::call(tools::Call call, tools::ToolContext& context)
{
    auto work = [function = function_, arguments = Arguments(to_text(json::value(call.arguments)), call.key)] {
        try {
            return tools::Result{.text = function(arguments)};
        } catch (const std::exception& error) {
            return tools::Result{.text = error.what(), .is_error = true};  // it ran, and says what is wrong
        } catch (...) {
            return tools::Result{.text = "it failed, and does not say why", .is_error = true};
        }
    };
    co_return co_await on(context.pool(), std::move(work));
}

}  // namespace cadre::library
