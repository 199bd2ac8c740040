#include "model/sandbox_mode.hpp"

#include "model/describe.hpp"

namespace cadre::model {

std::span<const EnumName> names_of(const SandboxMode*)
{
    static constexpr EnumName names[] = {{int(SandboxMode::bubblewrap), "bubblewrap"},
                                         {int(SandboxMode::none), "none"}};
    return names;
}

}  // namespace cadre::model
