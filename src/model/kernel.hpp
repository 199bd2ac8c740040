// The kernel's own words that no document's boundary shows as they are: tasks and what they write down.
#pragma once

#include <vector>

namespace cadre::model {

struct Entity;

std::vector<const Entity*> kernel_entities();

}  // namespace cadre::model
