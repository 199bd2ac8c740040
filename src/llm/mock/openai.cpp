// OpenAI's Chat Completions.
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "llm/mock/dialect.hpp"
#include "llm/mock/wire.hpp"

#include <fmt/core.h>

#include <set>

namespace cadre::llm::mock {
namespace {

namespace json = boost::json;

/// `content`: a text, or parts of which texts and images count.
void read_content(Message& message, const json::value* content, const std::string& where)
{
    if (!content) return;
    if (content->is_string()) {
        message.text = content->get_string();
        return;
    }
    const json::array& parts = array_of(content, where);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string place = fmt::format("{}.{}", where, i);
        const json::object& part = object_of(parts[i], place);
        const std::string type = text_of(find(part, "type"), place + ".type");
        if (type == "text" || type == "refusal") {
            message.text += text_of(find(part, type), place + "." + type);
        } else if (type == "image_url") {
            const json::value* image = find(part, "image_url");
            if (!image) refuse(place + ".image_url: is required");
            message.images.push_back({.url = find_text(object_of(*image, place + ".image_url"), "url", place)});
        }
    }
}

model::ToolCall read_call(const json::value& value, const std::string& where)
{
    const json::object& call = object_of(value, where);
    const json::value* function = find(call, "function");
    if (!function) refuse(where + ".function: is required");
    const json::object& named = object_of(*function, where + ".function");
    model::ToolCall out{.id = text_of(find(call, "id"), where + ".id"),
                        .tool_name = text_of(find(named, "name"), where + ".function.name")};
    const std::string arguments = text_of(find(named, "arguments"), where + ".function.arguments");
    try {
        if (!arguments.empty()) out.args = object_of(parse_json(arguments), where + ".function.arguments");
    } catch (const Error& error) {
        refuse(where + ".function.arguments: " + error.what());
    }
    return out;
}

/// Every call must be answered before anything else is said.
class OpenCalls {
public:
    void expect_none() const
    {
        if (open_.empty()) return;
        std::string ids;
        for (const std::string& id : open_) ids += (ids.empty() ? "" : ", ") + id;
        refuse("An assistant message with 'tool_calls' must be followed by tool messages responding to each "
               "'tool_call_id'. The following tool_call_ids did not have response messages: " +
               ids);
    }
    void made(const Message& message)
    {
        for (const model::ToolCall& call : message.calls) open_.insert(call.id);
    }
    void answered(const std::string& id, const std::string& where)
    {
        if (open_.erase(id) == 0)
            refuse(where + ".tool_call_id: " + in_quotes(id) +
                   " is not the id of a call of the assistant message before it");
    }

private:
    std::set<std::string> open_;
};

void read_messages(const json::array& list, Request& request)
{
    if (list.empty()) refuse("messages: must have at least one message");
    Conversation conversation;
    OpenCalls calls;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string where = fmt::format("messages.{}", i);
        const json::object& given = object_of(list[i], where);
        const std::string role = text_of(find(given, "role"), where + ".role");
        Message message;
        read_content(message, find(given, "content"), where + ".content");
        if (role != "tool") calls.expect_none();
        if (role == "system" || role == "developer") {
            request.instructions += (request.instructions.empty() ? "" : "\n") + message.text;
            continue;
        }
        if (role == "assistant") {
            message.role = model::Role::assistant;
            if (const json::value* made = find(given, "tool_calls"))
                for (const json::value& call : array_of(made, where + ".tool_calls"))
                    message.calls.push_back(read_call(call, where + ".tool_calls"));
            calls.made(message);
        } else if (role == "tool") {
            message.role = model::Role::tool;
            message.call_id = text_of(find(given, "tool_call_id"), where + ".tool_call_id");
            calls.answered(message.call_id, where);
        } else if (role != "user") {
            refuse(where + ".role: " + in_quotes(role) + " is not one of system, developer, user, assistant, tool");
        }
        conversation.add(std::move(message));
    }
    calls.expect_none();
    request.nth = conversation.nth();
    request.messages = conversation.take();
    if (request.messages.empty() && request.instructions.empty()) refuse("messages: none of them has content");
}

std::vector<ToolSpec> read_tools(const json::value* tools)
{
    std::vector<ToolSpec> out;
    if (!tools) return out;
    for (const json::value& tool : array_of(tools, "tools")) {
        const json::value* function = find(object_of(tool, "tools"), "function");
        if (!function) continue;  // a tool of the vendor's own
        const json::object& given = object_of(*function, "tools.function");
        const json::value* schema = find(given, "parameters");
        out.push_back({.name = text_of(find(given, "name"), "tools.function.name"),
                       .description = find_text(given, "description", "tools.function"),
                       .input_schema = schema ? to_text(*schema) : ""});
    }
    return out;
}

Asked read(const json::value& body)
{
    const json::object& given = object_of(body, "the body");
    Asked out{.model = text_of(find(given, "model"), "model"), .stream = find_flag(given, "stream")};
    out.request.agent = find_text(given, "user");
    if (out.request.agent.empty()) out.request.agent = out.model;
    read_messages(array_of(find(given, "messages"), "messages"), out.request);
    out.request.tools = std::make_shared<const std::vector<ToolSpec>>(read_tools(find(given, "tools")));
    if (const json::value* options = find(given, "stream_options"))
        out.stream_usage = find_flag(object_of(*options, "stream_options"), "include_usage");
    return out;
}

std::string id(const Told& told)
{
    return "chatcmpl-" + told.id;
}

