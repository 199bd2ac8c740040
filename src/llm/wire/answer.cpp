#include "llm/wire/answer.hpp"

#include "base/json.hpp"
#include "base/utf8.hpp"
#include "llm/wire/anthropic_answer.hpp"
#include "llm/wire/failure.hpp"
#include "llm/wire/openai_answer.hpp"

#include <boost/json.hpp>

#include <array>

namespace cadre::llm {

namespace {

constexpr JsonLimits kEventLimits{.bytes = kMaxEvent, .nodes = 2'000'000};
constexpr JsonLimits kArgumentLimits{.bytes = 4 << 20, .nodes = 400'000};
/// What is kept of arguments that cannot be read.
constexpr std::size_t kMaxMalformed = 4000;

json::object malformed_arguments(std::string_view text, std::string_view problem)
{
    return {{model::kMalformedArguments, utf8_prefix(text, kMaxMalformed)}, {model::kArgumentsProblem, problem}};
}

/// Of arguments that were encoded twice, as some do.
std::optional<json::object> find_inner(const json::value& value)
{
    if (!value.is_string()) return std::nullopt;
    try {
        json::value inner = parse_json(value.get_string(), kArgumentLimits);
        return inner.is_object() ? std::optional(std::move(inner.get_object())) : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
}

json::object arguments_from(std::string_view text)
{
    if (text.find_first_not_of(" \t\r\n") == text.npos) return {};
    try {
        json::value value = parse_json(text, kArgumentLimits);
        if (value.is_object()) return std::move(value.get_object());
        if (value.is_null()) return {};
        if (auto inner = find_inner(value)) return std::move(*inner);
        return malformed_arguments(text, "an object is wanted, like {}");
    } catch (const Error& error) {
        return malformed_arguments(text, error.what());
    }
}

}  // namespace

void AnswerDecoder::keep(std::size_t bytes)
{
    kept_ += bytes;
    if (kept_ > kMaxAnswer) throw oversized_answer(endpoint_, "16 MiB");
}

void AnswerDecoder::add_text(std::string_view text)
{
    if (text.empty()) return;
    keep(text.size());
    answer_.completion.text += text;
    sink_.chunk(text);
}

void AnswerDecoder::add_reasoning(std::string_view text)
{
    keep(text.size());
    answer_.completion.reasoning += text;
}

void AnswerDecoder::add_call(std::string id, std::string_view wire_name, std::string_view arguments)
{
    answer_.completion.calls.push_back(
        {.id = std::move(id), .tool_name = names_.from_wire(wire_name), .args = arguments_from(arguments)});
}

void AnswerDecoder::set_model(std::string_view name)
{
    if (!name.empty() && answer_.completion.model.empty())
        answer_.completion.model = endpoint_.provider + '/' + std::string(utf8_prefix(name, 200));
}

void AnswerDecoder::parse_event(std::string_view text, void (*use)(void*, const json::value&), void* context)
{
    std::array<unsigned char, 4096> buffer;  // most events fit: a stream has one for each token
    json::monotonic_resource memory(buffer.data(), buffer.size());
    json::value value;
    try {
        value = parse_json(text, kEventLimits, &memory);
    } catch (const Error& error) {
        if (error.code() == Code::too_large) throw oversized_answer(endpoint_, "is read in one piece");
        throw malformed_answer(endpoint_, error.what());
    }
    use(context, value);
}

std::unique_ptr<AnswerDecoder> decoder_for(const Endpoint& endpoint, const ToolNames& names, ChunkSink& sink)
{
    if (endpoint.vendor.api == model::ApiFamily::anthropic)
        return std::make_unique<AnthropicDecoder>(endpoint, names, sink);
    return std::make_unique<OpenAiDecoder>(endpoint, names, sink);
}

}  // namespace cadre::llm
