#include "cli/completion.hpp"

#include "cli/output_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre::cli;

namespace {

const Program kProgram{
    .root = {.flags = {{.name = "version"}}},
    .verbs = {{.name = "copy",
               .summary = "Copy [it]: don't move",
               .arguments = {{.name = "how", .choices = [] { return std::vector<std::string>{"fast", "safe"}; }},
                             {.name = "from", .count = Argument::Count::repeated}},
               .flags = {{.name = "output", .letter = 'o', .value = "FILE", .help = "Where to"}}}},
};

}  // namespace

TEST_CASE("bash completion: offers verbs, choices and flags, and knows which flags take a value")
{
    const std::string script = bash_completion(kProgram);
    CHECK(contains(script, "\"\")\n        arguments=(\"copy\") rest=\n        flags=\"--version --json"));
    CHECK(contains(script, "\"copy\")\n        arguments=(\"fast safe\" FILES) rest=FILES\n"
                           "        flags=\"--output -o --json"));
    CHECK(contains(script, "valued=\"--output -o --server\""));
    CHECK(script.ends_with("complete -F _cadre cadre\n"));
}

TEST_CASE("zsh completion: descriptions are quoted")
{
    const std::string script = zsh_completion(kProgram);
    CHECK(script.starts_with("#compdef cadre\n"));
    CHECK(contains(script, R"('copy:Copy \[it\]\: don'\''t move')"));
    CHECK(contains(script, "'*--output=[Where to]:FILE:_files'"));
    CHECK(contains(script, "':how:(fast safe)'"));
    CHECK(contains(script, "'*:from:_files'"));
    CHECK(contains(script, "'(- 1 *)*--version[]'"));
}
