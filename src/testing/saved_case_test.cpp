#include "testing/saved_case.hpp"

#include "base/json.hpp"
#include "support/error_of.hpp"
#include "testing/cassette.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::testing;
using cadre::test::error_of;

namespace {

json::object test_called(const char* name)
{
    return {{"name", name}, {"input", "Go."}, {"script", json::array{json::object{{"text", "a\nb: \"c\" # d"}}}}};
}

}  // namespace

TEST_CASE("a case is added at the end of a file, whose own words stay, however its list is indented")
{
    const std::string first = with_case("", test_called("one"));
    CHECK(first.starts_with("# Tests, which `test` runs.\ncases:\n  - name: one\n    input: Go.\n"));
    const std::string second = with_case(first, test_called("one"));
    CHECK(second.starts_with(first));
    CHECK(second.find("\n  - name: one (2)\n") != std::string::npos);
    const std::string mine = "# mine\ncases:\n- name: a  # kept\n  input: b";
    CHECK(with_case(mine, test_called("one")).starts_with(mine + "\n\n- name: one\n"));
}

TEST_CASE("a file that cannot be added to is left alone")
{
    for (const char* text : {"cases: [{name: a, input: b}]\n", "cases:\n  - name: a\n    input: b\ntest: x\n"}) {
        CAPTURE(text);
        CHECK(error_of([&] { with_case(text, test_called("one")); }) ==
              doctest::Contains("is written in a way that no case can be added at its end"));
    }
    CHECK(error_of([] { with_case("cases: 5\n", test_called("one")); }) == doctest::Contains("has mistakes"));
}

TEST_CASE("a recording without answers is a script without entries")
{
    CHECK(cassette_of(Family{}).empty());
    CHECK(cassette_text({}) == std::string(kCassetteHead) + "; the model replay:FILE plays it again.\n[]\n");
}
