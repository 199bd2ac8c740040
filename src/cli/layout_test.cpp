#include "cli/layout.hpp"

#include "cli/output.hpp"
#include "cli/text_stream.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::cli;

using Lines = std::vector<std::string>;

TEST_CASE("columns are those of a terminal: marks take none, East Asian characters and pictures two")
{
    struct {
        const char* text;
        std::size_t wide;
    } const cases[] = {
        {"", 0},     {"abc", 3}, {"äöü", 3},      {"e\u0301", 1}, {"日本語", 6}, {"한국", 4}, {"🙂", 2},
        {"👍🏽", 4}, {"→✓…", 3}, {"ｆｕｌｌ", 8}, {"\u200b", 0},  {"عربي", 4},   {"नमस्ते", 4}, {"\xff", 1},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(columns(c.text) == c.wide);
    }
}

TEST_CASE("lines are cut between words, long words anywhere, East Asian text between characters")
{
    struct {
        const char* text;
        std::size_t width;
        Lines lines;
    } const cases[] = {
        {"one two three", 7, {"one two", "three"}},
        {"one two three", 8, {"one two", "three"}},
        {"one  two", 4, {"one", "two"}},
        {"a\n\nb\n", 10, {"a", "", "b"}},
        {"abcdefghij", 4, {"abcd", "efgh", "ij"}},
        {"ab cdefghij", 4, {"ab", "cdef", "ghij"}},
        {"    indented code", 12, {"    indented", "code"}},
        {"日本語を書く", 5, {"日本", "語を", "書く"}},
        {"日", 1, {"日"}},
        {"ends here", 9, {"ends here"}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(lines_of(c.text, c.width) == c.lines);
    }
}

TEST_CASE("of text that still grows, only whole lines are taken")
{
    std::string text = "one two thr";
    CHECK(take_line(text, 11) == std::nullopt);
    text += "ee";
    CHECK(take_line(text, 11) == "one two");
    CHECK(text == "three");
    text += "\nmore";
    CHECK(take_line(text, 11) == "three");
    CHECK(text == "more");
}

TEST_CASE("text from elsewhere cannot command a terminal, nor turn its direction")
{
    struct {
        const char* text;
        const char* shown;
    } const cases[] = {
        {"a\x1b[2Jb", "a\\x1b[2Jb"},
        {"\x1b]0;title\x07", "\\x1b]0;title\\x07"},
        {"\u009b31m", "\\xc2\\x9b31m"},         // C1
        {"\u202Eevil", "\\xe2\\x80\\xaeevil"},  // right-to-left override
        {"\u2066x\u2069", "\\xe2\\x81\\xa6x\\xe2\\x81\\xa9"},
        {"one\r\ntwo\tthree", "one\ntwo    three"},
        {"\xff\xfe", "\\xff\\xfe"},
        {"مرحبا 日本 é", "مرحبا 日本 é"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(terminal_text(c.text) == c.shown);
    }
}

TEST_CASE("a character that comes in two pieces is shown when it is whole")
{
    TextStream stream;
    CHECK(stream.take("gr\xc3") == "gr");
    CHECK(stream.take("\xbc\xc3\x9f") == "üß");
    CHECK(stream.take("\xf0\x9f\x99") == "");
    CHECK(stream.take("\x82!") == "🙂!");
}
