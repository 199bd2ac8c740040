// How the blocks of an answer of Anthropic's are kept in Completion::opaque: those that must go back unchanged as they are, and
// between them where its text and calls stood.
#pragma once

#include <string_view>

namespace cadre::llm {

inline constexpr std::string_view kContent = "content";       // the list
inline constexpr std::string_view kTextBytes = "text_bytes";  // so many of the message's text
inline constexpr std::string_view kCallNumber = "call";       // that one of its calls, from 0 on

}  // namespace cadre::llm
