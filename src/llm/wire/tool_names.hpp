// Names of tools as vendors take them: up to 64 of a-z, A-Z, 0-9, _ and -. Others are mapped, and mapped back.
#pragma once

#include "llm/model.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm {

/// Of one request: two tools never get the same name.
class ToolNames {
public:
    /// `tools` may be null.
    explicit ToolNames(const std::vector<ToolSpec>* tools);

    /// Of a tool of the request, or of one that was there when the conversation began.
    std::string to_wire(std::string_view name) const;
    /// The tool that is called so; a name that no tool has stays as it is.
    std::string from_wire(std::string_view name) const;

private:
    std::map<std::string, std::string, std::less<>> wire_, own_;  // only those that differ
};

}  // namespace cadre::llm
