#include "base/crash_point.hpp"

namespace cadre {

void (*crash_hook)(const char* point) = nullptr;

}  // namespace cadre
