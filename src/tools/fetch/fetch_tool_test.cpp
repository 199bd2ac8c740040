#include "tools/fetch/fetch_tool.hpp"

#include "base/async.hpp"
#include "net/http_client.hpp"
#include "net/loop.hpp"
#include "tools/builtin/tool_call_fixture.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace cadre;
using namespace cadre::tools;

namespace {

struct Page {
    int status = 200;
    net::HttpHeaders headers{};
    std::string body{};
};

class Reply final : public net::HttpReply {
public:
    explicit Reply(Page page) : page_(std::move(page)) {}
    int status() const override { return page_.status; }
    const net::HttpHeaders& headers() const override { return page_.headers; }
    Async<std::optional<std::string_view>> read() override
    {
        if (done_) co_return std::nullopt;
        done_ = true;
        co_return page_.body;
    }

private:
    Page page_;
    bool done_ = false;
};

class Web final : public net::Http {
public:
    Async<std::unique_ptr<net::HttpReply>> send(net::HttpRequest request) override
    {
        asked += request.url + "\n";
        all_foreign = all_foreign && request.foreign;
        const auto page = pages.find(request.url);
        if (page == pages.end()) throw net::HttpError(Code::unavailable, "no such host", false);
        co_return std::make_unique<Reply>(page->second);
    }

    std::map<std::string, Page> pages;
    std::string asked;
    bool all_foreign = true;
};

Page redirect(std::string to)
{
    return {.status = 302, .headers = {{"Location", std::move(to)}}};
}

}  // namespace

TEST_CASE("fetch: a page as Markdown, through redirects that are each asked about anew")
{
    Web web;
    web.pages["https://a.org/"] = redirect("/two");
    web.pages["https://a.org/two"] = redirect("//b.org/three");
    web.pages["https://b.org/three"] = {.headers = {{"Content-Type", "text/html"}},
                                        .body = "<p>Found <a href=x>it</a>"};
    const auto fetch = fetch_tool(web);
    CHECK(call(*fetch, {{"url", "https://a.org/"}}).text ==
          "[from https://b.org/three]\n\nFound [it](https://b.org/x)");
    CHECK(web.asked == "https://a.org/\nhttps://a.org/two\nhttps://b.org/three\n");
    CHECK(web.all_foreign);
    CHECK(call(*fetch, {{"url", "https://b.org/three"}, {"raw", true}}).text == "<p>Found <a href=x>it</a>");

    web.pages["https://c.org/"] = redirect("https://c.org/");
    CHECK(call(*fetch, {{"url", "https://c.org/"}}).text == "The page leads on and on: 5 redirects, and no page.");
    web.pages["https://c.org/file"] = redirect("file:///etc/passwd");
    CHECK(call(*fetch, {{"url", "https://c.org/file"}}).is_error);
}

TEST_CASE("fetch: what cannot be shown is said")
{
    Web web;
    web.pages["https://a.org/404"] = {
        .status = 404, .headers = {{"Content-Type", "text/html"}}, .body = "<h1>Gone</h1>"};
    web.pages["https://a.org/pdf"] = {.headers = {{"Content-Type", "application/pdf"}}, .body = "%PDF"};
    web.pages["https://a.org/gzip"] = {.headers = {{"Content-Encoding", "gzip"}}, .body = "\x1f\x8b"};
    const auto fetch = fetch_tool(web);
    const Result gone = call(*fetch, {{"url", "https://a.org/404"}});
    CHECK(gone.is_error);
    CHECK(gone.text == "The server answered with status 404.\n# Gone");
    CHECK(call(*fetch, {{"url", "https://a.org/pdf"}}).text ==
          "This is not text: 4 bytes of type \"application/pdf\".");
    CHECK(call(*fetch, {{"url", "https://a.org/gzip"}}).is_error);
    CHECK(call(*fetch, {{"uri", "x"}}).is_error);
    CHECK_THROWS_AS(call(*fetch, {{"url", "https://none.org/"}}), NotDispatched);
}

TEST_CASE("fetch: the egress policy keeps it out of this machine and its network")
{
    net::Loop loop;
    net::HttpClient http(loop);
    const auto fetch = fetch_tool(http);
    ThreadPool pool(1);
    TestContext context(pool);
    for (const char* url :
         {"https://127.0.0.1/", "https://169.254.169.254/latest/meta-data/", "https://[::1]/", "https://10.0.0.1/",
          "http://example.org/", "https://localhost:8443/", "file:///etc/passwd", "https://user:pass@example.org/"}) {
        CAPTURE(url);
        Call request{.arguments = {{"url", url}}};
        const Result result = run(loop, fetch->call(std::move(request), context));
        CHECK(result.is_error);
        CHECK(result.text.size() > 10);
    }
}
