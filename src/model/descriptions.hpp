// The descriptions of several types at once, for catalogues.
#pragma once

#include <vector>

namespace cadre::model {

struct Entity;

template <class... T>
std::vector<const Entity*> descriptions()
{
    return {&describe(static_cast<const T*>(nullptr))...};
}

}  // namespace cadre::model
