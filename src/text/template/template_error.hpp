// What is wrong with a template, and where.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace cadre::text {

/// Lines and columns begin at 1; a column is a character.
struct Place {
    std::string name{};  // of the template, as it was given
    std::size_t line = 1;
    std::size_t column = 1;
};

/// `prompts/a.j2:3:14: unknown filter "uper", did you mean "upper"?` A caller whose template stands inside another file
/// words the place anew from place() and reason().
class TemplateError : public Error {
public:
    TemplateError(Code code, Place place, std::string reason);

    const Place& place() const { return place_; }
    const std::string& reason() const { return reason_; }

private:
    Place place_;
    std::string reason_;
};

/// Of the byte at `offset`.
Place place_of(std::string_view name, std::string_view source, std::size_t offset);

}  // namespace cadre::text
