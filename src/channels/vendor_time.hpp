// Times as vendors write them.
#pragma once

#include "base/time.hpp"
#include "net/http.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cadre::channels {

/// `Thu, 30 Jul 2015 20:12:31 +0000` (RFC 2822); nothing: it is not one.
std::optional<Time> time_from_mail_date(std::string_view text);
std::string mail_date_of(Time time);
/// Seconds since 1970.
std::optional<Time> time_from_seconds(std::string_view text);
/// `Retry-After` in seconds, an hour at most.
std::optional<Millis> retry_after_in(const net::HttpHeaders& headers);

}  // namespace cadre::channels
