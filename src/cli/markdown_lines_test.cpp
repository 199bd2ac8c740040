#include "cli/markdown_lines.hpp"

#include <doctest/doctest.h>

using namespace cadre::cli;

TEST_CASE("Markdown is shown as what it means where there are colours")
{
    MarkdownLines lines({.on = true}, true);
    CHECK(lines.shown("## The plan") == "\x1b[1mThe plan\x1b[0m");
    CHECK(lines.shown("Use **this** and `that`.") == "Use \x1b[1mthis\x1b[0m and \x1b[33mthat\x1b[0m.");
    CHECK(lines.shown("  - one **x**") == "  • one \x1b[1mx\x1b[0m");
    CHECK(lines.shown("2 ** 3 and a ` alone, **open") == "2 ** 3 and a ` alone, **open");
    CHECK(lines.shown("#hashtag") == "#hashtag");
    CHECK(lines.shown("```sh") == "\x1b[2m```sh\x1b[0m");
    CHECK(lines.shown("# a **comment**") == "# a **comment**");
    CHECK(lines.shown("```") == "\x1b[2m```\x1b[0m");
    CHECK(lines.shown("**again**") == "\x1b[1magain\x1b[0m");
}

TEST_CASE("Markdown stays as it is written where colours are off")
{
    MarkdownLines lines;
    for (const char* line : {"# Title", "**bold** `code`", "- item", "```"}) CHECK(lines.shown(line) == line);
}
