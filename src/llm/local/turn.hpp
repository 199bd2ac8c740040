// A conversation as the local model sees it: what is asked now, what its tools have said to it, and what others said.
#pragma once

#include "llm/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm::local {

/// The last line of every answer of words: nobody should take it for what a language model has thought.
inline constexpr std::string_view kNote =
    "(generated: false. Cadre's local model: it quotes, calculates and calls tools, and writes nothing itself.)";

struct Answered {
    model::ToolCall call{};
    std::string text{};
    bool is_error = false;
};

struct Said {
    std::string who{};
    std::string text{};
};

struct Turn {
    std::string request{};             // what the user wants; without what a chat adds around it
    std::vector<Answered> answered{};  // calls of this turn, with what came of them
    std::vector<Said> others{};        // other agents, in their order
    std::vector<Said> before{};        // earlier turns: `user` and `assistant`
    std::string told{};                // the newest message, whatever it is: a ballot, a complaint
    bool is_complaint = false;         // it says what is wrong with an answer: asked again, the same would come
    bool must_continue = false;        // it has spoken already, and is to go on
};

Turn turn_of(const Request& request);

/// An answer without the note.
std::string_view without_note(std::string_view answer);

}  // namespace cadre::llm::local
