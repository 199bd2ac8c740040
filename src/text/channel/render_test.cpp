#include "text/channel/render.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "support/error_of.hpp"
#include "text/channel/grapheme.hpp"
#include "text/channel/sms.hpp"
#include "text/channel/whatsapp.hpp"
#include "text/code_point.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>

using namespace cadre;
using namespace cadre::text;
using cadre::test::error_of;

namespace {

constexpr ChannelRules kSms{.channel = ChannelKind::sms, .max_length = 1600};
constexpr ChannelRules kWhatsapp{
    .channel = ChannelKind::whatsapp, .max_length = 4096, .markdown = {.bold = true, .italic = true, .code = true}};
constexpr ChannelRules kMail{
    .channel = ChannelKind::email,
    .markdown = {.bold = true, .italic = true, .headers = true, .tables = true, .links = true, .code = true}};
constexpr ChannelRules kTeams{.channel = ChannelKind::teams, .markdown = {.bold = true, .italic = true, .links = true}};

std::string times(std::string_view text, int count)
{
    std::string out;
    while (count-- > 0) out += text;
    return out;
}

std::string shown(std::string_view markdown, const ChannelRules& rules)
{
    return render(markdown, rules).content;
}

ChannelRules shorter(ChannelRules rules, std::size_t most, SplitAt split = SplitAt::sentence)
{
    rules.max_length = most;
    rules.split = split;
    return rules;
}

std::vector<std::string> pieces_of(std::string_view markdown, const ChannelRules& rules)
{
    std::vector<std::string> all;
    for (const MessagePiece& piece : render(markdown, rules).pieces) all.push_back(piece.content);
    return all;
}

constexpr std::string_view kFamily = "👩‍👩‍👧‍👦";

}  // namespace

TEST_CASE("render: an SMS is plain text, and what Markdown said is said in words")  // CONV-42 U
{
    const struct {
        const char* markdown;
        const char* sms;
    } cases[] = {
        {"You've logged 32/40 hours this week. Great progress!",
         "You've logged 32/40 hours this week. Great progress!"},
        {"**bold** and _it_ ~~gone~~ `code`", "bold and it gone code"},
        {"# Head\n\ntext", "Head\n\ntext"},
        {"[a](https://b.example)", "a: https://b.example"},
        {"https://b.example/x", "https://b.example/x"},
        {"<https://b.example/x>", "https://b.example/x"},
        {"[Write us](mailto:a@b.example) now", "Write us: a@b.example now"},
        {"a@b.example", "a@b.example"},
        {"![a chart](https://b.example/c.png)", "a chart"},
        {"- one\n- two\n  - three\n", "- one\n- two\n  - three"},
        {"3. one\n4. two", "3. one\n4. two"},
        {"1. one\n\n   more\n2. two", "1. one\n\nmore\n\n2. two"},
        {"- - x", "  - x"},
        {"> said\n> twice", "said\ntwice"},
        {"a\n\n---\n\nb", "a\n\nb"},
        {"```sh\nls -l\n\ncd\n```", "ls -l\n\ncd"},
        {"| Day | Hours |\n|---|---|\n| Mon | 8 |\n| Tue | **7** |", "Day: Mon\nHours: 8\n\nDay: Tue\nHours: 7"},
        {"| Day |\n|---|", "Day"},
        {"2 * 3 * 4 = 24, snake_case_name, 5 < 6", "2 * 3 * 4 = 24, snake_case_name, 5 < 6"},
        {"“Quoted” – it’s…", "\"Quoted\" - it's..."},
        {"a &amp; b &copy; &#65; &nosuch;", "a & b © A &nosuch;"},
        {"<b>x</b>", "<b>x</b>"},
        {"line one\nline two  \nthree", "line one\nline two\nthree"},
        {"- a\n  ```\n  x\n  ```\n  b", "- a\nx\nb"},
        {"", ""},
        {"a\x01\x1b[31mb\xff\x7f", "a[31mb\uFFFD"},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.markdown));
        CHECK(shown(c.markdown, kSms) == c.sms);
    }
    const auto metadata = render("**bold** # h [a](b)", kSms).metadata;
    CHECK(metadata.at("markdown_removed") == true);
    CHECK(shown("**bold** # h [a](b)", kSms) == "bold # h a: b");
}

