#include "engine/tool_call.hpp"

#include "base/json_writer.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

void append_call(std::string& out, const model::ToolCall& call)
{
    out += R"({"id":)";
    append_json_string(out, call.id);
    out += R"(,"tool_name":)";
    append_json_string(out, call.tool_name);
    out += R"(,"args":)";
    model::append_json(out, call.args);
    if (call.expected_output_type) {
        out += R"(,"expected_output_type":)";
        append_json_string(out, *call.expected_output_type);
    }
    if (call.timeout) {
        out += R"(,"timeout":)";
        append_json_number(out, std::int64_t{*call.timeout});
    }
    if (call.retry_policy) {
        out += R"(,"retry_policy":)";
        model::append_json(out, *call.retry_policy);
    }
    out += '}';
}

void append_calls(std::string& out, const std::vector<model::ToolCall>& calls)
{
    out += '[';
    for (const model::ToolCall& call : calls) {
        if (out.back() != '[') out += ',';
        append_call(out, call);
    }
    out += ']';
}

}  // namespace cadre::engine
