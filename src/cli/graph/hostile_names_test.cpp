// Whatever names and labels say, they stay names and labels: on a terminal, in Mermaid, in SVG and for Graphviz.
#include "base/random.hpp"
#include "base/utf8.hpp"
#include "cli/graph/drawing_json.hpp"
#include "cli/graph/mermaid.hpp"
#include "cli/graph/short_names.hpp"
#include "cli/graph/svg.hpp"
#include "cli/graph/text_drawing.hpp"
#include "cli/layout.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace cadre;
using namespace cadre::cli;

namespace {

const std::string kHostile[] = {
    "\x1b[31mred\x1b]0;title\x07",
    "\xC2\x9B"
    "31m",
    "a\nb\r\nc\td",
    "\u202Eevil\u202C",
    "zero\u200Bwidth\uFEFF",
    "\xFF\xFE not UTF-8 \xC0",
    std::string("nul\0nul", 7),
    "</text><script>alert(1)</script>",
    "\" onload=\"alert(1)",
    "]]></style><style>*{display:none}</style>",
    "&amp;&#x3C;img src=x onerror=alert(1)>",
    "\"]; click n0 \"javascript:alert(1)\"",
    "end",
    "subgraph x",
    "1. list",
    "- list",
    "`**bold**`",
    "%%{init: {'theme':'dark'}}%%",
    "a --> b",
    "n0 | n1",
    "#quot;#35;",
    "\\N\\G\\l",
    "<b>html</b>",
    "日本語の名前",
    "a\u0301\u0301\u0301",
    "👨‍👩‍👧",
    "",
    " ",
    std::string(5'000, 'x'),
    "\uFFFE\uFFFF",
};

Drawing hostile()
{
    Drawing drawing{.kind = "workflow", .name = kHostile[7]};
    for (const std::string& text : kHostile) {
        DrawnNode node{.name = text, .type = "agent", .about = text, .notes = {text}};
        node.state = engine::NodeState{.status = engine::NodeStatus::failed, .error = text};
        drawing.nodes.push_back(std::move(node));
    }
    for (std::size_t i = 1; i < drawing.nodes.size(); ++i) drawing.edges.push_back({i / 2, i, kHostile[i]});
    drawing.groups.push_back({.name = kHostile[7], .about = kHostile[8], .nodes = {0, 1}});
    return drawing;
}

bool is_utf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

bool is_safe_line(const std::string& line)
{
    return is_utf8(line) &&
           std::ranges::none_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }) &&
           printable(line) == line;
}

std::string random_text(SeededRandom& random)
{
    static constexpr std::string_view kPieces[] = {
        "\x1b[", "<",           ">",  "&",   "\"",       "'",        "#",
        ";",     "|",           "]",  "[",   "{",        "}",        "(",
        "`",     "\n",          "\\", "-->", "%%",       "\xC2\x9B", "\xE2\x80\xAE",
        "\xFF",  "a",           "é",  "語",  "\xCC\x81", " ",        "end",
        ":::",   "\xEF\xBF\xBF"};
    std::string text;
    for (auto i = random.below(12); i > 0; --i) text += kPieces[random.below(std::size(kPieces))];
    return text;
}

/// Whether `text` has only elements and attributes of ours, and ends each that it begins.
std::string svg_problem(const std::string& text)
{
    static const std::set<std::string> kKnown{"svg", "title", "style", "marker", "path", "g", "rect", "text"};
    std::vector<std::string> open;
    std::size_t at = 0;
    while ((at = text.find('<', at)) != text.npos) {
        const std::size_t end = text.find('>', at);
        if (end == text.npos) return "a tag does not end";
        std::string tag = text.substr(at + 1, end - at - 1);
        at = end + 1;
        if (tag.starts_with('/')) {
            if (open.empty() || open.back() != tag.substr(1)) return "</" + tag.substr(1) + "> closes nothing";
            open.pop_back();
            continue;
        }
        const std::string name = tag.substr(0, tag.find_first_of(" /"));
        if (!kKnown.contains(name)) return "<" + name + "> is not ours";
        if (tag.find(" on") != tag.npos || std::ranges::count(tag, '"') % 2 != 0) return "attributes: " + tag;
        if (!tag.ends_with('/')) open.push_back(name);
    }
    return open.empty() ? "" : open.back() + " is not closed";
}

std::string some_svg(const Drawing& drawing)
{
    const SvgWords words = svg_words(drawing);
    LaidOut places{.size = {100, 100},
                   .nodes = std::vector<Point>(drawing.nodes.size()),
                   .edges = std::vector<std::vector<Point>>(drawing.edges.size()),
                   .labels = std::vector<Point>(drawing.edges.size())};
    return svg(drawing, words, places);
}

