// A drawing as an SVG picture: no scripts, nothing from elsewhere, light or dark as its reader likes it.
#pragma once

#include "cli/graph/drawing.hpp"
#include "cli/graph/graphviz.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

/// The words of nodes, labels and titles of groups, as the picture shows them.
struct SvgWords {
    std::vector<std::vector<std::string>> nodes{};
    std::vector<std::string> labels{};

    std::vector<std::string> groups{};

    TextSizes sizes() const;
};
SvgWords svg_words(const Drawing& drawing);

std::string svg(const Drawing& drawing, const SvgWords& words, const LaidOut& places);

/// Text in XML: it ends no element and no attribute, and has no character that XML forbids.
std::string xml_text(std::string_view text);

}  // namespace cadre::cli
