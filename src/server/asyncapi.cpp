#include "server/asyncapi.hpp"

#include "base/json.hpp"
#include "model/chunk.hpp"
#include "model/describe.hpp"
#include "model/event.hpp"
#include "server/schema_pool.hpp"
#include "server/stream_console.hpp"
#include "server/stream_kind.hpp"

#include <boost/json.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace cadre::server {
namespace {

constexpr std::string_view kConsole = "console";

json::object reference_to(std::string place)
{
    return {{"$ref", std::move(place)}};
}

/// A name of the document's own: `content_chunk`, `event_task_start`.
struct Message {
    std::string_view name;
    const model::Entity* entity;
};

std::vector<Message> messages_of_streams()
{
    const model::Entity& chunk = describe(static_cast<const model::StreamChunk*>(nullptr));
    std::vector<Message> all{{chunk.tag, &chunk}};
    const model::Type& events = model::type_of<model::Event>();
    for (std::size_t i = 0; i < events.alternatives; ++i) {
        const model::Entity& entity = events.alternative(i);
        all.push_back({entity.tag, &entity});
    }
    return all;
}

class AsyncDocument {
public:
    AsyncDocument()
    {
        for (const Message& message : messages_of_streams()) add_message(message);
        add_message({kWatch, &describe(static_cast<const ConsoleRequest*>(nullptr))});
        for (const StreamKind& kind : stream_kinds()) add_stream(kind);
        add_console();
    }

    json::value take(const AsyncApiInfo& info)
    {
        json::object token{{"type", "http"}, {"scheme", "bearer"}, {"description", "An API key or a JSON Web Token."}};
        const json::array security{reference_to("#/components/securitySchemes/token")};
        const auto server = [&](std::string_view protocol) {
            return json::object{{"host", info.host},
                                {"protocol", std::string(protocol) + (info.is_secure ? "s" : "")},
                                {"security", security}};
        };
        return json::object{
            {"asyncapi", "3.0.0"},
            {"info", json::object{{"title", "Cadre streams"},
                                  {"version", info.version},
                                  {"description",
                                   "What happens to tasks, as it happens. Each stream is a WebSocket, and server-sent "
                                   "events with `Accept: text/event-stream`."},
                                  {"license", json::object{{"name", "Apache 2.0"}}}}},
            {"defaultContentType", "application/json"},
            {"servers", json::object{{"websocket", server("ws")}, {"events", server("http")}}},
            {"channels", std::move(channels_)},
            {"operations", std::move(operations_)},
            {"components", json::object{{"messages", std::move(messages_)},
                                        {"schemas", schemas_.take()},
                                        {"securitySchemes", json::object{{"token", std::move(token)}}}}},
        };
    }

private:
    static constexpr std::string_view kWatch = "console_request";

    void add_message(const Message& message)
    {
        messages_[message.name] = json::object{
            {"name", message.name}, {"summary", message.entity->doc}, {"payload", schemas_.reference(*message.entity)}};
    }

    json::object channel(std::string address, std::string_view doc, const std::vector<std::string_view>& names)
    {
        json::object messages;
        for (const std::string_view name : names)
            messages[name] = reference_to("#/components/messages/" + std::string(name));
        return {{"address", std::move(address)}, {"summary", doc}, {"messages", std::move(messages)}};
    }

    /// From the server's point of view: `send` is what clients get.
    void add_operation(const std::string& channel, std::string_view action, std::string_view doc,
                       const std::vector<std::string_view>& names)
    {
        json::array messages;
        for (const std::string_view name : names)
            messages.emplace_back(reference_to("#/channels/" + channel + "/messages/" + std::string(name)));
        operations_[std::string(action) + "_" + channel] =
            json::object{{"action", action},
                         {"channel", reference_to("#/channels/" + channel)},
                         {"summary", doc},
                         {"messages", std::move(messages)}};
    }

    void add_stream(const StreamKind& kind)
    {
        StreamFilter filter;
        filter.add(kind);
        std::vector<std::string_view> names;
        for (const Message& message : messages_of_streams()) {
            const bool is_text = message.name == describe(static_cast<const model::StreamChunk*>(nullptr)).tag;
            if (is_text ? filter.has_text : filter.tells(message.name)) names.push_back(message.name);
        }
        const std::string name(kind.name);
        json::object stream = channel("/tasks/{task_id}/" + name, kind.doc, names);
        stream["parameters"] = json::object{{"task_id", json::object{{"description", "The task."}}}};
        channels_[name] = std::move(stream);
        add_operation(name, "send", kind.doc, names);
    }

    void add_console()
    {
        constexpr std::string_view doc =
            "One WebSocket for many tasks; what comes stands in envelopes with the watch's id.";
        const std::string name(kConsole);
        std::vector<std::string_view> names{kWatch};
        for (const Message& message : messages_of_streams()) names.push_back(message.name);
        channels_[name] = channel("/stream", doc, names);
        channels_[name].as_object()["servers"] = json::array{reference_to("#/servers/websocket")};
        add_operation(name, "receive", "The client says what it watches.", {kWatch});
        add_operation(name, "send", doc, {names.begin() + 1, names.end()});
    }

    SchemaPool schemas_;
    json::object messages_;
    json::object channels_;
    json::object operations_;
};

}  // namespace

json::value asyncapi_document(const AsyncApiInfo& info)
{
    return AsyncDocument().take(info);
}

}  // namespace cadre::server
