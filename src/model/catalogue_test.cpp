#include "model/catalogue.hpp"

#include "base/json.hpp"
#include "model/json_schema.hpp"
#include "model/read.hpp"
#include "model/reference_page.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <set>

using namespace cadre;
using namespace cadre::model;

TEST_CASE("every entity has a name of its own, a sentence, and a sentence for each field")
{
    std::set<std::string_view> names;
    for (const Entity* entity : catalogue()) {
        CAPTURE(std::string(entity->name));
        CHECK(names.insert(entity->name).second);
        CHECK(entity->doc.ends_with('.'));
        for (const Field& field : entity->fields) {
            CAPTURE(std::string(field.name));
            CHECK(field.doc.size() > 3);
        }
    }
    CHECK(names.size() > 100);
    CHECK(find_entity("team") != nullptr);
    CHECK(find_entity("nothing") == nullptr);
}

TEST_CASE("rules between fields speak of fields that are there, and of words that these have")
{
    for (const Entity* entity : catalogue()) {
        CAPTURE(std::string(entity->name));
        const auto check_condition = [&](const Condition& condition) {
            CAPTURE(std::string(condition.field));
            const Field* field = entity->find(condition.field);
            REQUIRE(field);
            const Type& type = field->type->kind == Kind::optional ? field->type->item() : *field->type;
            for (const std::string_view word : condition.values) {
                CAPTURE(std::string(word));
                if (type.kind == Kind::boolean) CHECK((word == "true" || word == "false"));
                else CHECK(find_value(type.names, word).has_value());
            }
        };
        for (const Demand& demand : entity->demands) {
            for (const Condition& condition : demand.when) check_condition(condition);
            check_condition(demand.then);
        }
        for (const Check& check : entity->checks)
            for (const std::string_view name : check.needs) {
                CAPTURE(std::string(name));
                CHECK(entity->find(name) != nullptr);
            }
        for (const Check& check : entity->checks) CHECK(check.doc.ends_with('.'));
    }
}

TEST_CASE("every entity shows an example that obeys its own rules")  // SER-01 U
{
    for (const Entity* entity : catalogue()) {
        CAPTURE(std::string(entity->name));
        REQUIRE_FALSE(entity->example.empty());
        const auto object = entity->make();
        Problems problems;
        read(parse_json(entity->example), object.get(), *entity, {}, problems, {});
        CHECK(problems.text() == "");
    }
}

TEST_CASE("every entity a page or schema refers to is in the catalogue, so no link leads nowhere")
{
    for (const Entity* entity : catalogue()) {
        CAPTURE(std::string(entity->name));
        const json::value schema = json_schema(*entity);
        if (const auto* used = schema.as_object().if_contains("$defs"))
            for (const auto& definition : used->as_object()) {
                CAPTURE(std::string(definition.key()));
                CHECK(find_entity(definition.key()) != nullptr);
            }
        CHECK(reference_page(*entity).starts_with("# "));
    }
}

TEST_CASE("every page says where its entity is met: in a file, in a message, or as a part of another")
{
    for (const Entity* entity : catalogue()) {
        CAPTURE(std::string(entity->name));
        CHECK((entity->home.kind != Home::Kind::part || !users_of(*entity).empty()));
        CHECK((entity->home.kind == Home::Kind::part) == entity->home.where.empty());
    }
}
