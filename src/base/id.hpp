// Ids: UUID v4, and the same 128 bits as `step_` or `tc_` and 32 hex digits (C-11).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cadre {

class Random;

struct Id {
    std::array<std::uint8_t, 16> bytes{};

    auto operator<=>(const Id&) const = default;
};

/// A new UUID v4.
Id new_id(Random& random);
Id new_id();  // from system_random()

/// `6f1c…-…`: 36 characters, lower case.
std::string to_string(const Id& id);
/// Its first eight characters, as people see and type it.
std::string short_id(const Id& id);
/// `step_` and 32 hex digits; the prefix is the caller's (`step_`, `tc_`).
std::string to_prefixed(std::string_view prefix, const Id& id);

/// Strictly a UUID of version 4 in its 36-character form, either case. Throws Error(malformed) that quotes the input.
Id id_from(std::string_view text);
/// The reverse of to_prefixed. The bits must be a UUID v4 too, so that both forms convert into each other.
Id id_from_prefixed(std::string_view prefix, std::string_view text);
/// The same two, for callers to whom a foreign form is no failure.
std::optional<Id> find_id(std::string_view text);
std::optional<Id> find_prefixed_id(std::string_view prefix, std::string_view text);

}  // namespace cadre
