#include "mcp/oauth/signed_http.hpp"

#include "base/join.hpp"
#include "base/run.hpp"
#include "mcp/http_transport.hpp"
#include "mcp/scripted_server_fixture.hpp"
#include "mcp/scripted_web_fixture.hpp"
#include "mcp/sse_transport.hpp"
#include "net/loop.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

using namespace cadre;
using namespace cadre::mcp;
using namespace cadre::mcp::oauth;
using namespace cadre::mcp::test;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

const std::string kServer = "https://s.example/mcp";

/// A server, and who grants tokens for it. Tests change what it says.
struct Town {
    Town()
    {
        web.answer = [this](const net::HttpRequest& request) { return reply(request); };
    }

    std::optional<Reply> reply(const net::HttpRequest& request)
    {
        if (request.url == kServer) return serve(request);
        if (request.url == "https://as.example/token") return grant(request);
        const auto document = documents.find(request.url);
        if (document == documents.end()) return Reply{.status = 404};
        return Reply{.pieces = {document->second}};
    }
    Reply serve(const net::HttpRequest& request)
    {
        const auto given = net::find_header(request.headers, "Authorization");
        if (given && *given == "Bearer " + accepted && status == 200) return {.pieces = {"served"}};
        return {.status = status == 200 ? 401 : status, .headers = {{"WWW-Authenticate", challenge}}};
    }
    Reply grant(const net::HttpRequest& request)
    {
        ++grants;
        last_body = request.body;
        if (grant_status != 200) return {.status = grant_status, .pieces = {R"({"error":"invalid_client"})"}};
        if (grants_right) accepted = fmt::format("token-{}", grants);
        return {.pieces = {fmt::format(R"({{"access_token":"token-{}","token_type":"Bearer","expires_in":{}}})", grants,
                                       lifetime)}};
    }
    int asked_for(std::string_view part) const
    {
        return static_cast<int>(
            std::ranges::count_if(web.asked, [&](const auto& r) { return r.url.find(part) != r.url.npos; }));
    }

