// JSON: parsing with limits, writing that is readable or canonical.
#pragma once

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace cadre {

namespace json = boost::json;

struct JsonLimits {
    std::size_t bytes = 1 << 20;
    std::size_t depth = 64;
    std::size_t nodes = 100'000;  // values and keys
};

/// Parses exactly one JSON text (RFC 8259). Refused, with line and column: anything past the limits (Code::too_large),
/// and as Code::malformed: trailing text, duplicate keys (named), invalid UTF-8, lone surrogates, numbers too large for
/// a double. Doubles are read to the nearest value, which may be 0 or -0; integers beyond 64 bits become doubles.
json::value parse_json(std::string_view text, const JsonLimits& limits = {});
/// The same with memory from `storage`, for who reads the value and drops it at once (json::monotonic_resource).
json::value parse_json(std::string_view text, const JsonLimits& limits, const json::storage_ptr& storage);

/// Compact JSON text. Doubles are written in the fewest digits that read back equal, and stay doubles: `2.0`, `0.7`,
/// `1e+21`.
std::string to_text(const json::value& value);
/// Two spaces an indent, keys in their order, a newline at the end.
std::string to_pretty_text(const json::value& value);
/// RFC 8785: keys sorted by UTF-16 units, numbers as ECMAScript prints them (`2.0` is `2`). For digests. The one
/// difference: integers beyond 2^53 keep all their digits.
std::string to_canonical_text(const json::value& value);

}  // namespace cadre
