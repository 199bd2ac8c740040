// Ports on the command line.
#pragma once

#include <cstdint>
#include <string>

namespace cadre::cli {

/// 0 means any. Throws Error(invalid).
std::uint16_t port_from(const std::string& text);

}  // namespace cadre::cli
