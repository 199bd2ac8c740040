// What holds for any text on any channel. Some hundred renderings; CADRE_LONG=1 for 100,000 documents on each.
#include "base/json.hpp"
#include "base/random.hpp"
#include "base/utf8.hpp"
#include "text/channel/grapheme.hpp"
#include "text/channel/pieces.hpp"
#include "text/channel/render.hpp"
#include "text/channel/sms.hpp"
#include "text/channel/whatsapp.hpp"
#include "text/code_point.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <cstdlib>
#include <set>
#include <string>

using namespace cadre;
using namespace cadre::text;

namespace {

constexpr std::string_view kFamily = "👩‍👩‍👧‍👦";

class Author {
public:
    explicit Author(std::uint64_t seed) : random_(seed) {}

    std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

    std::string document()
    {
        std::string out;
        for (auto n = random_.below(5) + 1; n > 0; --n) out += block(0) + "\n\n";
        return out;
    }

private:
    std::string_view any(std::span<const std::string_view> of) { return of[random_.below(of.size())]; }

    std::string words()
    {
        static constexpr std::string_view kWords[] = {"hours",
                                                      "Ann's",
                                                      "32/40",
                                                      "a_b_c",
                                                      "5*3",
                                                      "*",
                                                      "**",
                                                      "_x",
                                                      "y_",
                                                      "~",
                                                      "~z~",
                                                      "`",
                                                      "``",
                                                      "[q]",
                                                      "<b>",
                                                      "€",
                                                      "naïve",
                                                      "漢字。",
                                                      "“so”",
                                                      "…",
                                                      "end.",
                                                      "What?",
                                                      "No!",
                                                      "1.",
                                                      "- dash",
                                                      "#5",
                                                      "> more",
                                                      "\\",
                                                      "\\*e\\*",
                                                      "&amp;",
                                                      "&#x1F389;",
                                                      kFamily,
                                                      "✅",
                                                      "🇩🇪",
                                                      "e\u0301",
                                                      "https://a.example/x_(y)_z",
                                                      "ann@mail.example",
                                                      "|",
                                                      "\xff",
                                                      "(see"};
        std::string out;
        for (auto n = random_.below(14) + 1; n > 0; --n) {
            const auto word = std::string(any(kWords));
            switch (random_.below(16)) {
            case 0: out += "**" + word + " bold** "; break;
            case 1: out += "_it " + word + "_ "; break;
            case 2: out += "~~" + word + "~~"; break;
            case 3: out += "`" + word + "` "; break;
            case 4: out += "[to " + word + "](https://b.example/p?q=1) "; break;
            case 5: out += "![pic " + word + "](c.png)"; break;
            case 6: out += word + "\n"; break;
            case 7: out += "***" + word + " all*** "; break;
            case 8: out += "[" + word + "](javascript:x)"; break;
            default: out += word + " ";
            }
        }
        return out;
    }

    std::string line()
    {
        std::string out = words();
        for (char& c : out)
            if (c == '\n') c = ' ';
        return out;
    }

    std::string block(int depth)
    {
        std::string out;
        switch (random_.below(depth > 2 ? 2 : 8)) {
        case 0: return "## " + line();
        case 1: return words();
        case 2:
            for (auto n = random_.below(3) + 1; n > 0; --n) out += indented("- ", block(depth + 1)) + "\n";
            return out;
        case 3:
            for (auto n = random_.below(3) + 1; n > 0; --n) out += indented("7. ", block(depth + 1)) + "\n\n";
            return out;
        case 4: return indented("> ", block(depth + 1));
        case 5:
            out = "```\n";
            for (auto n = random_.below(6); n > 0; --n) out += line() + "\n";
            return out + "```";
        case 6: {
            const auto columns = random_.below(4) + 1;
            const auto add_row = [&](const auto& cell) {
                out += "|";
                for (std::uint64_t i = 0; i < columns; ++i) out += cell() + "|";
                out += "\n";
            };
            add_row([&] { return line(); });
            add_row([] { return std::string("---"); });
            for (auto n = random_.below(4); n > 0; --n) add_row([&] { return line(); });
            return out;
        }
        default: return "---";
        }
    }

    static std::string indented(std::string_view mark, const std::string& text)
    {
        std::string out(mark);
        for (const char c : text) {
            out += c;
            if (c == '\n') out += mark == "> " ? "> " : std::string(mark.size(), ' ');
        }
        return out;
    }