void write_usage(JsonWriter& out, const Usage& usage)
{
    out.key("usage").begin_object();
    out.field("prompt_tokens", usage.input).field("completion_tokens", usage.output);
    out.field("total_tokens", usage.input + usage.output);
    out.key("prompt_tokens_details").begin_object().field("cached_tokens", usage.cached).end_object();
    out.key("completion_tokens_details").begin_object().field("reasoning_tokens", usage.reasoning).end_object();
    out.end_object();
}

std::string whole(const Told& told)
{
    const Completion& said = told.completion;
    std::string text;
    JsonWriter out(text);
    out.begin_object().field("id", id(told)).field("object", "chat.completion").field("created", told.created);
    out.field("model", told.model).key("choices").begin_array().begin_object().field("index", 0);
    out.key("message").begin_object().field("role", "assistant").key("content");
    if (said.text.empty() && !said.calls.empty()) out.null();
    else out.value(said.text);
    out.key("refusal").null();
    if (!said.reasoning.empty()) out.field("reasoning_content", said.reasoning);
    if (!said.calls.empty()) {
        out.key("tool_calls").begin_array();
        for (std::size_t i = 0; i < said.calls.size(); ++i) {
            out.begin_object().field("id", id_of(said.calls[i], "call", told.id, i)).field("type", "function");
            out.key("function").begin_object().field("name", said.calls[i].tool_name);
            out.field("arguments", to_text(said.calls[i].args)).end_object().end_object();
        }
        out.end_array();
    }
    out.end_object().key("logprobs").null().field("finish_reason", said.finish_reason).end_object().end_array();
    write_usage(out, said.usage);
    out.end_object();
    return text;
}

/// A chunk with one choice whose delta is this JSON; `finish` empty: null.
std::string chunk(const Told& told, std::string_view delta, std::string_view finish = {})
{
    std::string text;
    JsonWriter out(text);
    out.begin_object().field("id", id(told)).field("object", "chat.completion.chunk").field("created", told.created);
    out.field("model", told.model).key("choices").begin_array().begin_object().field("index", 0);
    out.key("delta").raw(delta).key("logprobs").null().key("finish_reason");
    if (finish.empty()) out.null();
    else out.value(finish);
    out.end_object().end_array();
    if (told.stream_usage) out.key("usage").null();
    out.end_object();
    return text;
}

std::string usage_chunk(const Told& told)
{
    std::string text;
    JsonWriter out(text);
    out.begin_object().field("id", id(told)).field("object", "chat.completion.chunk").field("created", told.created);
    out.field("model", told.model).key("choices").begin_array().end_array();
    write_usage(out, told.completion.usage);
    out.end_object();
    return text;
}

std::string text_delta(std::string_view name, std::string_view piece)
{
    std::string text;
    JsonWriter(text).begin_object().field(name, piece).end_object();
    return text;
}

/// The first has id, type and name; those after it only more of the arguments.
std::string call_delta(std::size_t index, const model::ToolCall* call, std::string_view call_id,
                       std::string_view arguments)
{
    std::string text;
    JsonWriter out(text);
    out.begin_object().key("tool_calls").begin_array().begin_object().field("index", std::uint64_t{index});
    if (call) out.field("id", call_id).field("type", "function");
    out.key("function").begin_object();
    if (call) out.field("name", call->tool_name);
    out.field("arguments", arguments).end_object().end_object().end_array().end_object();
    return text;
}

std::vector<Event> stream(const Told& told)
{
    const Completion& said = told.completion;
    std::vector<Event> events;
    events.push_back({chunk(told, R"({"role":"assistant","content":"","refusal":null})")});
    if (!said.reasoning.empty()) events.push_back({chunk(told, text_delta("reasoning_content", said.reasoning))});
    for (const std::string& piece : told.pieces)
        events.push_back({.data = chunk(told, text_delta("content", piece)), .part = Event::Part::piece});
    for (std::size_t i = 0; i < said.calls.size(); ++i) {
        const model::ToolCall& call = said.calls[i];
        events.push_back({chunk(told, call_delta(i, &call, id_of(call, "call", told.id, i), ""))});
        const auto [first, second] = halves(to_text(call.args));
        for (const std::string& part : {first, second})
            events.push_back({.data = chunk(told, call_delta(i, nullptr, "", part)), .part = Event::Part::piece});
    }
    events.push_back({.data = chunk(told, "{}", said.finish_reason), .part = Event::Part::end});
    if (told.stream_usage) events.push_back({.data = usage_chunk(told), .part = Event::Part::end});
    events.push_back({.data = "[DONE]", .part = Event::Part::end});
    return events;
}

struct Kind {
    int status;
    const char* type;
    const char* code;  // null: none
};
constexpr Kind kKinds[] = {{401, "invalid_request_error", "invalid_api_key"},
                           {403, "invalid_request_error", "unsupported_country_region_territory"},
                           {404, "invalid_request_error", "model_not_found"},
                           {429, "requests", "rate_limit_exceeded"}};

std::string error(int status, std::string_view message, std::string_view)
{
    Kind kind{status, status >= 500 ? "server_error" : "invalid_request_error", nullptr};
    for (const Kind& known : kKinds)
        if (known.status == status) kind = known;
    std::string text;
    JsonWriter out(text);
    out.begin_object().key("error").begin_object().field("message", message).field("type", kind.type);
    out.key("param").null().key("code");
    if (kind.code) out.value(kind.code);
    else out.null();
    out.end_object().end_object();
    return text;
}

Event stream_error(std::string_view message)
{
    return {error(500, message, "")};
}

}  // namespace

const Dialect openai{"openai", read, whole, stream, error, stream_error};

}  // namespace cadre::llm::mock
