// Adding a server to config/mcp_servers.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cadre::cli {

/// `words` are a program and its arguments, or one URL. What the file says already stays as it is, comments too. Returns the file. Throws
/// Error(conflict) for a name that is there, and Error(invalid) that has the lines to paste when the file is of another form.
std::filesystem::path add_server(const std::filesystem::path& project, const std::string& name,
                                 const std::vector<std::string>& words);

}  // namespace cadre::cli
