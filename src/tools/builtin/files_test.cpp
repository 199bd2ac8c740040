#include "tools/builtin/files.hpp"

#include "tools/builtin/tool_call_fixture.hpp"
#include "tools/builtin/workspace.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <atomic>
#include <thread>

#include <sys/stat.h>

using namespace cadre;
using namespace cadre::tools;

namespace {

mode_t mode_of(const std::filesystem::path& path)
{
    struct stat status{};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 07777;
}

Result read(const TestFolder& folder, json::object arguments)
{
    return call(*read_file_tool(), std::move(arguments), folder.workspace());
}
Result write(const TestFolder& folder, json::object arguments, std::string key = "key")
{
    return call(*write_file_tool(), std::move(arguments), folder.workspace(), std::move(key));
}
Result list(const TestFolder& folder, json::object arguments = {})
{
    return call(*list_files_tool(), std::move(arguments), folder.workspace());
}

}  // namespace

TEST_CASE("what write_file writes, read_file reads and list_files lists")
{
    const TestFolder folder;
    CHECK(list(folder) == Result{.text = "There are no files here."});
    CHECK(write(folder, {{"path", "./notes//a.txt"}, {"content", "äöü\n"}}) ==
          Result{.text = "Wrote 7 bytes to notes/a.txt.", .artifacts = {"notes/a.txt"}});
    CHECK(write(folder, {{"path", "b.txt"}, {"content", ""}}).artifacts == std::vector<std::string>{"b.txt"});
    CHECK(read(folder, {{"path", "notes/a.txt"}}) == Result{.text = "äöü\n"});
    CHECK(read(folder, {{"path", "b.txt"}}) == Result{.text = ""});
    CHECK(list(folder).text == "b.txt (0 bytes)\nnotes/");
    CHECK(list(folder, {{"path", "notes"}}).text == "notes/a.txt (7 bytes)");
    CHECK(list(folder, {{"recursive", true}}).text == "b.txt (0 bytes)\nnotes/\nnotes/a.txt (7 bytes)");
    CHECK(list(folder, {{"path", "."}, {"recursive", false}}).text == "b.txt (0 bytes)\nnotes/");
}

TEST_CASE("folders are made for the owner alone, and so are files")
{
    const TestFolder folder;
    std::filesystem::remove(folder.workspace());
    CHECK(list(folder).text == "There are no files here.");
    CHECK(read(folder, {{"path", "a"}}).is_error);
    CHECK(list(folder, {{"path", "a"}}).is_error);
    CHECK(!std::filesystem::exists(folder.workspace()));

    CHECK(!write(folder, {{"path", "a/b/c.txt"}, {"content", "x"}}).is_error);
    for (const char* path : {"", "a", "a/b"}) CHECK(mode_of(folder.workspace() / path) == 0700);
    CHECK(mode_of(folder.workspace() / "a/b/c.txt") == 0600);
}

TEST_CASE("writing again replaces the file, and a repeated call gives the same answer")
{
    const TestFolder folder;
    const Result first = write(folder, {{"path", "a"}, {"content", "long old text"}});
    CHECK(write(folder, {{"path", "a"}, {"content", "long old text"}}) == first);
    CHECK(!write(folder, {{"path", "a"}, {"content", "new"}}, "other").is_error);
    CHECK(content_of(folder.workspace() / "a") == "new");
    CHECK(list(folder).text == "a (3 bytes)");
}

TEST_CASE("what an interrupted write left behind is not listed, and the next try clears it away")
{
    const TestFolder folder;
    const auto draft = folder.workspace() / draft_name("key", "a");
    put(draft, "half of i");
    CHECK(list(folder).text == "There are no files here.");
    CHECK(!write(folder, {{"path", "a"}, {"content", "all of it"}}).is_error);
    CHECK(!std::filesystem::exists(draft));
    CHECK(content_of(folder.workspace() / "a") == "all of it");
}

TEST_CASE("a long file is read in pieces that split no character")
{
    const TestFolder folder;
    std::string text;
    while (text.size() < (5 << 20) / 2) text += "añ€😀\n";
    put(folder.workspace() / "long", text);

    std::string all;
    std::size_t offset = 0;
    int pieces = 0;
    for (bool more = true; more; ++pieces) {
        REQUIRE(pieces < 10);
        const Result piece = read(folder, {{"path", "long"}, {"offset", offset}});
        REQUIRE(!piece.is_error);
        CHECK(piece.text.size() <= 1 << 20);
        const std::size_t note = piece.text.rfind("\n[up to byte ");
        more = note != std::string::npos;
        all += piece.text.substr(0, note);
        offset = all.size();
        if (more)
            CHECK(piece.text.substr(note) == fmt::format("\n[up to byte {} of {}; to continue, read with offset {}]",
                                                         offset, text.size(), offset));
    }
    CHECK(pieces == 3);
    CHECK(all == text);
}

