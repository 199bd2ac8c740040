// Numbers in an answer, and whether what is known bears them out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::patterns {

/// What a number that is written down may mean: `1.600` is sixteen hundred, or one and six tenths.
struct NumberReading {
    double value = 0;
    int decimals = 0;  // that are shown

    bool operator==(const NumberReading&) const = default;
};

struct ShownNumber {
    std::string text{};
    std::vector<NumberReading> readings{};
    bool is_percent = false;
    std::size_t begin = 0;  // in the text
};

/// `32/40` are two, `1,600`, `1.234,5` and `80 %` one each; words up to twelve count, but for `one`, which is mostly none. Numbers of lists,
/// in addresses of the web and in words (`Q3`) do not.
std::vector<ShownNumber> numbers_in(std::string_view text);

/// The texts of those numbers of `text` that are neither in `sources` nor the sum, difference, product or ratio of two that are, at the
/// precision that is shown. What is in personal data (a telephone number) is named as the whole of it, so that it can be masked.
std::vector<std::string> unsupported_numbers(std::string_view text, const std::vector<std::string_view>& sources);

}  // namespace cadre::patterns
