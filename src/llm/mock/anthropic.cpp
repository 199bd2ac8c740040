// Anthropic's Messages.
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/sha256.hpp"
#include "llm/mock/dialect.hpp"
#include "llm/mock/wire.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

namespace cadre::llm::mock {
namespace {

namespace json = boost::json;

/// What makes it noticed that a thought was changed on its way back.
std::string signature(std::string_view thinking)
{
    return "mock_" + to_hex(cadre::digest_of(thinking));
}

std::string block_text(const json::value* content, const std::string& where);

/// What blocks of a user's or the assistant's message come to.
struct Blocks {
    Message message{};
    std::vector<Message> results{};
};

void read_block(const json::object& block, const std::string& where, Blocks& out)
{
    const std::string type = text_of(find(block, "type"), where + ".type");
    if (type == "text") {
        out.message.text += text_of(find(block, "text"), where + ".text");
    } else if (type == "tool_use") {
        const json::value* input = find(block, "input");
        if (!input) refuse(where + ".input: is required");
        out.message.calls.push_back({.id = text_of(find(block, "id"), where + ".id"),
                                     .tool_name = text_of(find(block, "name"), where + ".name"),
                                     .args = object_of(*input, where + ".input")});
    } else if (type == "tool_result") {
        if (!out.message.text.empty() || !out.message.images.empty())
            refuse(where + ": `tool_result` blocks must come before all others of their message");
        out.results.push_back({.role = model::Role::tool,
                               .text = block_text(find(block, "content"), where + ".content"),
                               .call_id = text_of(find(block, "tool_use_id"), where + ".tool_use_id"),
                               .is_error = find_flag(block, "is_error")});
    } else if (type == "thinking") {
        if (text_of(find(block, "signature"), where + ".signature") !=
            signature(text_of(find(block, "thinking"), where + ".thinking")))
            refuse(where + ": Invalid `signature` in `thinking` block");
    } else if (type == "image") {
        const json::value* source = find(block, "source");
        if (!source) refuse(where + ".source: is required");
        const json::object& image = object_of(*source, where + ".source");
        out.message.images.push_back({.media_type = find_text(image, "media_type", where),
                                      .data = find_text(image, "data", where),
                                      .url = find_text(image, "url", where)});
    }
}

Blocks read_blocks(const json::value* content, const std::string& where)
{
    Blocks out;
    if (!content) refuse(where + ": is required");
    if (content->is_string()) {
        out.message.text = content->get_string();
        return out;
    }
    const json::array& list = array_of(content, where);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string place = fmt::format("{}.{}", where, i);
        read_block(object_of(list[i], place), place, out);
    }
    return out;
}

std::string block_text(const json::value* content, const std::string& where)
{
    return content ? read_blocks(content, where).message.text : "";
}

/// Every call has its result in the message behind it, and every result its call in the message before it.
void match_results(std::set<std::string>& open, const Blocks& blocks, const std::string& where)
{
    for (const Message& result : blocks.results)
        if (open.erase(result.call_id) == 0)
            refuse(where + ": unexpected `tool_use_id` found in `tool_result` blocks: " + result.call_id +
                   ". Each `tool_result` block must have a corresponding `tool_use` block in the previous message.");
    if (!open.empty())
        refuse(where + ": `tool_use` ids were found without `tool_result` blocks immediately after: " + *open.begin());
}

void read_messages(const json::array& list, Request& request)
{
    if (list.empty()) refuse("messages: at least one message is required");
    Conversation conversation;
    std::set<std::string> open;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string where = fmt::format("messages.{}", i);
        const json::object& given = object_of(list[i], where);
        const std::string role = text_of(find(given, "role"), where + ".role");
        if (role != "user" && role != "assistant") refuse(where + ".role: must be 'user' or 'assistant'");
        Blocks blocks = read_blocks(find(given, "content"), where + ".content");
        match_results(open, blocks, where);
        for (Message& result : blocks.results) conversation.add(std::move(result));
        if (role == "assistant") {
            blocks.message.role = model::Role::assistant;
            for (const model::ToolCall& call : blocks.message.calls) open.insert(call.id);
            conversation.add(std::move(blocks.message));
        } else if (blocks.results.empty() || !blocks.message.text.empty() || !blocks.message.images.empty()) {
            conversation.add(std::move(blocks.message));
        }
    }
    match_results(open, {}, fmt::format("messages.{}", list.size()));
    request.nth = conversation.nth();
    request.messages = conversation.take();
}

