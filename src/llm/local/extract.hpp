// What a text has to say about a question, word for word: the sentences of it that come nearest, and where they stand.
#pragma once

#include "text/passages/passages.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm::local {

struct Quote {
    std::string text{};   // sentences that follow each other there
    std::string place{};  // where they stand
    double share = 0;     // how much of the question they have, rare words counting more: 0 to 1
};

/// From this share on a quote answers the question; below, it is only the nearest that there is.
inline constexpr double kAnswers = 0.5;
/// Below this it has nothing to do with the question.
inline constexpr double kRelated = 0.26;

/// The best first; nothing that is not related. Of equals the one that comes first.
std::vector<Quote> quotes(const std::vector<text::Passage>& passages, std::string_view question, std::size_t most);

/// The sentences that say most of what a text says, in its order.
std::string summary(std::string_view text, std::size_t sentences);

/// What JSON says about a question, `name: value` a line: what the question names, else all of it, as far as there is room.
/// Empty when it is no JSON.
std::string told_json(std::string_view text, std::string_view question);

}  // namespace cadre::llm::local
