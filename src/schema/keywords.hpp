// The words that a schema is written in: the one table of them. Every other word in a schema is a remark.
#pragma once

#include <cstdint>
#include <string_view>

namespace cadre::schema {

/// Versions of JSON Schema, oldest first, so that they compare.
enum class Draft : std::uint8_t { draft_07, draft_2019_09, draft_2020_12 };

/// Parts of the language that a meta-schema chooses with `$vocabulary`; as bits.
enum Vocabulary : std::uint8_t { core = 1, applicator = 2, validation = 4, unevaluated = 8, format = 16 };
inline constexpr std::uint8_t kEveryVocabulary = core | applicator | validation | unevaluated | format;

/// What schemas are in a keyword's value.
enum class Shape : std::uint8_t { none, schema, list, map, schema_or_list, schemas_in_map };

enum class Word : std::uint8_t {
    id,
    anchor,
    dynamic_anchor,
    recursive_anchor,
    ref,
    dynamic_ref,
    recursive_ref,
    defs,
    definitions,
    all_of,
    any_of,
    one_of,
    not_,
    if_,
    then_,
    else_,
    properties,
    pattern_properties,
    additional_properties,
    property_names,
    unevaluated_properties,
    dependent_schemas,
    dependent_required,
    dependencies,
    required,
    min_properties,
    max_properties,
    items,
    prefix_items,
    additional_items,
    contains,
    unevaluated_items,
    min_items,
    max_items,
    unique_items,
    min_contains,
    max_contains,
    type,
    enum_,
    const_,
    minimum,
    maximum,
    exclusive_minimum,
    exclusive_maximum,
    multiple_of,
    min_length,
    max_length,
    pattern,
    format,
};

struct Keyword {
    std::string_view name;
    Word word;
    Shape shape;
    Vocabulary vocabulary;
    Draft since = Draft::draft_07;
    Draft until = Draft::draft_2020_12;
};

/// Null for a word that is none of ours.
const Keyword* find_keyword(std::string_view name);

}  // namespace cadre::schema
