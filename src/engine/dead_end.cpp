#include "engine/dead_end.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

std::string dead_end_in(std::string_view result)
{
    // nearly every node leads on: the word is looked for before anything is parsed
    if (result.find("\"dead_end\"") == result.npos) return {};
    boost::system::error_code not_json;
    const boost::json::value value = boost::json::parse(result, not_json);
    const auto* object = not_json ? nullptr : value.if_object();
    const auto* why = object ? object->if_contains("dead_end") : nullptr;
    return why && why->is_string() ? std::string(why->get_string()) : "";
}

}  // namespace cadre::engine
