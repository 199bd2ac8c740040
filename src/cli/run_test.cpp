#include "cli/run.hpp"

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "cli/args.hpp"
#include "cli/output_fixture.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

using namespace cadre;
using namespace cadre::cli;
using Words = std::vector<std::string>;

namespace {

const Program kProgram{
    .root = {.run = [](const Args&, Output&) { return 0; }},
    .verbs =
        {
            {.name = "works",
             .summary = "Work",
             .run =
                 [](const Args&, Output& output) {
                     output.print(output.quiet ? "quiet\n" : "worked\n");
                     return 7;
                 }},
            {.name = "missing",
             .run = [](const Args&, Output&) -> int { throw Error(Code::not_found, "task 7\x1b[2J does not exist"); }},
            {.name = "leaks",
             .run = [](const Args&, Output&) -> int {
                 throw Error(Code::upstream, "refused: Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789");
             }},
            {.name = "cancelled", .run = [](const Args&, Output&) -> int { throw Cancelled{}; }},
            {.name = "buggy", .run = [](const Args&, Output&) -> int { throw std::logic_error("index 7 of /etc/x"); }},
            {.name = "wordy",
             .run = [](const Args&, Output&) -> int {
                 throw Error(Code::conflict,
                             "this message is longer than the eighty columns that a terminal usually has for one line",
                             Hint{"to see it", "show 3f2a4b1c"});
             }},
            {.name = "strange", .run = [](const Args&, Output&) -> int { throw 42; }},
        },
};

}  // namespace

TEST_CASE("run: the exit code is the verb's")
{
    Captured captured;
    CHECK(run(kProgram, Words{"works"}, captured.output) == 7);
    CHECK(captured.out == "worked\n");
    CHECK(captured.err.empty());
    CHECK(run(kProgram, Words{}, captured.output) == 0);

    Captured quiet;
    run(kProgram, Words{"works", "-q"}, quiet.output);
    CHECK(quiet.out == "quiet\n");
}

TEST_CASE("run: on a terminal a message is broken at words, and the command that helps stands on its own line")
{
    Captured captured;
    captured.output.wraps = true;
    run(kProgram, Words{"wordy"}, captured.output);
    CHECK(captured.err == "cadre: this message is longer than the eighty columns that a terminal usually\n"
                          "has for one line\nto see it: cadre show 3f2a4b1c\n");
    Captured elsewhere;
    run(kProgram, Words{"wordy"}, elsewhere.output);
    CHECK(elsewhere.err == "cadre: this message is longer than the eighty columns that a terminal usually has for one "
                           "line; to see it: cadre show 3f2a4b1c\n");
}

TEST_CASE("run: an error is one message on stderr and its code's exit code")
{
    Captured captured;
    CHECK(run(kProgram, Words{"missing"}, captured.output) == surface(Code::not_found).exit);
    CHECK(captured.err == "cadre: task 7\\x1b[2J does not exist\n");
    CHECK(captured.out.empty());

    Captured json;
    CHECK(run(kProgram, Words{"missing", "--json"}, json.output) == surface(Code::not_found).exit);
    CHECK(parse_json(json.err) ==
          parse_json(R"({"error":{"code":"not_found","message":"task 7\u001b[2J does not exist"}})"));
    CHECK(json.out.empty());
}

TEST_CASE("run: what cannot be parsed comes with its usage line, for people and for programs")
{
    Captured captured;
    CHECK(run(kProgram, Words{"wroks", "--json"}, captured.output) == surface(Code::invalid).exit);
    CHECK(parse_json(captured.err) == parse_json(R"({"error":{"code":"invalid",
        "message":"unknown verb \"wroks\"; did you mean works?",
        "usage":"cadre VERB [ARGUMENTS] [FLAGS]","help":"cadre help"}})"));

    Captured text;
    run(kProgram, Words{"wroks"}, text.output);
    CHECK(text.err == "cadre: unknown verb \"wroks\"; did you mean works?\n"
                      "Usage: cadre VERB [ARGUMENTS] [FLAGS]\nHelp:  cadre help\n");
}

TEST_CASE("run: errors carry no secrets")
{
    Captured captured;
    run(kProgram, Words{"leaks"}, captured.output);
    CHECK(captured.err.find("refused") != std::string::npos);
    CHECK(captured.err.find("abcdefghijklmnop") == std::string::npos);
}

TEST_CASE("run: a bug's text goes to the log under an id, the id to the person")
{
    for (const std::string verb : {"buggy", "strange"}) {
        CAPTURE(verb);
        Captured captured;
        CHECK(run(kProgram, Words{verb}, captured.output) == surface(Code::internal).exit);
        const auto line = parse_json(captured.err.substr(0, captured.err.find('\n')));
        const std::string message = captured.err.substr(captured.err.find('\n') + 1);
        const std::string id(line.at("id").as_string());
        CHECK(message == "cadre: internal error " + id + "; please report it\n");
    }
    Captured captured;
    CHECK(run(kProgram, Words{"cancelled"}, captured.output) == surface(Code::cancelled).exit);
    CHECK(captured.err == "cadre: cancelled\n");
}

TEST_CASE("run: a failing output is an error, with a failing error stream the exit code remains")
{
    Captured full;
    full.output.out.write = descriptor_writer(::open("/dev/full", O_WRONLY | O_CLOEXEC), "standard output");
    CHECK(run(kProgram, Words{"works"}, full.output) == surface(Code::unavailable).exit);
    CHECK(full.err == "cadre: cannot write to standard output: No space left on device\n");

    Captured deaf;
    deaf.output.err.write = descriptor_writer(-1, "standard error");
    CHECK(run(kProgram, Words{"missing"}, deaf.output) == surface(Code::not_found).exit);
}

TEST_CASE("run: --help explains instead of running, --no-color takes colours away")
{
    Captured captured;
    captured.output.out.paint.on = true;
    CHECK(run(kProgram, Words{"works", "--help", "--no-color"}, captured.output) == 0);
    CHECK(captured.out.starts_with("Work\n\nUsage: cadre works [FLAGS]\n"));
}

TEST_CASE("printable: no byte of a foreign text commands the terminal")
{
    CHECK(printable("a\tb\r\x1b[2J\x7f\n") == "a\\x09b\\x0d\\x1b[2J\\x7f\n");
    CHECK(printable("\xc2\x9b"
                    "2J é ✓") == "\\xc2\\x9b2J é ✓");
    CHECK(printable("\xff\xc3") == "\\xff\\xc3");
}