TEST_CASE("offset and limit are bytes, moved to where characters begin and end")
{
    const TestFolder folder;
    put(folder.workspace() / "a", "abcd€efgh");  // € is bytes 4 to 6
    struct {
        std::int64_t offset, limit;
        const char* says;
    } const cases[] = {
        {0, 100, "abcd€efgh"},
        {0, 4, "abcd\n[up to byte 4 of 11; to continue, read with offset 4]"},
        {0, 6, "abcd\n[up to byte 4 of 11; to continue, read with offset 4]"},
        {0, 7, "abcd€\n[up to byte 7 of 11; to continue, read with offset 7]"},
        {4, 100, "€efgh"},
        {5, 100, "efgh"},
        {5, 4, "ef\n[up to byte 9 of 11; to continue, read with offset 9]"},
        {10, 4, "h"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.offset);
        CAPTURE(c.limit);
        CHECK(read(folder, {{"path", "a"}, {"offset", c.offset}, {"limit", c.limit}}) == Result{.text = c.says});
    }
    CHECK(read(folder, {{"path", "a"}, {"offset", 11}}) ==
          Result{.text = "\"a\" has 11 bytes, so nothing begins at offset 11.", .is_error = true});
    for (const json::object& wrong :
         {json::object{{"path", "a"}, {"offset", -1}}, json::object{{"path", "a"}, {"limit", 0}},
          json::object{{"path", "a"}, {"offset", 1e300}}, json::object{{"path", "a"}, {"offset", 0.5}}})
        CHECK(read(folder, wrong).is_error);
}

TEST_CASE("a file that is not text is told by its size")
{
    const TestFolder folder;
    using namespace std::string_literals;
    for (const std::string& bytes : {"\xff\xfe"s, "PNG\0"s, "abc\xc3"s, "\x80 abc"s, "\0\0"s}) {
        CAPTURE(bytes);
        put(folder.workspace() / "x", bytes);
        CHECK(read(folder, {{"path", "x"}}) ==
              Result{.text = fmt::format("\"x\" is not text: {} bytes of binary data, which cannot be shown.",
                                         bytes.size()),
                     .is_error = true});
    }
}

TEST_CASE("bad paths are answered with a sentence that the model can act on")
{
    const TestFolder folder;
    put(folder.workspace() / "file", "x");
    std::filesystem::create_directory(folder.workspace() / "folder");
    struct {
        const char* path;
        const char* read;
        const char* write;
        const char* list;
    } const cases[] = {
        {"none", "There is no \"none\"; list_files shows what there is.", "",
         "There is no \"none\"; list_files shows what there is."},
        {"folder", "\"folder\" is a folder; give the path of a file.",
         "\"folder\" is a folder; give the path of a file.", ""},
        {"", "\".\" is a folder; give the path of a file.", "\".\" is a folder; give the path of a file.", ""},
        {"file", "", "", "\"file\" is not a folder, or leads through something that is not one."},
        {"file/x", "\"file/x\" is not a folder, or leads through", "\"file\" is not a folder, or leads through",
         "\"file/x\" is not a folder, or leads through"},
        {"new/", "There is no \"new\"", "\"new\" is a folder; give the path of a file.", "There is no \"new\""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.path);
        const auto check = [](const Result& result, const char* says) {
            CHECK(result.is_error == (*says != '\0'));
            if (*says) CHECK(result.text.c_str() == doctest::Contains(says));
        };
        check(read(folder, {{"path", c.path}}), c.read);
        check(list(folder, {{"path", c.path}}), c.list);
        check(write(folder, {{"path", c.path}, {"content", "y"}}), c.write);
        std::filesystem::remove(folder.workspace() / "none");
    }
    CHECK(call(*read_file_tool(), {{"path", "a"}}) ==
          Result{.text = "This task has no workspace, so there are no files.", .is_error = true});
}

TEST_CASE("a list that is too long says so")
{
    const TestFolder folder;
    for (int i = 0; i < 300; ++i) put(folder.workspace() / fmt::format("{:03}", i), "");
    const Listing listing = Workspace(folder.workspace()).list("", true, 299);
    CHECK(listing.entries.size() == 299);
    CHECK(!listing.complete);
    CHECK(Workspace(folder.workspace()).list("", true, 300).complete);

    const TestFolder wide;  // more than 1 MiB of names
    const std::string name(250, 'x');
    for (int i = 0; i < 5000; ++i) put(wide.workspace() / fmt::format("{}{:04}", name, i), "");
    const Result result = list(wide);
    CHECK(result.text.size() <= 1 << 20);
    CHECK(result.text.c_str() == doctest::Contains("; for the others, list one folder at a time]"));
}

TEST_CASE("names that could be taken for something else are quoted in a list")
{
    const TestFolder folder;
    put(folder.workspace() / "a\nb (0 bytes)", "x");
    put(folder.workspace() / "\xff", "x");
    CHECK(list(folder).text == "\"a\\nb (0 bytes)\" (1 bytes)\n\"\xEF\xBF\xBD\" (1 bytes)");
}

TEST_CASE("a reader sees the old file or the new one, never half of one")
{
    const TestFolder folder;
    const std::string old_text(50'000, 'a'), new_text(70'000, 'b');
    write(folder, {{"path", "f"}, {"content", old_text}});
    std::atomic<bool> done = false;
    std::jthread writer([&] {
        for (int i = 0; i < 100; ++i)
            Workspace(folder.workspace()).write("f", i % 2 == 0 ? new_text : old_text, "other");
        done = true;
    });
    while (!done) {
        try {
            const FilePiece piece = Workspace(folder.workspace()).read("f", 0, 1 << 20);
            CHECK((piece.bytes == old_text || piece.bytes == new_text));
        } catch (const Error& error) {  // overtaken again and again
            CHECK(error.code() == Code::unavailable);
        }
    }
}
