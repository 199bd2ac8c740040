// Which Cadre this is: when a program is compiled, and when it runs.
#pragma once

#include "cadre/export.hpp"

#include <string_view>

#define CADRE_VERSION_MAJOR 0
#define CADRE_VERSION_MINOR 1
#define CADRE_VERSION_PATCH 0
/// For comparing: `#if CADRE_VERSION >= 10200` is 1.2.0 or later.
#define CADRE_VERSION (CADRE_VERSION_MAJOR * 10000 + CADRE_VERSION_MINOR * 100 + CADRE_VERSION_PATCH)

namespace cadre {

/// Of the library that the program runs with: `0.1.0`.
CADRE_API std::string_view version();

}  // namespace cadre
