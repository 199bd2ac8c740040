// Patterns in RE2's syntax as trees, for the automaton that streams go through. RE2 itself has no way to be fed piece by piece.
#pragma once

#include "guardrails/char_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::guardrails {

enum class Assertion : std::uint8_t { text_begin, text_end, line_begin, line_end, word_edge, no_word_edge };

struct PatternNode {
    enum class Type : std::uint8_t { nothing, characters, sequence, alternatives, repeat, assertion };

    Type type = Type::nothing;
    CharSet set{};                     // characters
    Assertion assertion{};             // assertion
    std::vector<PatternNode> parts{};  // sequence, alternatives; one: repeat
    int least = 0;                     // repeat
    std::optional<int> most{};         // none: without end

    /// How many characters its shortest match has.
    std::size_t shortest() const;
    /// How many steps it takes to follow, counted copies and all; saturates.
    std::size_t steps() const;
};

struct ParsedPattern {
    PatternNode root{};
    /// What the automaton does not know ("Unicode classes"); empty: it knows all of it.
    std::string unsupported{};
};

/// `pattern` is one that RE2 takes. Letters mean either case. Throws Error(invalid) where it asks for one case.
ParsedPattern parse_pattern(std::string_view pattern);

/// The pattern for folded text: characters of other widths are written as their usual ones, unseen ones are left out.
std::string usual_pattern(std::string_view pattern);

/// A pattern that matches the word and nothing else: whole words only where it begins or ends with an ASCII letter, digit or
/// underscore; a blank stands for one to four.
std::string keyword_pattern(std::string_view word);

}  // namespace cadre::guardrails
