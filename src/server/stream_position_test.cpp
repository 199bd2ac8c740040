#include "server/stream_position.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre::server;

TEST_CASE("positions: what a reader was told brings it back to the same place")
{
    const StreamPosition places[] = {{.seen = 0},
                                     {.seen = 4'294'967'295},
                                     {.seen = 7, .written = {{"step_1", 120}}},
                                     {.seen = 7, .written = {{"a", 0}, {"step_b-2", 18'446'744'073'709'551'615U}}}};
    for (const StreamPosition& place : places) CHECK(find_position(position_text(place)) == place);
    CHECK(position_text(places[2]) == "7/step_1/120");
}

TEST_CASE("positions: what is not one is refused")
{
    std::string many = "1";
    for (int i = 0; i < 65; ++i) many += "/s" + std::to_string(i) + "/0";
    for (const std::string& text :
         {std::string(), std::string("x"), std::string("-1"), std::string("+1"), std::string(" 1"),
          std::string("4294967296"), std::string("1/"), std::string("1/a"), std::string("1/a/"), std::string("1/a/x"),
          std::string("1//2"), std::string("1/a b/2"), std::string("1/a\n/2"), std::string("1/a/2/a/3"),
          std::string("1/a/2/"), std::string("1/") + std::string(200, 'a') + "/2", many}) {
        CAPTURE(text);
        CHECK(!find_position(text));
    }
}
