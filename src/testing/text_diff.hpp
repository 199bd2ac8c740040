// Two texts and where they differ, for people: at most 72 columns wide, so that it can be indented.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::testing {

/// `expected: …` over `got: …` with a mark below the first difference; of texts with several lines, their lines with `-` and `+`
/// before those that only one of them has.
std::string text_diff(std::string_view expected, std::string_view got);

/// How two lists go together.
struct Pairing {
    enum class Side { both, expected, got };
    struct Row {
        Side side = Side::both;
        std::size_t expected = 0, got = 0;  // indices, of the sides that it has
    };
    std::vector<Row> rows{};
    bool same = true;
};
/// The longest sequence of elements that fit, and what is only on one side between them.
Pairing paired(std::size_t expected, std::size_t got, const std::function<bool(std::size_t, std::size_t)>& fit);

/// `text` on one line, cut to that many characters.
std::string one_line_of(std::string_view text, std::size_t most);

}  // namespace cadre::testing
