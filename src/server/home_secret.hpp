// A secret of the home, for what the server gives away and wants back as it was: cursors of lists.
#pragma once

#include <filesystem>
#include <string>

namespace cadre::server {

/// In `server/secret` of the home: made when there is none yet. Throws Error(invalid) for a file that cannot be one.
std::string home_secret(const std::filesystem::path& home);

}  // namespace cadre::server
