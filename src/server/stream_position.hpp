// How far somebody has read a task: the number of the last event, and of each step that is being written, how many bytes of its text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::server {

/// In place of a number of bytes: all of it, and that it was all.
inline constexpr std::size_t kWholeText = SIZE_MAX;

struct StreamPosition {
    std::uint32_t seen = 0;                        // events
    std::map<std::string, std::size_t> written{};  // by step, of those whose end is behind the last event

    bool operator==(const StreamPosition&) const = default;
};

/// `7`, or `7/STEP/120` inside the text of a step, `7/STEP/end` behind it; of several steps one behind the other. Readers say it as `Last-Event-ID`.
std::string position_text(const StreamPosition& position);
/// Nothing: it is not one.
std::optional<StreamPosition> find_position(std::string_view text);

/// Whether it can be the id of a step.
bool is_step(std::string_view text);

}  // namespace cadre::server
