// What kind of failure it is. Names never change their meaning; further ones may come.
#pragma once

#include "cadre/export.hpp"

#include <string_view>

namespace cadre {

enum class Code {
    malformed,     // not JSON, not a time, not an id: the bytes have no meaning
    invalid,       // well formed, and breaks a rule
    unauthorized,  // nobody, or not who they say
    forbidden,     // somebody who may not
    not_found,
    conflict,  // true once, not now: already answered, already running, already there
    too_large,
    limit,         // a bound of the run was reached: iterations, steps, budget
    rate_limited,  // ask again later
    timeout,
    upstream,     // a model, tool or peer failed
    unavailable,  // we cannot serve this now: disk, lock, shutting down
    cancelled,
    internal,  // a bug of ours
};

/// As on the wire: `not_found`.
CADRE_API std::string_view name_of(Code code);

}  // namespace cadre
