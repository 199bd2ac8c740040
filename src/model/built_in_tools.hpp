// Tools that everybody has: they need no definition.
#pragma once

#include <string_view>

namespace cadre::model {

inline constexpr std::string_view kBuiltInTools[] = {"calculator", "clock",     "read_file", "write_file",
                                                     "list_files", "ask_human", "shell",     "python",
                                                     "fetch",      "remember",  "recall"};

}  // namespace cadre::model
