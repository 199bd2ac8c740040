// YAML: bytes to JSON with places. Anchors and aliases are understood; tags, merge keys and further documents are refused.
#pragma once

#include "config/document.hpp"

namespace cadre::config {

std::optional<Document> load_yaml(std::string file, std::string_view text, Findings& findings, const Limits& limits);

}  // namespace cadre::config
