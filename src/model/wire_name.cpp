#include "model/wire_name.hpp"

namespace cadre::model {

std::string_view find_name(std::span<const EnumName> names, int value)
{
    for (const EnumName& name : names)
        if (name.value == value) return name.name;
    return {};
}

std::optional<int> find_value(std::span<const EnumName> names, std::string_view name)
{
    for (const EnumName& candidate : names)
        if (candidate.name == name) return candidate.value;
    return std::nullopt;
}

}  // namespace cadre::model
