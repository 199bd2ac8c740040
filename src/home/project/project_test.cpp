#include "home/project/project.hpp"

#include "base/error.hpp"
#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace cadre;
using namespace cadre::home;
using test::error_of;

namespace {

namespace fs = std::filesystem;

/// A folder with a home and projects in it, and a process without variables.
struct Folders {
    storage::TemporaryFolder temporary;
    fs::path root = temporary.path();
    fs::path home = root / "home";
    Place place{.folder = root, .environment = [](const std::string&) { return std::nullopt; }};

    fs::path write(const std::string& name, const std::string& text) const
    {
        const fs::path file = root / name;
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
        return file;
    }
    /// As if it had been written a while later: file systems count time in steps.
    void rewrite(const std::string& name, const std::string& text) const
    {
        const auto before = fs::last_write_time(root / name);
        write(name, text);
        fs::last_write_time(root / name, before + std::chrono::seconds(1));
    }
};

}  // namespace

TEST_CASE("project: two at once have their own variables, providers and servers")
{
    const Folders at;
    at.write("one/cadre.yaml", "model: openai/gpt-5-mini\n");
    at.write("one/.env", "OPENAI_API_KEY=first\n");
    at.write("one/config/mcp_servers.yaml",
             "servers:\n  - name: files\n    transport: stdio\n    config: {command: cat}\n");
    at.write("two/cadre.yaml", "model: openai/gpt-5\n");
    at.write("two/.env", "OPENAI_API_KEY=second\n");
    at.write("two/config/providers.yaml", "providers:\n  openai:\n    base_url: https://proxy.example/v1\n");

    Projects projects(at.place, at.home);
    const auto one = projects.open(at.root / "one");
    const auto two = projects.open(at.root / "two");
    CHECK(one->settings().model == "openai/gpt-5-mini");
    CHECK(two->settings().model == "openai/gpt-5");
    CHECK(one->variable("OPENAI_API_KEY") == "first");
    CHECK(two->variables()("OPENAI_API_KEY") == "second");
    CHECK(one->providers().providers.find("openai")->base_url != "https://proxy.example/v1");
    CHECK(two->providers().providers.find("openai")->base_url == "https://proxy.example/v1");
    REQUIRE(one->servers().size() == 1);
    CHECK(one->servers()[0].name == "files");
    CHECK(two->servers().empty());
}

TEST_CASE("project: a snapshot is another one once a file has changed, come or gone, and only then")
{
    const Folders at;
    at.write("p/cadre.yaml", "model: openai/a\n");
    at.write("p/.env", "OPENAI_API_KEY=before\n");
    Projects projects(at.place, at.home);
    const auto first = projects.open(at.root / "p");
    CHECK(projects.open(at.root / "p") == first);

    at.rewrite("p/.env", "OPENAI_API_KEY=after\n");
    CHECK(projects.current(at.root / "p") == first);
    const auto second = projects.open(at.root / "p");
    CHECK(second != first);
    CHECK(first->variable("OPENAI_API_KEY") == "before");
    CHECK(second->variable("OPENAI_API_KEY") == "after");

    const fs::path file = at.write("p/config/mcp_servers.yaml",
                                   "servers:\n  - name: a\n    transport: stdio\n    config: {command: cat}\n");
    const auto third = projects.open(at.root / "p");
    CHECK(third->servers().size() == 1);
    fs::remove(file);
    CHECK(projects.open(at.root / "p")->servers().empty());
}

TEST_CASE("project: a file that became faulty is told with its place, and the old snapshot stays")
{
    const Folders at;
    at.write("p/cadre.yaml", "model: openai/a\n");
    Projects projects(at.place, at.home);
    const auto whole = projects.open(at.root / "p");
    at.rewrite("p/cadre.yaml", "model: [half\n");
    CHECK(error_of([&] { projects.open(at.root / "p"); }) == doctest::Contains("p/cadre.yaml:"));
    CHECK(projects.current(at.root / "p") == whole);
    at.rewrite("p/cadre.yaml", "model: openai/b\n");
    CHECK(projects.open(at.root / "p")->settings().model == "openai/b");
}

TEST_CASE("project: faulty servers or providers are the problem of those who need them")
{
    const Folders at;
    at.write("p/cadre.yaml", "model: openai/a\n");
    at.write("p/config/mcp_servers.yaml", "servers: 5\n");
    at.write("home/config/providers.yaml", "openai: 5\n");
    const Project project(at.place, at.root / "p", at.home);
    CHECK(project.settings().model == "openai/a");
    CHECK(error_of([&] { project.servers(); }) == doctest::Contains("p/config/mcp_servers.yaml:1:"));
    CHECK(error_of([&] { project.providers(); }) == doctest::Contains("home/config/providers.yaml:1:"));
}

TEST_CASE("project: the home is the variable's, the project's, or the default, and always an absolute path")
{
    Folders at;
    at.write("p/cadre.yaml", "home: data\n");
    const auto home_with = [&](std::map<std::string, std::string> variables) {
        at.place.environment = [variables](const std::string& name) {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        };
        return Project(at.place, at.root / "p").home();
    };
    CHECK(home_with({{"HOME", "/somebody"}}) == at.root / "p/data");
    CHECK(home_with({{"HOME", "/somebody"}, {"CADRE_HOME", "/elsewhere"}}) == "/elsewhere");
    CHECK(error_of([&] { home_with({{"CADRE_HOME", "here"}}); }) == doctest::Contains("not an absolute path"));
    at.rewrite("p/cadre.yaml", "model: openai/a\n");
    CHECK(home_with({{"HOME", "/somebody"}}) == "/somebody/.multi-agent");
    CHECK(error_of([&] { home_with({}); }) == doctest::Contains("neither CADRE_HOME nor HOME"));
}