    SeededRandom random_;
};

void replace_all(std::string& text, std::string_view from, std::string_view to)
{
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// Without blanks and the marks of quotations, which code has not, and with the marks that look-alikes stand for.
std::string essence(std::string text)
{
    for (const auto& [from, to] : {std::pair("∗", "*"), {"ˍ", "_"}, {"∼", "~"}, {"ˋ", "`"}, {"‐", "-"}, {"›", ">"}})
        replace_all(text, from, to);
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '>'; });
    return text;
}

/// Where two texts part.
std::string first_difference(std::string_view a, std::string_view b)
{
    if (a == b) return "";
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    const std::size_t from = at - std::min<std::size_t>(at, 20);
    return std::string(a.substr(from, 40)) + " | " + std::string(b.substr(from, 40));
}

/// What WhatsApp shows of it.
std::string parsed_back(std::string_view text)
{
    std::string out;
    bool in_code = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        std::string rest = line;
        line.clear();
        for (std::size_t fence = 0; (fence = rest.find("```")) != rest.npos; rest.erase(0, fence + 3)) {
            line += rest.substr(0, fence);
            in_code = !in_code;
        }
        const bool all_text = line.empty() && !in_code;
        line += rest;
        std::set<std::size_t> marks;
        if (all_text)
            for (const FormattedSpan& span : formatted_spans(line, false)) marks.insert({span.open, span.close});
        for (std::size_t i = 0; i < line.size(); ++i)
            if (!marks.contains(i)) out += line[i];
        out += '\n';
    }
    return out;
}

std::size_t utf16_units(std::string_view text)
{
    std::size_t units = 0;
    each_code_point(text, [&](char32_t c, std::size_t) { units += c >= 0x10000 ? 2 : 1; });
    return units;
}

/// Whether it is UTF-8 with line feeds and tabs as its only control characters.
bool is_text(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t bytes = utf8_length(text);
        const auto c = static_cast<unsigned char>(text[0]);
        if (bytes == 0 || (bytes == 1 && c != '\n' && c != '\t' && (c < 0x20 || c == 0x7F))) return false;
        text.remove_prefix(bytes);
    }
    return true;
}

/// The tag that is none of ours, or is not closed; empty: there is none.
std::string wrong_tag(std::string_view html)
{
    static const std::set<std::string, std::less<>> kAlone = {"!DOCTYPE", "meta", "br", "hr"};
    static const std::set<std::string, std::less<>> kOurs = {
        "html", "head", "body", "p", "h1", "h2", "h3",         "h4",    "h5", "h6", "strong", "em",
        "del",  "code", "pre",  "a", "ul", "ol", "blockquote", "table", "tr", "th", "td",     "li"};
    std::vector<std::string> open;
    for (std::size_t at = html.find('<'); at != html.npos; at = html.find('<', at + 1)) {
        const bool closes = html[at + 1] == '/';
        const std::size_t from = at + (closes ? 2 : 1);
        std::string tag(html.substr(from, html.find_first_of(" >", from) - from));
        if (kAlone.contains(tag)) continue;
        if (!kOurs.contains(tag) || (closes && (open.empty() || open.back() != tag))) return tag;
        if (closes) open.pop_back();
        else open.push_back(std::move(tag));
    }
    return open.empty() ? "" : open.back();
}

ChannelRules rules_for(ChannelKind channel, Author& author)
{
    ChannelRules rules{.channel = channel, .emojis = author.below(4) != 0};
    const bool can = channel != ChannelKind::sms && author.below(4) != 0;
    rules.markdown = {can,
                      can,
                      can && author.below(2) != 0,
                      can && author.below(2) != 0,
                      can && author.below(2) != 0,
                      can && author.below(2) != 0};
    rules.split = static_cast<SplitAt>(author.below(3));
    const std::size_t lengths[] = {40, 70, 160, 400, 1600};  // mail quotes line by line, which takes room
    const std::size_t least = channel == ChannelKind::email ? 2 : 0;
    if (channel == ChannelKind::sms || author.below(2) != 0)
        rules.max_length = lengths[least + author.below(5 - least)];
    return rules;
}

