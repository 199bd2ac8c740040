#include "cli/doctor.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "cli/layout.hpp"
#include "cli/output_fixture.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <sstream>

using namespace cadre;
using namespace cadre::cli;

namespace {

constexpr Probe kFine{"disk", [] { return Finding{.found = "80 GiB", .value = {{"free_bytes", 80}}}; }};
constexpr Probe kWarning{"open files", [] { return Finding{Status::warning, "256", "ulimit -n 4096"}; }};
constexpr Probe kFailure{"home", [] { return Finding{Status::failed, "no \x1b[31mhome", "set \"HOME\""}; }};

}  // namespace

TEST_CASE("doctor: aligned lines for people, each fix on its own line, a verdict at the end")
{
    Captured captured;
    captured.output.utf8 = true;
    const Probe probes[] = {kFine, kWarning, kFailure};
    CHECK(examine(probes, captured.output) == surface(Code::unavailable).exit);
    CHECK(captured.out == "✓ disk        80 GiB\n"
                          "! open files  256\n"
                          "              Fix: ulimit -n 4096\n"
                          "✗ home        no \\x1b[31mhome\n"
                          "              Fix: set \"HOME\"\n"
                          "\n"
                          "not ready, 1 failure, 1 warning\n");
}

TEST_CASE("doctor: the verdict counts, and only a failure changes the exit code")
{
    struct {
        std::vector<Probe> probes;
        std::string verdict;
        int exit;
    } const cases[] = {
        {{}, "ready\n", 0},
        {{kFine}, "\nready\n", 0},
        {{kFine, kWarning}, "\nready, 1 warning\n", 0},
        {{kWarning, kWarning}, "\nready, 2 warnings\n", 0},
        {{kFailure, kFailure}, "\nnot ready, 2 failures\n", surface(Code::unavailable).exit},
    };
    for (const auto& c : cases) {
        CAPTURE(c.verdict);
        Captured captured;
        CHECK(examine(c.probes, captured.output) == c.exit);
        CHECK(captured.out.ends_with(c.verdict));
    }
}

TEST_CASE("doctor: plain ASCII without UTF-8, colours only when on, only problems when quiet")
{
    const Probe probes[] = {kFine, kWarning};
    Captured plain;
    examine(probes, plain.output);
    CHECK(plain.out.starts_with("+ disk"));

    Captured coloured;
    coloured.output.utf8 = true;
    coloured.output.out.paint.on = true;
    examine(probes, coloured.output);
    CHECK(coloured.out.starts_with("\x1b[32m✓\x1b[0m disk"));

    Captured quiet;
    quiet.output.quiet = true;
    examine(probes, quiet.output);
    CHECK(quiet.out.starts_with("! open files"));
}

TEST_CASE("doctor --json: one object that says what the lines say")
{
    Captured captured;
    captured.output.json = true;
    const Probe probes[] = {kFine, kFailure};
    examine(probes, captured.output);
    CHECK(parse_json(captured.out) == parse_json(R"({"ok":false,"checks":[
        {"name":"disk","status":"ok","found":"80 GiB","value":{"free_bytes":80}},
        {"name":"home","status":"failed","found":"no \u001b[31mhome","fix":"set \"HOME\""}]})"));
}

TEST_CASE("doctor: the real probes find something, and say how to fix what is not ok")
{
    for (const auto& topic : {system_probes(), storage_probes(), sandbox_probes()})
        for (const Probe& probe : topic) {
            CAPTURE(probe.name);
            const Finding finding = probe.look();
            CHECK_FALSE(finding.found.empty());
            CHECK(finding.fix.empty() == (finding.status == Status::ok));
        }
}
