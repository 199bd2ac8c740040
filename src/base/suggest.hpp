// "Did you mean …?": the known word that a mistyped one most likely stands for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cadre {

/// The candidate nearest to `word`, or nothing when none is near: two words are near when a third of their letters or
/// fewer must change (swapped neighbours count once, case does not count), or when `word` is the beginning of one.
/// Words of more than 64 bytes are near to nothing, so a hostile one costs nothing. On a tie the first candidate wins.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace cadre
