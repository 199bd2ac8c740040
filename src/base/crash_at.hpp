// For tests: the process kills itself at a named point of the code.
#pragma once

#include <string_view>

namespace cadre {

/// `before_dispatch:3`: at the third time that this point is reached (base/crash_point.hpp). Before threads start. Throws
/// Error(invalid).
void crash_at(std::string_view place);

}  // namespace cadre
