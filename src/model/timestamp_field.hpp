// The field that all events have.
#pragma once

#include "model/describe.hpp"

namespace cadre::model {

template <class T>
Field timestamp()
{
    return field("timestamp", &T::timestamp, "When it happened.", {.required = true});
}

}  // namespace cadre::model
