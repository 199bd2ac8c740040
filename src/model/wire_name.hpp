// The name of an enumerator on the wire, and back: what `names_of` says, for code that is not a reader or a writer.
#pragma once

#include "model/type.hpp"

#include <optional>
#include <string_view>

namespace cadre::model {

/// Empty for a value that has no name.
std::string_view find_name(std::span<const EnumName> names, int value);
std::optional<int> find_value(std::span<const EnumName> names, std::string_view name);

template <class E>
std::string_view wire_name(E value)
{
    return find_name(names_of(static_cast<const E*>(nullptr)), static_cast<int>(value));
}

/// The enumerator of that name, in any of its spellings.
template <class E>
std::optional<E> find_named(std::string_view name)
{
    const auto value = find_value(names_of(static_cast<const E*>(nullptr)), name);
    if (!value) return std::nullopt;
    return static_cast<E>(*value);
}

}  // namespace cadre::model
