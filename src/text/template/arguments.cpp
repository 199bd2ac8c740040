#include "text/template/arguments.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::text::tpl {

void Arguments::bind(std::span<const std::string_view> parameters, std::size_t required,
                     std::span<const Value*> values) const
{
    if (positional.size() > parameters.size())
        throw Error(Code::invalid,
                    fmt::format("takes {} values at most, and is given {}", parameters.size(), positional.size()));
    for (std::size_t i = 0; i < positional.size(); ++i) values[i] = &positional[i];
    for (const auto& [name, value] : named) {
        const auto found = std::ranges::find(parameters, name);
        if (found == parameters.end()) throw Error(Code::invalid, "does not take " + in_quotes(name));
        const Value*& place = values[static_cast<std::size_t>(found - parameters.begin())];
        if (place) throw Error(Code::invalid, in_quotes(name) + " is given twice");
        place = &value;
    }
    for (std::size_t i = 0; i < required; ++i)
        if (!values[i]) throw Error(Code::invalid, in_quotes(parameters[i]) + " is missing");
}

void Arguments::expect_none() const
{
    expect(0, 0);
}

void Arguments::expect(std::size_t least, std::size_t most) const
{
    if (!named.empty()) throw Error(Code::invalid, "does not take " + in_quotes(named[0].first));
    if (positional.size() > most)
        throw Error(Code::invalid, fmt::format("takes {} values at most, and is given {}", most, positional.size()));
    if (positional.size() < least)
        throw Error(Code::invalid, fmt::format("needs {} values, and is given {}", least, positional.size()));
}

}  // namespace cadre::text::tpl
