// Texts as the terms that searches compare: words by ICU, which knows scripts without blanks, without stop words, as Snowball's stems.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text::search {

/// How words are cut down to their stems, and which ones say nothing. `none`: words stay as they are.
enum class Language : std::uint8_t { none, english, german, french, spanish, italian, portuguese, dutch, russian };

/// By its name in English, or its two letters; nothing for another.
std::optional<Language> find_language(std::string_view name);

/// The one whose small words a text has most of; English where it has none of any.
Language guess_language(std::string_view text);

/// Of longer texts the beginning is looked at.
inline constexpr std::size_t kMostIndexedBytes = 64 << 10;

/// In order, repeated ones too. Case, width and accents make no difference. A text of stop words alone keeps them. From any thread.
std::vector<std::string> terms_of(std::string_view text, Language language);

}  // namespace cadre::text::search
