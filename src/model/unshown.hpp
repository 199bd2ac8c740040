// What a document has no field for goes into its view's `ext` object, and comes back from there.
#pragma once

#include "model/describe.hpp"

#include <boost/json/object.hpp>

#include <initializer_list>
#include <string_view>

namespace cadre::model {

/// The fields of an entity that differ from their defaults and are not among `shown`; secrets never.
boost::json::object unshown(const void* entity, const Entity& description,
                            std::initializer_list<std::string_view> shown);

template <class T>
boost::json::object unshown(const T& entity, std::initializer_list<std::string_view> shown)
{
    return unshown(&entity, describe(&entity), shown);
}

}  // namespace cadre::model
