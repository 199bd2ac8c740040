#include "config/project_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre::config;

namespace {

std::string with_template(const std::string& path)
{
    return "name: a\nrole: Works.\nprompt_template: " + path + "\n";
}

}  // namespace

TEST_CASE("a project names only files inside of it, whatever way leads out")
{
    const std::string out = ", and a project names only files inside of it; ";
    const std::string copy = "copy the file into the project and write its path from there";
    struct {
        std::string path, says;
    } const cases[] = {
        {"here.j2", ""},
        {"prompts/x.j2", ""},
        {"../prompts/x.j2", ""},
        {"./../prompts/../prompts/x.j2", ""},
        {"../prompts/missing.j2", "does not exist, neither beside this file nor in the project"},
        {"/etc/hostname", "is an absolute path" + out + copy},
        {"../../outside.j2", "leads out of the project" + out + copy},
        {"../../nowhere.j2", "leads out of the project" + out + copy},
        {"prompts/link.j2", "is a link that leads out of the project" + out + "put the file itself there"},
        {"linked/outside.j2", "is a link that leads out of the project" + out + "put the file itself there"},
        {"prompts/inner.j2", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.path);
        const Project project({{"outside.j2", "x"},
                               {"p/cadre.yaml", "version: 1.0.0\n"},
                               {"p/prompts/x.j2", "x"},
                               {"p/prompts/link.j2", "-> ../../outside.j2"},
                               {"p/prompts/inner.j2", "-> x.j2"},
                               {"p/linked", "-> .."},
                               {"p/agents/here.j2", "x"},
                               {"p/agents/a.yaml", with_template(c.path)}});
        CHECK(project.checked({}, "p") ==
              (c.says.empty() ? "" : "agents/a.yaml:3:18: prompt_template: the template \"" + c.path + "\" " + c.says));
    }
}

TEST_CASE("a custom tool's program lies in the project too")
{
    const auto said = [](const std::string& path) {
        return checked(
            {{"tools/x.py", "x"},
             {"team.yaml", "name: t\ndescription: d\ndefault_llm: {}\nagents: [{name: a, role: r, prompt: p}]\n"
                           "tools: [{name: x, type: custom, path: " +
                               path + "}]\n"}});
    };
    CHECK(said("tools/x.py") == "");
    CHECK(said("python3").find("the program \"python3\" does not exist") != std::string::npos);
    CHECK(said("/bin/sh").find("the program \"/bin/sh\" is an absolute path") != std::string::npos);
    CHECK(said("../../bin/sh").find("the program \"../../bin/sh\" leads out of the project") != std::string::npos);
}

TEST_CASE("what lies in the home is the home's: its own files are inside of it")
{
    const Project project({{"home/agents/a.yaml", with_template("../prompts/x.j2")}, {"home/prompts/x.j2", "x"}});
    CHECK(project.checked({}, "home", {{"CADRE_HOME", (project.folder / "home").string()}}) == "");
}
