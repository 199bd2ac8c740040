// Custom tools: programs of the project. One reads `{"arguments":{…},"key":"…","attempt":1}` on its standard input and writes its answer,
// JSON or text, to its standard output; an exit code other than 0 is an error, and standard error says which. With `function`, the file
// is Python and the function is called with the arguments by name; what it returns is the answer.
#pragma once

#include "tools/sandbox/program_tool.hpp"

#include <filesystem>
#include <memory>

namespace cadre::tools {

/// Where a definition stands.
struct CustomToolHome {
    std::filesystem::path project{};   // its folder, which the program's file does not leave
    std::filesystem::path named_in{};  // the file with the definition: `path` is seen from its folder
};

/// Throws Error(not_found | invalid) that names the tool when its file is missing, outside of the project, or neither executable nor
/// Python.
std::shared_ptr<Tool> custom_tool(const model::Tool& definition, const CustomToolHome& home, SandboxOptions options);

}  // namespace cadre::tools