    Web web;
    std::map<std::string, std::string> documents{
        {"https://s.example/.well-known/oauth-protected-resource/mcp",
         R"({"resource":"https://s.example/mcp","authorization_servers":["https://as.example"],"scopes_supported":["read"]})"},
        {"https://as.example/.well-known/oauth-authorization-server",
         R"({"issuer":"https://as.example","token_endpoint":"https://as.example/token"})"}};
    std::string challenge = "Bearer";
    std::string accepted = "none";
    std::string last_body;
    int status = 200;
    int grant_status = 200;
    bool grants_right = true;
    int grants = 0;
    int lifetime = 3600;
};

struct Wired {
    explicit Wired(std::optional<Settings> settings = Settings{.client_id = "me", .client_secret = Secret("s3cret-1")})
        : http(loop, town.web, {.server = "docs", .url = kServer, .settings = std::move(settings)}, nullptr, quiet())
    {}
    std::string ask() { return run(loop, ask_once(http)); }
    static Async<std::string> ask_once(SignedHttp& http)
    {
        try {
            net::HttpRequest request{.method = "POST", .url = kServer, .body = "hello"};
            const auto reply = co_await http.send(std::move(request));
            co_return fmt::format("{} {}", reply->status(), co_await net::read_all(*reply));
        } catch (const net::HttpError& error) {
            co_return fmt::format("{}{}", error.dispatched() ? "" : "!", error.what());
        }
    }
    SimLoop loop;
    Town town;
    SignedHttp http;
};

}  // namespace

TEST_CASE("a server that wants a token gets one from whom its metadata name, for itself and with what it supports")
{
    Wired wired;
    CHECK(wired.ask() == "200 served");
    CHECK(wired.town.last_body == "grant_type=client_credentials&scope=read&resource=https%3A%2F%2Fs.example%2Fmcp");
    CHECK(wired.ask() == "200 served");
    CHECK(wired.town.grants == 1);
    CHECK(wired.town.web.asked.size() == 6);  // refused, two documents, token, served; served
    for (const auto& request : wired.town.web.asked) {
        CAPTURE(request.url);
        CHECK(request.foreign == request.url.starts_with("https://as.example"));
    }
}

TEST_CASE("the challenge says where the metadata are and which scope is wanted")
{
    Wired wired;
    wired.town.challenge = R"(Bearer resource_metadata="https://s.example/own", scope="write list")";
    wired.town.documents["https://s.example/own"] =
        R"({"resource":"https://s.example","authorization_servers":["https://as.example"]})";
    CHECK(wired.ask() == "200 served");
    CHECK(wired.town.asked_for("oauth-protected-resource") == 0);
    CHECK(wired.town.last_body == "grant_type=client_credentials&scope=write%20list&resource=https%3A%2F%2Fs.example");
}

TEST_CASE("a server without metadata is its own authorization server, as in 2025-03-26")
{
    Wired wired;
    wired.town.documents.clear();
    const auto usual = wired.town.web.answer;
    wired.town.web.answer = [&, usual](const net::HttpRequest& request) -> std::optional<Reply> {
        return request.url == "https://s.example/token" ? wired.town.grant(request) : usual(request);
    };
    CHECK(wired.ask() == "200 served");
}

TEST_CASE("however many wait for a token, it is asked for once")
{
    Wired wired;
    wired.town.web.takes = 10ms;
    const auto several = [](SignedHttp& http) -> Async<std::vector<std::string>> {
        std::vector<Async<std::string>> work;
        for (int i = 0; i < 50; ++i) work.push_back(Wired::ask_once(http));
        co_return co_await all(std::move(work));
    };
    CHECK(run(wired.loop, several(wired.http)) == std::vector<std::string>(50, "200 served"));
    CHECK(wired.town.grants == 1);

    Wired refused;
    refused.town.web.takes = 10ms;
    refused.town.grant_status = 401;
    const auto answers = run(refused.loop, several(refused.http));
    CHECK(answers == std::vector<std::string>(
                         50, "!cannot be signed in to: the token endpoint refused with HTTP 401 (\"invalid_client\")"));
    CHECK(refused.town.grants == 1);
}

TEST_CASE("a token is renewed before it ends, and once when it is refused")
{
    Wired wired;
    CHECK(wired.ask() == "200 served");
    run(wired.loop, [](Loop&) -> Async<> { co_await sleep_for(3571s); }(wired.loop));  // sleeps: simulated
    CHECK(wired.ask() == "200 served");
    CHECK(wired.town.grants == 2);
    CHECK(wired.town.asked_for("well-known") == 2);  // what was found stays found

    wired.town.accepted = "another";  // it was revoked
    CHECK(wired.ask() == "200 served");
    CHECK(wired.town.grants == 3);

    wired.town.accepted = "another";
    wired.town.grants_right = false;
    CHECK(wired.ask() == "!refuses the token that it was just given (HTTP 401)");
    CHECK(wired.town.grants == 4);
}

TEST_CASE("a token that allows too little is widened once")
{
    Wired wired;
    CHECK(wired.ask() == "200 served");
    wired.town.status = 403;
    wired.town.challenge = R"(Bearer error="insufficient_scope", scope="write")";
    CHECK(wired.ask() == "!wants more than it was just given a token for (HTTP 403): scope \"write\"");
    CHECK(wired.town.grants == 2);
    CHECK(wired.town.last_body.find("scope=read%20write") != std::string::npos);
    wired.town.challenge = R"(Bearer error="invalid_token")";
    CHECK(wired.ask() == "403 ");
    CHECK(wired.town.grants == 2);
}

TEST_CASE("secrets go to nobody but the authorization server that is who it should be")
{
    struct {
        const char* url;
        const char* text;
        const char* says;
    } const cases[] = {
        {"https://s.example/.well-known/oauth-protected-resource/mcp", R"({"resource":"https://evil.example/mcp"})",
         "its metadata is about another server"},
        {"https://s.example/.well-known/oauth-protected-resource/mcp",
         R"({"resource":"https://s.example/mcp","authorization_servers":["http://evil.example"]})",
         "the authorization server is at http://evil.example"},
        {"https://s.example/.well-known/oauth-protected-resource/mcp",
         R"({"resource":"https://s.example/mcp","authorization_servers":["https://none.example"]})",
         "publishes no metadata"},
        {"https://as.example/.well-known/oauth-authorization-server",
         R"({"issuer":"https://evil.example","token_endpoint":"https://as.example/token"})", "calls itself"},
        {"https://as.example/.well-known/oauth-authorization-server",
         R"({"issuer":"https://as.example","token_endpoint":"http://as.example/token"})",
         "where others could read along"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        Wired wired;
        wired.town.documents[c.url] = c.text;
        CHECK(wired.ask() == Has(c.says));
        CHECK(wired.town.grants == 0);
        CHECK(wired.town.asked_for("evil") == 0);
    }
    Wired huge;
    huge.town.documents.begin()->second = "{\"a\":\"" + std::string(1 << 20, 'a') + "\"}";
    CHECK(huge.ask() == Has("cannot be read"));
    Wired loops;  // a challenge for the metadata themselves, and a redirect of the token request
    loops.town.challenge = R"(Bearer resource_metadata="https://s.example/mcp")";
    CHECK(loops.ask() == Has("the metadata that its challenge names are not there"));
    Wired moved;
    moved.town.grant_status = 307;
    CHECK(moved.ask() == Has("secrets do not follow it there"));
    CHECK(moved.town.grants == 1);
}

TEST_CASE("an endpoint that the operator names is asked without looking for one")
{
    Wired wired(Settings{.client_id = "me",
                         .client_secret = Secret("s3cret-1"),
                         .scope = "own",
                         .token_url = "https://as.example/token"});
    CHECK(wired.ask() == "200 served");
    CHECK(wired.town.web.asked.size() == 2);
    CHECK_FALSE(wired.town.web.asked[0].foreign);
    CHECK(wired.town.last_body.find("scope=own") != std::string::npos);
}

TEST_CASE("a token goes to no other place than the server")
{
    Wired wired;
    CHECK(wired.ask() == "200 served");
    const auto elsewhere = [](SignedHttp& http) -> Async<> {
        net::HttpRequest request{.url = "https://other.example/mcp"};
        co_await http.send(std::move(request));
    };
    run(wired.loop, elsewhere(wired.http));
    CHECK_FALSE(net::find_header(wired.town.web.asked.back().headers, "Authorization"));
}

TEST_CASE("kept: a token of another program is used, a secret stays with its authorization server")
{
    std::string name = (fs::temp_directory_path() / "signed-XXXXXX").string();
    const fs::path home = ::mkdtemp(name.data());
    {
        net::Loop loop;
        KeptSecrets kept(home);
        Town town;
        const auto ask = [&](std::optional<Settings> settings) {
            SignedHttp http(loop, town.web, {.server = "docs", .url = kServer, .settings = std::move(settings)}, &kept,
                            quiet());
            return run(loop, Wired::ask_once(http));
        };
        const Settings settings{.client_id = "me"};
        const KeptFor whom{.server = "docs", .url = kServer, .token_url = "", .client_id = "me"};
        CHECK(ask(settings) == Has("there is no secret for it"));
        run(loop, kept.keep(whom, {.client_secret = Secret("s3cret-1")}));
        CHECK(ask(settings) == "200 served");
        town.web.asked.clear();
        CHECK(ask(settings) == "200 served");
        CHECK(town.web.asked.size() == 1);

        town.accepted = "another";
        town.documents["https://s.example/.well-known/oauth-protected-resource/mcp"] =
            R"({"resource":"https://s.example/mcp","authorization_servers":["https://new.example"]})";
        town.documents["https://new.example/.well-known/oauth-authorization-server"] =
            R"({"issuer":"https://new.example","token_endpoint":"https://new.example/token"})";
        CHECK(ask(settings) == Has("it names another authorization server than before"));
        CHECK(town.asked_for("new.example/token") == 0);

        run(loop, kept.keep({.server = "docs", .url = kServer}, {.bearer = Secret("own-token-1")}));
        CHECK(ask(std::nullopt) ==
              "!refuses the token that is kept for it (HTTP 401); to give it another: `mcp login docs`");
        town.accepted = "own-token-1";
        CHECK(ask(std::nullopt) == "200 served");
        run(loop, kept.forget("docs"));
        CHECK(ask(std::nullopt) == "401 ");
    }
    fs::remove_all(home);
}

TEST_CASE("both transports are signed in")
{
    Wired wired;
    HttpPlace place{kServer, {}};
    HttpTransport transport(wired.loop, wired.http, place, quiet());
    transport.send({Request{.id = std::int64_t{1}, .method = "ping"}, {}});
    run(wired.loop, [](Transport& t) -> Async<> { co_await t.receive(); }(transport));
    CHECK(net::find_header(wired.town.web.asked.back().headers, "Authorization") == "Bearer token-1");
    run(wired.loop, transport.close());

    Wired old;
    SseTransport stream(old.loop, old.http, place, quiet());
    run(old.loop, [](Transport& t) -> Async<> { co_await t.receive(); }(stream));
    CHECK(old.town.web.asked.back().method == "GET");
    CHECK(net::find_header(old.town.web.asked.back().headers, "Authorization") == "Bearer token-1");
    run(old.loop, stream.close());
}
