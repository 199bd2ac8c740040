#include "text/template/template_error.hpp"

#include "text/template/characters.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::text {

TemplateError::TemplateError(Code code, Place place, std::string reason)
    : Error(code, fmt::format("{}:{}:{}: {}", place.name, place.line, place.column, reason)),
      place_(std::move(place)),
      reason_(std::move(reason))
{}

Place place_of(std::string_view name, std::string_view source, std::size_t offset)
{
    const std::string_view before = source.substr(0, offset);
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return {.name = std::string(name),
            .line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1,
            .column = tpl::length_of(before.substr(line_start)) + 1};
}

}  // namespace cadre::text
