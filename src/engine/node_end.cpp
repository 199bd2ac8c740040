#include "engine/node_end.hpp"

#include <boost/json.hpp>

namespace cadre::engine {
namespace {

/// Null where there is none: few results have it, so the word is looked for before anything is parsed.
boost::json::value member_of(std::string_view result, std::string_view in_quotes)
{
    if (result.find(in_quotes) == result.npos) return nullptr;
    const std::string_view name = in_quotes.substr(1, in_quotes.size() - 2);
    boost::system::error_code not_json;
    const boost::json::value value = boost::json::parse(result, not_json);
    const auto* object = not_json ? nullptr : value.if_object();
    const auto* member = object ? object->if_contains(name) : nullptr;
    return member ? *member : nullptr;
}

}  // namespace

std::string dead_end_in(std::string_view result)
{
    const boost::json::value why = member_of(result, R"("dead_end")");
    return why.is_string() ? std::string(why.get_string()) : "";
}

std::vector<std::string> after_in(std::string_view result)
{
    std::vector<std::string> names;
    const boost::json::value after = member_of(result, R"("after")");
    if (!after.is_array()) return names;
    for (const auto& name : after.get_array())
        if (name.is_string()) names.emplace_back(name.get_string());
    return names;
}

}  // namespace cadre::engine
