#include "llm/wire/request.hpp"

#include "base/sha256.hpp"

#include <algorithm>

namespace cadre::llm {

namespace {

/// Mistral takes no others.
constexpr std::size_t kShortId = 9;

}  // namespace

std::string body_for(const Endpoint& endpoint, const Request& request, const ToolNames& names)
{
    return endpoint.vendor.api == model::ApiFamily::anthropic ? anthropic_body(endpoint, request, names)
                                                              : openai_body(endpoint, request, names);
}

std::optional<std::int64_t> max_tokens_of(const Endpoint& endpoint, const Options& options)
{
    if (!options.max_tokens) return std::nullopt;
    const std::int64_t asked = std::max<std::int64_t>(1, *options.max_tokens);
    return endpoint.facts.max_output ? std::min(asked, *endpoint.facts.max_output) : asked;
}

std::optional<double> temperature_of(const Endpoint& endpoint, const Options& options)
{
    if (!options.temperature || !endpoint.facts.temperature) return std::nullopt;
    return std::clamp(*options.temperature, 0.0, endpoint.vendor.max_temperature);
}

std::string_view schema_of(const ToolSpec& tool)
{
    return tool.input_schema.empty() ? R"({"type":"object","properties":{}})" : std::string_view(tool.input_schema);
}

std::string wire_call_id(const Endpoint& endpoint, std::string_view id)
{
    if (endpoint.vendor.short_call_ids) return to_hex(cadre::digest_of(id)).substr(0, kShortId);
    return std::string(id);
}

}  // namespace cadre::llm
