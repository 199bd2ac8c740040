// What a request names that an argument of a tool may be: numbers, dates, names, quoted texts, addresses, files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm::local {

enum class SlotKind : std::uint8_t { quoted, email, url, path, date, code, number, name };

struct Slot {
    SlotKind kind = SlotKind::name;
    std::string text{};              // without quotes; a whole date as 2025-01-15; a number as JSON has it
    std::string before{};            // the word in front of it, small: `in` of "in Paris"
    std::string after{};             // the word behind it, small: `days` of "3 days"
    std::size_t begin = 0, end = 0;  // where it stands, with its quotes
};

/// Of longer requests the beginning is looked at.
inline constexpr std::size_t kMostSlotBytes = std::size_t{16} << 10;

/// In the order of the text; none is inside another one.
std::vector<Slot> find_slots(std::string_view text);

/// `1,600`, `1.234,5`, `12,5`, `-3`; nothing when it is no number.
std::optional<double> number_in(std::string_view word);

/// Whether it is a day of a calendar: 2025-01-15.
bool is_whole_date(std::string_view text);

}  // namespace cadre::llm::local
