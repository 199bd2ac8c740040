#include "server/auth/key_source.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"
#include "net/http.hpp"
#include "server/auth/jwt_settings.hpp"
#include "server/auth/test_signer.hpp"
#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace cadre;
using namespace cadre::server;
using test::error_of;

namespace {

using namespace std::chrono_literals;

struct Nowhere final : LogSink {
    void write(Level, std::string_view) override {}
};

Log no_log()
{
    return {std::make_shared<Nowhere>(), Level::off};
}

/// Answers with what a test has put there.
struct Issuer final : net::Http {
    struct Answer final : net::HttpReply {
        int status() const override { return code; }
        const net::HttpHeaders& headers() const override { return none; }
        Async<std::optional<std::string_view>> read() override
        {
            if (done) co_return std::nullopt;
            done = true;
            co_return text;
        }
        int code = 200;
        std::string text;
        net::HttpHeaders none;
        bool done = false;
    };

    Async<std::unique_ptr<net::HttpReply>> send(net::HttpRequest request) override
    {
        ++asked;
        CHECK(request.url == "https://id.example/keys");
        if (slow > 0ms) co_await sleep_for(slow);
        if (down) throw net::HttpError(Code::upstream, "no connection", false);
        auto answer = std::make_unique<Answer>();
        answer->code = status;
        answer->text = text;
        co_return answer;
    }

    std::string text;
    int status = 200;
    bool down = false;
    Millis slow{};
    int asked = 0;
};

std::string set_of(const test::Signer& signer, const std::string& id)
{
    return "{\"keys\":[" + signer.jwk(id) + "]}";
}

const test::Signer& signer()
{
    static const test::Signer key("Ed25519");
    return key;
}

struct AtUrl {
    AtUrl() { issuer.text = set_of(signer(), "one"); }

    bool knows(const std::string& id, bool missed = false)
    {
        return run(loop, source->keys(missed))->knows(std::string_view(id));
    }
    void advance(Millis by) { loop.manual_clock().advance(by); }

    SimLoop loop;
    Issuer issuer;
    std::unique_ptr<KeySource> source =
        key_source({.issuer = "i", .audience = "a", .jwks_url = "https://id.example/keys"}, Secret(), issuer,
                   loop.clock(), no_log());
};

}  // namespace

