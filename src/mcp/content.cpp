#include "mcp/content.hpp"

#include "mcp/members.hpp"

#include <fmt/core.h>

namespace cadre::mcp {

namespace {

constexpr std::size_t kMaxBlocks = 10'000;

void add_line(tools::Result& result, std::string_view text)
{
    if (!result.text.empty()) result.text += '\n';
    result.text += text;
}

/// What is neither seen nor heard stays with the server; its size and address are said.
void add_blob(tools::Result& result, const json::object& block, std::string_view data)
{
    const std::string_view type = text_in(block, "mimeType");
    if (type.starts_with("image/") || type.starts_with("audio/")) {
        result.media.push_back({std::string(type), std::string(data)});
        return;
    }
    add_line(result, fmt::format("[{}{}{}, {} bytes]", type.empty() ? "data" : type,
                                 block.contains("uri") ? " at " : "", text_in(block, "uri"), data.size() / 4 * 3));
}

void add_resource(tools::Result& result, const json::object& resource)
{
    if (resource.contains("text")) add_line(result, text_in(resource, "text"));
    else add_blob(result, resource, text_in(resource, "blob"));
}

}  // namespace

void add_content(tools::Result& result, const json::value& value)
{
    const json::object* block = value.if_object();
    if (!block) return;
    const std::string_view type = text_in(*block, "type");
    if (type == "text") return add_line(result, text_in(*block, "text"));
    if (type == "image" || type == "audio") return add_blob(result, *block, text_in(*block, "data"));
    if (type == "resource") {
        if (const json::object* resource = object_in(*block, "resource")) add_resource(result, *resource);
        return;
    }
    if (type == "resource_link")
        return add_line(result, fmt::format("[{}: {}]", text_in(*block, "name"), text_in(*block, "uri")));
    if (type.empty() && block->contains("uri")) return add_resource(result, *block);  // of resources/read
    add_line(result, fmt::format("[content of the unknown type {}]", in_quotes(type)));
}

tools::Result to_result(const json::object& answer)
{
    tools::Result result;
    result.is_error = is_true(answer, "isError");
    if (const json::array* content = array_in(answer, "content")) {
        std::size_t blocks = 0;
        for (const json::value& block : *content) {
            if (++blocks > kMaxBlocks) break;
            add_content(result, block);
        }
    }
    if (const json::value* structured = answer.if_contains("structuredContent")) {
        result.structured = *structured;
        if (result.text.empty()) result.text = cadre::to_text(*structured);
    }
    return result;
}

}  // namespace cadre::mcp
