// Counted things for people: `1 part`, `2 parts`.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace cadre {

std::string plural(std::integral auto count, std::string_view one)
{
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace cadre
