#include "cli/new_files.hpp"

#include "cli/environment.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <unistd.h>

using namespace cadre::cli;
namespace fs = std::filesystem;

namespace {

/// A folder of its own that goes away again.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("cadre_new_files_test_" + std::to_string(::getpid()));

    Folder()
    {
        fs::remove_all(path);
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
};

}  // namespace

TEST_CASE("files that are made together are all there, or none of them is")
{
    const Folder folder;
    {
        NewFiles made;
        made.folder(folder.path / "a/b");
        made.file(folder.path / "a/b/one", "1");
        made.whole_folder(folder.path / "a/c");
        std::ofstream(folder.path / "a/c/by_others") << "2";
    }
    CHECK(fs::is_empty(folder.path));
    {
        NewFiles made;
        made.folder(folder.path / "a");
        made.file(folder.path / "a/one", "1");
        made.keep();
    }
    CHECK(file_text(folder.path / "a/one") == "1");
}

TEST_CASE("a file that appeared meanwhile is neither overwritten nor taken away")
{
    const Folder folder;
    fs::create_directories(folder.path / "theirs");
    {
        NewFiles made;
        made.folder(folder.path / "theirs");
        made.folder(folder.path / "ours");
        made.file(folder.path / "ours/one", "1");
        std::ofstream(folder.path / "ours/two") << "mine";
        CHECK(cadre::test::error_of([&] { made.file(folder.path / "ours/two", "2"); }) ==
              doctest::Contains("two is already there"));
    }
    CHECK(file_text(folder.path / "ours/two") == "mine");
    CHECK_FALSE(fs::exists(folder.path / "ours/one"));
    CHECK(fs::exists(folder.path / "theirs"));
}
