// One spelling for expressions that differ only in their spaces.
#pragma once

#include "text/template/syntax.hpp"

#include <string>

namespace cadre::text::tpl {

std::string spelling_of(const Unit& expression);

}  // namespace cadre::text::tpl
