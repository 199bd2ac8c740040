// The schemas of a document about this server, OpenAPI or AsyncAPI: those of described entities, each once.
#pragma once

#include <boost/json/object.hpp>

#include <string>

namespace cadre::model {
struct Entity;
}

namespace cadre::server {

class SchemaPool {
public:
    /// `{"$ref":"#/components/schemas/NAME"}`; the entity's schema, and those that it uses, are in the pool then.
    boost::json::object reference(const model::Entity& entity);
    /// The entity's schema itself; those that it uses are in the pool then.
    boost::json::object hoisted(const model::Entity& entity);
    /// Throws Error(internal) when another schema has that name.
    void add(const std::string& name, boost::json::object schema);

    boost::json::object take() { return std::move(schemas_); }

private:
    boost::json::object schemas_;
};

/// `#/components/schemas/NAME`
std::string schema_place(std::string_view name);

}  // namespace cadre::server
