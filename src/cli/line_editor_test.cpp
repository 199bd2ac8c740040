#include "cli/line_editor.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::cli;
using Event = LineEditor::Event;

namespace {

struct Typed {
    std::string text;
    std::size_t cursor = 0;
    Event event = Event::none;
    std::string rest;
};

Typed typed(std::string_view bytes, std::vector<std::string> history = {})
{
    LineEditor editor("> ", std::move(history));
    const Event event = editor.take(bytes);
    return {editor.text(), editor.cursor(), event, std::string(bytes)};
}

}  // namespace

TEST_CASE("line editor: keys change the text as people expect")
{
    struct {
        const char* name;
        std::string bytes;
        const char* text;
        std::size_t cursor;
    } const cases[] = {
        {"plain", "abc", "abc", 3},
        {"left and insert", "ac\x1b[Db", "abc", 2},
        {"home, end", "bc\x1b[Ha\x1b[F!", "abc!", 4},
        {"home and end of other terminals", "bc\x1bOHa\x1bOF!\x1b[1~\x1b[4~", "abc!", 4},
        {"Ctrl-A, Ctrl-E",
         "bc\x01"
         "a\x05!",
         "abc!", 4},
        {"backspace",
         "abx\x7f"
         "c",
         "abc", 3},
        {"delete", "axb\x1b[D\x1b[D\x1b[3~", "ab", 1},
        {"Ctrl-D deletes where there is something", "ax\x02\x04", "a", 1},
        {"Ctrl-W takes a word and what is behind it", "one two, \x17", "one ", 4},
        {"Alt-Backspace too", "one two\x1b\x7f", "one ", 4},
        {"Ctrl and arrows go by words", "one two\x1b[1;5D\x1b[1;5D>", ">one two", 1},
        {"Alt-d takes the word in front",
         "one two\x01\x1b"
         "d",
         " two", 0},
        {"Ctrl-K and Ctrl-U",
         "one two\x1b[1;5D\x0b"
         "x\x15y",
         "y", 1},
        {"characters of several bytes", "a\u00e4\u4e2d\x7f", "a\u00e4", 3},
        {"a mark goes with its letter", "ae\u0301\x7f", "a", 1},
        {"over a mark", "e\u0301x\x1b[D\x1b[D>", ">e\u0301x", 1},
        {"what is no character is nothing",
         "a\xff\xfe\xff\xff"
         "b",
         "ab", 2},
        {"unknown sequences are nothing", "a\x1b[99;1Q\x1b[5~\x1bzb", "ab", 2},
        {"Alt-Enter is another line", "a\x1b\rb", "a\nb", 3},
        {"a tab stays one", "a\tb", "a\tb", 3},
        {"up in a message of several lines", "abc\x1b\rxy\x1b[A!", "ab!c\nxy", 3},
        {"and down", "ab\x1b\rxyz\x1b[A\x1b[B!", "ab\nxy!z", 6},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const Typed now = typed(c.bytes);
        CHECK(now.text == c.text);
        CHECK(now.cursor == c.cursor);
        CHECK(now.event == Event::none);
    }
}

TEST_CASE("line editor: events end the taking, and what comes behind them is left")
{
    CHECK(typed("hello\rnext").event == Event::done);
    CHECK(typed("hello\rnext").rest == "next");
    CHECK(typed("hello\n").text == "hello");
    CHECK(typed("\x04").event == Event::end);
    CHECK(typed("ab\x03").event == Event::interrupted);
    CHECK(typed("ab\x03"
                "c")
              .rest == "c");
    CHECK(typed("ab\x1a").event == Event::suspend);
    CHECK(typed("ab\x1a").text == "ab");
}

TEST_CASE("line editor: a line that ends in a backslash goes on")
{
    CHECK(typed("one\\\rtwo\r").text == "one\ntwo");
    CHECK(typed("one\\\rtwo\r").event == Event::done);
    CHECK(typed("one\\").event == Event::none);
}

TEST_CASE("line editor: what is pasted is text and no command")
{
    const Typed now = typed("\x1b[200~one\r\ntwo\rthree\nfour\x03\x1b[A\x1b[201~!\r");
    CHECK(now.text == "one\ntwo\nthree\nfour[A!");
    CHECK(now.event == Event::done);
    LineEditor halves("> ", {});
    std::string_view first = "\x1b[20", second = "0~a\r\xc3", third = "\xa4\x1b[20", fourth = "1~\r";
    CHECK(halves.take(first) == Event::none);
    CHECK(halves.take(second) == Event::none);
    CHECK(halves.take(third) == Event::none);
    CHECK(halves.take(fourth) == Event::done);
    CHECK(halves.text() == "a\n\u00e4");
}

TEST_CASE("line editor: arrows go through what was typed before, and back to what is being typed")
{
    const std::vector<std::string> before{"first", "second\nline"};
    CHECK(typed("new\x1b[A", before).text == "second\nline");
    CHECK(typed("new\x1b[A\x1b[A\x1b[A\x1b[A", before).text == "first");
    CHECK(typed("new\x10\x10\x10\x0e\x0e\x0e\x0e", before).text == "new");
    CHECK(typed("\x1b[A").text == "");
}

TEST_CASE("line editor: a message has a limit")
{
    LineEditor editor("> ", {});
    const std::string much(kMaxMessage + 100, 'x');
    std::string_view bytes = much;
    editor.take(bytes);
    CHECK(editor.text().size() == kMaxMessage);

    LineEditor other("> ", {});
    const std::string pasted = "\x1b[200~" + std::string(3 * kMaxMessage, 'x') + "\x1b[201~\r";
    bytes = pasted;
    CHECK(other.take(bytes) == Event::done);
    CHECK(other.text().size() == kMaxMessage);
}

TEST_CASE("line editor: shown rows fit the terminal, wide characters counted")
{
    LineEditor editor("> ", {});
    std::string_view bytes = "abc";
    editor.take(bytes);
    CHECK(editor.show({.width = 20, .height = 24}) == "\r\x1b[J> abc\r\x1b[5C");
    bytes = "\x1b[D\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587";
    editor.take(bytes);
    // 2 + 2 + 7 * 2 columns, then one stays free
    CHECK(editor.show({.width = 20, .height = 24}) ==
          "\r\x1b[J> ab\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587\u4e2d\n  \u6587c\r\x1b[4C");
    // from the second row up to the first
    bytes = "\x01";
    editor.take(bytes);
    CHECK(editor.show({.width = 20, .height = 24}).starts_with("\x1b[1A\r\x1b[J> ab"));
    CHECK(editor.leave({.width = 20, .height = 24}).ends_with("\n"));
}

TEST_CASE("line editor: what is typed cannot command the terminal")
{
    LineEditor editor("> ", {});
    std::string_view bytes = "a\u202eb";  // turns the direction of text
    editor.take(bytes);
    CHECK(editor.show({.width = 40, .height = 24}).find("\u202e") == std::string::npos);
}

TEST_CASE("line editor: of a text that is higher than the terminal, the part around the cursor is shown")
{
    LineEditor editor("> ", {});
    std::string_view bytes = "1\x1b\r2\x1b\r3\x1b\r4\x1b\r5";
    editor.take(bytes);
    CHECK(editor.show({.width = 20, .height = 3}) == "\r\x1b[J  3\n  4\n  5\r\x1b[3C");
}
