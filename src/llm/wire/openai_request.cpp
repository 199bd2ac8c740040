// Requests to OpenAI's Chat Completions, and to all who say they speak it.
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "llm/wire/opaque.hpp"
#include "llm/wire/request.hpp"
#include "llm/wire/turns.hpp"

#include <boost/json.hpp>

namespace cadre::llm {

namespace {

/// How a result is told whose call is not in the conversation.
std::string orphan(const Message& message)
{
    return "Result of an earlier call: " + message.text;
}

class OpenaiBody {
public:
    OpenaiBody(const Endpoint& endpoint, const Request& request, const ToolNames& names)
        : endpoint_(endpoint), request_(request), names_(names), json_(text_)
    {}

    std::string write()
    {
        const Options& options = request_.options;
        const model::Provider& vendor = endpoint_.vendor;
        json_.begin_object().field("model", endpoint_.model).field("stream", true);
        if (vendor.stream_usage) json_.key("stream_options").begin_object().field("include_usage", true).end_object();
        if (const auto temperature = temperature_of(endpoint_, options)) json_.field("temperature", *temperature);
        if (const auto most = max_tokens_of(endpoint_, options))
            json_.field(vendor.max_tokens_field == model::MaxTokensField::max_tokens ? "max_tokens"
                                                                                     : "max_completion_tokens",
                        *most);
        if (!options.stop.empty()) {
            json_.key("stop").begin_array();
            for (const std::string& stop : options.stop) json_.value(stop);
            json_.end_array();
        }
        if (options.seed && vendor.seed) json_.field("seed", *options.seed);
        if (!options.reasoning_effort.empty() && vendor.reasoning_effort)
            json_.field("reasoning_effort", options.reasoning_effort);
        output_form();
        tools();
        messages();
        json_.end_object();
        return std::move(text_);
    }

private:
    void output_form()
    {
        const std::string& schema = request_.options.output_schema;
        if (schema.empty()) return;
        switch (endpoint_.vendor.structured_output) {
        case model::StructuredOutput::json_schema:
            json_.key("response_format").begin_object().field("type", "json_schema").key("json_schema").begin_object();
            json_.field("name", "answer").key("schema").raw(schema).end_object().end_object();
            break;
        case model::StructuredOutput::json_object:
            json_.key("response_format").begin_object().field("type", "json_object").end_object();
            break;
        case model::StructuredOutput::none: break;
        }
    }

    void tools()
    {
        if (!request_.tools || request_.tools->empty()) return;  // an empty list is refused
        json_.key("tools").begin_array();
        for (const ToolSpec& tool : *request_.tools) {
            json_.begin_object().field("type", "function").key("function").begin_object();
            json_.field("name", names_.to_wire(tool.name));
            if (!tool.description.empty()) json_.field("description", tool.description);
            json_.key("parameters").raw(schema_of(tool)).end_object().end_object();
        }
        json_.end_array();
    }

    void messages()
    {
        Turns turns = turns_of(request_, SystemMessages::in_place);
        const std::string& schema = request_.options.output_schema;
        if (!schema.empty() && endpoint_.vendor.structured_output != model::StructuredOutput::json_schema)
            turns.system += (turns.system.empty() ? "" : "\n\n") + schema_in_words(schema);
        json_.key("messages").begin_array();
        if (!turns.system.empty()) plain(system_role(), turns.system);
        for (const Turn& turn : turns.list) {
            for (const CallResult& result : turn.results) {
                json_.begin_object().field("role", "tool");
                json_.field("tool_call_id", wire_call_id(endpoint_, result.call->id));
                json_.field("content", result.message ? std::string_view(result.message->text) : kNoResult);
                json_.end_object();
            }
            result_images(turn);
            for (const Message* message : turn.messages) said(*message);
        }
        if (turns.list.empty()) plain("user", "");
        json_.end_array();
    }

    std::string_view system_role() const
    {
        return endpoint_.vendor.system_role == model::SystemRole::developer ? "developer" : "system";
    }

    void plain(std::string_view role, std::string_view content)
    {
        json_.begin_object().field("role", role).field("content", content).end_object();
    }

    void said(const Message& message)
    {
        switch (message.role) {
        case model::Role::system: return plain(system_role(), message.text);
        case model::Role::assistant: return answer(message);
        case model::Role::tool: return plain("user", orphan(message));
        case model::Role::user: break;
        }
        if (message.images.empty()) return plain("user", message.text);
        json_.begin_object().field("role", "user").key("content").begin_array();
        if (!message.text.empty()) json_.begin_object().field("type", "text").field("text", message.text).end_object();
        images(message);
        json_.end_array().end_object();
    }

    void images(const Message& message)
    {
        for (const Image& image : message.images) {
            json_.begin_object().field("type", "image_url").key("image_url").begin_object();
            json_.field("url", image.data.empty() ? image.url : "data:" + image.media_type + ";base64," + image.data);
            json_.end_object().end_object();
        }
    }

    /// A tool's message holds text alone: its pictures follow as a person's, after the results of all.
    void result_images(const Turn& turn)
    {
        bool any = false;
        for (const CallResult& result : turn.results) {
            if (!result.message || result.message->images.empty()) continue;
            if (!any) {
                json_.begin_object().field("role", "user").key("content").begin_array();
                json_.begin_object().field("type", "text").field("text", "Pictures that the tools gave:").end_object();
            }
            any = true;
            images(*result.message);
        }
        if (any) json_.end_array().end_object();
    }

    void answer(const Message& message)
    {
        const auto opaque = opaque_fields(message.opaque, endpoint_.spec());
        json_.begin_object().field("role", "assistant").key("content");
        if (message.text.empty() && !message.calls.empty()) json_.null();
        else json_.value(message.text);
        const model::Provider& vendor = endpoint_.vendor;
        const bool wants_thoughts =
            vendor.reasoning_back == model::ReasoningBack::always ||
            (vendor.reasoning_back == model::ReasoningBack::with_calls && !message.calls.empty());
        if (const auto* thoughts = opaque && wants_thoughts ? opaque->if_contains("reasoning") : nullptr)
            json_.key(vendor.reasoning_field).raw(to_text(*thoughts));
        if (!message.calls.empty()) calls(message, opaque ? opaque->if_contains("calls") : nullptr);
        json_.end_object();
    }

    void calls(const Message& message, const json::value* extras)
    {
        const auto* list = extras ? extras->if_array() : nullptr;
        json_.key("tool_calls").begin_array();
        for (std::size_t i = 0; i < message.calls.size(); ++i) {
            const model::ToolCall& call = message.calls[i];
            json_.begin_object().field("id", wire_call_id(endpoint_, call.id)).field("type", "function");
            json_.key("function").begin_object().field("name", names_.to_wire(call.tool_name));
            json_.field("arguments", to_text(call.args)).end_object();
            if (list && i < list->size() && (*list)[i].is_object())
                for (const auto& member : (*list)[i].get_object()) json_.key(member.key()).raw(to_text(member.value()));
            json_.end_object();
        }
        json_.end_array();
    }

    const Endpoint& endpoint_;
    const Request& request_;
    const ToolNames& names_;
    std::string text_;
    JsonWriter json_;
};

}  // namespace

std::string openai_body(const Endpoint& endpoint, const Request& request, const ToolNames& names)
{
    return OpenaiBody(endpoint, request, names).write();
}

}  // namespace cadre::llm
