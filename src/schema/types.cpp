#include "schema/types.hpp"

#include "schema/number.hpp"

#include <boost/json/value.hpp>

#include <bit>

namespace cadre::schema {

namespace {

struct TypeName {
    std::string_view name;
    Types type;
    std::string_view text;
};
constexpr TypeName kTypeNames[] = {
    {"string", kString, "a string"},  {"integer", kInteger, "an integer"},
    {"number", kNumber, "a number"},  {"boolean", kBoolean, "a boolean"},
    {"object", kObject, "an object"}, {"array", kArray, "an array"},
    {"null", kNull, "null"},
};

}  // namespace

Types types_of(const boost::json::value& value)
{
    switch (value.kind()) {
    case boost::json::kind::null: return kNull;
    case boost::json::kind::bool_: return kBoolean;
    case boost::json::kind::int64:
    case boost::json::kind::uint64: return kInteger | kNumber;
    case boost::json::kind::double_: return Number(value).is_integer() ? kInteger | kNumber : kNumber;
    case boost::json::kind::string: return kString;
    case boost::json::kind::array: return kArray;
    case boost::json::kind::object: break;
    }
    return kObject;
}

std::optional<Types> find_type(std::string_view name)
{
    for (const TypeName& type : kTypeNames)
        if (type.name == name) return type.type;
    return std::nullopt;
}

std::string text_of(Types types)
{
    if (types & kNumber) types &= static_cast<Types>(~kInteger);  // an integer is a number anyway
    std::string text;
    for (const TypeName& type : kTypeNames) {
        if (!(types & type.type)) continue;
        types &= static_cast<Types>(~type.type);
        if (!text.empty()) text += types == 0 ? " or " : ", ";
        text += type.text;
    }
    return text;
}

}  // namespace cadre::schema
