#include "net/local_socket.hpp"

#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "net/loop.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace cadre;
namespace fs = std::filesystem;

namespace {

class Folder {
public:
    Folder()
    {
        std::string name = (fs::temp_directory_path() / "cadre_XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path_); }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

Async<> echo(net::LocalListener& listener)
{
    net::LocalSocket socket = co_await listener.accept();
    while (const auto line = co_await socket.read_line(1 << 20)) co_await socket.write(*line + "\n");
}

Async<> talk(net::Loop& loop, fs::path file)
{
    net::LocalListener listener(loop, file);
    struct stat entry{};
    REQUIRE(::stat(file.c_str(), &entry) == 0);
    CHECK((entry.st_mode & 0777) == 0600);

    AsyncScope scope(co_await this_context());
    scope.spawn(echo(listener));
    auto socket = co_await net::connect_local(loop, file);
    REQUIRE(socket.has_value());
    CHECK(co_await socket->write("one\ntwo\n\n"));
    CHECK(co_await socket->read_line(10) == "one");
    CHECK(co_await socket->read_line(10) == "two");
    CHECK(co_await socket->read_line(10) == "");
    const std::string long_line(300'000, 'x');
    CHECK(co_await socket->write(long_line + "\n"));
    CHECK(co_await socket->read_line(300'000) == long_line);
    socket->close();
    CHECK(co_await socket->read_line(10) == std::nullopt);
    co_await scope.join();  // the other end has noticed
}

Async<> too_long(net::Loop& loop, fs::path file)
{
    net::LocalListener listener(loop, file);
    AsyncScope scope(co_await this_context());
    scope.spawn(echo(listener));
    auto socket = co_await net::connect_local(loop, file);
    CHECK(co_await socket->write("123456789\n"));
    co_await socket->read_line(8);
}

}  // namespace

TEST_CASE("local socket: lines go both ways, and the end is noticed")
{
    const Folder folder;
    net::Loop loop;
    const fs::path file = folder.path() / "s";
    run(loop, talk(loop, file));
    CHECK_FALSE(fs::exists(file));
}

TEST_CASE("local socket: a path may be longer than a socket's address")
{
    const Folder folder;
    const fs::path deep = folder.path() / std::string(100, 'a') / std::string(100, 'b');
    fs::create_directories(deep);
    net::Loop loop;
    run(loop, talk(loop, deep / "control.sock"));
}

TEST_CASE("local socket: a line over the limit is refused")
{
    const Folder folder;
    net::Loop loop;
    CHECK(test::error_of([&] { run(loop, too_long(loop, folder.path() / "s")); }) ==
          doctest::Contains("more than 8 bytes"));
}

TEST_CASE("local socket: nobody there is no failure, and a dead listener's file is in nobody's way")
{
    const Folder folder;
    net::Loop loop;
    const fs::path file = folder.path() / "s";
    CHECK_FALSE(run(loop, net::connect_local(loop, file)).has_value());
    {
        const net::LocalListener listener(loop, file);
        fs::rename(file, folder.path() / "dead");
    }
    CHECK_FALSE(run(loop, net::connect_local(loop, folder.path() / "dead")).has_value());
    fs::rename(folder.path() / "dead", file);
    run(loop, talk(loop, file));
}
