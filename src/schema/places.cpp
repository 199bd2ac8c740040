#include "schema/places.hpp"

namespace cadre::schema {

std::string Places::path(PlaceId place) const
{
    std::vector<PlaceId> way{place};
    while (!places_[way.back()].root) way.push_back(places_[way.back()].parent);
    std::string path;
    for (auto at = way.rbegin(); at != way.rend(); ++at) path += places_[*at].token;
    return path;
}

}  // namespace cadre::schema
