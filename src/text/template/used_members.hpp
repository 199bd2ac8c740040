// What a program uses of the names from outside: `id` of `task`, all of `state`.
#pragma once

#include "text/template/template.hpp"

#include <vector>

namespace cadre::text::tpl {

std::vector<UsedMember> used_members(const Program& program);

}  // namespace cadre::text::tpl
