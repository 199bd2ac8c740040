// Where in a file a value stands: the shape of the value again, with lines and columns in place of contents.
#pragma once

#include "model/problem.hpp"

#include <boost/json/fwd.hpp>

#include <compare>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::config {

/// Both count from 1; a column is a character, not a byte. Zeros stand for no place at all: of what is no file.
struct Position {
    std::size_t line = 1, column = 1;

    auto operator<=>(const Position&) const = default;
};

inline constexpr Position kNowhere{0, 0};

struct Place {
    Position at{};
    Position key{};              // of the name that a member has; of any other value, the same as `at`
    bool reference = false;      // the whole text was one ${VAR}: where a number is wanted, it is read as one
    bool reported = false;       // something was said about it already: what else is wrong with it is not worth a word
    std::string variable{};      // that gave the text, or the last part of it that came from one
    bool is_set_empty = false;   // that variable is set, but to nothing
    std::string written{};       // the text as it stands in the file, if a variable gave a part of it: `${NAME}`
    std::vector<Place> items{};  // elements, or members in the object's order
};

using model::PathSteps;

/// The path and what lies further on it: `joined(path, {"tools", i})`.
PathSteps joined(PathSteps path, const PathSteps& rest);

/// The place that a path leads to.
struct Found {
    const Place* place = nullptr;  // of the value; of the innermost one that is there, when the path leads further
    const boost::json::value* value = nullptr;
    bool exact = false;
};

/// A name that is not there is looked for in another case too, as some documents are read like that.
Found find(const boost::json::value& value, const Place& place, std::span<const model::PathStep> path);

/// Turns offsets of bytes into positions, in constant time even on a line of a megabyte.
class Positions {
public:
    explicit Positions(std::string_view text);

    Position at(std::size_t offset) const;

private:
    std::size_t characters_before(std::size_t offset) const;

    std::string_view text_;
    std::vector<std::size_t> line_starts_;
    std::vector<std::size_t> characters_;  // before every kStride-th byte
};

}  // namespace cadre::config
