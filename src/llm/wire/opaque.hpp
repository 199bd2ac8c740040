// Completion::opaque: what a vendor wants back unchanged with its own answer, and who it is from. Another model has no use for
// it, and some refuse it.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace cadre::llm {

/// `fields` as text. `from` is the endpoint's spec.
std::string opaque_text(std::string_view from, boost::json::object fields);

/// Nothing when it is empty, from somebody else, or nonsense.
std::optional<boost::json::object> opaque_fields(std::string_view opaque, std::string_view from);

}  // namespace cadre::llm
