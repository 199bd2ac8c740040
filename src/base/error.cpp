#include "base/error.hpp"

#include "base/json_writer.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <array>

namespace cadre {

namespace {

constexpr std::size_t kMaxQuoted = 40;

constexpr std::array<std::string_view, 14> kNames = {
    "malformed", "invalid",      "unauthorized", "forbidden", "not_found",   "conflict",  "too_large",
    "limit",     "rate_limited", "timeout",      "upstream",  "unavailable", "cancelled", "internal",
};
static_assert(kNames.size() == static_cast<std::size_t>(Code::internal) + 1);

}  // namespace

Surface surface(Code code)
{
    switch (code) {  // no default: the compiler names a forgotten code
    case Code::malformed: return {.http = 400, .exit = 2};
    case Code::invalid: return {.http = 422, .exit = 2};
    case Code::unauthorized: return {.http = 401, .exit = 3};
    case Code::forbidden: return {.http = 403, .exit = 3};
    case Code::not_found: return {.http = 404, .exit = 4};
    case Code::conflict: return {.http = 409, .exit = 5};
    case Code::too_large: return {.http = 413, .exit = 2};
    case Code::limit: return {.http = 409, .exit = 5};
    case Code::rate_limited: return {.http = 429, .exit = 6};
    case Code::timeout: return {.http = 504, .exit = 7};
    case Code::upstream: return {.http = 502, .exit = 8};
    case Code::unavailable: return {.http = 503, .exit = 9};
    case Code::cancelled: return {.http = 409, .exit = 10};
    case Code::internal: break;
    }
    return {.http = 500, .exit = 1};
}

std::string_view name_of(Code code)
{
    return kNames.at(static_cast<std::size_t>(code));
}

Code code_of(std::string_view name)
{
    const auto found = std::ranges::find(kNames, name);
    return found == kNames.end() ? Code::internal : static_cast<Code>(found - kNames.begin());
}

std::string in_quotes(std::string_view text)
{
    std::string out;
    append_json_string(out, utf8_prefix(text, kMaxQuoted));
    if (text.size() > kMaxQuoted) out.insert(out.size() - 1, "…");
    return out;
}

}  // namespace cadre
