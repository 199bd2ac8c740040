#include "base/async.hpp"
#include "base/sim_loop.hpp"
#include "support/error_of.hpp"
#include "tools/builtin.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::tools;
using cadre::test::error_of;

namespace {

std::string names_of(const Registry& registry)
{
    std::string names;
    for (const auto& tool : registry.all()) names += tool->definition().name + " ";
    return names;
}

}  // namespace

TEST_CASE("a registry holds tools by name, sorted, each name once")
{
    ManualClock clock;
    Registry registry;
    add_builtin_tools(registry, clock);
    CHECK(names_of(registry) == "calculator clock list_files read_file recall remember write_file ");
    CHECK(registry.find("clock")->definition().name == "clock");
    CHECK(registry.find("cloc") == nullptr);
    CHECK(registry.find("") == nullptr);
    CHECK(registry.get("read_file") == registry.find("read_file"));
    CHECK(error_of([&] { registry.get("raed_file"); }) ==
          "not_found: there is no tool \"raed_file\", did you mean \"read_file\"?");
    CHECK(error_of([&] { registry.get("x"); }) == "not_found: there is no tool \"x\"");
    CHECK(error_of([&] { add_builtin_tools(registry, clock); }) ==
          "conflict: there is already a tool \"calculator\"; give one of them another name");
    CHECK(names_of(registry) == "calculator clock list_files read_file recall remember write_file ");
}
