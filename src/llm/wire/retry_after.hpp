// When a vendor wants to be asked again.
#pragma once

#include "base/time.hpp"
#include "net/http.hpp"

#include <optional>
#include <string_view>

namespace cadre::llm {

/// From `retry-after-ms`, else from `Retry-After`: seconds, or a date, which is a time from `now` on. Nothing when neither
/// is there or makes sense.
std::optional<Millis> retry_after_of(const net::HttpHeaders& headers, Time now);

/// `Sun, 06 Nov 1994 08:49:37 GMT`; nothing for anything else.
std::optional<Time> time_from_http(std::string_view text);

}  // namespace cadre::llm
