// Requests as vendors want them: the bodies, without a DOM.
#pragma once

#include "llm/endpoint.hpp"
#include "llm/model.hpp"
#include "llm/wire/tool_names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cadre {
class JsonWriter;
}

namespace cadre::llm {

/// For what the endpoint speaks; the answer is asked for as a stream.
std::string body_for(const Endpoint& endpoint, const Request& request, const ToolNames& names);

std::string openai_body(const Endpoint& endpoint, const Request& request, const ToolNames& names);
std::string anthropic_body(const Endpoint& endpoint, const Request& request, const ToolNames& names);

/// Most tokens of the answer: what is asked for, as far as the model can give it. Nothing: the vendor's own limit.
std::optional<std::int64_t> max_tokens_of(const Endpoint& endpoint, const Options& options);

/// Nothing when none is asked for, or the model takes none.
std::optional<double> temperature_of(const Endpoint& endpoint, const Options& options);

/// The input schema of a tool as JSON: one without takes an object of anything.
std::string_view schema_of(const ToolSpec& tool);

/// An id of a call as the vendor takes it.
std::string wire_call_id(const Endpoint& endpoint, std::string_view id);

}  // namespace cadre::llm
