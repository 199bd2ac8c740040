// Requests to Anthropic's Messages.
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "llm/wire/anthropic_blocks.hpp"
#include "llm/wire/foreign.hpp"
#include "llm/wire/opaque.hpp"
#include "llm/wire/request.hpp"
#include "llm/wire/turns.hpp"

#include <boost/json.hpp>

namespace cadre::llm {

namespace {

/// Asked for when nothing is known of the model: every one can give it.
constexpr std::int64_t kUsualMaxTokens = 4096;
constexpr std::int64_t kLeastBudget = 1024;

/// The first message must be a person's.
constexpr std::string_view kGoOn = "Go on.";

std::string_view without_end(std::string_view text)
{
    const auto last = text.find_last_not_of(" \t\r\n");
    return text.substr(0, last == text.npos ? 0 : last + 1);
}

/// Tokens to think with; 0: there is no room for thoughts.
std::int64_t budget_of(std::string_view effort, std::int64_t max_tokens)
{
    const std::int64_t wanted = effort == "low" ? 1024 : effort == "medium" ? 8192 : 24'576;
    const std::int64_t room = std::min(wanted, max_tokens / 2);  // an answer must fit too
    return room < kLeastBudget ? 0 : room;
}

class AnthropicBody {
public:
    AnthropicBody(const Endpoint& endpoint, const Request& request, const ToolNames& names)
        : endpoint_(endpoint), request_(request), names_(names), json_(text_)
    {}

    std::string write()
    {
        const Options& options = request_.options;
        const std::int64_t most =
            max_tokens_of(endpoint_, options).value_or(endpoint_.facts.max_output.value_or(kUsualMaxTokens));
        json_.begin_object().field("model", endpoint_.model).field("max_tokens", most).field("stream", true);
        const bool thinks = thinking(most);
        if (const auto temperature = temperature_of(endpoint_, options); temperature && !thinks)
            json_.field("temperature", *temperature);
        if (!options.stop.empty()) {
            json_.key("stop_sequences").begin_array();
            for (const std::string& stop : options.stop)
                if (!is_blank(stop)) json_.value(stop);  // others are refused
            json_.end_array();
        }
        turns_ = turns_of(request_, SystemMessages::on_top);
        if (!options.output_schema.empty())
            turns_.system += (turns_.system.empty() ? "" : "\n\n") + schema_in_words(options.output_schema);
        system();
        tools();
        messages();
        json_.end_object();
        return std::move(text_);
    }

private:
    bool thinking(std::int64_t max_tokens)
    {
        const std::string& effort = request_.options.reasoning_effort;
        if (effort.empty() || !endpoint_.vendor.reasoning_effort) return false;
        switch (endpoint_.facts.thinking) {
        case model::Thinking::none: break;
        case model::Thinking::adaptive:
            json_.key("thinking").begin_object().field("type", "adaptive").end_object();
            json_.key("output_config").begin_object().field("effort", effort).end_object();
            return true;
        case model::Thinking::budget:
            if (const std::int64_t budget = budget_of(effort, max_tokens)) {
                json_.key("thinking").begin_object().field("type", "enabled").field("budget_tokens", budget);
                json_.end_object();
                return true;
            }
            break;
        }
        return false;
    }

    void system()
    {
        if (is_blank(turns_.system)) return;
        json_.key("system").begin_array();
        begin_text(turns_.system);
        keep_in_mind();
        json_.end_object().end_array();
    }

    void tools()
    {
        if (!request_.tools || request_.tools->empty()) return;
        json_.key("tools").begin_array();
        for (const ToolSpec& tool : *request_.tools) {
            json_.begin_object().field("name", names_.to_wire(tool.name));
            if (!tool.description.empty()) json_.field("description", tool.description);
            json_.key("input_schema").raw(schema_of(tool)).end_object();
        }
        json_.end_array();
    }

    void messages()
    {
        json_.key("messages").begin_array();
        if (turns_.list.empty() || turns_.list.front().by_model) {
            json_.begin_object().field("role", "user").field("content", kGoOn).end_object();
        }
        for (const Turn& turn : turns_.list) {
            is_last_turn_ = &turn == &turns_.list.back();
            json_.begin_object().field("role", turn.by_model ? "assistant" : "user").key("content").begin_array();
            if (turn.by_model) {
                for (const Message* message : turn.messages) answer(*message, message == turn.messages.back());
            } else {
                people(turn);
            }
            json_.end_array().end_object();
        }
        json_.end_array();
    }

