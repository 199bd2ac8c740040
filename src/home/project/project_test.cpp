#include "home/project/project.hpp"

#include "base/error.hpp"
#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <string>

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

TEST_CASE(
    "project: while two are open, what becomes faulty in one is told with its place and changes nothing for either")
{
    const std::map<std::string, std::string> whole{
        {"cadre.yaml", "model: openai/a\n"},
        {".env", "OPENAI_API_KEY=first\n"},
        {"config/mcp_servers.yaml", "servers:\n  - name: files\n    transport: stdio\n    config: {command: cat}\n"},
        {"config/providers.yaml", "providers:\n  mine: {base_url: https://a.example/v1}\n"}};
    struct {
        const char *file, *text, *says;
    } const cases[] = {
        {"cadre.yaml", "model: [half\n", "one/cadre.yaml:1:8: "},
        {"cadre.yaml", "modle: openai/a\n", "one/cadre.yaml:1:1: "},
        {".env", "OPENAI_API_KEY=first\nno equals sign\n", "one/.env:2:1: "},
        {"config/mcp_servers.yaml", "servers:\n  - name: files\n    trans", "one/config/mcp_servers.yaml:"},
        {"config/providers.yaml", "providers:\n  mine: {base_url: nowhere}\n", "one/config/providers.yaml:2:20: "},
    };
    for (const auto& c : cases) {
        CAPTURE(c.file);
        const Folders at;
        for (const auto& [name, text] : whole) {
            at.write("one/" + name, text);
            at.write("two/" + name, text);
        }
        Projects projects(at.place, at.home);
        const auto one = projects.open(at.root / "one"), two = projects.open(at.root / "two");
        const auto use = [&] {
            const auto fresh = projects.open(at.root / "one");
            fresh->servers();
            fresh->providers();
        };
        at.rewrite("one/" + std::string(c.file), c.text);
        for (int i = 0; i < 2; ++i) {  // who needs what is faulty is told each time
            CHECK(error_of(use) == doctest::Contains(c.says));
            CHECK(projects.current(at.root / "one") == one);
            CHECK(projects.open(at.root / "two") == two);
            CHECK(one->servers().size() == 1);
            CHECK(one->providers().providers.find("mine"));
        }
        at.rewrite("one/" + std::string(c.file), whole.at(c.file));
        CHECK(error_of(use) == "");
        CHECK(projects.current(at.root / "one")->is_current());
    }
}

TEST_CASE("project: one whose project file is gone is not taken for the project around it")
{
    const Folders at;
    at.write("cadre.yaml", "model: openai/outer\n");
    at.write("p/cadre.yaml", "model: openai/inner\n");
    Projects projects(at.place, at.home);
    const auto inner = projects.open(at.root / "p");
    fs::rename(at.root / "p/cadre.yaml", at.root / "p/away.yaml");
    CHECK(error_of([&] { projects.open(at.root / "p"); }) ==
          doctest::Contains("p/cadre.yaml: does not exist any more"));
    CHECK(projects.current(at.root / "p") == inner);
    fs::rename(at.root / "p/away.yaml", at.root / "p/cadre.yaml");
    CHECK(projects.open(at.root / "p") == inner);
}

TEST_CASE("project: accounts are its own, else those of the home, and stay as they were while the file is faulty")
{
    const auto account = [](const std::string& token) {
        return "public_url: https://cadre.example\naccounts:\n  sms: {vendor: twilio, channel: sms, account_sid: AC1, "
               "auth_token: \"" +
               token + "\", from: \"+1\"}\n";
    };
    const Folders at;
    at.write("p/cadre.yaml", "model: openai/a\n");
    at.write("p/.env", "OWN_TOKEN=own\nHOME_TOKEN=of-the-home\n");
    Projects projects(at.place, at.home);
    CHECK(projects.open(at.root / "p")->accounts().accounts.empty());
    at.write("home/config/accounts.yaml", account("${HOME_TOKEN}"));
    CHECK(projects.open(at.root / "p")->accounts().accounts.find("sms")->auth_token == "of-the-home");
    at.write("p/config/accounts.yaml", account("${OWN_TOKEN}"));
    CHECK(projects.open(at.root / "p")->accounts().accounts.find("sms")->auth_token == "own");
    at.rewrite("p/config/accounts.yaml", account("${NO_SUCH_TOKEN}"));
    CHECK(error_of([&] { projects.open(at.root / "p")->accounts(); }) ==
          doctest::Contains("the variable NO_SUCH_TOKEN is not set"));
    CHECK(projects.current(at.root / "p")->accounts().accounts.find("sms")->auth_token == "own");
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
