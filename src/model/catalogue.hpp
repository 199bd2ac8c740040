// Every described entity of the product: what `cadre schema` prints and docs/reference/ is made of.
#pragma once

#include "model/describe.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace cadre::model {

/// A chapter of the reference: the kernel, or one source document's view.
struct Chapter {
    std::string_view title;
    std::vector<const Entity*> entities;
};

std::span<const Chapter> chapters();

/// All of them; names are unique.
std::span<const Entity* const> catalogue();

/// Null when there is none of that name.
const Entity* find_entity(std::string_view name);

}  // namespace cadre::model
