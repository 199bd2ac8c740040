// Words as they are compared: stems without stop words, and how much of one text another one covers.
#pragma once

#include "text/search/terms.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm::local {

using Stems = std::set<std::string, std::less<>>;

/// Each once, cut down as words of that language are.
Stems stems_of(std::string_view text, text::search::Language language = text::search::Language::english);

/// `get_weather`, `getWeather` as words.
std::string spaced_name(std::string_view name);

/// Whether the text has these words in a row, in any case and without accents.
bool names(std::string_view text, std::string_view words);

bool is_greeting(std::string_view text);
/// "What can you do?"
bool asks_for_help(std::string_view text);
/// Whether it wants to know something, in a few languages.
bool is_question(std::string_view text);

}  // namespace cadre::llm::local
