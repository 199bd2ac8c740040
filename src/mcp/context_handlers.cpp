#include "mcp/context_handlers.hpp"

#include "base/async.hpp"
#include "mcp/members.hpp"

#include <algorithm>

namespace cadre::mcp {

namespace {

constexpr std::size_t kMaxMessages = 100;

/// The texts of a message, which is one block or a list of them. Throws for what a model cannot be shown this way.
std::string words_of(const json::value& content)
{
    if (content.is_string()) return std::string(content.get_string());
    std::string words;
    const auto add = [&](const json::value& block) {
        const json::object* one = block.if_object();
        if (!one || text_in(*one, "type") != "text")
            throw Error(Code::invalid, "only texts can be sampled, not images, sounds or tool calls");
        if (!words.empty()) words += '\n';
        words += text_in(*one, "text");
    };
    if (const json::array* blocks = content.if_array()) {
        for (const json::value& block : *blocks) add(block);
    } else {
        add(content);
    }
    return words;
}

tools::SampleRequest sample_request(const json::object& params)
{
    tools::SampleRequest request{.system = std::string(text_in(params, "systemPrompt"))};
    const json::array* messages = array_in(params, "messages");
    if (!messages || messages->empty()) throw Error(Code::invalid, "`messages` is missing");
    if (messages->size() > kMaxMessages) throw Error(Code::too_large, "too many messages");
    for (const json::value& value : *messages) {
        const json::object* message = value.if_object();
        const json::value* content = message ? message->if_contains("content") : nullptr;
        if (!content) throw Error(Code::invalid, "a message has no content");
        request.messages.push_back(
            {.role = text_in(*message, "role") == "assistant" ? model::Role::assistant : model::Role::user,
             .text = words_of(*content)});
    }
    if (const json::value* most = params.if_contains("maxTokens"); most && most->is_int64())
        request.max_tokens = static_cast<int>(std::clamp<std::int64_t>(most->get_int64(), 1, 1'000'000));
    return request;
}

/// A bare answer to a form with one text field is meant for that field.
void add_message(json::object& content, const json::object& properties, const std::string& message)
{
    if (message.empty() || properties.size() != 1 || !content.empty()) return;
    const auto& only = *properties.begin();
    const json::object* field = only.value().if_object();
    if (field && text_in(*field, "type") == "string") content[only.key()] = message;
}

}  // namespace

json::object with_defaults(json::object content, const json::object& schema)
{
    const json::object* properties = object_in(schema, "properties");
    if (!properties) return content;
    for (const auto& [name, property] : *properties) {
        const json::object* field = property.if_object();
        const json::value* fallback = field ? field->if_contains("default") : nullptr;
        if (fallback && !content.contains(name)) content[name] = *fallback;
    }
    return content;
}

Async<json::object> ContextHandlers::sample(json::object params)
{
    tools::SampleRequest request = sample_request(params);
    const tools::Sample sample = co_await context_.sample(std::move(request));
    co_return json::object{{"role", "assistant"},
                           {"content", {{"type", "text"}, {"text", sample.text}}},
                           {"model", sample.model},
                           {"stopReason", sample.was_cut ? "maxTokens" : "endTurn"}};
}

Async<json::object> ContextHandlers::elicit(json::object params)
{
    const bool is_url = text_in(params, "mode") == "url";
    json::object schema;
    if (const json::object* given = object_in(params, "requestedSchema")) schema = *given;
    json::object asked{{"question", text_in(params, "message")}, {"server", server_}};
    if (is_url) asked["url"] = text_in(params, "url");
    else asked["schema"] = schema;
    // a page is visited or not, a form is filled in
    const auto type = is_url ? model::HumanRequestType::approval : model::HumanRequestType::feedback;
    const model::HumanAnswer answer = co_await context_.ask(type, std::move(asked));
    if (answer.verb == model::HumanVerb::timeout) co_return json::object{{"action", "cancel"}};
    if (answer.verb == model::HumanVerb::reject) co_return json::object{{"action", "decline"}};
    if (is_url) co_return json::object{{"action", "accept"}};
    json::object content = answer.updates;
    if (const json::object* properties = object_in(schema, "properties"))
        add_message(content, *properties, answer.message);
    co_return json::object{{"action", "accept"}, {"content", with_defaults(std::move(content), schema)}};
}

}  // namespace cadre::mcp
