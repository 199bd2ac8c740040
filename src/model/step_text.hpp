// What a step says, without what it does.
#pragma once

#include <string>

namespace cadre::model {

struct Step;

/// Its text parts, one below the other; empty if it says nothing.
std::string text_of(const Step& step);

}  // namespace cadre::model
