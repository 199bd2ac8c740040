// What can be done to a text.
#pragma once

#include "text/template/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text::tpl {

class Meter;

/// Where `wanted` begins, from `from` on, or npos; linear, whatever the texts are, unlike std::string::find().
std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from = 0);
/// At most `count` times; all when it is negative. Nothing to replace stands before, between and behind all characters.
std::string replaced(std::string_view text, std::string_view from, std::string_view to, std::int64_t count,
                     Meter& meter);
/// At runs of spaces, or at each `separator`; at most `most` times, as often as it goes when negative.
std::vector<std::string_view> split_text(std::string_view text, const std::string_view* separator, std::int64_t most,
                                         Meter& meter);
std::vector<std::string_view> lines_of(std::string_view text);

/// Wraps a line as Python's textwrap does.
struct WrapOptions {
    std::int64_t width = 79;
    bool break_long_words = true;
    bool break_on_hyphens = true;
    bool hyphens_in_long_words = true;  // Python asks the same option in two ways: `is True` above, truth here
};
std::vector<std::string> wrapped_lines(std::string_view line, const WrapOptions& options, Meter& meter);

}  // namespace cadre::text::tpl
