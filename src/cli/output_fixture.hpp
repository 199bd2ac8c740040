// For tests: an Output whose words end up in strings, and a question about strings.
#pragma once

#include "cli/output.hpp"

#include <string>
#include <string_view>

namespace cadre::cli {

struct Captured {
    std::string out{};
    std::string err{};
    Output output{.out = {.write = [this](std::string_view text) { out += text; }},
                  .err = {.write = [this](std::string_view text) { err += text; }}};

    Captured() = default;
    Captured(const Captured&) = delete;  // the streams point into it
    Captured& operator=(const Captured&) = delete;
};

inline bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

}  // namespace cadre::cli
