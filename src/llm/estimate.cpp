#include "llm/estimate.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>

namespace cadre::llm {

namespace {

std::int64_t tokens(std::size_t bytes)
{
    return static_cast<std::int64_t>((bytes + 3) / 4);
}

std::size_t bytes_of(const std::vector<model::ToolCall>& calls)
{
    std::size_t bytes = 0;
    for (const model::ToolCall& call : calls) bytes += call.tool_name.size() + to_text(call.args).size();
    return bytes;
}

}  // namespace

std::int64_t estimated_tokens(const Request& request)
{
    std::size_t bytes = request.instructions.size();
    for (const auto& message : request.messages) bytes += message->text.size() + bytes_of(message->calls);
    if (request.tools)
        for (const ToolSpec& tool : *request.tools)
            bytes += tool.name.size() + tool.description.size() + tool.input_schema.size();
    return tokens(bytes);
}

std::int64_t estimated_tokens(const Completion& completion)
{
    return tokens(completion.text.size() + completion.reasoning.size() + bytes_of(completion.calls));
}

}  // namespace cadre::llm
