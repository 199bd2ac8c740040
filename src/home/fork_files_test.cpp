#include "home/fork_files.hpp"

#include "storage/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <sys/stat.h>

using namespace cadre;
using namespace cadre::home;

namespace fs = std::filesystem;

TEST_CASE("only files below the folder are removed, whatever a tool called them")
{
    const storage::TemporaryFolder place;
    const fs::path folder = place.path() / "artifacts", outside = place.path() / "outside";
    fs::create_directories(folder / "reports");
    fs::create_directories(outside);
    for (const fs::path& file : {folder / "a", folder / "b", folder / "reports/c", outside / "d", place.path() / "e"})
        std::ofstream(file) << "x";
    fs::create_directory_symlink(outside, folder / "link");
    remove_below(folder, {"a", "reports/c", "link/d", "../e", "../outside/d", (outside / "d").string(), "missing", ""});
    CHECK(!fs::exists(folder / "a"));
    CHECK(!fs::exists(folder / "reports/c"));
    CHECK(fs::exists(folder / "b"));
    CHECK(fs::exists(outside / "d"));
    CHECK(fs::exists(place.path() / "e"));
    remove_below(place.path() / "nowhere", {"a"});
}

TEST_CASE("attacks 11 and 26: a copy keeps holes and links, and leaves out what is no file")
{
    const storage::TemporaryFolder place;
    const fs::path from = place.path() / "from", to = place.path() / "to";
    fs::create_directories(from / "deep");
    std::ofstream(from / "deep/text") << "hello";
    std::ofstream(from / "sparse") << "begin";
    fs::resize_file(from / "sparse", 255 << 20);
    std::fstream(from / "sparse", std::ios::in | std::ios::out).seekp(100 << 20).write("middle", 6);
    fs::create_symlink("deep/text", from / "link");
    REQUIRE(::mkfifo((from / "pipe").c_str(), 0600) == 0);
    copy_folder(from, to);
    CHECK(!fs::exists(fs::symlink_status(to / "pipe")));
    CHECK(fs::read_symlink(to / "link") == "deep/text");
    CHECK(fs::file_size(to / "sparse") == 255u << 20);
    struct stat facts{};
    REQUIRE(::stat((to / "sparse").c_str(), &facts) == 0);
    CHECK(facts.st_blocks * 512 < 1 << 20);
    std::string middle(6, ' ');
    std::ifstream(to / "sparse").seekg(100 << 20).read(middle.data(), 6);
    CHECK(middle == "middle");
    std::string text;
    std::ifstream(to / "deep/text") >> text;
    CHECK(text == "hello");
}
