#include "storage/home.hpp"

#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using namespace cadre::storage;
using test::error_of;

namespace {

unsigned mode_of(const std::filesystem::path& path)
{
    struct stat facts{};
    REQUIRE(::stat(path.c_str(), &facts) == 0);
    return facts.st_mode & 07777;
}

}  // namespace

TEST_CASE("the home folder is made when it is missing, for its user alone, whatever the umask")
{
    const TemporaryFolder temporary;
    const auto home = temporary.path() / "deep" / "home";
    for (const mode_t mask : {0000, 0777}) {
        CAPTURE(mask);
        std::filesystem::remove_all(temporary.path() / "deep");
        const mode_t before = ::umask(mask);
        const bool locked = HomeLock::try_acquire(home).has_value();
        ::umask(before);
        CHECK(locked);
        CHECK(mode_of(home) == 0700);
        CHECK(mode_of(home / "lock") == 0600);
    }
}

TEST_CASE("a home has one owner at a time, whom the others can name")
{
    const TemporaryFolder home;
    {
        auto mine = HomeLock::try_acquire(home.path());
        REQUIRE(mine);
        CHECK_FALSE(HomeLock::try_acquire(home.path()));
        CHECK(owner_pid(home.path()) == ::getpid());
        HomeLock moved = std::move(*mine);
        CHECK_FALSE(HomeLock::try_acquire(home.path()));
    }
    CHECK_FALSE(owner_pid(home.path()));
    CHECK(HomeLock::try_acquire(home.path()));
}

TEST_CASE("a killed owner leaves the home free")
{
    const TemporaryFolder home;
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto lock = HomeLock::try_acquire(home.path());
        if (::write(ready[1], lock ? "y" : "n", 1) == 1) ::pause();
        ::_exit(1);
    }
    char owns = 0;
    REQUIRE(::read(ready[0], &owns, 1) == 1);
    CHECK(owns == 'y');
    CHECK_FALSE(HomeLock::try_acquire(home.path()));
    CHECK(owner_pid(home.path()) == child);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    CHECK(HomeLock::try_acquire(home.path()));
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_CASE("a home that cannot be made is named")
{
    const TemporaryFolder temporary;
    write_private_file(temporary.path() / "file", "");
    CHECK(error_of([&] { HomeLock::try_acquire(temporary.path() / "file" / "home"); }) ==
          doctest::Contains("unavailable: cannot make the folder"));
}

TEST_CASE(
    "attacks 20 and 21: a folder that others share, or own, is not made a home, and a home that was opened is closed")
{
    const TemporaryFolder temporary;
    const auto shared = temporary.path() / "shared";
    std::filesystem::create_directory(shared);
    write_private_file(shared / "theirs", "x");
    for (const unsigned mode : {01777u, 0777u}) {
        REQUIRE(::chmod(shared.c_str(), mode) == 0);
        CHECK(error_of([&] { HomeLock::try_acquire(shared); }) == doctest::Contains("is open to others"));
        CHECK(mode_of(shared) == mode);
    }

    const auto home = temporary.path() / "home";
    REQUIRE(HomeLock::try_acquire(home));
    write_private_file(home / "cadre.db", "x");
    REQUIRE(::chmod(home.c_str(), 0777) == 0);
    REQUIRE(::chmod((home / "cadre.db").c_str(), 0666) == 0);
    REQUIRE(HomeLock::try_acquire(home));
    CHECK(mode_of(home) == 0700);
    CHECK(mode_of(home / "cadre.db") == 0600);

    if (::geteuid() != 0) return;
    REQUIRE(::chown(home.c_str(), 65534, 65534) == 0);
    CHECK(error_of([&] { HomeLock::try_acquire(home); }) == doctest::Contains("belongs to another user"));
}
