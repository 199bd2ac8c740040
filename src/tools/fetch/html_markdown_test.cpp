#include "tools/fetch/html_markdown.hpp"

#include "base/time.hpp"
#include "tools/fetch/page_text.hpp"
#include "tools/fetch/url_reference.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::tools;

namespace {

std::string markdown(std::string_view html, std::size_t most = 100'000)
{
    return markdown_from_html(html, "https://a.org/dir/page?q=1", most).text;
}

}  // namespace

TEST_CASE("HTML becomes Markdown that keeps what a reader needs")
{
    struct {
        const char* html;
        const char* text;
    } const cases[] = {
        {"<p>One &amp; two</p>\n<p>three<br>four", "One & two\n\nthree\nfour"},
        {"<title>A  page</title><body><h1>Head</h1>text<h2>Two</h2>", "# A page\n\n# Head\n\ntext\n\n## Two"},
        {"<ul><li>a<li>b<ol><li>c</li><li>d</li></ol></ul>end", "- a\n- b\n  1. c\n  2. d\n\nend"},
        {"see <a href='/x?y=1&amp;z=2'>this <b>page</b></a>!", "see [this **page**](https://a.org/x?y=1&z=2)!"},
        {"<a href='javascript:alert(1)'>no</a> <a href='#top'>top</a> <a href='b.html'></a>", "no top"},
        {"<pre><code>if (a &lt; b)\n  c();</code></pre>after", "```\nif (a < b)\n  c();\n```\n\nafter"},
        {"use <code>x</code>, <em>now</em>, <b></b>", "use `x`, *now*,"},
        {"<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><p>2</p></td></tr></table>x",
         "| a | b |\n| 1 | 2 |\n\nx"},
        {"<blockquote>said<p>so</blockquote>then", "> said\n\n> so\n\nthen"},
        {"a<script>if (a<b) '</p>'</script>b<style>p{}</style><!-- no --> c", "ab c"},
        {"<img alt='a cat' src=x><img src=y> 1 < 2 &unknown; &#228;&#xE4;&#150;&euro;",
         "[image: a cat] 1 < 2 &unknown; ää–€"},
        {"<P CLASS=\"a>b\">caps</P>", "caps"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.html);
        CHECK(markdown(c.html) == c.text);
    }
}

TEST_CASE("hostile HTML is read in time that grows with its length alone")
{
    const auto many = [](std::string_view piece) {
        std::string all;
        while (all.size() < 500'000) all += piece;
        return all;
    };
    const Instant begin = system_clock().instant();
    for (const char* piece : {"<", "<a href=x>", "<div><p>", "<ul><li>", "<!--", "<a b=\"", "<b><i>", "&", "&#",
                              "<pre>\n", "<table><tr><td>", "</p>", "<script>", "<svg></svg", "<a href=//x>y</a>",
                              "<blockquote>x", "\n\n\n", "<title>x"}) {
        CAPTURE(piece);
        const MarkdownText text = markdown_from_html(many(piece), "https://a.org/", 100'000);
        CHECK(text.text.size() <= 100'000);
    }
    CHECK(system_clock().instant() - begin < std::chrono::seconds(30));
    CHECK(markdown_from_html(std::string(5000, 'x'), "", 100).is_cut);
}

TEST_CASE("links lead where a browser would go")
{
    struct {
        const char* reference;
        const char* url;
    } const cases[] = {
        {"b", "https://a.org/dir/b"},
        {"./b/../c", "https://a.org/dir/c"},
        {"../../..", "https://a.org/"},
        {"/x#y", "https://a.org/x"},
        {"?z", "https://a.org/dir/page?z"},
        {"", "https://a.org/dir/page?q=1"},
        {"//b.org/c", "https://b.org/c"},
        {"http://c.org", "http://c.org"},
        {"b?c=/../d", "https://a.org/dir/b?c=/../d"},
        {"mailto:a@b.org", ""},
        {"javascript:x", ""},
        {"HTTPS://D.org/", "HTTPS://D.org/"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.reference);
        CHECK(resolve_reference("https://a.org/dir/page?q=1#f", c.reference).value_or("") == c.url);
    }
    CHECK(resolve_reference("https://a.org", "b") == "https://a.org/b");
}

TEST_CASE("what is no text is not shown, and what is text is shown in UTF-8")
{
    const auto text = [](std::string_view body, std::string_view type) {
        const auto shown = page_text(body, type, "https://a.org/", false, 1000);
        return shown ? shown->text : "none";
    };
    CHECK(text("gr\xFC\xDF", "text/plain; charset=ISO-8859-1") == "grüß");
    CHECK(text("gr\xFC\xDF", "text/plain") == "grüß");
    CHECK(text("gr\xFC\xDF", "text/plain; charset=utf-8") == "gr\uFFFD\uFFFD");
    CHECK(text("<meta charset=latin1><p>\x80\x93", "text/html") == "€“");
    CHECK(text("\xEF\xBB\xBFgrüß", "text/plain") == "grüß");
    CHECK(text("<html><p>x", "") == "x");
    CHECK(text("{\"a\":1}", "application/problem+json") == "{\"a\":1}");
    CHECK(text("%PDF", "application/pdf") == "none");
    CHECK(text(std::string_view("a\0b", 3), "") == "none");
}
