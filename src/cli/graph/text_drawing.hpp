// A drawing as lines of characters for a terminal.
#pragma once

#include "base/time.hpp"
#include "cli/graph/drawing.hpp"
#include "cli/output.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

struct TextLook {
    Paint paint{};
    bool utf8 = false;
    std::size_t width = 80;
    Time now{};
};

/// Beyond these it is a list by layers.
inline constexpr std::size_t kMostNodes = 300;
inline constexpr std::size_t kMostEdges = 600;

/// Each line fits the width. From left to right or from top to bottom, whichever fits with longer names, and then with fewer lines;
/// what fits in neither way is a list by layers, and says so.
std::vector<std::string> text_drawing(const Drawing& drawing, const TextLook& look);

/// `✓ done`, and where times are known, how long it took.
std::string state_text(const engine::NodeState& state, const TextLook& look, bool with_time);
std::optional<Tone> node_tone(engine::NodeStatus status);

}  // namespace cadre::cli
