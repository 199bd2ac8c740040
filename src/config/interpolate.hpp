// ${VAR} and ${VAR:-default} in configuration; $${ stands for the characters ${ themselves.
#pragma once

#include "config/document.hpp"
#include "config/variables.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::config {

/// Replaces references in every text of the document; names of fields are left alone. A variable without a value is an error
/// at its place.
void interpolate(Document& document, Variables& variables, Findings& findings);

/// The text without its references, for those who want to know what is written literally.
std::string without_references(std::string_view text);

struct Default {
    std::string variable, text;
};
/// What its references say for the case that a variable has no value: written literally too.
std::vector<Default> defaults_in(std::string_view text);

/// Variables are text. Where `entity` wants a number or a truth value and the whole text was one reference, it becomes one; where
/// it wants a secret, the reference itself stays.
void convert_references(boost::json::value& value, const Place& place, const model::Entity& entity);

}  // namespace cadre::config
