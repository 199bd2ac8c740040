#include "artifacts/path.hpp"

#include "artifacts/media_type.hpp"
#include "base/error.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::artifacts;

TEST_CASE("paths of artifacts: what is refused, and what for")  // STEP-18 U
{
    struct {
        std::string path;
        const char* says;
    } const cases[] = {
        {"", "names no file"},
        {".", "names no file"},
        {"..", "leads upwards"},
        {"a/../../b", "leads upwards"},
        {"a/../b", "leads upwards"},
        {"/etc/passwd", "is absolute"},
        {"a/", "is a folder"},
        {"a\\b", "backslash"},
        {"a\nb", "control character"},
        {std::string("a\0b", 3), "control character"},
        {"a\x7f", "control character"},
        {"a\xC2\x9Bm", "control character"},
        {"caf\xC3", "not UTF-8"},
        {"cafe\xCC\x81.txt", "composed form (NFC)"},
        {".versions/x", "Cadre writes itself"},
        {"code/.versions/main.py/1", "Cadre writes itself"},
        {"code/.metadata.json", "Cadre writes itself"},
        {".cadre-0.draft", "Cadre writes itself"},
        {std::string(256, 'x'), "more than 255 bytes"},
    };
    for (const auto& one : cases) {
        CAPTURE(one.path);
        REQUIRE(problem_with(one.path));
        CHECK(problem_with(one.path)->find(one.says) != std::string::npos);
        CHECK_THROWS_WITH_AS(plain_path(one.path), doctest::Contains("the path \""), Error);
    }
    std::string deep;
    for (int i = 0; i < 40; ++i) deep += "a/";
    CHECK(problem_with(deep + "b")->find("folders deep") != std::string::npos);
}

TEST_CASE("paths of artifacts: one file has one path, and odd names are names")
{
    CHECK(plain_path("a.txt") == "a.txt");
    CHECK(plain_path("./a//b/./c.txt") == "a/b/c.txt");
    CHECK(plain_path("caf\xC3\xA9.txt") == "caf\xC3\xA9.txt");
    CHECK(plain_path("versions") == "versions");
    CHECK(plain_path("a/versions") == "a/versions");
    CHECK(plain_path("restore/1") == "restore/1");
    CHECK(plain_path("%2e%2e/x") == "%2e%2e/x");  // a name like others: nothing is decoded here
    CHECK(plain_path("...") == "...");
    CHECK(plain_path(".gitignore") == ".gitignore");
    CHECK(plain_path(std::string(255, 'x')).size() == 255);
}

TEST_CASE("media types: a file goes to the folder of its kind")  // STEP-31 U, STEP-19 U
{
    CHECK(media_type_of("main.PY") == "text/x-python");
    CHECK(media_type_of("a.tar/x") == "application/octet-stream");
    CHECK(media_type_of(".md") == "application/octet-stream");
    CHECK(folder_for("main.py") == "code");
    CHECK(folder_for("report.md") == "documents");
    CHECK(folder_for("chart.svg") == "media");
    CHECK(folder_for("hits.csv") == "data");
    CHECK(folder_for("unknown") == "data");
    CHECK(folder_for("unknown", "image/x-new") == "media");
    CHECK(folder_for("unknown", "text/markdown") == "documents");
    CHECK(folder_for("unknown", "text/x-new") == "documents");
}

TEST_CASE("media types: a page or a picture that is a program is not shown, and a type is a type")
{
    for (const char* shown : {"text/plain", "image/png", "text/csv"}) CHECK(can_preview(shown));
    for (const char* not_shown :
         {"text/html", "image/svg+xml", "application/pdf", "text/javascript", "", "text/plain;x"})
        CHECK_FALSE(can_preview(not_shown));
    for (const char* good : {"text/plain", "image/svg+xml", "application/vnd.a-b.c"}) CHECK(is_media_type(good));
    for (const char* bad :
         {"", "text", "text/", "/plain", "text/a b", "text/plain\r\nX: y", "text/plain; charset=x", "a/b/c"})
        CHECK_FALSE(is_media_type(bad));
}
