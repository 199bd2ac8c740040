// What a filter, test or method is called with.
#pragma once

#include "text/template/value.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::text::tpl {

struct Arguments {
    std::vector<Value> positional{};
    std::vector<std::pair<std::string, Value>> named{};

    /// The value of each parameter, null where it is not given. Fails for too many, unknown or doubled ones, and when one of the
    /// first `required` is missing.
    template <std::size_t N>
    std::array<const Value*, N> bind(const std::string_view (&parameters)[N], std::size_t required) const
    {
        std::array<const Value*, N> values{};
        bind(std::span(parameters), required, values);
        return values;
    }
    void expect_none() const;
    /// Exactly so many, none by name.
    void expect(std::size_t least, std::size_t most) const;

private:
    void bind(std::span<const std::string_view> parameters, std::size_t required, std::span<const Value*> values) const;
};

}  // namespace cadre::text::tpl
