// What most entities are tested for: required fields, defaults, the words of an enumeration, each rule's sentence.
#pragma once

#include "base/sim_loop.hpp"
#include "model/json_schema.hpp"
#include "model/reference_page.hpp"
#include "support/entity.hpp"
#include "support/golden.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <set>
#include <span>
#include <string>

namespace cadre::test {

/// `field: is required` for each of them.
template <class T>
void check_required(std::initializer_list<const char*> fields)
{
    for (const std::string field : fields) {
        CAPTURE(field);
        CHECK(problems_without<T>(field) == field + ": is required");
    }
}

template <class T>
void check_filled_now(std::initializer_list<const char*> fields)
{
    ManualClock clock(time_from_iso("2026-01-12T09:00:07.500Z"));
    for (const char* field : fields) {
        CAPTURE(field);
        CHECK(default_of<T>(field, {.clock = &clock}) == "\"2026-01-12T09:00:07.500Z\"");
    }
}

/// Every value of an enumerated field is read and written back, and another is refused.
template <class T>
void check_values(const char* field, std::initializer_list<const char*> values)
{
    std::string all;
    for (const std::string value : values) {
        CAPTURE(value);
        json::value example = parse_json(description_of<T>().example);
        example.as_object()[field] = value;
        const ReadBack back = read_back(description_of<T>(), example);
        CHECK(back.problems == "");
        CHECK(parse_json(back.text).at(field) == json::value(value));
        all += (all.empty() ? "" : ", ") + value;
    }
    CHECK(problems_with<T>(field, "\"zzz\"") == std::string(field) + ": \"zzz\" is none of " + all);
}

struct RuleCase {
    const char* field;
    const char* value;  // JSON
    const char* says;
};

/// The entity's example with one field changed, and what is said about it.
template <class T>
void check_rules(std::initializer_list<RuleCase> cases)
{
    for (const RuleCase& c : cases) {
        CAPTURE(c.field);
        CAPTURE(c.value);
        CHECK(problems_with<T>(c.field, c.value) == c.says);
    }
}

template <class T>
T golden_as(const char* file)
{
    return model::from_json<T>(parse_json(golden(file)));
}

/// A golden file is read and written back to the letter.
template <class T>
void check_golden(const char* file)
{
    CAPTURE(file);
    const json::value value = parse_json(golden(file));
    CHECK(model::to_json_text(model::from_json<T>(value)) == to_text(value));
}

/// Each entity reads its example and writes it back equal; it has a schema and a page, and no other has its name.
inline void check_examples(std::span<const model::Entity* const> entities)
{
    std::set<std::string_view> names;
    for (const model::Entity* entity : entities) {
        CAPTURE(entity->name);
        CHECK(names.insert(entity->name).second);
        const json::value example = parse_json(entity->example);
        const ReadBack back = read_back(*entity, example);
        CHECK(back.problems == "");
        CHECK(back.text == to_text(example));
        const json::value schema = model::json_schema(*entity);
        const json::value& form = entity->other_form.empty() ? schema : schema.at("anyOf").at(0);
        CHECK(form.at("properties").as_object().size() ==
              entity->fields.size() + entity->ignored.size() + !entity->tag.empty());
        CHECK(model::reference_page(*entity).find(entity->doc) != std::string::npos);
        for (const model::Field& field : entity->fields) CHECK(!field.doc.empty());
    }
}

}  // namespace cadre::test
