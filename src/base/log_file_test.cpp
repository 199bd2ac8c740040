#include "base/log_file.hpp"

#include "base/error.hpp"

#include <doctest/doctest.h>

#include <fmt/core.h>

#include <fstream>
#include <iterator>
#include <set>
#include <stdlib.h>
#include <thread>

using namespace cadre;
namespace fs = std::filesystem;

namespace {

struct LogFolder {
    LogFolder()
    {
        char name[] = "/tmp/cadre_log_XXXXXX";
        REQUIRE(::mkdtemp(name));
        path = name;
    }
    ~LogFolder()
    {
        std::error_code error;
        fs::remove_all(path, error);
    }
    fs::path file() const { return path / "logs" / "cadre.log"; }
    fs::path path;
};

std::string log_text(const fs::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a full log file is put aside, and only so many are kept")
{
    const LogFolder folder;
    const auto sink = file_sink(folder.file(), {.max_bytes = 20, .kept = 2});
    CHECK(log_files(folder.file()).empty());  // before the first line there is none
    for (int i = 0; i < 9; ++i) sink->write(Level::info, fmt::format("line {}\n", i));  // two in a file
    CHECK(log_text(folder.file()) == "line 8\n");
    CHECK(log_text(folder.file().string() + ".1") == "line 6\nline 7\n");
    CHECK(log_text(folder.file().string() + ".2") == "line 4\nline 5\n");
    CHECK(log_files(folder.file()).size() == 3);
    CHECK(log_files(folder.file()).back() == folder.file());
    const fs::perms mode = fs::status(folder.file()).permissions();
    CHECK((mode & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
}

TEST_CASE("two writers of one log file lose no line when it is put aside")
{
    const LogFolder folder;
    const LogFileOptions options{.max_bytes = 400, .kept = 90};
    const auto write_all = [&](char who) {
        const auto sink = file_sink(folder.file(), options);
        for (int i = 0; i < 200; ++i) sink->write(Level::info, fmt::format("{}{:03}\n", who, i));
    };
    std::thread other(write_all, 'b');
    write_all('a');
    other.join();
    std::multiset<std::string> lines;
    for (const fs::path& file : log_files(folder.file())) {
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) lines.insert(line);
    }
    CHECK(lines.size() == 400);
    CHECK(lines.count("a000") == 1);
    CHECK(lines.count("b199") == 1);
}

TEST_CASE("a log file that cannot be written costs the line and nothing else")
{
    const auto sink = file_sink("/dev/null/logs/cadre.log");
    sink->write(Level::error, "lost\n");
    CHECK(log_files("/dev/null/logs/cadre.log").empty());
}

TEST_CASE("each sink of a routed log gets the lines that reach its level")
{
    const LogFolder folder;
    const fs::path all = folder.path / "all", some = folder.path / "some";
    const Log log(routed_sink({{file_sink(all), Level::debug}, {file_sink(some), Level::warning}}), Level::debug);
    log.debug("one");
    log.warning("two");
    CHECK(log_text(all).find("\"message\":\"one\"") != std::string::npos);
    CHECK(log_text(all).find("\"message\":\"two\"") != std::string::npos);
    CHECK(log_text(some).find("one") == std::string::npos);
    CHECK(log_text(some).find("\"message\":\"two\"") != std::string::npos);
}
