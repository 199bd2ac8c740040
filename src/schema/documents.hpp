// Everything a schema can refer to: its own parts, and the documents that the caller knows. Finds what a reference means.
#pragma once

#include "schema/keywords.hpp"
#include "schema/places.hpp"
#include "schema/schema.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace cadre::schema {

/// The language that a schema is written in.
struct Dialect {
    Draft draft = Draft::draft_2020_12;
    std::uint8_t vocabularies = kEveryVocabulary;
    bool format_assertion = false;

    bool knows(const Keyword& keyword) const
    {
        return (vocabularies & keyword.vocabulary) != 0 && keyword.since <= draft && draft <= keyword.until;
    }
};

/// A document, or a part of one with an `$id` of its own: what relative references and anchors are relative to.
using ResourceId = std::uint32_t;
struct Resource {
    std::string uri{};
    const json::value* root = nullptr;
    Dialect dialect{};
    std::map<std::string, const json::value*, std::less<>> anchors{};
    std::set<std::string, std::less<>> dynamic{};  // the anchors that `$dynamicRef` may find from elsewhere
};

/// A schema and where it stands.
struct Site {
    const json::value* schema = nullptr;
    ResourceId resource = 0;
    PlaceId place = 0;
};

/// Used while compiling; the values it was given must outlive it.
class Documents {
public:
    Documents(const json::value& root, const Options& options);

    Site root() const { return sites_.at(resources_.front().root); }
    /// What `reference` means in a schema at `from`. Throws Error(invalid) that names the URI.
    Site find(const Site& from, std::string_view keyword, std::string_view reference);
    /// The schema under `token` ("/properties/a") of the schema at `parent`.
    Site child(const Site& parent, const json::value& schema, std::string_view token);

    const std::deque<Resource>& resources() const { return resources_; }
    const Resource& resource(const Site& site) const { return resources_[site.resource]; }
    const Site& site_of(const json::value& schema) const { return sites_.at(&schema); }

    const Places& places() const { return places_; }
    [[noreturn]] void fail(const Site& site, std::string_view keyword, const std::string& text) const;

private:
    const json::value* known_document(const std::string& uri) const;
    void add_document(const json::value& document, const std::string& uri, const Dialect& dialect);
    void index(const Site& start);
    void enter(Site& site, const json::object& schema);
    void add_anchor(const Site& site, std::string_view name, bool dynamic);
    Dialect dialect_of(const Site& site, std::string_view uri, int detours = 0) const;
    void choose_vocabularies(const Site& site, Dialect& dialect, const json::object& vocabulary) const;
    Site follow(const Site& from, std::string_view keyword, std::string_view reference, ResourceId resource,
                std::string_view pointer);

    const Options& options_;
    Places places_;
    std::deque<Resource> resources_;  // references to them stay valid when another is added
    std::map<std::string, ResourceId, std::less<>> by_uri_;
    std::unordered_map<const json::value*, Site> sites_;
};

/// The meta-schemas of 2020-12, which every schema may refer to; null for any other URI.
const json::value* find_meta_schema(std::string_view uri);

}  // namespace cadre::schema
