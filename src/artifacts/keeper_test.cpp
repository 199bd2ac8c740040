#include "artifacts/keeper.hpp"

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "storage/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace cadre;
using namespace cadre::artifacts;
namespace fs = std::filesystem;

namespace {

const std::string kTask = "11111111-1111-4111-8111-111111111111", kOther = "22222222-2222-4222-8222-222222222222";

struct House {
    explicit House(Limits limits = {}) : keeper(home.path(), limits) {}

    fs::path files(const std::string& task = kTask) const { return home.path() / task / "artifacts"; }
    fs::path blobs(const std::string& task = kTask) const { return home.path() / task / "blobs"; }
    void write(const std::string& path, const std::string& text, const std::string& task = kTask) const
    {
        fs::create_directories((files(task) / path).parent_path());
        std::ofstream(files(task) / path, std::ios::binary) << text;
    }
    std::string text_of(const fs::path& file) const
    {
        std::ostringstream text;
        text << std::ifstream(file, std::ios::binary).rdbuf();
        return text.str();
    }
    Found all(const std::string& task = kTask) { return keeper.collect(task, {}, true); }
    std::size_t kept(const std::string& task = kTask) const
    {
        std::size_t count = 0;
        for (const auto& file : fs::directory_iterator(blobs(task))) count += file.is_regular_file() ? 1 : 0;
        return count;
    }

    storage::TemporaryFolder home;
    Keeper keeper;
};

std::vector<std::string> paths_of(const Found& found)
{
    std::vector<std::string> paths;
    for (const KeptFile& file : found.files) paths.push_back(file.path);
    return paths;
}

History history_of(std::initializer_list<std::string> contents, const std::string& path)
{
    History history;
    for (const std::string& content : contents)
        history.versions.push_back({.path = path,
                                    .version = static_cast<int>(history.versions.size()) + 1,
                                    .sha256 = to_hex(sha256(content)),
                                    .size = static_cast<std::int64_t>(content.size()),
                                    .mime_type = "text/plain",
                                    .by = "write_file"});
    return history;
}

}  // namespace

TEST_CASE(
    "keeper: what a pattern saves is kept under its hash, in the folder of its kind, and read back whole")  // STEP-31 F
{
    House house;
    const KeptFile kept = house.keeper.keep(kTask, {.path = "main.py", .content = "print(1)"});
    CHECK(kept.path == "code/main.py");
    CHECK(kept.mime_type == "text/x-python");
    CHECK(kept.sha256 == to_hex(sha256("print(1)")));
    CHECK(house.keeper.read(kTask, kept.sha256) == "print(1)");
    CHECK_FALSE(fs::exists(house.files()));  // that is put()'s work
    house.keeper.put(kTask, kept.path, kept.sha256);
    CHECK(house.text_of(house.files() / "code/main.py") == "print(1)");
    CHECK(house.keeper.keep(kTask, {.path = "notes/a.md", .content = "x"}).path == "notes/a.md");
    CHECK(house.keeper.keep(kTask, {.path = "chart", .content = "x", .mime_type = "image/png"}).path == "media/chart");
    CHECK(house.kept() == 2);  // the same content is the same blob
    CHECK_THROWS_WITH_AS(house.keeper.keep(kTask, {.path = "../x"}), doctest::Contains("leads upwards"), Error);
    CHECK_THROWS_WITH_AS(house.keeper.keep(kTask, {.path = "x", .mime_type = "a\r\nb"}),
                         doctest::Contains("is not a media type"), Error);
}

