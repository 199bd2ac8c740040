#include "llm/wire/turns.hpp"

#include <algorithm>

namespace cadre::llm {

bool is_blank(std::string_view text)
{
    return text.find_first_not_of(" \t\r\n") == text.npos;
}

namespace {

bool is_empty(const Message& message)
{
    return is_blank(message.text) && message.calls.empty() && message.images.empty();
}

Turn& turn_of(std::vector<Turn>& turns, bool by_model)
{
    if (turns.empty() || turns.back().by_model != by_model) turns.push_back({.by_model = by_model});
    return turns.back();
}

CallResult* find_open(std::vector<Turn>& turns, const Message& message)
{
    if (turns.empty() || turns.back().by_model) return nullptr;
    auto& results = turns.back().results;
    const auto found = std::ranges::find_if(
        results, [&](const CallResult& result) { return !result.message && result.call->id == message.call_id; });
    return found == results.end() ? nullptr : &*found;
}

void append_paragraph(std::string& text, std::string_view more)
{
    if (is_blank(more)) return;
    if (!text.empty()) text += "\n\n";
    text += more;
}

}  // namespace

Turns turns_of(const Request& request, SystemMessages systems)
{
    Turns turns{.system = request.instructions};
    for (const auto& shared : request.messages) {
        const Message& message = *shared;
        switch (message.role) {
        case model::Role::assistant: {
            if (is_empty(message)) break;
            turn_of(turns.list, true).messages.push_back(&message);
            if (message.calls.empty()) break;
            Turn& next = turns.list.emplace_back();
            for (const model::ToolCall& call : message.calls) next.results.push_back({&call, nullptr});
            break;
        }
        case model::Role::tool:
            if (CallResult* open = find_open(turns.list, message)) open->message = &message;
            else if (!is_empty(message)) turn_of(turns.list, false).messages.push_back(&message);
            break;
        case model::Role::system:
            if (systems == SystemMessages::on_top) {
                append_paragraph(turns.system, message.text);
                break;
            }
            [[fallthrough]];
        case model::Role::user:
            if (!is_empty(message)) turn_of(turns.list, false).messages.push_back(&message);
            break;
        }
    }
    return turns;
}

std::string schema_in_words(std::string_view schema)
{
    return "Answer with JSON alone, without Markdown around it, that is valid against this JSON Schema:\n" +
           std::string(schema);
}

}  // namespace cadre::llm
