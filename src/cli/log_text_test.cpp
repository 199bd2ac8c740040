#include "cli/log_text.hpp"

#include "cli/output.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::cli;

TEST_CASE("a line of the log is told with its time, level, message and fields")
{
    const Time now = time_from_iso("2031-01-15T10:30:05Z");
    const std::string line =
        R"({"time":"2025-01-15T10:30:05.250Z","level":"warning","message":"the server has ended","server":"files","text":"a b","failures":2})";
    CHECK(log_text(line, now, Paint{}) ==
          "2025-01-15  warning  the server has ended  server=files  text=\"a b\"  failures=2");
    CHECK(level_of(line) == Level::warning);
}

TEST_CASE("what is not a line of the log is printed as it is, without commands for the terminal")
{
    const Time now = time_from_iso("2031-01-15T10:30:05Z");
    CHECK(log_text("half a li\x1b[2J", now, Paint{}) == "half a li\\x1b[2J");
    CHECK(level_of("half a li") == Level::error);
}
