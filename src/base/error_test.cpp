#include "base/error.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace cadre;

TEST_CASE("every error code has its own name, which reads back, and an outward form")
{
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(Code::internal); ++i) {
        const auto code = static_cast<Code>(i);
        CAPTURE(name_of(code));
        CHECK(names.insert(name_of(code)).second);
        CHECK(code_of(name_of(code)) == code);
        CHECK(surface(code).http >= 400);
        CHECK(surface(code).http <= 599);
        CHECK(surface(code).exit > 0);
        CHECK(surface(code).exit < 126);  // from there on the shell's own meanings begin
    }
}

TEST_CASE("a name that no release ever had is an internal error")
{
    CHECK(code_of("") == Code::internal);
    CHECK(code_of("Not_Found") == Code::internal);
}

TEST_CASE("quoted text is escaped, and cut between characters")
{
    CHECK(in_quotes("a\"b\n\x01") == R"("a\"b\n\u0001")");
    CHECK(in_quotes(std::string(40, 'x')) == '"' + std::string(40, 'x') + '"');
    CHECK(in_quotes(std::string(41, 'x')) == '"' + std::string(40, 'x') + "…\"");
    CHECK(in_quotes(std::string(39, 'x') + "éé") == '"' + std::string(39, 'x') + "…\"");
}
