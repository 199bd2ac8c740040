#include "schema/keywords.hpp"

#include <algorithm>
#include <array>

namespace cadre::schema {

namespace {

using enum Shape;
using enum Draft;

// clang-format off
constexpr auto kKeywords = [] {
    std::array table = std::to_array<Keyword>({
        {"$id",                   Word::id,                     none,           core},
        {"$anchor",               Word::anchor,                 none,           core, draft_2019_09},
        {"$dynamicAnchor",        Word::dynamic_anchor,         none,           core, draft_2020_12},
        {"$recursiveAnchor",      Word::recursive_anchor,       none,           core, draft_2019_09, draft_2019_09},
        {"$ref",                  Word::ref,                    none,           core},
        {"$dynamicRef",           Word::dynamic_ref,            none,           core, draft_2020_12},
        {"$recursiveRef",         Word::recursive_ref,          none,           core, draft_2019_09, draft_2019_09},
        {"$defs",                 Word::defs,                   map,            core},
        {"definitions",           Word::definitions,            map,            core},
        {"allOf",                 Word::all_of,                 list,           applicator},
        {"anyOf",                 Word::any_of,                 list,           applicator},
        {"oneOf",                 Word::one_of,                 list,           applicator},
        {"not",                   Word::not_,                   schema,         applicator},
        {"if",                    Word::if_,                    schema,         applicator},
        {"then",                  Word::then_,                  schema,         applicator},
        {"else",                  Word::else_,                  schema,         applicator},
        {"properties",            Word::properties,             map,            applicator},
        {"patternProperties",     Word::pattern_properties,     map,            applicator},
        {"additionalProperties",  Word::additional_properties,  schema,         applicator},
        {"propertyNames",         Word::property_names,         schema,         applicator},
        {"unevaluatedProperties", Word::unevaluated_properties, schema,         unevaluated, draft_2019_09},
        {"dependentSchemas",      Word::dependent_schemas,      map,            applicator, draft_2019_09},
        {"dependentRequired",     Word::dependent_required,     none,           validation, draft_2019_09},
        {"dependencies",          Word::dependencies,           schemas_in_map, applicator},
        {"required",              Word::required,               none,           validation},
        {"minProperties",         Word::min_properties,         none,           validation},
        {"maxProperties",         Word::max_properties,         none,           validation},
        {"items",                 Word::items,                  schema_or_list, applicator},
        {"prefixItems",           Word::prefix_items,           list,           applicator, draft_2020_12},
        {"additionalItems",       Word::additional_items,       schema,         applicator, draft_07, draft_2019_09},
        {"contains",              Word::contains,               schema,         applicator},
        {"unevaluatedItems",      Word::unevaluated_items,      schema,         unevaluated, draft_2019_09},
        {"minItems",              Word::min_items,              none,           validation},
        {"maxItems",              Word::max_items,              none,           validation},
        {"uniqueItems",           Word::unique_items,           none,           validation},
        {"minContains",           Word::min_contains,           none,           validation, draft_2019_09},
        {"maxContains",           Word::max_contains,           none,           validation, draft_2019_09},
        {"type",                  Word::type,                   none,           validation},
        {"enum",                  Word::enum_,                  none,           validation},
        {"const",                 Word::const_,                 none,           validation},
        {"minimum",               Word::minimum,                none,           validation},
        {"maximum",               Word::maximum,                none,           validation},
        {"exclusiveMinimum",      Word::exclusive_minimum,      none,           validation},
        {"exclusiveMaximum",      Word::exclusive_maximum,      none,           validation},
        {"multipleOf",            Word::multiple_of,            none,           validation},
        {"minLength",             Word::min_length,             none,           validation},
        {"maxLength",             Word::max_length,             none,           validation},
        {"pattern",               Word::pattern,                none,           validation},
        {"format",                Word::format,                 none,           Vocabulary::format},
    });
    std::ranges::sort(table, {}, &Keyword::name);
    return table;
}();
// clang-format on

}  // namespace

const Keyword* find_keyword(std::string_view name)
{
    const auto found = std::ranges::lower_bound(kKeywords, name, {}, &Keyword::name);
    return found != kKeywords.end() && found->name == name ? &*found : nullptr;
}

}  // namespace cadre::schema
