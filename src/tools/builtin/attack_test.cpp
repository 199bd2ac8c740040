// Somebody else in the workspace: a tool's process that wants Cadre to read or write what it cannot itself.
#include "tools/builtin/files.hpp"
#include "tools/builtin/tool_call_fixture.hpp"
#include "tools/builtin/workspace.hpp"
#include "tools/builtin/workspace_path.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <atomic>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace cadre;
using namespace cadre::tools;
namespace fs = std::filesystem;

namespace {

constexpr const char* kSecret = "the secret outside";

/// All three tools at that path. Nothing of the outside may be told, and nothing there may change.
std::vector<Result> attack(const TestFolder& folder, const std::string& path)
{
    return {call(*read_file_tool(), {{"path", path}}, folder.workspace()),
            call(*list_files_tool(), {{"path", path}, {"recursive", true}}, folder.workspace()),
            call(*write_file_tool(), {{"path", path}, {"content", "written"}}, folder.workspace())};
}

void check_outside(const TestFolder& folder)
{
    CHECK(content_of(folder.outside() / "secret") == kSecret);
    CHECK(std::distance(fs::directory_iterator(folder.outside()), fs::directory_iterator()) == 1);
}

/// Runs `change` again and again on a thread, while `attack` runs `rounds` times.
void race(int rounds, const std::function<void()>& change, const std::function<void()>& attack)
{
    std::atomic<bool> done = false;
    std::atomic<int> changes = 0;
    std::jthread changer([&] {
        while (!done) {
            change();
            ++changes;
        }
    });
    while (changes == 0) std::this_thread::yield();
    for (int i = 0; i < rounds; ++i) attack();
    done = true;
}

/// What the tool says or why it refuses.
template <class F>
std::string outcome(F operation)
{
    try {
        return operation();
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("a path that could lead out of the workspace is refused by its looks")
{
    const TestFolder folder;
    put(folder.outside() / "secret", kSecret);
    const std::string deep = [] {
        std::string path = "a";
        for (int i = 0; i < 999; ++i) path += "/a";
        return path;
    }();
    struct {
        std::string path;
        const char* says;
    } const cases[] = {
        {"..", "leads upwards"},
        {"../outside/secret", "leads upwards"},
        {"a/../../outside/secret", "leads upwards"},
        {"./.././outside/secret", "leads upwards"},
        {"a/..", "leads upwards"},
        {folder.outside() / "secret", "is absolute"},
        {"/proc/self/environ", "is absolute"},
        {"/proc/self/root/etc/passwd", "is absolute"},
        {"//etc/passwd", "is absolute"},
        {std::string("a\0/../../outside/secret", 23), "has a control character"},
        {std::string("\0", 1), "has a control character"},
        {"a\nb", "has a control character"},
        {deep, "is more than 32 folders deep"},
        {std::string(300, 'x'), "has a name of more than 255 bytes"},
        {"a/" + std::string(256, 'x'), "has a name of more than 255 bytes"},
        {std::string(5000, 'x'), "has more than 2000 bytes"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.path);
        for (const Result& result : attack(folder, c.path)) {
            CHECK(result.is_error);
            CHECK(result.text.c_str() == doctest::Contains(c.says));
        }
    }
    CHECK(fs::is_empty(folder.workspace()));
    check_outside(folder);

    for (const char* fine : {"...", "a..b", "..a", "~", "C:", "a\\b", "*"}) CHECK(names_in(fine).size() == 1);
    CHECK(call(*write_file_tool(), {{"path", std::string(255, 'x')}, {"content", "x"}}, folder.workspace()).is_error ==
          false);
}

TEST_CASE("symbolic links are not followed, wherever they stand in a path")
{
    const TestFolder folder;
    put(folder.outside() / "secret", kSecret);
    put(folder.workspace() / "inside", "inside");
    fs::create_symlink(folder.outside() / "secret", folder.workspace() / "file");
    fs::create_symlink(folder.outside(), folder.workspace() / "folder");
    fs::create_symlink("../outside", folder.workspace() / "relative");
    fs::create_symlink("inside", folder.workspace() / "harmless");
    fs::create_symlink("loop", folder.workspace() / "loop");
    fs::create_symlink("/proc/self/root", folder.workspace() / "root");
    fs::create_symlink("/proc/self/cwd", folder.workspace() / "cwd");
    for (const char* path : {"file", "folder", "folder/secret", "folder/new", "relative/secret", "relative/new",
                             "harmless", "loop", "loop/x", "root", "root/etc/hostname", "cwd/x", "folder/sub/new"}) {
        CAPTURE(path);
        for (const Result& result : attack(folder, path)) {
            CHECK(result.is_error);
            CHECK(result.text.find(kSecret) == std::string::npos);
        }
        CHECK(attack(folder, path)[0].text.c_str() == doctest::Contains("symbolic link"));
    }
    CHECK(call(*list_files_tool(), {{"recursive", true}}, folder.workspace()).text ==
          "cwd (symbolic link, not followed)\nfile (symbolic link, not followed)\n"
          "folder (symbolic link, not followed)\nharmless (symbolic link, not followed)\ninside (6 bytes)\n"
          "loop (symbolic link, not followed)\nrelative (symbolic link, not followed)\nroot (symbolic link, not "
          "followed)");
    CHECK(content_of(folder.workspace() / "inside") == "inside");
    check_outside(folder);
}

TEST_CASE("a workspace that is itself a symbolic link is not opened")
{
    const TestFolder folder;
    put(folder.outside() / "secret", kSecret);
    fs::remove(folder.workspace());
    fs::create_directory_symlink(folder.outside(), folder.workspace());
    for (const Result& result : attack(folder, "secret")) {
        CHECK(result.is_error);
        CHECK(result.text.c_str() == doctest::Contains("The workspace cannot be opened"));
    }
    check_outside(folder);
}

TEST_CASE("a hard link to a file outside is neither read nor written to")
{
    const TestFolder folder;
    put(folder.outside() / "secret", kSecret);
    fs::create_hard_link(folder.outside() / "secret", folder.workspace() / "link");
    const auto results = attack(folder, "link");
    CHECK(results[0] ==
          Result{.text = "\"link\" has another name too (a hard link), so it is not read.", .is_error = true});
    CHECK(results[2].text == "Wrote 7 bytes to link.");  // a new file of that name
    CHECK(content_of(folder.workspace() / "link") == "written");
    check_outside(folder);
}

TEST_CASE("pipes, sockets and devices are neither waited for nor written to")
{
    const TestFolder folder;
    const auto pipe = folder.workspace() / "pipe", device = folder.workspace() / "device";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::vector<std::string> names{"pipe"};
    if (::mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0)
        names.emplace_back("device");  // root may: /dev/zero
    for (const std::string& name : names) {
        CAPTURE(name);
        const auto results = attack(folder, name);
        for (const Result& result : results) CHECK(result.is_error);
        CHECK(results[2].text == fmt::format("\"{}\" is not a regular file; choose another path.", name));
        CHECK(call(*list_files_tool(), {}, folder.workspace()).text.c_str() ==
              doctest::Contains((name + " (no regular file)").c_str()));
    }
    CHECK(attack(folder, "pipe")[0].text == "\"pipe\" is not a regular file; choose another path.");
}

TEST_CASE("a folder that turns into a link and back while it is used never leads outside")
{
    const TestFolder folder;
    put(folder.outside() / "secret", kSecret);
    const auto real = folder.workspace() / "d", link = folder.workspace() / "l";
    fs::create_directory(real);
    put(real / "secret", "harmless");
    fs::create_directory_symlink(folder.outside(), link);

    int round = 0;
    race(
        500, [&] { ::renameat2(AT_FDCWD, real.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE); },
        [&] {
            Workspace workspace(folder.workspace());
            const std::string text = outcome([&] { return workspace.read("d/secret", 0, 1000).bytes; });
            CHECK(text != kSecret);
            outcome([&] { return workspace.write(fmt::format("d/new{}", round % 10), "x", "key"); });
            outcome([&] { return workspace.write(fmt::format("d/sub{}/new", ++round % 10), "x", "key"); });
            for (const Entry& entry : workspace.list("", true, 1000).entries)
                CHECK(entry.size != std::string_view(kSecret).size());
        });
    check_outside(folder);
}

TEST_CASE("a file that turns into a link and back while it is used never shows the outside")
{
    const TestFolder folder;
    put(folder.outside() / "secret", kSecret);
    const auto secret = folder.outside() / "secret", real = folder.workspace() / "f", link = folder.workspace() / "l";
    put(real, "harmless");
    fs::create_symlink(secret, link);

    race(
        60, [&] { ::renameat2(AT_FDCWD, real.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE); },
        [&] {
            Workspace workspace(folder.workspace());
            const std::string text = outcome([&] { return workspace.read("f", 0, 1000).bytes; });
            CHECK(text != kSecret);
        });
    race(
        1000,
        [&] {
            ::unlink(link.c_str());
            ::symlink(secret.c_str(), link.c_str());
        },
        [&] { outcome([&] { return Workspace(folder.workspace()).write("l", "x", "key"); }); });
    check_outside(folder);
}

TEST_CASE("a hard link that comes and goes while it is read does not show the outside")
{
    const TestFolder folder;
    const auto secret = folder.outside() / "secret", link = folder.workspace() / "f";
    put(secret, kSecret);
    race(
        100,
        [&] {
            ::link(secret.c_str(), link.c_str());
            ::unlink(link.c_str());
        },
        [&] {
            const std::string text = outcome([&] { return Workspace(folder.workspace()).read("f", 0, 1000).bytes; });
            CHECK(text != kSecret);
        });
    // whether the two met is chance; that one which stays is refused is not
    REQUIRE(::link(secret.c_str(), link.c_str()) == 0);
    const std::string text = outcome([&] { return Workspace(folder.workspace()).read("f", 0, 1000).bytes; });
    CHECK(text.find("hard link") != std::string::npos);
    check_outside(folder);
}
