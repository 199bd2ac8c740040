#include "home/fork_files.hpp"

#include "storage/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>

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
