#include "llm/local/turn.hpp"

#include "base/trim.hpp"

#include <algorithm>
#include <optional>

namespace cadre::llm::local {
namespace {

/// How Cadre begins what it says to a model in a user's place.
constexpr std::string_view kComplaints[] = {"Your answer does not fit", "That answer cannot be used",
                                            "This plan cannot be carried out", "That cannot be read as a vote"};
constexpr std::string_view kContinue = "Continue with your task.";

/// `[writer] A draft.`
std::optional<Said> others_words(std::string_view text)
{
    if (!text.starts_with('[')) return std::nullopt;
    const std::size_t close = text.find("] ");
    if (close == text.npos || close > 65 || close < 2) return std::nullopt;
    const std::string_view who = text.substr(1, close - 1);
    if (!std::ranges::all_of(
            who, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; }))
        return std::nullopt;
    return Said{std::string(who), std::string(without_note(text.substr(close + 2)))};
}

bool is_complaint(std::string_view text)
{
    return std::ranges::any_of(kComplaints, [&](std::string_view one) { return text.starts_with(one); });
}

}  // namespace

std::string_view without_note(std::string_view answer)
{
    const std::string_view whole = trimmed(answer);
    return whole.ends_with(kNote) ? trimmed(whole.substr(0, whole.size() - kNote.size())) : answer;
}

Turn turn_of(const Request& request)
{
    Turn turn;
    std::vector<model::ToolCall> calls;
    const auto find_call = [&](const std::string& id) {
        const auto found = std::ranges::find(calls, id, &model::ToolCall::id);
        return found == calls.end() ? model::ToolCall{.id = id} : *found;
    };
    bool has_answered = false;  // since the request
    std::size_t asked_at = 0;   // where the request stands in `before`
    for (const auto& message : request.messages) {
        switch (message->role) {
        case model::Role::tool:
            turn.answered.push_back({find_call(message->call_id), message->text, message->is_error});
            break;
        case model::Role::assistant:
            calls.insert(calls.end(), message->calls.begin(), message->calls.end());
            if (!message->calls.empty() && message->text.empty()) break;
            if (message->calls.empty()) has_answered = true;
            turn.must_continue = true;
            turn.before.push_back({"assistant", std::string(without_note(message->text))});
            break;
        case model::Role::user: {
            turn.told = message->text;
            turn.is_complaint = is_complaint(message->text);
            if (turn.is_complaint || message->text == kContinue) break;
            if (auto other = others_words(message->text)) {
                if (!other->text.starts_with("hands over to you")) turn.others.push_back(std::move(*other));
                break;
            }
            const bool is_first_of_turn = has_answered || turn.request.empty();
            if (is_first_of_turn) {  // another turn, or the first one
                turn.request = message->text;
                asked_at = turn.before.size();
                turn.before.push_back({"user", message->text});
                turn.answered.clear();
                turn.others.clear();
                has_answered = turn.must_continue = false;
            } else {
                turn.request += "\n" + message->text;  // what a person adds meanwhile
            }
            break;
        }
        case model::Role::system: break;
        }
    }
    if (asked_at < turn.before.size()) turn.before.erase(turn.before.begin() + static_cast<std::ptrdiff_t>(asked_at));
    return turn;
}

}  // namespace cadre::llm::local