// CONV-39 U, CONV-51 U
TEST_CASE("render: metadata of an SMS counts what carriers bill")
{
    const auto plain = render("Done 🎉 and ✅", kSms).metadata;
    CHECK(
        boost::json::serialize(plain) ==
        R"({"markdown_removed":false,"emojis_used":["🎉","✅"],"encoding":"UCS-2","characters":12,"units":13,"segments":1})");
    ChannelRules without = kSms;
    without.emojis = false;
    const RenderedMessage bare = render("Done 🎉 and ✅", without);
    CHECK(bare.content == "Done and");
    CHECK(bare.metadata.at("emojis_used").as_array().empty());
    CHECK(bare.metadata.at("encoding") == "GSM-7");
}

// CONV-44 U
TEST_CASE("render: WhatsApp has its own marks, and nothing else becomes one")
{
    const struct {
        const char* markdown;
        const char* whatsapp;
    } cases[] = {
        {"**bold** _it_ ~~gone~~ `code`", "*bold* _it_ ~gone~ `code`"},
        {"**_both_**", "*_both_*"},
        {"# Head\n\ntext", "*Head*\n\ntext"},
        {"| A | B |\n|---|---|\n| 1 | 2 |", "A: 1\nB: 2"},
        {"[a](https://b.example)", "a: https://b.example"},
        {"\\*not bold\\*", "∗not bold∗"},
        {"\\_not it\\_ and a~b ~c", "ˍnot itˍ and a~b ~c"},
        {"2 * 3 * 4, snake_case_name, 5\\*3\\*2", "2 * 3 * 4, snake_case_name, 5*3*2"},
        {"un**frigging**believable", "unfriggingbelievable"},
        {"**a\nb**", "*a*\n*b*"},
        {"** not bold**", "** not bold**"},
        {"**a * b**", "*a * b*"},
        {"\\- no list\n\n\\> no quote", "‐ no list\n\n› no quote"},
        {"> said", "> said"},
        {"- one\n- **two**", "- one\n- *two*"},
        {"```\na *b* _c_\n```", "```a *b* _c_```"},
        {"````\n```\n````", "```ˋˋˋ```"},
        {"x \\`y\\` z", "x ˋyˋ z"},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.markdown));
        CHECK(shown(c.markdown, kWhatsapp) == c.whatsapp);
    }
    ChannelRules bare = kWhatsapp;
    bare.markdown = {};
    CHECK(shown("**bold** `x` ~~y~~\n\n```\nz\n```", bare) == "bold x y\n\nz");
}

TEST_CASE("render: an e-mail has Markdown as its text, and HTML of the same")  // CONV-43 U
{
    const char* markdown =
        "# Week\n\nHello **Ann**,\n\n- [x](https://a.example/b_(c))\n- `y`\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n> q";
    const RenderedMessage mail = render(markdown, kMail);
    CHECK(mail.content == "# Week\n\nHello **Ann**,\n\n- [x](https://a.example/b_%28c%29)\n- `y`\n\n| A | B "
                          "|\n|---|---|\n| 1 | 2 |\n\n> q");
    const std::string html(mail.metadata.at("html").as_string());
    CHECK(html == mail.pieces.front().alternative);
    for (const char* part : {"<h1>Week</h1>", "<strong>Ann</strong>", "<ul>\n<li>", "</li>\n<li><code>y</code>",
                             "<a href=\"https://a.example/b_(c)\">x</a>", ">2</td>", "<blockquote"})
        CHECK_MESSAGE(html.find(part) != html.npos, part, " in ", html);
    CHECK(mail.metadata.at("markdown_removed") == false);
    const std::string large = times("Many words here. ", 3000);
    CHECK(render(large, kMail).pieces.size() == 1);
}

TEST_CASE("message case 6: scripts and addresses that run are words in an e-mail")
{
    const char* markdown =
        "<script>alert(1)</script> [go](javascript:alert(1)) [x](JaVa\tScript:y) [d](data:text/html,z) "
        "<img src=x onerror=y> ![i](javascript:q) [ok](HTTPS://a.example/\"><b>) [r](/relative)";
    const RenderedMessage mail = render(markdown, kMail);
    const std::string html(mail.metadata.at("html").as_string());
    const std::string body = html.substr(html.find("<body"));
    for (const char* never : {"<script", "javascript", "data:text", "<img", "<b>", "href=\"/"})
        CHECK_MESSAGE(lower(body).find(never) == body.npos, never, " in ", body);
    CHECK(body.find("&lt;script&gt;alert(1)&lt;/script&gt; go") != body.npos);
    CHECK(body.find("href=\"HTTPS://a.example/&#34;&gt;&lt;b&gt;\"") != body.npos);
    CHECK(body.find("r: /relative") != body.npos);
    for (const auto& rules : {kSms, kWhatsapp, kTeams})
        CHECK(lower(shown(markdown, rules)).find("javascript:") == std::string::npos);
}