void check_all(const Drawing& drawing)
{
    for (const std::size_t width : {20, 40, 80, 400})
        for (const bool utf8 : {true, false})
            for (const std::string& line : text_drawing(drawing, {.utf8 = utf8, .width = width})) {
                CAPTURE(line);
                CHECK(is_safe_line(line));
                CHECK(columns(line) <= width);
                if (!utf8)
                    CHECK(std::ranges::none_of(line, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }));
            }
    const std::string picture = some_svg(drawing);
    CHECK(svg_problem(picture) == "");
    CHECK(is_utf8(picture));
    for (const char* bad : {"\uFFFE", "\uFFFF", "\x1b", "\u202E"}) CHECK(picture.find(bad) == picture.npos);
    CHECK_NOTHROW(boost::json::parse(drawing_json(drawing, {}, nullptr)));
}

}  // namespace

TEST_CASE("drawings: no name or label commands a terminal, leaves its element or makes a line too wide")
{
    check_all(hostile());
}

TEST_CASE("drawings: random names stay names")
{
    SeededRandom random(7);
    for (int i = 0; i < 60; ++i) {
        Drawing drawing{.kind = "team", .name = random_text(random)};
        const std::size_t nodes = 1 + random.below(9);
        for (std::size_t n = 0; n < nodes; ++n)
            drawing.nodes.push_back({.name = random_text(random), .about = random_text(random)});
        for (auto n = random.below(14); n > 0; --n)
            drawing.edges.push_back({random.below(nodes), random.below(nodes), random_text(random)});
        check_all(drawing);
    }
}

TEST_CASE("mermaid: of a text, only letters, digits and spaces are themselves")
{
    struct {
        const char* text;
        const char* says;
    } const cases[] = {
        {"plain words 12", "plain words 12"},
        {"a\"b", "a#34;b"},
        {"<b>", "#60;b#62;"},
        {"#quot;", "#35;quot#59;"},
        {"1. x", "1#46; x"},
        {"`x`", "#96;x#96;"},
        {"a\nb", "a#92;nb"},
        {"名前", "名前"},
    };
    for (const auto& c : cases) CHECK(mermaid_text(c.text) == c.says);
}

TEST_CASE("mermaid: hostile names leave no line that is not ours")
{
    const std::string text = mermaid(hostile());
    std::size_t lines = 0;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1, ++lines) {
        std::string line = text.substr(at, text.find('\n', at) - at);
        CAPTURE(line);
        // behind what is ours: an id, an arrow, a class, and texts between quotes without any in them
        const auto quotes = std::ranges::count(line, '"');
        CHECK((quotes == 0 || quotes == 2));
        if (quotes == 2) line.erase(line.find('"'), line.rfind('"') - line.find('"') + 1);
        const std::size_t begin = line.find_first_not_of(' ');
        const std::string own = line.substr(begin);
        const bool known = own.starts_with("n") || own.starts_with("g") || own == "flowchart TD" || own == "end" ||
                           own.starts_with("subgraph g") || own.starts_with("classDef ");
        CHECK(known);
    }
    CHECK(lines > 2 * std::size(kHostile));
}

TEST_CASE("short names: cut ones that would be the same are told apart, and equal ones stay equal")
{
    const std::vector<std::string> texts{
        "a_very_long_name_1", "a_very_long_name_2", "a_very_long_name_1", "short", "a\n", "a\\n"};
    const auto names = short_names(texts, 10, true);
    CHECK(names[0] == names[2]);
    CHECK(names[3] == "short");
    for (const std::string& name : names) CHECK(columns(name) <= 10);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == 5);
    CHECK(short_names(std::vector<std::string>{"a_very_long_name"}, 8, true)[0] == "a_very_…");
    CHECK(short_names(std::vector<std::string>{"a_very_long_name"}, 8, false)[0] == "a_very..");
}

TEST_CASE("graphviz: it is told numbers and sizes, and no text of anyone's")
{
    const Drawing drawing = hostile();
    const SvgWords words = svg_words(drawing);
    const std::string text = dot_text(drawing, words.sizes());
    CHECK(text.find("script") == text.npos);
    CHECK(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7F); }));
    CHECK(text.find('\\') == text.npos);
    CHECK(text.find('<') == text.npos);
}

TEST_CASE("graphviz: what it wrote is read, and nonsense is refused")
{
    Drawing drawing{
        .kind = "workflow", .name = "x", .nodes = {{.name = "a"}, {.name = "b"}}, .edges = {{0, 1}, {0, 1, "l"}}};
    const LaidOut places = laid_out("graph 1 2 3\nnode n0 1 2.5 1 .5 \"\" solid box black lightgrey\n"
                                    "node n1 1 0.5 1 .5 \"\" solid box black lightgrey\n"
                                    "edge n0 n1 4 1 2 1 1.8 1 1.2 1 1 solid black\n"
                                    "edge n0 n1 4 1 2 1 1.8 1 1.2 1 1 xx 1.5 1.5 solid black\nstop\n",
                                    drawing);
    CHECK(places.size.width == 144);
    CHECK(places.nodes[0].y == 36);
    CHECK(places.edges[1].size() == 4);
    CHECK(places.labels[1].x == 108);
    for (const char* nonsense : {"node n7 1 1", "node a 1 1", "graph 1 x 3", "edge n1 n0 0", "edge n0 n1 4 1"})
        CHECK_THROWS_AS(laid_out(nonsense, drawing), Error);
}
