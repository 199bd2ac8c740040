#include "model/unshown.hpp"

#include "base/json.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <limits>

namespace cadre::model {

json::object unshown(const void* entity, const Entity& description, std::initializer_list<std::string_view> shown)
{
    // what we wrote ourselves a moment ago is not a stranger's input
    const auto any = std::numeric_limits<std::size_t>::max();
    json::object rest;
    for (const Field& field : description.fields) {
        if (field.rule.secret || std::find(shown.begin(), shown.end(), field.name) != shown.end()) continue;
        std::string value, initial;
        write_value(value, field.in(entity), *field.type);
        write_value(initial, field.initial, *field.type);
        if (value != initial) rest[field.name] = parse_json(value, {.bytes = any, .depth = 256, .nodes = any});
    }
    return rest;
}

}  // namespace cadre::model
