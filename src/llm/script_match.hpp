// Which entry of a script answers a request, and why the others do not. Functions of values.
#pragma once

#include "llm/model.hpp"
#include "llm/script_entry.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm {

/// What a script can ask about a request, which must outlive this.
struct ScriptFacts {
    std::string_view agent{};
    int nth = 1;
    bool after_tool = false;
    /// Texts of the user's and tools' messages since the model's last answer; of the last one at all if there are none.
    std::vector<std::string_view> heard{};

    /// For people: agent "researcher", model call 2, with a tool's result, hears "5".
    std::string text() const;
};

ScriptFacts facts_of(const Request& request);

bool matches(const ScriptCondition& when, const ScriptFacts& facts);

/// How far a condition is from being met.
struct ScriptDistance {
    std::size_t broken = 0;
    std::size_t held = 0;
    std::string first{};  // what is different, of the first that is broken
};
ScriptDistance distance(const ScriptCondition& when, const ScriptFacts& facts);

}  // namespace cadre::llm
