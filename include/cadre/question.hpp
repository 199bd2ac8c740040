// What a task asks of a person, and what the person says.
#pragma once

#include "cadre/export.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace cadre {

enum class QuestionKind : std::uint8_t {
    approval,         // may it?
    feedback,         // words, or a choice
    escalation,       // somebody else did not answer
    outcome_unknown,  // a call may or may not have happened before a crash: did it?
};
/// As on the wire: `outcome_unknown`.
CADRE_API std::string_view name_of(QuestionKind kind);

struct Question {
    std::string id{};
    std::string task{};  // that asks: the task itself, or one that an agent of it has delegated
    QuestionKind kind = QuestionKind::approval;
    std::string text{};       // what a person reads
    std::string agent{};      // who asks
    std::string tool{};       // the call that it is about; empty: none
    std::string arguments{};  // of that call, a JSON object
};

/// Whether to go ahead (of outcome_unknown: whether it happened), and words: a reason, feedback, or what the call came to.
struct Answer {
    bool yes = true;
    std::string text{};
    std::string arguments{};  // of an approval: the call is made with these instead, a JSON object
};

inline Answer yes(std::string text = {})
{
    return {.yes = true, .text = std::move(text)};
}
inline Answer no(std::string reason = {})
{
    return {.yes = false, .text = std::move(reason)};
}
/// Yes, but with these arguments.
inline Answer instead(std::string arguments)
{
    return {.yes = true, .arguments = std::move(arguments)};
}

}  // namespace cadre
