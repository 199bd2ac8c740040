#include "tools/builtin/builtin_tool.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/pool.hpp"

#include <boost/json.hpp>

namespace cadre::tools {

namespace {

Result answer(const BuiltinTool::Perform& perform, const Call& call)
{
    try {
        return perform(call);
    } catch (const Error& error) {
        return {.text = error.what(), .is_error = true};
    }
}

}  // namespace

BuiltinTool::BuiltinTool(model::Tool definition, Where where, Perform perform)
    : definition_(std::move(definition)), arguments_(definition_), where_(where), perform_(std::move(perform))
{}

Async<Result> BuiltinTool::call(Call call, ToolContext& context)
{
    // checked again, because a fallback tool gets the arguments of another
    if (auto problem = arguments_.problem(call.arguments))
        co_return Result{.text = std::move(*problem), .is_error = true};
    if (where_ == Where::loop) co_return answer(perform_, call);
    try {
        // the function owns its data: it goes on when this coroutine is destroyed
        co_return co_await on(context.pool(),
                              [perform = perform_, call = std::move(call)] { return answer(perform, call); });
    } catch (const Error& error) {  // answer() throws none: the pool is full, and nothing has begun
        throw NotDispatched(error.code(), error.what());
    }
}

std::optional<std::string> find_text(const json::object& arguments, std::string_view name)
{
    const json::value* value = arguments.if_contains(name);
    const json::string* text = value ? value->if_string() : nullptr;
    return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::optional<std::int64_t> find_number(const json::object& arguments, std::string_view name)
{
    const json::value* value = arguments.if_contains(name);
    if (!value || !value->is_number()) return std::nullopt;
    boost::system::error_code inexact;
    const auto number = value->to_number<std::int64_t>(inexact);
    if (inexact) throw Error(Code::invalid, std::string(name) + " is too large");
    return number;
}

json::object object_schema(std::initializer_list<Property> properties)
{
    json::object all;
    json::array required;
    for (const Property& property : properties) {
        std::string_view name = property.name;
        const bool optional = name.ends_with('?');
        if (optional) name.remove_suffix(1);
        else required.emplace_back(name);
        all[name] = property.schema;
    }
    json::object schema{{"type", "object"}, {"properties", std::move(all)}};
    if (!required.empty()) schema["required"] = std::move(required);
    schema["additionalProperties"] = false;
    return schema;
}

}  // namespace cadre::tools
