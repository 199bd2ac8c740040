// JSON: base reads it, this finds out where everything stands.
#pragma once

#include "config/document.hpp"

namespace cadre::config {

std::optional<Document> load_json(std::string file, std::string_view text, Findings& findings, const Limits& limits);

}  // namespace cadre::config