std::vector<ToolSpec> read_tools(const json::value* tools)
{
    std::vector<ToolSpec> out;
    if (!tools) return out;
    for (const json::value& tool : array_of(tools, "tools")) {
        const json::object& given = object_of(tool, "tools");
        const json::value* schema = find(given, "input_schema");
        out.push_back({.name = text_of(find(given, "name"), "tools.name"),
                       .description = find_text(given, "description", "tools"),
                       .input_schema = schema ? to_text(*schema) : ""});
    }
    return out;
}

Asked read(const json::value& body)
{
    const json::object& given = object_of(body, "the body");
    Asked out{
        .model = text_of(find(given, "model"), "model"), .stream = find_flag(given, "stream"), .stream_usage = true};
    if (const json::value* metadata = find(given, "metadata"))
        out.request.agent = find_text(object_of(*metadata, "metadata"), "user_id", "metadata");
    if (out.request.agent.empty()) out.request.agent = out.model;
    if (const json::value* system = find(given, "system")) out.request.instructions = block_text(system, "system");
    read_messages(array_of(find(given, "messages"), "messages"), out.request);
    if (const json::value* most = find(given, "max_tokens")) {
        if (!most->is_int64() || most->get_int64() < 1) refuse("max_tokens: must be a number from 1 on");
        out.request.options.max_tokens = most->get_int64();
    }
    out.request.tools = std::make_shared<const std::vector<ToolSpec>>(read_tools(find(given, "tools")));
    return out;
}

std::string_view stop_reason(std::string_view finish)
{
    constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"stop", "end_turn"}, {"tool_calls", "tool_use"}, {"length", "max_tokens"}, {"content_filter", "refusal"}};
    for (const auto& [ours, theirs] : names)
        if (ours == finish) return theirs;
    return finish;
}

/// Cached tokens are not among the vendor's input tokens.
void write_usage(JsonWriter& out, const Usage& usage, std::int64_t output)
{
    out.key("usage").begin_object().field("input_tokens", std::max(usage.input - usage.cached, std::int64_t{0}));
    out.field("cache_creation_input_tokens", 0).field("cache_read_input_tokens", usage.cached);
    out.field("output_tokens", output);
    if (usage.reasoning > 0)
        out.key("output_tokens_details")
            .begin_object()
            .field("thinking_tokens", std::min(usage.reasoning, output))
            .end_object();
    out.end_object();
}

void write_head(JsonWriter& out, const Told& told)
{
    out.field("id", "msg_" + told.id).field("type", "message").field("role", "assistant").field("model", told.model);
}

std::string tool_use(const Told& told, std::size_t index, std::string_view input)
{
    const model::ToolCall& call = told.completion.calls[index];
    std::string text;
    JsonWriter out(text);
    out.begin_object().field("type", "tool_use").field("id", id_of(call, "toolu", told.id, index));
    out.field("name", call.tool_name).key("input").raw(input).end_object();
    return text;
}

std::string whole(const Told& told)
{
    const Completion& said = told.completion;
    std::string text;
    JsonWriter out(text);
    out.begin_object();
    write_head(out, told);
    out.key("content").begin_array();
    if (!said.reasoning.empty())
        out.begin_object()
            .field("type", "thinking")
            .field("thinking", said.reasoning)
            .field("signature", signature(said.reasoning))
            .end_object();
    if (!said.text.empty()) out.begin_object().field("type", "text").field("text", said.text).end_object();
    for (std::size_t i = 0; i < said.calls.size(); ++i) out.raw(tool_use(told, i, to_text(said.calls[i].args)));
    out.end_array().field("stop_reason", stop_reason(said.finish_reason)).key("stop_sequence").null();
    write_usage(out, said.usage, said.usage.output);
    out.end_object();
    return text;
}

