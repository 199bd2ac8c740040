// Which members of a name from outside a template uses.
#pragma once

#include "text/template/template.hpp"

#include <string_view>
#include <vector>

namespace cadre::text::tpl {

std::vector<UsedName> members_of(const Program& program, std::string_view name);

}  // namespace cadre::text::tpl
