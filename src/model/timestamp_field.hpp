// What all events have: a field, and where they are met.
#pragma once

#include "model/describe.hpp"

namespace cadre::model {

inline constexpr Home kEventHome{Home::Kind::message, "over the WebSocket of a task, as it happens"};

template <class T>
Field timestamp()
{
    return field("timestamp", &T::timestamp, "When it happened.", {.required = true});
}

}  // namespace cadre::model
