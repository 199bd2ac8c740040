// What a word written without quotes means: YAML 1.2's core rules.
#pragma once

#include <boost/json/fwd.hpp>

#include <string_view>

namespace cadre::config {

enum class Resolved { value, text, not_finite };

/// `true`, `null`, `12`, `0x1f`, `0o17`, `1.5e3` become what they mean. Everything else stays text: `yes`, `on`, `1_000`, `12:30`.
/// Infinities, NaN and what is too large for a double have no JSON form: not_finite, and `out` is the text.
Resolved resolve_plain(std::string_view text, boost::json::value& out);

}  // namespace cadre::config
