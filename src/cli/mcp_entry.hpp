// Adding a server to config/mcp_servers.yaml, and removing one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cadre::cli {

/// `words` are a program and its arguments, or one URL. What the file says already stays as it is, comments too. Returns the file. Throws
/// Error(conflict) for a name that is there, Error(not_found) for a program that is not, and Error(invalid) that has the lines to paste when
/// the file is of another form.
std::filesystem::path add_server(const std::filesystem::path& project, const std::string& name,
                                 const std::vector<std::string>& words);

/// The rest of the file stays as it is, comments too. Returns the file. Throws Error(not_found) where the project has no such server, and
/// Error(invalid) that says where it stands when that is for a person to mend.
std::filesystem::path remove_server(const std::filesystem::path& project, const std::string& name);

}  // namespace cadre::cli
