// What logs see of a message: personal data is masked (`[EMAIL]`).
#pragma once

#include "model/views/conversation_log.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace cadre::patterns {

std::string masked(std::string text);
boost::json::object masked(boost::json::object object);
/// Its ids and times stay.
model::conversation::ValidationFailureLog masked(model::conversation::ValidationFailureLog line);

}  // namespace cadre::patterns