void check_pieces(const RenderedMessage& message, const ChannelRules& rules)
{
    REQUIRE(!message.pieces.empty());
    REQUIRE(message.content == message.pieces.front().content);
    const std::size_t count = message.pieces.size();
    for (std::size_t i = 0; i < count; ++i) {
        const MessagePiece& piece = message.pieces[i];
        CAPTURE(piece.content);
        REQUIRE(piece.sequence == static_cast<int>(i) + 1);
        REQUIRE(piece.continuation_indicator == (count == 1 ? "" : indicator_of(i + 1, count)));
        REQUIRE(is_text(piece.content));
        REQUIRE(is_text(piece.alternative));
        const bool is_card = rules.channel == ChannelKind::teams;
        const std::string_view said = is_card ? piece.alternative : piece.content;
        if (count > 1) REQUIRE(said.ends_with(" " + piece.continuation_indicator));
        if (rules.max_length) REQUIRE(count_code_points(said) <= *rules.max_length);
        if (rules.channel == ChannelKind::sms) REQUIRE(utf16_units(said) <= 1600);
        if (rules.channel == ChannelKind::whatsapp) REQUIRE(utf16_units(said) <= 4096);
        if (is_card) {
            REQUIRE(piece.content.size() <= 28 * 1024);
            REQUIRE(parse_json(piece.content).as_object().at("type") == "AdaptiveCard");
        }
        if (rules.channel == ChannelKind::email) REQUIRE(wrong_tag(piece.alternative) == "");
    }
}

/// Without indicators.
std::string joined(const RenderedMessage& message, bool is_card)
{
    std::string all;
    for (const MessagePiece& piece : message.pieces) {
        std::string said = is_card ? piece.alternative : piece.content;
        if (!piece.continuation_indicator.empty()) said.resize(said.size() - piece.continuation_indicator.size());
        all += said + "\n";
    }
    return all;
}

std::size_t count_of(std::string_view what, std::string_view in)
{
    std::size_t count = 0;
    for (std::size_t at = in.find(what); at != in.npos; at = in.find(what, at + what.size())) ++count;
    return count;
}

}  // namespace

TEST_CASE("render: any text, on any channel, in pieces that fit, with nothing lost")
{
    const int documents = std::getenv("CADRE_LONG") ? 100'000 : 60;
    for (int seed = 0; seed < documents; ++seed) {
        Author author(static_cast<std::uint64_t>(seed));
        const std::string markdown = author.document();
        CAPTURE(seed);
        CAPTURE(markdown);
        for (const auto channel : {ChannelKind::sms, ChannelKind::whatsapp, ChannelKind::email, ChannelKind::teams}) {
            const ChannelRules rules = rules_for(channel, author);
            CAPTURE(int(channel));
            const RenderedMessage message = render(markdown, rules);
            check_pieces(message, rules);
            REQUIRE(render(markdown, rules).content == message.content);

            ChannelRules whole = rules;
            whole.max_length = {};
            const RenderedMessage uncut = render(markdown, whole);
            const bool is_card = channel == ChannelKind::teams;
            const bool has_tables = markdown.find("---|") != markdown.npos;  // their headers are said again
            if (uncut.pieces.size() == 1 && !(has_tables && channel != ChannelKind::sms)) {
                std::string a = essence(joined(message, is_card)), b = essence(joined(uncut, is_card));
                if (channel == ChannelKind::whatsapp ||
                    channel == ChannelKind::email)  // marks are closed and opened again
                    for (std::string* text : {&a, &b})
                        std::erase_if(*text, [](char c) {
                            return std::string_view("*_~`->#").find(c) != std::string_view::npos;
                        });
                if (channel != ChannelKind::email) REQUIRE(a == b);
            }
            if (rules.max_length.value_or(1600) >= 40)
                REQUIRE(count_of(kFamily, joined(message, is_card)) >= count_of(kFamily, joined(uncut, is_card)));
        }
    }
}

TEST_CASE("render: WhatsApp formats what was meant and no more")
{
    const int documents = std::getenv("CADRE_LONG") ? 100'000 : 60;
    for (int seed = 0; seed < documents; ++seed) {
        Author author(static_cast<std::uint64_t>(seed) + 1'000'000);
        const std::string markdown = author.document();
        CAPTURE(seed);
        CAPTURE(markdown);
        ChannelRules rules{.channel = ChannelKind::whatsapp, .markdown = {.bold = true, .italic = true, .code = true}};
        const RenderedMessage marked = render(markdown, rules);
        rules.markdown = {};
        const RenderedMessage bare = render(markdown, rules);
        if (marked.pieces.size() > 1 || bare.pieces.size() > 1) continue;
        CAPTURE(marked.content);
        const std::string said = essence(bare.content);
        REQUIRE(first_difference(essence(parsed_back(marked.content)), said) == "");
        REQUIRE(first_difference(essence(parsed_back(bare.content)), said) == "");
    }
}
