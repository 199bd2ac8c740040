#include "schema/documents.hpp"

#include "base/error.hpp"
#include "schema/quote.hpp"
#include "schema/uri.hpp"

#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <charconv>
#include <vector>

namespace cadre::schema {

namespace {

const json::string* find_string(const json::object& object, std::string_view name)
{
    const json::value* value = object.if_contains(name);
    return value ? value->if_string() : nullptr;
}

std::string token_of(std::string_view keyword)
{
    std::string token;
    append_token(token, keyword);
    return token;
}

std::string token_of(std::string_view keyword, std::string_view name)
{
    std::string token = token_of(keyword);
    append_token(token, name);
    return token;
}

/// Calls visit(schema, token) for every schema that stands in `value`, which is that of a keyword.
template <class Visit>
void for_each_schema(const Keyword& keyword, const json::value& value, Visit visit)
{
    const bool maybe_list = keyword.shape == Shape::list || keyword.shape == Shape::schema_or_list;
    const bool is_map = keyword.shape == Shape::map || keyword.shape == Shape::schemas_in_map;
    if (keyword.shape == Shape::none) return;
    if (const auto* list = value.if_array(); list && maybe_list) {
        for (std::size_t i = 0; i < list->size(); ++i) visit((*list)[i], token_of(keyword.name, std::to_string(i)));
    } else if (const auto* object = value.if_object(); object && is_map) {
        for (const auto& member : *object) visit(member.value(), token_of(keyword.name, member.key()));
    } else if (!is_map && keyword.shape != Shape::list) {
        visit(value, token_of(keyword.name));
    }
}

const json::value* find_step(const json::value& value, const std::string& token)
{
    if (const auto* object = value.if_object()) return object->if_contains(token);
    const auto* array = value.if_array();
    std::size_t index = 0;
    const char* end = token.data() + token.size();
    if (!array || std::from_chars(token.data(), end, index).ptr != end || index >= array->size()) return nullptr;
    return &(*array)[index];
}

}  // namespace

Documents::Documents(const json::value& root, const Options& options) : options_(options)
{
    add_document(root, "", {.format_assertion = options.format_assertion});
}

Site Documents::find(const Site& from, std::string_view keyword, std::string_view reference)
{
    const auto [relative, fragment] = split_fragment(reference);
    const std::string uri = resolve_uri(resource(from).uri, relative);
    if (!by_uri_.contains(uri)) {
        const json::value* document = known_document(uri);
        if (!document)
            fail(from, keyword, fmt::format("refers to {}, which is not a known document", quoted_whole(uri)));
        add_document(*document, uri, resources_.front().dialect);
    }
    const ResourceId found = by_uri_.at(uri);
    if (fragment.empty()) return sites_.at(resources_[found].root);
    if (fragment.starts_with('/')) return follow(from, keyword, reference, found, fragment);

    const auto anchor = resources_[found].anchors.find(fragment);
    if (anchor == resources_[found].anchors.end())
        fail(from, keyword, fmt::format("refers to {}, but no schema has that anchor", quoted_whole(reference)));
    return sites_.at(anchor->second);
}

Site Documents::child(const Site& parent, const json::value& schema, std::string_view token)
{
    if (const auto found = sites_.find(&schema); found != sites_.end()) return found->second;
    // inside of something that is a schema only because somebody refers to it
    const Site site{&schema, parent.resource, places_.add_child(parent.place, std::string(token))};
    sites_.emplace(&schema, site);
    return site;
}

void Documents::fail(const Site& site, std::string_view keyword, const std::string& text) const
{
    std::string path = places_.path(site.place);
    if (!keyword.empty()) append_token(path, keyword);
    throw Error(Code::invalid, fmt::format("schema{}{}: {}", path.empty() ? "" : " at ", path, text));
}

const json::value* Documents::known_document(const std::string& uri) const
{
    const json::value* document = options_.document ? options_.document(uri) : nullptr;
    return document ? document : find_meta_schema(uri);
}

void Documents::add_document(const json::value& document, const std::string& uri, const Dialect& dialect)
{
    const auto id = static_cast<ResourceId>(resources_.size());
    resources_.push_back({.uri = uri, .root = &document, .dialect = dialect});
    by_uri_.emplace(uri, id);
    index({&document, id, places_.add_root(id == 0 ? uri : uri + "#")});
}

/// Notes every schema below `start` with its place, resource and anchors. Iterative: schemas may be nested without bound.
void Documents::index(const Site& start)
{
    std::vector<Site> open{start};
    while (!open.empty()) {
        Site site = open.back();
        open.pop_back();
        const auto* schema = site.schema->if_object();
        if (schema) enter(site, *schema);
        if (!sites_.emplace(site.schema, site).second || !schema) continue;
        for (const auto& member : *schema) {
            const Keyword* keyword = find_keyword(member.key());
            if (!keyword) continue;
            for_each_schema(*keyword, member.value(), [&](const json::value& inner, std::string token) {
                open.push_back({&inner, site.resource, places_.add_child(site.place, std::move(token))});
            });
        }
    }
}

/// Reads the words that say what a schema is called and which language it speaks.
void Documents::enter(Site& site, const json::object& schema)
{
    const bool is_root = resources_[site.resource].root == site.schema;
    const json::string* id = find_string(schema, "$id");
    Dialect dialect = resource(site).dialect;
    if (const auto* declared = find_string(schema, "$schema"); declared && (is_root || id))
        dialect = dialect_of(site, *declared);
    if (is_root) resources_[site.resource].dialect = dialect;
    if (dialect.draft == Draft::draft_07 && schema.contains("$ref")) id = nullptr;  // draft-07: $ref stands alone

    if (id) {
        const auto [relative, fragment] = split_fragment(*id);
        if (!fragment.empty() && dialect.draft != Draft::draft_07)
            fail(site, "$id", fmt::format("{} must not have a fragment", quoted_whole(*id)));
        if (!relative.empty()) {
            const std::string uri = resolve_uri(resource(site).uri, relative);
            if (is_root) {
                resources_[site.resource].uri = uri;
            } else {
                site.resource = static_cast<ResourceId>(resources_.size());
                resources_.push_back({.uri = uri, .root = site.schema, .dialect = dialect});
            }
            by_uri_.emplace(uri, site.resource);
        }
        if (!fragment.empty()) add_anchor(site, fragment, false);
    }
    if (const auto* anchor = find_string(schema, "$anchor")) add_anchor(site, *anchor, false);
    if (const auto* anchor = find_string(schema, "$dynamicAnchor")) add_anchor(site, *anchor, true);
    const json::value* recursive = schema.if_contains("$recursiveAnchor");
    if (recursive && *recursive == true && dialect.draft == Draft::draft_2019_09) add_anchor(site, "", true);
}

void Documents::add_anchor(const Site& site, std::string_view name, bool dynamic)
{
    Resource& owner = resources_[site.resource];
    const auto [at, added] = owner.anchors.emplace(name, site.schema);
    if (!added && at->second != site.schema)
        fail(site, "", fmt::format("the anchor {} is given to another schema already", quoted_whole(name)));
    if (dynamic) owner.dynamic.emplace(name);
}

Site Documents::follow(const Site& from, std::string_view keyword, std::string_view reference, ResourceId resource,
                       std::string_view pointer)
{
    Site site = sites_.at(resources_[resource].root);
    const json::value* at = site.schema;
    std::string rest;  // from the last schema on the way
    for (const std::string& token : pointer_tokens(pointer)) {
        at = find_step(*at, token);
        if (!at) fail(from, keyword, fmt::format("refers to {}, which does not exist", quoted_whole(reference)));
        append_token(rest, token);
        const auto known = sites_.find(at);
        if (known == sites_.end()) continue;
        site = known->second;
        rest.clear();
    }
    return rest.empty() ? site : child(site, *at, rest);
}

}  // namespace cadre::schema
