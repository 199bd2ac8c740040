#include "config/project.hpp"

#include "config/file_kind.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace cadre::config;
namespace fs = std::filesystem;

namespace {

/// A folder of its own that goes away again.
class Folder {
public:
    Folder() : path(fs::temp_directory_path() / ("cadre_project_test_" + std::to_string(::getpid())))
    {
        fs::remove_all(path);
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }

    fs::path write(const fs::path& name, std::string_view text = "a: 1\n") const
    {
        fs::create_directories((path / name).parent_path());
        std::ofstream(path / name) << text;
        return path / name;
    }

    const fs::path path;
};

}  // namespace

TEST_CASE("the project is the nearest folder upwards with a cadre.yaml, else the folder itself")
{
    const Folder folder;
    fs::create_directories(folder.path / "a/b/c");
    CHECK(find_project(folder.path / "a/b/c") == folder.path / "a/b/c");
    folder.write("cadre.yaml");
    CHECK(find_project(folder.path / "a/b/c") == folder.path);
    folder.write("a/b/cadre.yaml");
    CHECK(find_project(folder.path / "a/b/c") == folder.path / "a/b");
}

TEST_CASE("the home is $CADRE_HOME, or ~/.multi-agent")
{
    const auto given = [](std::map<std::string, std::string> values) {
        return find_home([values](const std::string& name) -> std::optional<std::string> {
            const auto found = values.find(name);
            return found == values.end() ? std::nullopt : std::optional(found->second);
        });
    };
    CHECK(given({{"CADRE_HOME", "/x"}, {"HOME", "/home/ann"}}) == fs::path("/x"));
    CHECK(given({{"HOME", "/home/ann"}}) == fs::path("/home/ann/.multi-agent"));
    CHECK_FALSE(given({}));
}

TEST_CASE("a name is looked for in the project, then in the home, and leads nowhere else")
{
    const Folder folder;
    const fs::path project = folder.path / "project", home = folder.path / "home";
    const auto in_home = folder.write("home/agents/writer.json");
    CHECK(find_file(FileKind::agent, "writer", project, home) == in_home);
    const auto in_project = folder.write("project/agents/writer.yaml");
    CHECK(find_file(FileKind::agent, "writer", project, home) == in_project);
    CHECK_FALSE(find_file(FileKind::team, "writer", project, home));
    CHECK_FALSE(find_file(FileKind::agent, "writer", home / "x", std::nullopt));
    folder.write("secret.yaml");
    for (const char* name : {"", "../secret", "../../secret", "/etc/passwd", ".hidden", "a/b"})
        CHECK_FALSE(find_file(FileKind::agent, name, project, home));
}

TEST_CASE("a project's files are those of known names and places")
{
    const Folder folder;
    for (const char* name :
         {"cadre.yaml", "notes.yaml", "package.json", "teams/b.yaml", "teams/a.json", "teams/a.txt", "agents/x.json",
          "agents/config/channels.yaml", "agents/config/other.yaml", "workflows/w.yml", "config/domains.yaml",
          "config/random.yaml", ".mcp.json", "deep/teams/c.yaml"})
        folder.write(name);
    std::vector<std::string> found;
    for (const fs::path& file : files_of(folder.path)) found.push_back(file.lexically_relative(folder.path).string());
    CHECK(found == std::vector<std::string>{".mcp.json", "cadre.yaml", "teams/a.json", "teams/b.yaml", "agents/x.json",
                                            "workflows/w.yml", "config/domains.yaml", "agents/config/channels.yaml"});
}

TEST_CASE("a search for projects that was cut short says so, and has those that are near")
{
    const Folder folder;
    for (const char* name : {"a/b/c/cadre.yaml", "z/cadre.json", "z/y/cadre.yml", ".git/cadre.yaml"})
        folder.write(name);
    const auto all = projects_below(folder.path);
    CHECK(all.complete);
    CHECK(all.projects == std::vector{folder.path / "a/b/c", folder.path / "z", folder.path / "z/y"});
    const auto some = projects_below(folder.path, 4);  // itself, a, z, a/b
    CHECK_FALSE(some.complete);
    CHECK(some.projects == std::vector{folder.path / "z"});
}

TEST_CASE("what a file is follows from its name, its folder, then its content")
{
    CHECK(kind_by_name("x/cadre.yaml") == FileKind::project);
    CHECK(kind_by_name("agents/config/channels.yaml") == FileKind::channels);
    CHECK(kind_by_name("agents/channels.yaml") == FileKind::channels);
    CHECK(kind_by_name("agents/writer.json") == FileKind::agent);
    CHECK(kind_by_name("teams/x.yaml") == FileKind::team);
    CHECK(kind_by_name("appsettings.Development.json") == FileKind::appsettings);
    CHECK_FALSE(kind_by_name("somewhere/x.yaml"));
    const auto by_content = [](const char* text) { return kind_by_content(boost::json::parse(text)); };
    CHECK(by_content(R"({"mcpServers":{}})") == FileKind::mcp_servers);
    CHECK(by_content(R"({"name":"x","agents":[]})") == FileKind::team);
    CHECK(by_content(R"({"mcpServers":{},"name":"x","agents":[]})") == FileKind::team);
    CHECK(by_content(R"({"name":"x","nodes":{}})") == FileKind::workflow);
    CHECK(by_content(R"({"name":"x","prompt":"y"})") == FileKind::agent);
    CHECK_FALSE(by_content(R"({"hello":1})"));
    CHECK_FALSE(by_content("[]"));
}
