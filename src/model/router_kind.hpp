// Who decides which agents or domains deal with a request.
#pragma once

#include "model/type.hpp"

#include <cstdint>
#include <span>

namespace cadre::model {

enum class RouterKind : std::uint8_t {
    model,      // a model is asked
    local,      // descriptions and examples are compared with the request, here
    automatic,  // local first, and a model where that is not sure
};
std::span<const EnumName> names_of(const RouterKind*);

}  // namespace cadre::model
