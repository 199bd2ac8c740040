// What each character is and which cases it has, as data; characters.hpp answers questions about it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cadre::text::tpl {

/// Characters from `first` to `last`, each `step` behind the one before, change by `distance`.
struct CaseRun {
    char32_t first;
    char32_t last;
    int step;
    int distance;
};

/// A character that becomes several.
struct CaseText {
    char32_t from;
    std::string_view to;
};

struct CaseTable {
    std::span<const CaseRun> runs;
    std::span<const CaseText> texts;
};

struct CharacterData {
    std::span<const std::uint8_t> properties;  // by letter
    std::string_view runs;                     // how many characters (none: one), then the letter of their properties
    CaseTable upper;
    CaseTable lower;
    CaseTable title;
};

const CharacterData& character_data();

}  // namespace cadre::text::tpl
