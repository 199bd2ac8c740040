// Numbers as Python reads, prints and rounds them.
#pragma once

#include "text/template/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::text::tpl {

/// The fewest digits that read back equal: `0.1`, `1e+16`, `-0.0`, `inf`, `nan`.
void append_float(std::string& out, double number);

/// int(text, base): nothing for what is not one. Fails when it does not fit into 64 bits.
std::optional<std::int64_t> parse_int(std::string_view text, std::int64_t base = 10);
/// float(text)
std::optional<double> parse_float(std::string_view text);
/// The whole part. Nothing for NaN; fails for what does not fit.
std::optional<std::int64_t> truncated(double number);

/// round(number, digits): to the nearest, and of two as near ones to the even one, counted on the exact value.
double rounded(double number, std::int64_t digits);
std::int64_t rounded(std::int64_t number, std::int64_t digits);

/// The correctly rounded quotient, also of integers that no double holds.
double quotient(std::int64_t dividend, std::int64_t divisor);

[[noreturn]] void fail_overflow();

}  // namespace cadre::text::tpl
