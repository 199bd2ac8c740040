#include "cli/args.hpp"

#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::cli;
using Words = std::vector<std::string>;

namespace {

const Program kProgram{
    .root = {.flags = {{.name = "version"}}},
    .verbs =
        {
            {.name = "copy",
             .arguments =
                 {{.name = "from"},
                  {.name = "how", .count = Argument::Count::optional, .choices = [] { return Words{"fast", "safe"}; }},
                  {.name = "more", .count = Argument::Count::repeated}},
             .flags = {{.name = "output", .letter = 'o', .value = "FILE"}, {.name = "force", .letter = 'f'}}},
            {.name = "doctor"},
            {.name = "run", .arguments = {{.name = "file", .count = Argument::Count::optional}, {.name = "prompt"}}},
        },
};

Args parse(const Words& words)
{
    return parse_command(kProgram, words).args;
}

doctest::String error_of(const Words& words)
{
    return test::error_of([&] { parse_command(kProgram, words); });
}

}  // namespace

TEST_CASE("arguments: each goes to its name in order, the last name takes the rest")
{
    const Args args = parse({"copy", "a", "fast", "b", "c"});
    CHECK(args["from"] == "a");
    CHECK(args["how"] == "fast");
    CHECK(args.all("more") == Words{"b", "c"});

    const Args few = parse({"copy", "a"});
    CHECK_FALSE(few.has("how"));
    CHECK_FALSE(few.find("how"));
    CHECK(few.all("more").empty());
}

TEST_CASE("arguments: what is required is filled before what may be left out")
{
    CHECK(parse({"run", "hello"})["prompt"] == "hello");
    CHECK_FALSE(parse({"run", "hello"}).has("file"));
    const Args both = parse({"run", "team.yaml", "-"});
    CHECK(both["file"] == "team.yaml");
    CHECK(both["prompt"] == "-");
    CHECK(error_of({"run"}) == "invalid: run: PROMPT is missing");
    CHECK(error_of({"run", "a", "b", "c"}) == doctest::Contains("unexpected argument \"c\""));
}

TEST_CASE("flags: every way of writing a value gives the same")
{
    for (const Words& words : {Words{"copy", "a", "--output", "x"}, Words{"copy", "--output=x", "a"},
                               Words{"copy", "-o", "x", "a"}, Words{"copy", "a", "-ox"}}) {
        CAPTURE(words[1]);
        const Args args = parse(words);
        CHECK(args["output"] == "x");
        CHECK(args["from"] == "a");
    }
    CHECK(parse({"copy", "a", "--output="})["output"] == "");
    CHECK(parse({"copy", "a", "--output=b=c"})["output"] == "b=c");
}

TEST_CASE("flags: stand anywhere, before the verb too, and keep every value")
{
    const Args args = parse({"--json", "copy", "-f", "a", "-o", "1", "--quiet", "-o", "2"});
    CHECK(args.has("json"));
    CHECK(args.has("force"));
    CHECK(args.has("quiet"));
    CHECK(args.all("output") == Words{"1", "2"});
    CHECK(args["output"] == "2");
}

TEST_CASE("flags: what looks like one may still be a value")
{
    CHECK(parse({"copy", "a", "--output", "-5"})["output"] == "-5");
    CHECK(parse({"copy", "a", "--output", "--nonsense"})["output"] == "--nonsense");
    CHECK(parse({"copy", "a", "--output=--json"})["output"] == "--json");
    CHECK(parse({"copy", "-5"})["from"] == "-5");
    CHECK(parse({"copy", "-.5"})["from"] == "-.5");
    CHECK(parse({"copy", "-"})["from"] == "-");
    const Args ended = parse({"copy", "--", "--force", "fast", "--", "--help"});
    CHECK(ended["from"] == "--force");
    CHECK(ended.all("more") == Words{"--", "--help"});
    CHECK_FALSE(ended.has("force"));
}

TEST_CASE("errors: name the thing and suggest")
{
    struct {
        Words words;
        const char* says;
    } const cases[] = {
        {{"cpoy"}, "unknown verb \"cpoy\"; did you mean copy?"},
        {{"frobnicate"}, "unknown verb \"frobnicate\""},
        {{"fast"}, "unknown verb \"fast\"; did you mean cadre copy fast?"},
        {{""}, "unknown verb \"\""},
        {{"-"}, "unknown verb \"-\""},
        {{"-5"}, "unknown verb \"-5\""},
        {{"--verson"}, "unknown flag \"--verson\"; did you mean --version?"},
        {{"copy"}, "copy: FROM is missing"},
        {{"copy", "a", "--ouptut=secret"}, "copy: unknown flag \"--ouptut\"; did you mean --output?"},
        {{"copy", "a", "-x"}, "copy: unknown flag \"-x\"; put flags that are not meant for cadre after --"},
        {{"copy", "a", "-fo"}, "copy: unknown flag \"-fo\"; put flags that are not meant for cadre after --"},
        {{"copy", "a", "--force=yes"}, "copy: --force takes no value"},
        {{"copy", "a", "--output"}, "copy: --output needs a value: --output FILE"},
        {{"copy", "a", "-o", "--json"}, "copy: -o needs a value: -o FILE"},
        {{"copy", "a", "-o", "--", "b"}, "copy: -o needs a value: -o FILE"},
        {{"copy", "a", "fsat"}, "copy: \"fsat\" is not one of fast, safe; did you mean fast?"},
        {{"doctor", "now"}, "doctor: unexpected argument \"now\""},
        {{"run", "Write", "a", "poem"}, "run: unexpected argument \"poem\"; quote it: cadre run \"Write a poem\""},
        {{"run", "team.yaml", "Write", "it"},
         "run: unexpected argument \"it\"; quote it: cadre run team.yaml \"Write it\""},
        {{"doctor", "--version"}, "doctor: unknown flag \"--version\""},
    };
    for (const auto& c : cases) { CHECK(error_of(c.words) == (std::string("invalid: ") + c.says).c_str()); }
}

TEST_CASE("errors: carry the usage line and where help is")
{
    const auto usage_error = [](const Words& words) {
        try {
            parse_command(kProgram, words);
        } catch (const UsageError& error) {
            return error;
        }
        return UsageError("none", {});
    };
    CHECK(usage_error({"frobnicate"}).usage == "cadre VERB [ARGUMENTS] [FLAGS]");
    CHECK(usage_error({"frobnicate"}).help == "cadre help");
    CHECK(usage_error({"copy"}).usage == "cadre copy FROM [HOW] [MORE...] [FLAGS]");
    CHECK(usage_error({"copy"}).help == "cadre help copy");
}

TEST_CASE("help: whoever asks for it gets it, whatever else is wrong")
{
    for (const Words& words : {Words{"copy", "--help"}, Words{"copy", "-h", "--nonsense"}, Words{"--help", "copy"}}) {
        const Command command = parse_command(kProgram, words);
        CHECK(command.verb->name == "copy");
        CHECK(command.args.has("help"));
    }
    CHECK(parse_command(kProgram, Words{"-h"}).verb == &kProgram.root);
    CHECK(error_of({"nonsense", "--help"}) == doctest::Contains("unknown verb"));
}

TEST_CASE("no words: the root verb")
{
    CHECK(parse_command(kProgram, {}).verb == &kProgram.root);
    CHECK(parse({"--version"}).has("version"));
}