TEST_CASE("keeper: what a tool has left is found, kept, and read again only when it has changed")
{
    House house;
    CHECK(house.all().files.empty());
    CHECK(house.all().is_all);
    house.write("a.txt", "one");
    house.write("deep/er/b.bin", std::string(5 << 20, 'x'));  // more than is read at once
    const Found first = house.all();
    CHECK(paths_of(first) == std::vector<std::string>{"a.txt", "deep/er/b.bin"});
    CHECK(first.files[0].sha256 == to_hex(sha256("one")));
    CHECK(first.files[1].size == 5 << 20);
    CHECK(house.keeper.read(kTask, first.files[1].sha256).size() == 5 << 20);
    house.write("a.txt", "two");
    CHECK(house.all().files[0].sha256 == to_hex(sha256("two")));
    CHECK(house.keeper.read(kTask, first.files[0].sha256) == "one");  // no link to the file that was changed
    fs::remove(house.files() / "a.txt");
    CHECK(paths_of(house.all()) == std::vector<std::string>{"deep/er/b.bin"});
    const std::vector<std::string> named{"a.txt", "deep/er/b.bin"};
    const Found some = house.keeper.collect(kTask, named, false);
    CHECK_FALSE(some.is_all);
    CHECK(paths_of(some) == std::vector<std::string>{"deep/er/b.bin"});
}

TEST_CASE("case 2: a file that becomes a link is not followed, and one with a second name is not read")
{
    House house;
    house.write("a.txt", "mine");
    std::ofstream(house.home.path() / "secret") << "theirs";
    CHECK(house.all().files.size() == 1);
    fs::remove(house.files() / "a.txt");
    fs::create_symlink(house.home.path() / "secret", house.files() / "a.txt");
    const std::vector<std::string> named{"a.txt"};
    const Found linked = house.keeper.collect(kTask, named, true);
    CHECK(linked.files.empty());
    REQUIRE(linked.problems.size() == 1);
    CHECK(linked.problems[0].find("link") != std::string::npos);
    fs::remove(house.files() / "a.txt");
    fs::create_directory_symlink(house.home.path(), house.files() / "way");
    const std::vector<std::string> through{"way/secret"};
    CHECK(house.keeper.collect(kTask, through, true).files.empty());
    fs::create_hard_link(house.home.path() / "secret", house.files() / "hard.txt");
    const Found hard = house.all();
    CHECK(hard.files.empty());
    CHECK(hard.kept_out == std::vector<std::string>{"hard.txt"});
    // while we look, somebody changes one for the other all the time: what is kept is never what the link leads to
    std::atomic<bool> done{false};
    std::thread changing([&] {
        const fs::path file = house.files() / "b.txt", link = house.files() / "x";
        while (!done) {
            std::ofstream(house.files() / "y") << "mine";
            fs::rename(house.files() / "y", file);
            fs::create_symlink(house.home.path() / "secret", link);
            fs::rename(link, file);
        }
    });
    const std::vector<std::string> both{"b.txt"};
    for (int i = 0; i < 300; ++i)
        for (const KeptFile& file : house.keeper.collect(kTask, both, false).files)
            CHECK(house.keeper.read(kTask, file.sha256).find("theirs") == std::string::npos);
    done = true;
    changing.join();
}

TEST_CASE(
    "case 3: what a tool writes into .versions is neither kept nor counted, and gone when versions are shown again")
{
    House house;
    house.write("code/a.py", "one");
    house.write("code/.versions/a.py/1", "lie");
    house.write("code/.versions/a.py/9", "lie");
    house.write(".metadata.json", "lie");
    const Found found = house.all();
    CHECK(paths_of(found) == std::vector<std::string>{"code/a.py"});
    CHECK(found.problems.empty());
    const std::vector<std::string> named{"code/.versions/a.py/1"};
    CHECK(house.keeper.collect(kTask, named, false).files.empty());
    house.write("code/a.py", "second");
    house.all();
    house.keeper.settle(kTask, {{"code/a.py", history_of({"one", "second"}, "code/a.py")}});
    CHECK(house.text_of(house.files() / "code/.versions/a.py/2") == "second");
    CHECK_FALSE(fs::exists(house.files() / "code/.versions/a.py/9"));
    CHECK(house.text_of(house.files() / "code/.metadata.json").find(to_hex(sha256("second"))) != std::string::npos);
}

