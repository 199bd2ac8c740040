// Commands that people paste into a shell.
#pragma once

#include <string>
#include <string_view>

namespace cadre::cli {

/// The text as one word for a shell: in single quotes where it needs them.
std::string shell_word(std::string_view text);

}  // namespace cadre::cli
