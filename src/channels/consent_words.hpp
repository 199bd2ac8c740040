// Words by which people say that they want no messages, or want them again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cadre::channels {

enum class ConsentWord : std::uint8_t { none, stop, start, help };

/// Of the whole text: blanks around it, case and marks at its end do not count. `more`: further words for `stop`. YES says start where
/// somebody is `out`.
ConsentWord consent_word_in(std::string_view text, std::span<const std::string> more, bool out);

}  // namespace cadre::channels