TEST_CASE("case 4: where the room ends within a call it says so, and the files before stay kept")  // STEP-20 U
{
    House house({.file = 100, .task = 150, .files = 5});
    for (const char* name : {"a", "b", "c"}) house.write(name, std::string(60, *name));
    house.write("d", std::string(101, 'd'));
    const Found found = house.all();
    CHECK(paths_of(found) == std::vector<std::string>{"a", "b"});
    CHECK(found.kept_out == std::vector<std::string>{"c", "d"});
    REQUIRE(found.problems.size() == 2);
    CHECK(found.problems[0].find("\"c\" is not kept: it does not fit") == 0);
    CHECK(found.problems[1].find("\"d\" is not kept: it has 101 bytes") == 0);
    const Found again = house.all();  // said once
    CHECK(again.problems.empty());
    CHECK(again.kept_out == found.kept_out);
    CHECK(house.keeper.read(kTask, found.files[1].sha256) == std::string(60, 'b'));
    CHECK_THROWS_WITH_AS(house.keeper.keep(kTask, {.path = "e", .content = std::string(101, 'e')}),
                         doctest::Contains("an artifact may have"), Error);
    CHECK_THROWS_WITH_AS(house.keeper.keep(kTask, {.path = "e", .content = std::string(99, 'e')}),
                         doctest::Contains("does not fit"), Error);
    for (const char* name : {"e", "f", "g"}) house.write(name, "x");
    const Found many = house.all();
    CHECK_FALSE(many.is_all);
    CHECK(many.problems[0].find("more than 5 files") != std::string::npos);
}

TEST_CASE("case 5: of names that differ only in NFC and NFD one is kept, and the other is told")
{
    House house;
    house.write("caf\xC3\xA9.txt", "composed");
    house.write("cafe\xCC\x81.txt", "decomposed");
    const Found found = house.all();
    CHECK(paths_of(found) == std::vector<std::string>{"caf\xC3\xA9.txt"});
    REQUIRE(found.problems.size() == 1);
    CHECK(found.problems[0].find("composed form (NFC)") != std::string::npos);
}

TEST_CASE("case 7: a fork shares what the task kept, and has it still when that is gone")
{
    House house;
    const KeptFile kept = house.keeper.keep(kTask, {.path = "a.txt", .content = "common"});
    house.keeper.share(kTask, kOther);
    struct stat status{};
    REQUIRE(::stat((house.blobs(kOther) / kept.sha256).c_str(), &status) == 0);
    CHECK(status.st_nlink == 2);  // new bytes only
    fs::remove_all(house.home.path() / kTask);
    CHECK(house.keeper.read(kOther, kept.sha256) == "common");
    CHECK_THROWS_WITH_AS(house.keeper.read(kTask, kept.sha256), doctest::Contains("not kept here"), Error);
}

TEST_CASE("case 8: a file called versions is a file")
{
    House house;
    house.write("versions", "x");
    house.write("restore/1", "y");
    CHECK(paths_of(house.all()) == std::vector<std::string>{"restore/1", "versions"});
}

TEST_CASE("case 9: content that was kept and never recorded is swept by the next process, not by the one that may yet "
          "record it")
{
    House house;
    house.keeper.keep(kTask, {.path = "a.txt", .content = "recorded"});
    house.keeper.keep(kTask, {.path = "a.txt", .content = "lost"});
    const std::map<std::string, History> histories{{"a.txt", history_of({"recorded"}, "a.txt")}};
    house.keeper.settle(kTask, histories);
    CHECK(house.kept() == 2);
    std::ofstream(house.blobs() / ".draft-1-1") << "half";
    Keeper next(house.home.path());
    next.settle(kTask, histories);
    CHECK(next.read(kTask, to_hex(sha256("recorded"))) == "recorded");
    CHECK_FALSE(fs::exists(house.blobs() / to_hex(sha256("lost"))));
    CHECK_FALSE(fs::exists(house.blobs() / ".draft-1-1"));
}

