#include "model/kernel.hpp"

#include "model/schema_version.hpp"
#include "support/entity_rules.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

TEST_CASE("every kernel entity reads its example and writes it back equal, and has a schema and a page")  // SER-01 U
{
    const auto entities = kernel_entities();
    CHECK(entities.size() == 25);
    check_examples(entities);
}

TEST_CASE("a stored file of a newer major version is refused, everything older is read")
{
    struct {
        const char* ext;
        const char* says;
    } const cases[] = {
        {R"({})", ""},
        {R"({"schema_version":"1.0.0"})", ""},
        {R"({"schema_version":"0.9.0"})", ""},
        {R"({"schema_version":"1.7.3"})", ""},
        {R"({"schema_version":"2.0.0"})",
         "ext.schema_version: 2.0.0 was written by a newer release; this one reads up to 1.0.0"},
        {R"({"schema_version":"new"})", "ext.schema_version: must be a version like 1.0.0"},
        {R"({"schema_version":2})", "ext.schema_version: must be a version like 1.0.0"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.ext);
        Problems problems;
        check_schema_version(parse_json(c.ext).as_object(), {}, problems);
        CHECK(problems.text() == c.says);
    }
}
