// How the verbs that are about one task name it.
#pragma once

#include "cli/verb.hpp"

#include <string_view>

namespace cadre::cli {

inline constexpr std::string_view kTaskHelp = "Its id, or the first letters of it";
inline const Argument kTask{.name = "task", .help = kTaskHelp};

}  // namespace cadre::cli
