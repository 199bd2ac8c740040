// What a new field costs. The namespaces below differ in the lines of that field and in nothing else, and the first test
// counts those lines in this file.
#include "base/json.hpp"
#include "model/describe.hpp"
#include "support/entity_rules.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <set>
#include <sstream>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

namespace before {
struct Lamp {
    std::string name{};
};
const Entity& describe(const Lamp*)
{
    static const Entity entity{.name = "lamp",
                               .doc = "Gives light.",
                               .fields =
                                   {
                                       field("name", &Lamp::name, "Which.", {.required = true}),
                                   },
                               .example = R"({"name":"desk"})"};
    return entity;
}
}  // namespace before

namespace optional {
struct Lamp {
    std::string name{};
    int watts = 9;
};
const Entity& describe(const Lamp*)
{
    static const Entity entity{.name = "lamp",
                               .doc = "Gives light.",
                               .fields =
                                   {
                                       field("name", &Lamp::name, "Which.", {.required = true}),
                                       field("watts", &Lamp::watts, "Power.", {.min = 1, .extension = true}),
                                   },
                               .example = R"({"name":"desk"})"};
    return entity;
}
}  // namespace optional

namespace always {
struct Lamp {
    std::string name{};
    int watts = 9;
};
const Entity& describe(const Lamp*)
{
    static const Entity entity{.name = "lamp",
                               .doc = "Gives light.",
                               .fields =
                                   {
                                       field("name", &Lamp::name, "Which.", {.required = true}),
                                       field("watts", &Lamp::watts, "Power.", {.min = 1}),
                                   },
                               .example = R"({"name":"desk","watts":9})"};
    return entity;
}
}  // namespace always

namespace {

/// The lines of a namespace of this file.
std::vector<std::string> lines_of(const std::string& name)
{
    std::istringstream source(golden("../../src/model/new_field_test.cpp"));
    std::vector<std::string> lines;
    bool inside = false;
    for (std::string line; std::getline(source, line);) {
        if (line == "}  // namespace " + name) inside = false;
        if (inside) lines.push_back(line);
        if (line == "namespace " + name + " {") inside = true;
    }
    return lines;
}

/// How many lines of `name` are not in `before`.
std::ptrdiff_t new_lines(const std::string& name)
{
    const auto known = lines_of("before");
    return std::ranges::count_if(
        lines_of(name), [&](const std::string& line) { return std::ranges::find(known, line) == known.end(); });
}

}  // namespace

TEST_CASE("a new field that may be left out is two lines; one that is always written changes the example too")
{
    CHECK(lines_of("before").size() == 14);
    CHECK(new_lines("optional") == 2);
    CHECK(lines_of("optional").size() == 16);
    CHECK(new_lines("always") == 3);
    CHECK(lines_of("always").size() == 16);
}

TEST_CASE("JSON, rules, schema and reference page of a new field follow from its two lines")
{
    const Entity* const entities[] = {&description_of<optional::Lamp>()};
    check_examples(entities);  // the example of before still holds
    CHECK(read_back(*entities[0], parse_json(R"({"name":"a","watts":5})")).text == R"({"name":"a","watts":5})");
    CHECK(default_of<optional::Lamp>("watts") == "not written");
    CHECK(optional::Lamp{}.watts == 9);
    CHECK(problems_with<before::Lamp>("watts", "5") == "watts: is not a field of lamp");
    check_rules<optional::Lamp>({
        {"watts", "0", "watts: must be at least 1, is 0"},
        {"watts", "\"two\"", "watts: must be a whole number, is text"},
        {"wats", "5", "wats: is not a field of lamp, did you mean \"watts\"?"},
    });
    CHECK(to_text(json_schema(*entities[0]).at("properties").at("watts")) ==
          R"({"type":"integer","minimum":1,"maximum":2147483647,"description":"Power.","default":9})");
    CHECK(reference_page(*entities[0]).find("`watts`") != std::string::npos);
}
