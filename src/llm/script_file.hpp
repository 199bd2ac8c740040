// A script file: read, checked, and made ready to answer.
#pragma once

#include "llm/script_entry.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm {

/// An entry whose answer is worked out.
struct ScriptLine {
    ScriptEntry entry{};
    std::size_t line = 0;                 // where it stands in the file
    std::optional<std::int64_t> times{};  // nothing: any
    std::string text{};
    std::vector<std::string> pieces{};  // of the text, up to where the stream breaks
};

/// YAML, or JSON when `name` ends so. Throws Error(malformed or invalid) with all problems at `name:line:column`.
std::vector<ScriptLine> read_script(std::string_view text, const std::string& name);

}  // namespace cadre::llm
