#include "engine/conversation.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <ranges>

namespace cadre::engine {

namespace {

constexpr std::string_view kUser = "user", kAssistant = "assistant";
constexpr JsonLimits kLimits{.bytes = std::size_t{64} << 20, .depth = 8, .nodes = 100'000};

model::Role role_from(const json::value* value)
{
    const auto* name = value ? value->if_string() : nullptr;
    if (name && *name == kUser) return model::Role::user;
    if (name && *name == kAssistant) return model::Role::assistant;
    throw Error(Code::invalid, "a message of a conversation is neither the user's nor the assistant's");
}

std::vector<TurnMessage> messages_in(const json::value& value)
{
    const auto* list = value.if_array();
    if (!list) throw Error(Code::invalid, "the messages of a conversation are a list");
    std::vector<TurnMessage> messages;
    for (const json::value& one : *list) {
        const auto* message = one.if_object();
        const auto* said = message ? message->if_contains("text") : nullptr;
        if (!said || !said->is_string()) throw Error(Code::invalid, "a message of a conversation has no text");
        messages.push_back({role_from(message->if_contains("role")), std::string(said->get_string())});
    }
    return messages;
}

std::string missing(const std::string& key)
{
    return "what was said before (" + key.substr(0, 12) + ") is missing or damaged in the store";
}

}  // namespace

std::string document_text(const Turn& turn)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("before");
    if (turn.before) json.value(*turn.before);
    else json.null();
    const auto write = [&](std::string_view name, const std::vector<TurnMessage>& messages) {
        json.key(name).begin_array();
        for (const TurnMessage& message : messages)
            json.begin_object()
                .field("role", message.role == model::Role::user ? kUser : kAssistant)
                .field("text", message.text)
                .end_object();
        json.end_array();
    };
    write("messages", turn.messages);
    if (!turn.instead.empty()) write("instead", turn.instead);
    json.end_object();
    return text;
}

Turn turn_from(std::string_view text)
{
    const json::value value = parse_json(text, kLimits);
    const auto* object = value.if_object();
    const auto* before = object ? object->if_contains("before") : nullptr;
    const auto* messages = object ? object->if_contains("messages") : nullptr;
    if (!before || !messages) throw Error(Code::invalid, "a turn of a conversation has `before` and `messages`");
    Turn turn;
    if (const auto* key = before->if_string(); key && find_hash(*key)) turn.before = std::string(*key);
    else if (!before->is_null()) throw Error(Code::invalid, "`before` is not the hash of another turn");
    turn.messages = messages_in(*messages);
    if (const auto* instead = object->if_contains("instead")) turn.instead = messages_in(*instead);
    return turn;
}

std::string key_of(std::string_view text)
{
    return to_hex(sha256(text));
}

HistoryWalk::HistoryWalk(std::optional<std::string> key, HistoryLimits limits) : wants_(std::move(key)), limits_(limits)
{}

void HistoryWalk::take(std::string_view text)
{
    if (key_of(text) != *wants_) throw Error(Code::unavailable, missing(*wants_));
    Turn turn = turn_from(text);
    taken_ += turn.messages.size();
    if (limits_.to_the_first) turn.instead.clear();
    for (const auto* some : {&turn.messages, &turn.instead})
        for (const TurnMessage& message : *some) bytes_ += message.text.size();
    wants_.reset();
    if (taken_ > limits_.messages || bytes_ > limits_.bytes) return;
    if (turn.instead.empty() && taken_ < limits_.messages) wants_ = turn.before;
    turns_.push_back(std::move(turn));
}

std::vector<TurnMessage> HistoryWalk::messages() const
{
    std::vector<TurnMessage> all;
    for (const Turn& turn : std::views::reverse(turns_)) {
        std::ranges::copy(turn.instead, std::back_inserter(all));
        std::ranges::copy(turn.messages, std::back_inserter(all));
    }
    return all;
}

History HistoryWalk::history() const
{
    History history;
    for (TurnMessage& message : messages())
        history.push_back(
            std::make_shared<const llm::Message>(llm::Message{.role = message.role, .text = std::move(message.text)}));
    return history;
}

Async<std::vector<storage::Document>> read_all(storage::Store& store, HistoryWalk& walk)
{
    std::vector<storage::Document> documents;
    while (walk.wants()) {
        const std::string key = *walk.wants();
        auto document = co_await store.find(std::string(kConversationDocument), key);
        if (!document) throw Error(Code::unavailable, missing(key));
        walk.take(document->text);
        documents.push_back(std::move(*document));
    }
    std::ranges::reverse(documents);
    co_return documents;
}

Async<History> history_of(storage::Store& store, std::optional<std::string> key)
{
    HistoryWalk walk(std::move(key));
    co_await read_all(store, walk);
    co_return walk.history();
}

Async<std::string> keep(storage::Store& store, Turn turn)
{
    std::string text = document_text(turn);
    const std::string key = key_of(text);
    // also when it is there: its age says that somebody is about to refer to it
    storage::Document document{.kind = std::string(kConversationDocument), .key = key, .text = std::move(text)};
    co_await store.put(std::move(document));
    co_return key;
}

}  // namespace cadre::engine