TEST_CASE("keeper: content that was tampered with is told, not handed out")  // STEP-23 F
{
    House house;
    const KeptFile kept = house.keeper.keep(kTask, {.path = "a.txt", .content = "true"});
    CHECK(house.keeper.read(kTask, kept.sha256) == "true");
    fs::permissions(house.blobs() / kept.sha256, fs::perms::owner_all);
    std::ofstream(house.blobs() / kept.sha256) << "fake";
    CHECK_THROWS_WITH_AS(house.keeper.read(kTask, kept.sha256), doctest::Contains("damaged"), Error);
    CHECK_THROWS_WITH_AS(house.keeper.read(kTask, std::string(64, '0')), doctest::Contains("not kept here"), Error);
}

TEST_CASE(
    "keeper: of many versions the first and the latest keep their content, and are shown beside the file")  // STEP-32 F, STEP-33 F
{
    House house({.versions = 3});
    History history;
    for (int i = 1; i <= 6; ++i) {
        const KeptFile kept = house.keeper.keep(kTask, {.path = "documents/a.txt", .content = "v" + std::to_string(i)});
        history.versions.push_back({.path = kept.path,
                                    .version = i,
                                    .sha256 = kept.sha256,
                                    .size = kept.size,
                                    .mime_type = kept.mime_type,
                                    .by = "x"});
        house.keeper.put(kTask, kept.path, kept.sha256);
    }
    house.keeper.settle(kTask, {{"documents/a.txt", history}});
    std::set<std::string> shown;
    for (const auto& file : fs::directory_iterator(house.files() / "documents/.versions/a.txt"))
        shown.insert(file.path().filename());
    CHECK(shown == std::set<std::string>{"1", "5", "6"});
    CHECK(house.text_of(house.files() / "documents/.versions/a.txt/1") == "v1");
    CHECK(house.kept() == 3);
    CHECK_THROWS_AS(house.keeper.read(kTask, history.versions[1].sha256), Error);
    const std::string metadata = house.text_of(house.files() / "documents/.metadata.json");
    CHECK(metadata.find("\"a.txt\": {\"uri\":\"file://artifacts/documents/a.txt\"") != std::string::npos);
    CHECK(metadata.find("\"version\":\"6\"") != std::string::npos);
    // nothing is in the way of a tool that has put something else there
    fs::remove_all(house.files() / "documents/.versions");
    fs::create_symlink("/etc", house.files() / "documents/.versions");
    house.keeper.settle(kTask, {{"documents/a.txt", history}});
    CHECK_FALSE(fs::exists("/etc/a.txt"));
}

TEST_CASE("keeper: a version that is put back takes the file's place, and never a folder's or a link's")
{
    House house;
    const KeptFile kept = house.keeper.keep(kTask, {.path = "notes/a", .content = "old"});
    house.write("notes/a", "new");
    house.keeper.put(kTask, "notes/a", kept.sha256);
    CHECK(house.text_of(house.files() / "notes/a") == "old");
    fs::create_directories(house.files() / "folder");
    CHECK_THROWS_WITH_AS(house.keeper.put(kTask, "folder", kept.sha256), doctest::Contains("folder of that name"),
                         Error);
    fs::create_symlink("/tmp", house.files() / "out");
    CHECK_THROWS_WITH_AS(house.keeper.put(kTask, "out/x", kept.sha256), doctest::Contains("cannot be written"), Error);
    CHECK_THROWS_WITH_AS(house.keeper.put(kTask, "out", kept.sha256), doctest::Contains("link"), Error);
}

TEST_CASE("keeper: many threads keep and collect at once")
{
    House house;
    for (int i = 0; i < 40; ++i) house.write("f" + std::to_string(i), std::to_string(i));
    std::vector<std::thread> threads;
    std::atomic<int> found{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 10; ++i) {
                found += static_cast<int>(house.all().files.size());
                house.keeper.keep(t % 2 ? kTask : kOther, {.path = "x/y", .content = std::to_string(t * 100 + i)});
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(found == 4 * 10 * 40);
}