/// The events of a stream, block by block.
class Stream {
public:
    explicit Stream(const Told& told) : told_(told) {}

    std::vector<Event> events()
    {
        const Completion& said = told_.completion;
        start();
        if (!said.reasoning.empty()) {
            open(R"({"type":"thinking","thinking":"","signature":""})");
            delta("thinking_delta", "thinking", said.reasoning);
            delta("signature_delta", "signature", signature(said.reasoning));
            close();
        }
        if (!told_.pieces.empty()) {
            open(R"({"type":"text","text":""})");
            for (const std::string& piece : told_.pieces) delta("text_delta", "text", piece, Part::piece);
            close();
        }
        for (std::size_t i = 0; i < said.calls.size(); ++i) {
            open(tool_use(told_, i, "{}"));
            delta("input_json_delta", "partial_json", "");
            const auto [first, second] = halves(to_text(said.calls[i].args));
            for (const std::string& half : {first, second})
                delta("input_json_delta", "partial_json", half, Part::piece);
            close();
        }
        stop();
        return std::move(events_);
    }

private:
    using Part = Event::Part;

    void add(std::string_view name, const std::string& rest, Part part = Part::frame)
    {
        std::string text = fmt::format(R"({{"type":"{}"{}}})", name, rest);
        events_.push_back({.data = std::move(text), .name = std::string(name), .part = part});
    }
    void start()
    {
        std::string message;
        JsonWriter out(message);
        out.begin_object();
        write_head(out, told_);
        out.key("content").begin_array().end_array().key("stop_reason").null().key("stop_sequence").null();
        write_usage(out, told_.completion.usage, 1);
        out.end_object();
        add("message_start", R"(,"message":)" + message);
        add("ping", "");
    }
    void open(std::string_view block)
    {
        add("content_block_start", fmt::format(R"(,"index":{},"content_block":{})", index_, block));
    }
    void delta(std::string_view type, std::string_view field, std::string_view piece, Part part = Part::frame)
    {
        std::string text;
        JsonWriter(text).begin_object().field("type", type).field(field, piece).end_object();
        add("content_block_delta", fmt::format(R"(,"index":{},"delta":{})", index_, text), part);
    }
    void close() { add("content_block_stop", fmt::format(R"(,"index":{})", index_++)); }
    void stop()
    {
        const Completion& said = told_.completion;
        std::string rest;
        JsonWriter out(rest);
        out.begin_object().key("delta").begin_object().field("stop_reason", stop_reason(said.finish_reason));
        out.key("stop_sequence").null().end_object();
        write_usage(out, said.usage, said.usage.output);
        out.end_object();
        add("message_delta", "," + rest.substr(1, rest.size() - 2), Part::end);
        add("message_stop", "", Part::end);
    }

    const Told& told_;
    std::vector<Event> events_;
    int index_ = 0;
};

std::vector<Event> stream(const Told& told)
{
    return Stream(told).events();
}

std::string_view type_of(int status)
{
    switch (status) {
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 413: return "request_too_large";
    case 429: return "rate_limit_error";
    case 504: return "timeout_error";
    case 529: return "overloaded_error";
    default: return status >= 500 ? "api_error" : "invalid_request_error";
    }
}

std::string error(int status, std::string_view message, std::string_view request_id)
{
    std::string text;
    JsonWriter out(text);
    out.begin_object().field("type", "error").key("error").begin_object().field("type", type_of(status));
    out.field("message", message).end_object();
    if (!request_id.empty()) out.field("request_id", request_id);
    out.end_object();
    return text;
}

Event stream_error(std::string_view message)
{
    return {.data = error(529, message, ""), .name = "error"};
}

}  // namespace

const Dialect anthropic{"anthropic", read, whole, stream, error, stream_error};

}  // namespace cadre::llm::mock
