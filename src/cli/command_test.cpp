#include "cli/command.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::cli;
using namespace std::chrono_literals;

TEST_CASE("run_command: gives back exit code, output and errors")
{
    const Outcome outcome = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"}, 10s);
    CHECK(outcome.exit == 3);
    CHECK(outcome.output == "out\nerr\n");
    CHECK_FALSE(outcome.timed_out);
}

TEST_CASE("run_command: a program that does not exist never ran")
{
    const Outcome outcome = run_command({"cadre-has-no-such-program"}, 10s);
    CHECK_FALSE(outcome.ran());
    CHECK_FALSE(outcome.output.empty());
}

TEST_CASE("run_command: what takes too long is killed with its children")
{
    const Instant start = system_clock().instant();
    const Outcome outcome = run_command({"sh", "-c", "echo before; sleep 60 & sleep 60"}, 100ms);
    CHECK(outcome.timed_out);
    CHECK(outcome.exit == 128 + 9);
    CHECK(outcome.output == "before\n");
    CHECK(system_clock().instant() - start < 10s);
}

TEST_CASE("run_command: ends with the program, not with what it leaves behind")
{
    const Instant start = system_clock().instant();
    CHECK(run_command({"sh", "-c", "sleep 5 & exit 0"}, 60s).exit == 0);
    CHECK(system_clock().instant() - start < 4s);
}

TEST_CASE("run_command: endless output is cut, and does not block the program")
{
    const Outcome outcome = run_command({"sh", "-c", "head -c 1000000 /dev/zero"}, 10s);
    CHECK(outcome.exit == 0);
    CHECK(outcome.output.size() == 4096);
}

TEST_CASE("run_command: the program sees PATH and nothing else of our environment")
{
    CHECK(run_command({"env"}, 10s).output.find("HOME=") == std::string::npos);
    CHECK(run_command({"env"}, 10s).output.starts_with("PATH="));
}
