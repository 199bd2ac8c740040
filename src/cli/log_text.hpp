// A line of the log in words for people.
#pragma once

#include "base/log.hpp"
#include "base/time.hpp"

#include <string>
#include <string_view>

namespace cadre::cli {

struct Paint;

/// `14:03:05  warning  the server has ended  server=files failures=1`, safe for a terminal. What is not a line of the log stays as it is.
std::string log_text(std::string_view line, Time now, const Paint& paint);

/// Of a line of the log; what is not one counts as an error, so that it is always shown.
Level level_of(std::string_view line);

}  // namespace cadre::cli
