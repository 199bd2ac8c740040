#include "model/calls.hpp"

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/json.hpp"
#include "model/machine.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <map>

namespace cadre::model {

namespace {

constexpr std::string_view kTimedOut = "timeout after ";

/// JSON if the text is a list or an object; a bare number or word was said as text.
json::value value_of(const std::string& text)
{
    if (!text.starts_with('{') && !text.starts_with('[')) return json::value(text);
    try {
        return parse_json(text);
    } catch (const Error&) {
        return json::value(text);
    }
}

Call call_from(const ToolCall& wish, const Step& step, const Dict<std::string>& servers)
{
    Call call{.id = uuid_of(wish.id), .tool = wish.tool_name, .args = wish.args};
    if (const std::string* server = servers.find(wish.tool_name)) call.server = *server;
    if (wish.timeout) call.timeout_ms = std::int64_t{*wish.timeout} * 1000;
    call.retry = wish.retry_policy;
    call.started_at = step.at;
    return call;
}

void add_outcome(Call& call, const ToolResult& result, const Step& step)
{
    using enum CallStatus;
    const auto& machine = call_machine();
    if (machine.is_final(call.status)) return;  // what was acted on is the first outcome
    const bool has_failed = result.error.has_value();
    const bool late = has_failed && result.error->starts_with(kTimedOut);
    call.status = machine.next(machine.next(call.status, in_progress), late         ? timeout
                                                                       : has_failed ? failed
                                                                                    : completed);
    if (!has_failed || !result.result.empty()) call.result = value_of(result.result);
    call.error = result.error;
    call.completed_at = step.at;
    if (result.execution_time_ms) call.started_at = step.at - Millis(*result.execution_time_ms);
    call.attempts = 1;
    call.exit_code = result.exit_code;
    call.usage = result.resource_usage;
    call.artifacts = result.artifacts;
}

}  // namespace

std::string uuid_of(const std::string& call_id)
{
    const auto id = find_prefixed_id("tc_", call_id);
    return id ? to_string(*id) : call_id;
}

ToolCall tool_call_of(const Call& call)
{
    const auto id = find_id(call.id);
    ToolCall wish{.id = id ? to_prefixed("tc_", *id) : call.id, .tool_name = call.tool, .args = call.args};
    if (call.timeout_ms) wish.timeout = static_cast<int>((*call.timeout_ms + 999) / 1000);
    wish.retry_policy = call.retry;
    return wish;
}

ToolResult tool_result_of(const Call& call)
{
    ToolResult result{.tool_call_id = tool_call_of(call).id};
    if (call.result) {
        const auto* text = call.result->if_string();
        result.result = text ? std::string(*text) : to_text(*call.result);
    }
    result.error = call.error;
    if (call.status == CallStatus::timeout && !result.error)
        result.error = fmt::format("{}{} s", kTimedOut, call.timeout_ms.value_or(duration_ms(call).value_or(0)) / 1000);
    if (call.status == CallStatus::failed && !result.error) result.error = "failed";
    result.artifacts = call.artifacts;
    result.execution_time_ms = duration_ms(call);
    result.resource_usage = call.usage;
    if (call.status != CallStatus::timeout) result.exit_code = call.exit_code;
    return result;
}

std::vector<Call> calls_of(std::span<const Step> history, const Dict<std::string>& servers)
{
    std::vector<Call> calls;
    std::map<std::string, std::size_t> places;
    for (const Step& step : history)
        for (const Part& part : step.parts) {
            if (const auto* wish = std::get_if<ToolCallPart>(&part)) {
                places[wish->tool_call.id] = calls.size();
                calls.push_back(call_from(wish->tool_call, step, servers));
            } else if (const auto* outcome = std::get_if<ToolResultPart>(&part)) {
                const auto place = places.find(outcome->tool_result.tool_call_id);
                if (place != places.end()) add_outcome(calls[place->second], outcome->tool_result, step);
            }
        }
    return calls;
}

}  // namespace cadre::model
