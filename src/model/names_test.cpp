#include "model/names.hpp"

#include "model/describe.hpp"
#include "model/format.hpp"
#include "model/problem.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace cadre::model;

TEST_CASE("an agent's name and its A2A id are each other's mirror")  // UNI-09 U
{
    for (const char* name : {"light_agent", "a", "clarification_agent", "a_1_b", "x__y_"}) {
        CAPTURE(name);
        CHECK(matches(Format::snake_name, name));
        CHECK(matches(Format::alias, alias_of(name)));
        CHECK(name_of_alias(alias_of(name)) == name);
    }
    CHECK(alias_of("light_agent") == "light-agent");
    CHECK(name_of_alias("light-agent") == "light_agent");

    const auto problems = [](std::vector<NamedAlias> all) {
        Problems found;
        check_names(all, Path(), found);
        return found.text();
    };
    CHECK(problems({{"light_agent", ""}, {"music_agent", "music"}}) == "");
    CHECK(problems({{"light_agent", ""}, {"lamp", "light-agent"}}) ==
          "[1].alias: \"light-agent\" is already the alias of \"light_agent\"; give one of them another");
    CHECK(problems({{"a", ""}, {"a", "b"}}) == "[1].name: \"a\" is here twice; rename one of them");
}

TEST_CASE("whatever a foreign name is, its slug is a name")
{
    struct {
        const char *display_name, *slug;
    } const cases[] = {
        {"Senior Research Analyst", "senior_research_analyst"},
        {"light-agent", "light_agent"},
        {"already_fine_1", "already_fine_1"},
        {"  C++ / Rust  expert!", "c_rust_expert"},
        {"3D artist", "agent_3d_artist"},
        {"Müller", "m_ller"},
        {"日本", "agent"},
        {"", "agent"},
        {"__x__", "x"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.display_name);
        CHECK(slugified(c.display_name) == c.slug);
        CHECK(matches(Format::snake_name, slugified(c.display_name)));
    }
}
