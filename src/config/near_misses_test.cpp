#include "config/project_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre::config;

namespace {

const std::string kTeam =
    "name: t\ndescription: d\ndefault_llm: {}\nagents: [{name: a, role: r, prompt: p}]\ntools: []\n";

std::string said_of(const std::string& file, const std::string& text = kTeam)
{
    return checked({{"cadre.yaml", "version: 1.0.0\n"}, {file, text}});
}

}  // namespace

TEST_CASE("a file that lies nearly where it would be read gets a warning that says where it should be")
{
    struct {
        const char *file, *says;
    } const cases[] = {
        {"team/x.yaml", "it lies in team/; rename the folder to teams/"},
        {"Agents/x.json", "it lies in Agents/; rename the folder to agents/"},
        {"worflows/x.yml", "it lies in worflows/; rename the folder to workflows/"},
        {"configs/domains.yaml", "it lies in configs/; rename the folder to config/"},
        {"teams/x/y.yaml", "it lies deeper than teams/; move it to teams/y.yaml"},
        {"teams/x/y/z.yaml", "it lies deeper than teams/; move it to teams/z.yaml"},
        {"teams/X.YAML", "its name ends in .YAML; rename it to X.yaml"},
        {"agents/x.Json", "its name ends in .Json; rename it to x.json"},
        {"config/mcp-servers.yaml", "of its name; rename it to mcp_servers.yaml"},
        {"config/Domain.YML", "of its name; rename it to domains.yml"},
        {"MCP.JSON", "of its name; rename it to mcp.json"},
        {"cadre.yml", "cadre.yaml is there too; keep one of them"},
        {"cadre.json", "cadre.yaml is there too; keep one of them"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.file);
        CHECK(said_of(c.file) == std::string(c.file) + ": warning: is not read, because " + c.says);
    }
    CHECK(
        checked({{"team/x.yaml", kTeam}, {"team/y.yaml", kTeam}, {"cadre.yaml", "version: 1.0.0\n"}}) ==
        "team/x.yaml: warning: is not read, because it lies in team/, and it is not alone there; rename the folder to "
        "teams/");
}

TEST_CASE("files that have nothing to do with us get no warning")
{
    for (const char* file :
         {"package.json", "tests/x.yaml", "work/x.yaml", "data/teams.yaml", "docs/team/x.yaml", "config/other.yaml",
          "agents/config/other.yaml", "team/notes.txt", "teams/x.txt", ".github/workflows/ci.yml", "configs/db.yaml",
          "src/agents/x.yaml", "teams/.hidden/x.yaml"}) {
        CAPTURE(file);
        CHECK(said_of(file, "a: 1\n") == "");
    }
    CHECK(said_of("agents/examples/shots.json", "[1, 2]") == "");
    CHECK(said_of("agents/examples/shots.yaml", "question: answer\n") == "");
}

TEST_CASE("a warning is for who asks about the folder, and changes no verdict")
{
    const Project project({{"cadre.yaml", "version: 1.0.0\n"}, {"team/x.yaml", kTeam}, {"teams/t.yaml", kTeam}});
    CHECK(project.checked({"teams"}) == "");
    CHECK(project.checked({"teams/t.yaml"}) == "");
    const auto result =
        check({.current = project.folder, .environment = [](const std::string&) { return std::nullopt; }});
    CHECK(result.findings.list().size() == 1);
    CHECK(result.findings.errors() == 0);
}

TEST_CASE("cadre.yml is a project file where there is no cadre.yaml")
{
    const Project project({{"cadre.yml", "team: x\n"}, {"prompts/a.j2", "x"}});
    CHECK(project.checked({}, "prompts") ==
          (project.folder / "cadre.yml").string() + ":1:7: team: unknown team \"x\"; define it in teams/");
}
