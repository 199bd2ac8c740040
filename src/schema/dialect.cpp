// Which language a schema speaks: what `$schema` and the `$vocabulary` of a meta-schema say.
#include "base/error.hpp"
#include "schema/documents.hpp"
#include "schema/quote.hpp"

#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <array>
#include <optional>

namespace cadre::schema {

namespace {

constexpr int kMaxDetours = 8;  // meta-schemas of meta-schemas

std::optional<Draft> standard_draft(std::string_view uri)
{
    static constexpr std::pair<std::string_view, Draft> drafts[] = {
        {"json-schema.org/draft/2020-12/schema", Draft::draft_2020_12},
        {"json-schema.org/draft/2019-09/schema", Draft::draft_2019_09},
        {"json-schema.org/draft-07/schema", Draft::draft_07},
        {"json-schema.org/draft-06/schema", Draft::draft_07},  // what 06 knows, 07 knows as well
        {"json-schema.org/schema", Draft::draft_2020_12},      // "the newest"
    };
    if (uri.ends_with('#')) uri.remove_suffix(1);
    if (const auto scheme = uri.find("://"); scheme != std::string_view::npos) uri.remove_prefix(scheme + 3);
    for (const auto& [name, draft] : drafts)
        if (uri == name) return draft;
    return std::nullopt;
}

struct VocabularyName {
    std::string_view name;
    std::uint8_t bits;
};
constexpr VocabularyName kVocabularies[] = {
    {"core", core},     {"applicator", applicator},    {"validation", validation},   {"unevaluated", unevaluated},
    {"format", format}, {"format-annotation", format}, {"format-assertion", format}, {"meta-data", 0},
    {"content", 0},
};

const VocabularyName* find_vocabulary(std::string_view uri)
{
    for (const std::string_view prefix :
         {"https://json-schema.org/draft/2020-12/vocab/", "https://json-schema.org/draft/2019-09/vocab/"})
        for (const VocabularyName& vocabulary : kVocabularies)
            if (uri.starts_with(prefix) && uri.substr(prefix.size()) == vocabulary.name) return &vocabulary;
    return nullptr;
}

}  // namespace

Dialect Documents::dialect_of(const Site& site, std::string_view uri, int detours) const
{
    Dialect dialect{.format_assertion = options_.format_assertion};
    if (const auto draft = standard_draft(uri)) {
        dialect.draft = *draft;
        return dialect;
    }
    const json::value* document = detours < kMaxDetours ? known_document(std::string(uri)) : nullptr;
    const json::object* meta_schema = document ? document->if_object() : nullptr;
    if (!meta_schema)
        fail(site, "$schema",
             fmt::format("the dialect {} is not supported; 2020-12, 2019-09, draft-07 and draft-06 are",
                         quoted_whole(uri)));

    const json::value* its_own = meta_schema->if_contains("$schema");
    if (its_own && its_own->is_string()) dialect = dialect_of(site, its_own->get_string(), detours + 1);
    const json::value* vocabulary = meta_schema->if_contains("$vocabulary");
    if (vocabulary && vocabulary->is_object()) choose_vocabularies(site, dialect, vocabulary->get_object());
    return dialect;
}

void Documents::choose_vocabularies(const Site& site, Dialect& dialect, const json::object& vocabulary) const
{
    dialect.vocabularies = core;
    for (const auto& member : vocabulary) {
        const VocabularyName* known = find_vocabulary(member.key());
        if (!known && member.value() == true)
            fail(site, "$schema", fmt::format("asks for the unknown vocabulary {}", quoted_whole(member.key())));
        if (!known) continue;
        dialect.vocabularies |= known->bits;
        if (known->name == "format-assertion") dialect.format_assertion = true;
    }
    const bool unevaluated_is_part = dialect.draft == Draft::draft_2019_09;
    if (unevaluated_is_part && (dialect.vocabularies & applicator)) dialect.vocabularies |= unevaluated;
}

}  // namespace cadre::schema
