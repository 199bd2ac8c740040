// The seven types of JSON Schema, as bits.
#pragma once

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::schema {

using Types = std::uint8_t;

inline constexpr Types kNull = 1, kBoolean = 2, kInteger = 4, kNumber = 8, kString = 16, kArray = 32, kObject = 64;
inline constexpr Types kAnyType = 127;

/// Every type that a value has: 1.0 is an integer and a number.
Types types_of(const boost::json::value& value);

std::optional<Types> find_type(std::string_view name);

/// For people: "a string or null".
std::string text_of(Types types);

}  // namespace cadre::schema