    void people(const Turn& turn)
    {
        for (const CallResult& result : turn.results) {
            tool_result(result);
            close_block(turn.messages.empty() && &result == &turn.results.back());
        }
        for (const Message* message : turn.messages) {
            const bool is_last = message == turn.messages.back();
            if (!is_blank(message->text)) {
                begin_text(message->role == model::Role::tool ? "Result of an earlier call: " + message->text
                                                              : message->text);
                close_block(is_last && message->images.empty());
            }
            for (const Image& one : message->images) {
                image(one);
                close_block(is_last && &one == &message->images.back());
            }
        }
    }

    void tool_result(const CallResult& result)
    {
        json_.begin_object().field("type", "tool_result");
        json_.field("tool_use_id", wire_call_id(endpoint_, result.call->id));
        if (!result.message) {
            json_.field("is_error", true).field("content", kNoResult);
            return;
        }
        if (result.message->is_error) json_.field("is_error", true);
        if (result.message->images.empty()) {
            if (!is_blank(result.message->text)) json_.field("content", result.message->text);
            return;
        }
        json_.key("content").begin_array();
        if (!is_blank(result.message->text)) {
            begin_text(result.message->text);
            json_.end_object();
        }
        for (const Image& one : result.message->images) {
            image(one);
            json_.end_object();
        }
        json_.end_array();
    }

    /// `is_last` of its turn: an answer that ends a conversation may not end in blanks.
    void answer(const Message& message, bool is_last)
    {
        const auto fields = opaque_fields(message.opaque, endpoint_.spec());
        const auto* content = fields ? fields->if_contains(kContent) : nullptr;
        if (content && content->is_array() && blocks(message, content->get_array())) return;
        const std::string_view text = is_last && is_last_turn_ ? without_end(message.text) : message.text;
        if (!is_blank(text)) {
            begin_text(text);
            json_.end_object();
        }
        for (const model::ToolCall& call : message.calls) tool_use(call);
    }

    /// The blocks as they came. False, and nothing is written, when they do not fit the message.
    bool blocks(const Message& message, const json::array& content)
    {
        std::size_t bytes = 0, calls = 0;
        for (const json::value& block : content) {
            if (!block.is_object()) return false;
            if (const auto count = count_in(block, kTextBytes)) bytes += static_cast<std::size_t>(*count);
            if (const auto number = count_in(block, kCallNumber);
                number && *number != static_cast<std::int64_t>(calls++))
                return false;
        }
        if (bytes != message.text.size() || calls != message.calls.size()) return false;
        std::string_view text = message.text;
        std::size_t call = 0;
        for (const json::value& block : content) {
            if (const auto count = count_in(block, kTextBytes)) {
                const std::string_view part = text.substr(0, static_cast<std::size_t>(*count));
                text.remove_prefix(part.size());
                if (is_blank(part)) continue;
                begin_text(part);
                json_.end_object();
            } else if (count_in(block, kCallNumber)) {
                tool_use(message.calls[call++]);
            } else {
                json_.raw(to_text(block));
            }
        }
        return true;
    }

    void tool_use(const model::ToolCall& call)
    {
        json_.begin_object().field("type", "tool_use").field("id", wire_call_id(endpoint_, call.id));
        json_.field("name", names_.to_wire(call.tool_name)).key("input").raw(to_text(call.args)).end_object();
    }

    void begin_text(std::string_view text) { json_.begin_object().field("type", "text").field("text", text); }

    void image(const Image& image)
    {
        json_.begin_object().field("type", "image").key("source").begin_object();
        if (image.data.empty()) json_.field("type", "url").field("url", image.url);
        else json_.field("type", "base64").field("media_type", image.media_type).field("data", image.data);
        json_.end_object();
    }

    void close_block(bool is_last_of_turn)
    {
        if (is_last_of_turn && is_last_turn_) keep_in_mind();
        json_.end_object();
    }

    /// What stands before it is read again with the next request, and then costs a tenth.
    void keep_in_mind()
    {
        if (endpoint_.vendor.prompt_cache)
            json_.key("cache_control").begin_object().field("type", "ephemeral").end_object();
    }

    const Endpoint& endpoint_;
    const Request& request_;
    const ToolNames& names_;
    Turns turns_;
    bool is_last_turn_ = false;
    std::string text_;
    JsonWriter json_;
};

}  // namespace

std::string anthropic_body(const Endpoint& endpoint, const Request& request, const ToolNames& names)
{
    return AnthropicBody(endpoint, request, names).write();
}

}  // namespace cadre::llm