TEST_CASE("render: a Teams message is an Adaptive Card, its text is in metadata")  // CONV-45 U
{
    const RenderedMessage card = render("# Week\n\n**Hours** are [here](https://a.example).\n\n- a\n- b\n\n| A | B "
                                        "|\n|---|---|\n| 1 | *2* |\n\n```\nx_y *z*\n```\n\n\\*n\\*",
                                        kTeams);
    CHECK(
        card.content ==
        R"({"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","type":"AdaptiveCard","version":"1.5","body":[)"
        R"({"type":"TextBlock","text":"Week","wrap":true,"style":"heading","weight":"Bolder","size":"Large"},)"
        R"({"type":"TextBlock","text":"**Hours** are [here](https://a.example).","wrap":true},)"
        R"({"type":"TextBlock","text":"- a","wrap":true},{"type":"TextBlock","text":"- b","wrap":true,"spacing":"None"},)"
        R"({"type":"Table","firstRowAsHeader":true,"columns":[{"width":1},{"width":1}],"rows":[)"
        R"({"type":"TableRow","cells":[{"type":"TableCell","items":[{"type":"TextBlock","text":"A","wrap":true}]},)"
        R"({"type":"TableCell","items":[{"type":"TextBlock","text":"B","wrap":true}]}]},)"
        R"({"type":"TableRow","cells":[{"type":"TableCell","items":[{"type":"TextBlock","text":"1","wrap":true}]},)"
        R"({"type":"TableCell","items":[{"type":"TextBlock","text":"_2_","wrap":true}]}]}]},)"
        R"({"type":"TextBlock","text":"x_y \\*z\\*","wrap":true,"fontType":"Monospace"},)"
        R"({"type":"TextBlock","text":"\\*n\\*","wrap":true}],)"
        R"("actions":[{"type":"Action.OpenUrl","title":"here","url":"https://a.example"}]})");
    CHECK(card.metadata.at("text") == "Week\n\nHours are here.\n\n- a\n- b\n\nA: 1\nB: 2\n\nx_y *z*\n\n*n*");
}

// CONV-46 U
TEST_CASE("message case 1: a piece has room for its indicator")
{
    const std::string exactly = times("a", 1600);
    CHECK(pieces_of(exactly, kSms) == std::vector{exactly});
    const auto pieces = pieces_of(times("a", 1601), kSms);
    REQUIRE(pieces.size() == 2);
    CHECK(pieces[0] == times("a", 1594) + " (1/2)");
    CHECK(pieces[1] == times("a", 7) + " (2/2)");
    const auto many = render(times("a", 40), shorter(kSms, 10)).pieces;  // 4 letters and ` (1/9)`, or 2 and ` (01/20)`
    CHECK(many.size() > 9);
    for (const MessagePiece& piece : many) {
        CHECK(piece.content.size() <= 10);
        CHECK(piece.content.ends_with(" " + piece.continuation_indicator));
    }
    CHECK(many.back().sequence == static_cast<int>(many.size()));
}

TEST_CASE("message case 3: an emoji of seven code points is in one piece")
{
    for (std::size_t most = 16; most < 24; ++most) {
        const auto pieces = pieces_of(times("a", 5) + times(kFamily, 4), shorter(kSms, most));
        std::string all;
        for (std::string piece : pieces) {
            piece.resize(piece.rfind(" ("));
            CHECK(count_code_points(piece) <= most);
            all += piece;
            CHECK(piece.size() % kFamily.size() % 5 == 0);
        }
        CHECK(all == times("a", 5) + times(kFamily, 4));
    }
}

TEST_CASE("message case 4: a long block of code is closed and opened again on WhatsApp")
{
    const std::string code = "```\n" + times("let x = call(value);\n", 150) + "```";  // 3,000 characters
    CHECK(pieces_of(code, kWhatsapp).size() == 1);
    const auto pieces = pieces_of(code, shorter(kWhatsapp, 1000));
    REQUIRE(pieces.size() == 4);
    for (const std::string& piece : pieces) {
        CHECK(piece.starts_with("```let x = call(value);\n"));
        CHECK(piece.substr(0, piece.rfind(" (")).ends_with("call(value);```"));
    }
}

TEST_CASE("message case 5: a table with links in an SMS")
{
    CHECK(shown("| Doc | By |\n|---|---|\n| [Plan](https://a.example/p) | **Ann** |\n| https://b.example | |", kSms) ==
          "Doc: Plan: https://a.example/p\nBy: Ann\n\nDoc: https://b.example");
}

TEST_CASE("render: pieces end at sentences, paragraphs or words")  // CONV-52 U
{
    const char* text = "One two three. Four five six! Seven?\n\nEight nine ten. Eleven.";
    CHECK(pieces_of(text, shorter(kSms, 38, SplitAt::sentence)) ==
          std::vector<std::string>{"One two three. Four five six! (1/2)", "Seven?\n\nEight nine ten. Eleven. (2/2)"});
    CHECK(pieces_of(text, shorter(kSms, 44, SplitAt::paragraph)) ==
          std::vector<std::string>{"One two three. Four five six! Seven? (1/2)", "Eight nine ten. Eleven. (2/2)"});
    CHECK(pieces_of(text, shorter(kSms, 26, SplitAt::word)) ==
          std::vector<std::string>{"One two three. Four (1/4)", "five six! Seven? (2/4)", "Eight nine ten. (3/4)",
                                   "Eleven. (4/4)"});
    CHECK(pieces_of("# Head\n\nA sentence of words. Another one is here.", shorter(kSms, 36)) ==
          std::vector<std::string>{"Head\n\nA sentence of words. (1/2)", "Another one is here. (2/2)"});
    CHECK(pieces_of("First words here.\n\n# Head\n\n- item one is long", shorter(kSms, 32)) ==
          std::vector<std::string>{"First words here. (1/2)", "Head\n\n- item one is long (2/2)"});
}

TEST_CASE("render: items and rows stay whole where a piece can hold them")
{
    const auto pieces = pieces_of("- one. two.\n- three. four. five.\n- six.", shorter(kSms, 30));
    CHECK(pieces == std::vector<std::string>{"- one. two. (1/3)", "- three. four. five. (2/3)", "- six. (3/3)"});
    std::string table = "| Name | Value |\n|---|---|\n";
    for (int i = 0; i < 900; ++i) table += "| some name " + std::to_string(i) + " | some value |\n";
    const auto cards = render(table, kTeams).pieces;
    CHECK(cards.size() > 2);
    int rows = 0;
    for (const MessagePiece& card : cards) {
        CHECK(card.content.size() <= 28'672);
        const auto body = parse_json(card.content).as_object().at("body").as_array();
        const auto& shown_rows = body[0].as_object().at("rows").as_array();
        CHECK(shown_rows[0].as_object().at("cells").as_array()[0].as_object().at("items").as_array()[0].as_object().at(
                  "text") == "Name");
        rows += static_cast<int>(shown_rows.size()) - 1;
    }
    CHECK(rows == 900);
}

TEST_CASE("render: what would grow without end stays small")
{
    CHECK(shown(times(">", 100'000), kSms) == "");
    CHECK(shown(times("- ", 50'000) + "x", kSms).size() < 100);
    CHECK(shown(times("*a ", 50'000), kWhatsapp).size() > 100'000 / 100);
    const std::string columns = "|" + times("a|", 3'000) + "\n|" + times("-|", 3'000) + "\n" + times("|x|\n", 3'000);
    CHECK(render(columns, kMail).content.size() < 3 * columns.size());
    CHECK(error_of([] { render(std::string(kMaxMarkdown + 1, 'a'), kSms); }) ==
          "too_large: a message has at most 4194304 bytes, this one has 4194305");
}

TEST_CASE("WhatsApp: spans are found as it finds them")
{
    const auto spans = [](std::string_view line) { return formatted_spans(line, true); };
    CHECK(spans("*a* b") == std::vector{FormattedSpan{0, 2, '*'}});
    CHECK(spans("x*a*").empty());
    CHECK(spans("*a*b").empty());
    CHECK(spans("* a*").empty());
    CHECK(spans("(*a*)") == std::vector{FormattedSpan{1, 3, '*'}});
    CHECK(spans("`*a*`") == std::vector{FormattedSpan{0, 4, '`'}});
    CHECK(spans("*_a_*") == std::vector{FormattedSpan{0, 4, '*'}, FormattedSpan{1, 3, '_'}});
}
