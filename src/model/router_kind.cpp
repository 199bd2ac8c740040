#include "model/router_kind.hpp"

#include "model/describe.hpp"

namespace cadre::model {

std::span<const EnumName> names_of(const RouterKind*)
{
    static constexpr EnumName names[] = {
        {int(RouterKind::model), "model"}, {int(RouterKind::local), "local"}, {int(RouterKind::automatic), "auto"}};
    return names;
}

}  // namespace cadre::model
