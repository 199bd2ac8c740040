#include "mcp/mock/builtin.hpp"

#include "base/json.hpp"
#include "mcp/members.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

namespace cadre::mcp::mock {

namespace {

/// `1.0` is an integer to a schema.
std::int64_t integer_in(const json::object& arguments, std::string_view name, std::int64_t otherwise)
{
    const json::value* value = arguments.if_contains(name);
    return value && value->is_number() ? value->to_number<std::int64_t>() : otherwise;
}

json::object structured(json::object content)
{
    json::object result = text_result(cadre::to_text(json::value(content)));
    result["structuredContent"] = std::move(content);
    return result;
}

Outcome echo(const json::object& arguments, const std::string&, const Tools::Count&)
{
    return {.answer = text_result(text_in(arguments, "message"))};
}

Outcome add(const json::object& arguments, const std::string&, const Tools::Count&)
{
    const json::value& a = arguments.at("a");
    const json::value& b = arguments.at("b");
    std::int64_t sum = 0;
    if (a.is_int64() && b.is_int64() && !__builtin_add_overflow(a.get_int64(), b.get_int64(), &sum))
        return {.answer = structured({{"sum", sum}})};
    return {.answer = structured({{"sum", a.to_number<double>() + b.to_number<double>()}})};
}

Outcome sleep(const json::object& arguments, const std::string&, const Tools::Count&)
{
    const std::int64_t ms = integer_in(arguments, "ms", 0);
    return {.answer = text_result(fmt::format("slept {} ms", ms)), .delay = Millis(ms)};
}

Outcome fail(const json::object& arguments, const std::string&, const Tools::Count&)
{
    const std::string_view given = text_in(arguments, "message");
    const std::string message(given.empty() ? "this tool always fails" : given);
    if (arguments.contains("code"))
        return {.answer = RpcError{.code = integer_in(arguments, "code", 0), .message = message}};
    return {.answer = text_result(message, true)};
}

Outcome counter(const json::object& arguments, const std::string& key, const Tools::Count& count)
{
    return {.answer = structured({{"count", count(key)}}), .delay = Millis(integer_in(arguments, "delay_ms", 0))};
}

Outcome crash(const json::object& arguments, const std::string&, const Tools::Count&)
{
    return {.delay = Millis(integer_in(arguments, "after_ms", 0)),
            .exit = static_cast<int>(integer_in(arguments, "code", 1))};
}

Outcome big(const json::object& arguments, const std::string&, const Tools::Count&)
{
    return {.answer = text_result(std::string(static_cast<std::size_t>(integer_in(arguments, "bytes", 0)), 'x'))};
}

Outcome poll(const json::object& arguments, const std::string&, const Tools::Count&)
{
    const std::int64_t ms = integer_in(arguments, "ms", 200), steps = integer_in(arguments, "steps", 4);
    return {
        .answer = text_result(fmt::format("took {} ms in {} steps", ms, steps)), .delay = Millis(ms), .steps = steps};
}

}  // namespace

std::span<const Builtin> builtins()
{
    static constexpr Builtin all[] = {
        {R"({"name":"echo","description":"Answers with the message.","annotations":{"readOnlyHint":true},"inputSchema":{
"type":"object","properties":{"message":{"type":"string"}},"required":["message"],"additionalProperties":false}})",
         echo},
        {R"({"name":"add","description":"Adds two numbers.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object",
"properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"],"additionalProperties":false},"outputSchema":{
"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}})",
         add},
        {R"({"name":"sleep","description":"Answers after so many milliseconds.","annotations":{"readOnlyHint":true},
"inputSchema":{"type":"object","properties":{"ms":{"type":"integer","minimum":0,"maximum":86400000}},"required":["ms"],
"additionalProperties":false}})",
         sleep},
        {R"({"name":"fail","description":"Answers with an error: a result, or with a code one of the protocol.","annotations":{
"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"message":{"type":"string"},"code":{"type":"integer",
"minimum":-2147483648,"maximum":2147483647}},"additionalProperties":false}})",
         fail},
        {R"({"name":"counter","description":"Counts its calls. The count happens at once, the answer comes after delay_ms.",
"inputSchema":{"type":"object","properties":{"delay_ms":{"type":"integer","minimum":0,"maximum":86400000}},
"additionalProperties":false},"outputSchema":{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}})",
         counter},
        {R"({"name":"crash","description":"Ends the server in the middle of the call.","inputSchema":{"type":"object",
"properties":{"code":{"type":"integer","minimum":0,"maximum":255},"after_ms":{"type":"integer","minimum":0,
"maximum":86400000}},"additionalProperties":false}})",
         crash},
        {R"({"name":"big","description":"Answers with so many bytes.","annotations":{"readOnlyHint":true},"inputSchema":{
"type":"object","properties":{"bytes":{"type":"integer","minimum":0,"maximum":268435456}},"required":["bytes"],
"additionalProperties":false}})",
         big},
        {R"({"name":"poll","description":"Takes long: a task where client and version have them, with progress otherwise.",
"annotations":{"readOnlyHint":true},"execution":{"taskSupport":"optional"},"inputSchema":{"type":"object","properties":{"ms":{
"type":"integer","minimum":0,"maximum":86400000},"steps":{"type":"integer","minimum":1,"maximum":1000}},
"additionalProperties":false}})",
         poll},
    };
    return all;
}

}  // namespace cadre::mcp::mock
