// The field by which all objects of one request in document 001 know each other.
#pragma once

#include "model/describe.hpp"

#include <string>

namespace cadre::model::conversation {

template <class T>
Field request_id_field(std::string T::* member)
{
    return field("request_id", member, "The request it belongs to: a UUID if made here, else the sender's id.",
                 {.required = true, .min_length = 1});
}

}  // namespace cadre::model::conversation