TEST_CASE("keys of tokens: a URL is asked once an hour, and for keys that are not known once a minute")
{
    AtUrl at;
    CHECK(at.knows("one"));
    CHECK(at.knows("one"));
    CHECK(at.issuer.asked == 1);
    for (int i = 0; i < 10'000; ++i) at.knows("stranger", true);  // any stranger can name a key
    CHECK(at.issuer.asked == 1);

    at.advance(60s);
    at.issuer.text = set_of(signer(), "two");
    CHECK(at.knows("two", true));
    CHECK(at.issuer.asked == 2);
    at.advance(3'600s - 1ms);
    CHECK(at.knows("two"));
    CHECK(at.issuer.asked == 2);
    at.advance(1ms);
    CHECK(at.knows("two"));
    CHECK(at.issuer.asked == 3);
}

TEST_CASE("keys of tokens: while the URL is down, old ones are good for a day, and health hears of it")
{
    AtUrl at;
    CHECK(at.knows("one"));
    CHECK(at.source->trouble().empty());
    at.issuer.down = true;
    at.advance(3'600s);
    CHECK(at.knows("one"));
    CHECK(at.source->trouble() == "the keys of tokens cannot be had: no connection");
    const int asked = at.issuer.asked;
    CHECK(at.knows("one"));
    CHECK(at.issuer.asked == asked);
    at.advance(10s);
    CHECK(at.knows("one"));
    CHECK(at.issuer.asked == asked + 1);
    at.advance(22h);
    CHECK(at.knows("one"));
    at.advance(1h);
    CHECK(error_of([&] { at.knows("one"); }) == doctest::Contains("unavailable: tokens cannot be checked"));
    at.issuer.down = false;
    at.advance(10s);
    CHECK(at.knows("one"));
    CHECK(at.source->trouble().empty());
}

TEST_CASE("keys of tokens: what is not a set of good keys changes nothing")
{
    const test::Signer weak("1024");
    struct {
        const char* name;
        int status;
        std::string text;
    } const cases[] = {
        {"an error", 500, set_of(signer(), "two")},
        {"a redirect", 302, set_of(signer(), "two")},
        {"no JSON", 200, "<html>"},
        {"no keys", 200, R"({"keys":[]})"},
        {"only weak ones", 200, set_of(weak, "two")},
        {"a secret", 200, R"({"keys":[{"kid":"two","kty":"oct","k":"AAAA"}]})"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        AtUrl at;
        CHECK(at.knows("one"));
        at.issuer.status = c.status;
        at.issuer.text = c.text;
        at.advance(3'600s);
        CHECK(at.knows("one"));
        CHECK_FALSE(at.knows("two"));
        CHECK_FALSE(at.source->trouble().empty());
    }
}

TEST_CASE("keys of tokens: a slow issuer costs the one who asks it five seconds, and others who have keys nothing")
{
    AtUrl at;
    CHECK(at.knows("one"));
    at.issuer.slow = 60s;
    at.advance(3'600s);
    const Instant before = at.loop.now();
    AsyncScope scope(at.loop);
    scope.spawn([](KeySource& source) -> Async<> { co_await source.keys(false); }(*at.source));
    CHECK(at.knows("one"));
    CHECK(at.loop.now() == before);
    CHECK(at.issuer.asked == 2);
    run(at.loop, scope.join());
    CHECK(at.loop.now() - before == 5s);

    AtUrl fresh;
    fresh.issuer.slow = 60s;
    CHECK(error_of([&] { fresh.knows("one"); }) == doctest::Contains("unavailable"));
}

TEST_CASE("keys of tokens: many who need the first keys ask once")
{
    AtUrl at;
    at.issuer.slow = 1s;
    AsyncScope scope(at.loop);
    for (int i = 0; i < 100; ++i)
        scope.spawn(
            [](KeySource& source) -> Async<> { CHECK((co_await source.keys(false))->size() == 1); }(*at.source));
    run(at.loop, scope.join());
    CHECK(at.issuer.asked == 1);
}

TEST_CASE("keys of tokens: a file is read again when it changes, and a broken one changes nothing")
{
    SimLoop loop;
    Issuer issuer;
    const storage::TemporaryFolder folder;
    const auto file = folder.path() / "keys.json";
    const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
    const JwtSettings settings{.issuer = "i", .audience = "a", .jwks_file = file.string()};
    const auto make = [&] { return key_source(settings, Secret(), issuer, loop.clock(), no_log()); };
    CHECK(error_of([&] { make(); }) == doctest::Contains("invalid: server.jwt.jwks_file: there is no file"));
    write("{}");
    CHECK(error_of([&] { make(); }) == doctest::Contains("invalid: server.jwt.jwks_file: "));

    write(set_of(signer(), "one"));
    const auto source = make();
    const auto knows = [&](std::string_view id) { return run(loop, source->keys(false))->knows(id); };
    CHECK(knows("one"));
    write(set_of(signer(), "another"));
    CHECK(knows("another"));
    CHECK_FALSE(knows("one"));
    write("{\"keys\":");
    CHECK(knows("another"));
    CHECK_FALSE(source->trouble().empty());
    std::filesystem::remove(file);
    CHECK(knows("another"));
    write(set_of(signer(), "one"));
    CHECK(knows("one"));
    CHECK(source->trouble().empty());
}

TEST_CASE("settings of tokens: everything that is wrong with them is told, with the fix")
{
    struct {
        const char* name;
        JwtSettings settings;
        std::string secret;
        const char* says;
    } const cases[] = {
        {"no keys", {.issuer = "i", .audience = "a"}, "", "jwks_file or jwks_url, or set CADRE_JWT_SECRET"},
        {"two places", {.issuer = "i", .audience = "a", .jwks_file = "f", .jwks_url = "https://x/k"}, "", "one of"},
        {"a secret beside keys", {.issuer = "i", .audience = "a", .jwks_file = "f"}, std::string(32, 'x'), "one of"},
        {"a short secret", {.issuer = "i", .audience = "a"}, std::string(31, 'x'), "32 bytes"},
        {"plain http", {.issuer = "i", .audience = "a", .jwks_url = "http://id.example/k"}, "", "must be https"},
        {"no URL", {.issuer = "i", .audience = "a", .jwks_url = "id"}, "", "is not an https URL"},
        {"no issuer", {.audience = "a", .jwks_file = "f"}, "", "jwt.issuer"},
        {"no audience", {.issuer = "i", .jwks_file = "f"}, "", "jwt.audience"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const auto faults = faults_of(c.settings, Secret(c.secret));
        REQUIRE(faults.size() == 1);
        CHECK(faults.front().find(c.says) != std::string::npos);
    }
    JwtSettings good{.issuer = "i", .audience = "a", .jwks_url = "http://127.0.0.1:9/k"};
    CHECK(faults_of(good, Secret()).empty());
    good.roles["boss"] = "king";
    CHECK(faults_of(good, Secret()).size() == 1);
}
