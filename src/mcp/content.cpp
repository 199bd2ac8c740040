#include "mcp/content.hpp"

#include "base/peer_text.hpp"
#include "mcp/members.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <vector>

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

/// A secret of ours that begins in one block and ends in the next is masked in both. Nothing: there is none.
std::vector<json::value> without_split_secrets(std::span<const json::value> blocks)
{
    std::vector<std::string> texts;
    std::string all;
    for (const json::value& block : blocks) {
        const json::object* object = block.if_object();
        texts.emplace_back(object ? text_in(*object, "text") : std::string_view());
        all += texts.back();
    }
    if (blocks.size() < 2 || secrets_in(all).empty()) return {};
    std::vector<std::string*> pieces;
    for (std::string& text : texts) pieces.push_back(&text);
    mask_peer(pieces);
    std::vector<json::value> masked(blocks.begin(), blocks.end());
    for (std::size_t i = 0; i < masked.size(); ++i)
        if (json::object* object = masked[i].if_object(); object && object->contains("text"))
            (*object)["text"] = texts[i];
    return masked;
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
        const std::size_t most = std::min(content->size(), kMaxBlocks);
        const auto whole = without_split_secrets(std::span(content->data(), most));
        for (const json::value& block : whole.empty() ? std::span(content->data(), most) : std::span(whole))
            add_content(result, block);
    }
    if (const json::value* structured = answer.if_contains("structuredContent")) {
        result.structured = *structured;
        if (result.text.empty()) result.text = cadre::to_text(*structured);
    }
    return result;
}

}  // namespace cadre::mcp
