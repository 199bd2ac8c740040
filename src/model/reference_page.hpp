// A reference page in Markdown, from an entity's description.
#pragma once

#include "model/describe.hpp"

#include <string>

namespace cadre::model {

/// Title, one sentence, a table of fields (type, default, rules), an example.
std::string reference_page(const Entity& entity);

}  // namespace cadre::model
