#include "storage/private_folder.hpp"

#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <set>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace cadre;
using namespace cadre::storage;
using test::error_of;

namespace {

namespace fs = std::filesystem;

mode_t mode_of(const fs::path& path)
{
    struct stat facts{};
    REQUIRE(::lstat(path.c_str(), &facts) == 0);
    return facts.st_mode & 0777;
}

}  // namespace

TEST_CASE("a private folder makes files and folders for its user alone")
{
    const TemporaryFolder home;
    PrivateFolder folder(home.path() / "task");
    folder.replace("a/b/one.json", "1");
    CHECK(folder.append("a/log", 0, "first\n"));
    CHECK(find_file(home.path() / "task/a/b/one.json") == "1");
    CHECK(mode_of(home.path() / "task/a/b/one.json") == 0600);
    CHECK(mode_of(home.path() / "task/a/log") == 0600);
    CHECK(mode_of(home.path() / "task/a/b") == 0700);
    CHECK(mode_of(home.path() / "task") == 0700);
    CHECK(folder.size_of([](const std::string& name) { return name == "a"; }) == 7);
    CHECK(folder.size_of([](const std::string&) { return false; }) == 0);
}

TEST_CASE("append cuts off what stands behind the known end, and refuses a file that is shorter")
{
    const TemporaryFolder home;
    PrivateFolder folder(home.path() / "task");
    CHECK(folder.append("log", 0, "one\n"));
    CHECK(folder.append("log", 4, "torn"));
    CHECK(folder.append("log", 4, "two\n"));
    CHECK(folder.read("log", 100) == "one\ntwo\n");
    CHECK_FALSE(folder.append("log", 9, "three\n"));
    CHECK_FALSE(folder.append("missing", 1, "x"));
    CHECK(folder.append("log", 0, "anew\n"));
    CHECK(folder.read("log", 100) == "anew\n");
    CHECK_FALSE(folder.read("log", 4));
}

TEST_CASE("links are replaced or refused, never followed")
{
    const TemporaryFolder home;
    const fs::path victim = home.path() / "victim";
    write_private_file(victim, "mine");
    fs::create_directory(home.path() / "elsewhere");
    PrivateFolder folder(home.path() / "task");
    for (const char* name : {"file", "log"}) fs::create_symlink(victim, home.path() / "task" / name);
    fs::create_directory_symlink(home.path() / "elsewhere", home.path() / "task/inner");

    folder.replace("file", "ours");
    CHECK_FALSE(folder.append("log", 4, "more"));
    CHECK(folder.append("log", 0, "ours"));
    CHECK(find_file(victim) == "mine");
    CHECK(error_of([&] { folder.replace("inner/file", "x"); }) == doctest::Contains("task/inner"));
    folder.remove("inner");
    CHECK(fs::is_directory(home.path() / "elsewhere"));
    CHECK_FALSE(fs::exists(home.path() / "task/inner"));

    fs::create_directory_symlink(home.path() / "elsewhere", home.path() / "other");
    CHECK(error_of([&] { PrivateFolder(home.path() / "other"); }) == doctest::Contains("other"));
}

TEST_CASE("remove takes a folder with all that is in it, and nothing is no failure")
{
    const TemporaryFolder home;
    PrivateFolder folder(home.path() / "task");
    folder.replace("a/b/c", "1");
    folder.replace("keep", "1");
    folder.remove("a");
    folder.remove("a");
    std::set<std::string> names;
    folder.each([&](const std::string& name) { names.insert(name); });
    CHECK(names == std::set<std::string>{"keep"});
    CHECK_FALSE(PrivateFolder::find(home.path() / "none"));
}

TEST_CASE("attack 10: remove takes a folder that was closed by whoever made it, as an ordinary user too")
{
    const TemporaryFolder home;
    constexpr uid_t kOrdinary = 65534;
    const bool is_root = ::geteuid() == 0;
    if (is_root) REQUIRE(::chown(home.path().c_str(), kOrdinary, kOrdinary) == 0);
    bool gone = false;
    std::string problem;
    std::thread ordinary([&] {
        if (is_root) ::setfsuid(kOrdinary);  // of this thread alone; modes bind it from here on
        try {
            PrivateFolder folder(home.path() / "tasks");
            folder.replace("one/open/shut/file", "x");
            folder.replace("one/dark/file", "x");
            fs::permissions(home.path() / "tasks/one/open/shut", fs::perms(0555));
            fs::permissions(home.path() / "tasks/one/open", fs::perms(0555));
            fs::permissions(home.path() / "tasks/one/dark", fs::perms(0));
            folder.remove("one");
            gone = !fs::exists(home.path() / "tasks/one");
        } catch (const std::exception& error) {
            problem = error.what();
        }
    });
    ordinary.join();
    CHECK(problem == "");
    CHECK(gone);
}

TEST_CASE("a draft is seen when it is whole, and what is there already stays")
{
    const TemporaryFolder home;
    const fs::path path = home.path() / "task";
    {
        auto left = PrivateFolder::draft(path);
        left.replace("old", "of a process that died");
    }
    auto draft = PrivateFolder::draft(path);
    draft.replace("a/one.json", "1");
    draft.replace("a/one.json", "2");
    CHECK(draft.append("log", 0, "first\n"));
    CHECK(draft.append("log", 6, "second\n"));
    CHECK_FALSE(PrivateFolder::find(path));
    CHECK(draft.publish());
    CHECK(find_file(path / "a/one.json") == "2");
    CHECK(find_file(path / "log") == "first\nsecond\n");
    CHECK(mode_of(path / "a/one.json") == 0600);
    CHECK(mode_of(path / "a") == 0700);
    CHECK(mode_of(path) == 0700);
    CHECK_FALSE(fs::exists(path / "old"));

    auto late = PrivateFolder::draft(path);
    late.replace("a/one.json", "3");
    CHECK_FALSE(late.publish());
    CHECK(find_file(path / "a/one.json") == "2");
    CHECK(std::distance(fs::directory_iterator(home.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("modes are exact, whatever the umask")
{
    const TemporaryFolder home;
    const mode_t before = ::umask(0377);
    auto draft = PrivateFolder::draft(home.path() / "task");
    draft.replace("a/file", "1");
    CHECK(draft.append("log", 0, "1"));
    CHECK(draft.publish());
    ::umask(before);
    CHECK(mode_of(home.path() / "task") == 0700);
    CHECK(mode_of(home.path() / "task/a") == 0700);
    CHECK(mode_of(home.path() / "task/a/file") == 0600);
    CHECK(mode_of(home.path() / "task/log") == 0600);
}
