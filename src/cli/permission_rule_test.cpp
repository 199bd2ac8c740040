#include "cli/permission_rule.hpp"

#include <doctest/doctest.h>

using namespace cadre::cli;

TEST_CASE("a rule is added to cadre.yaml where its list is, and nothing else changes")
{
    struct {
        const char* name;
        const char* before;
        const char* after;
    } const cases[] = {
        {"no file", "", "permissions:\n  allow:\n    - \"shell\"\n"},
        {"other settings", "name: a\n", "name: a\n\npermissions:\n  allow:\n    - \"shell\"\n"},
        {"no line end", "name: a", "name: a\n\npermissions:\n  allow:\n    - \"shell\"\n"},
        {"a list", "permissions:\n  allow:\n    - work  # mine\nname: a\n",
         "permissions:\n  allow:\n    - \"shell\"\n    - work  # mine\nname: a\n"},
        {"a list that is not indented", "permissions:\n  allow:\n  - work\n",
         "permissions:\n  allow:\n  - \"shell\"\n  - work\n"},
        {"an empty list", "permissions:\n  allow:  # none\nname: a\n",
         "permissions:\n  allow:  # none\n    - \"shell\"\nname: a\n"},
        {"on one line", "permissions:\n  deny: [x]\n  allow: [a, b]  # two\n",
         "permissions:\n  deny: [x]\n  allow: [\"shell\", a, b]  # two\n"},
        {"nothing on one line", "permissions:\n  allow: []\n", "permissions:\n  allow: [\"shell\"]\n"},
        {"other lists", "# rules\npermissions:\n  # never\n  deny: [x]\n",
         "# rules\npermissions:\n  allow: [\"shell\"]\n  # never\n  deny: [x]\n"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(with_rule(c.before, "shell") == c.after);
    }
}

TEST_CASE("a cadre.yaml of another form is left alone")
{
    CHECK(with_rule("permissions: {allow: [a]}\n", "shell") == std::nullopt);
    CHECK(with_rule("permissions:\n  allow: [a,\n    b]\n", "shell") == std::nullopt);
    CHECK(with_rule("permissions:\n  allow: *rules\n", "shell") == std::nullopt);
}
