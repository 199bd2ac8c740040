// Every described entity of the product: what `cadre schema` prints and docs/reference/ is made of.
#pragma once

#include "model/describe.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace cadre::model {

/// A chapter of the reference: Cadre's own words, or those of one source document.
struct Chapter {
    std::string_view title;
    std::vector<const Entity*> entities;
};

std::span<const Chapter> chapters();

/// All of them; names are unique.
std::span<const Entity* const> catalogue();

/// Null when there is none of that name.
const Entity* find_entity(std::string_view name);

/// Those that it is a part of.
std::vector<const Entity*> users_of(const Entity& entity);

/// The kind of the file that people write it into, alone or as a part of others; Home::part when they do not.
Home::Kind written_in(const Entity& entity);

}  // namespace cadre::model
