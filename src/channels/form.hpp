// application/x-www-form-urlencoded: what Twilio sends and takes, and queries of URLs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::channels {

/// In the order in which they came; names may repeat.
using Form = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t kMostFormFields = 500;

/// Throws Error(malformed) for a broken escape and Error(too_large) for more than kMostFormFields.
Form form_from(std::string_view text);
/// The first of that name; empty: none.
std::string_view find_field(const Form& form, std::string_view name);

std::string to_text(const Form& form);
/// As part of a query: all but letters, digits and `-._~` as `%XX`.
std::string escaped_for_query(std::string_view text);

}  // namespace cadre::channels
