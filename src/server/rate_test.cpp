#include "server/rate.hpp"

#include "base/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::server;
using namespace std::chrono_literals;

namespace {

constexpr Instant kStart = Instant{} + 1'000'000h;

std::string value(const net::HttpHeaders& headers, std::string_view name)
{
    return std::string(net::find_header(headers, name).value_or(""));
}

}  // namespace

TEST_CASE("rate: the quota at once, then one whenever its share of the window has passed")
{
    const Rate rate{.quota = 40, .window = 2s};
    Instant bucket{};
    for (int i = 0; i < 40; ++i) {
        const RateVerdict verdict = after_request(rate, bucket, kStart);
        CHECK(verdict.allowed);
        CHECK(verdict.left == 39 - i);
        bucket = verdict.next_free;
    }
    struct {
        const char* name;
        Millis after;
        bool allowed;
        Millis retry_in;
    } const cases[] = {
        {"at once", 0ms, false, 50ms},         {"almost", 49ms, false, 1ms}, {"one share", 50ms, true, 0ms},
        {"nothing was lost", 99ms, true, 0ms}, {"all of it", 2s, true, 0ms}, {"long after", 1h, true, 0ms},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const RateVerdict verdict = after_request(rate, bucket, kStart + c.after);
        CHECK(verdict.allowed == c.allowed);
        CHECK(verdict.retry_in == c.retry_in);
        if (!c.allowed) CHECK(verdict.next_free == bucket);  // a refusal costs nothing
    }
    CHECK(after_request(rate, bucket, kStart + 1h).left == 39);        // and nobody saves up for later
    CHECK(after_request(rate, kStart + 100h, kStart).retry_in <= 2s);  // from another time: forgiven to one window
}

TEST_CASE("rate: over a minute the rate plus one burst goes through, however it is asked for")
{
    for (const Millis pace : {1ms, 7ms, 49ms, 50ms, 51ms}) {
        CAPTURE(pace.count());
        const Rate rate{.quota = 40, .window = 2s};
        Instant bucket{};
        int allowed = 0, asked = 0;
        for (Millis at{}; at < 60s; at += pace, ++asked) {
            const RateVerdict verdict = after_request(rate, bucket, kStart + at);
            bucket = verdict.next_free;
            allowed += verdict.allowed;
        }
        const int most = 40 + 60 * 20;
        CHECK(allowed <= most);
        CHECK(allowed >= std::min(asked, most) - 2);
    }
}

TEST_CASE("rate: headers say policy, what is left and when to come back")
{
    const Rate rate = default_rate(RateClass::read);
    const auto first = rate_headers(RateClass::read, rate, after_request(rate, {}, kStart));
    CHECK(value(first, "RateLimit-Policy") == "\"read\";q=40;w=2");
    CHECK(value(first, "RateLimit") == "\"read\";r=39;t=1");
    CHECK(value(first, "Retry-After").empty());
    const auto refused = rate_headers(RateClass::read, rate, after_request(rate, kStart + 2s, kStart));
    CHECK(value(refused, "RateLimit") == "\"read\";r=0;t=2");
    CHECK(value(refused, "Retry-After") == "1");
    const Rate create = default_rate(RateClass::create);
    const auto tasks = rate_headers(RateClass::create, create, after_request(create, kStart + 90s, kStart));
    CHECK(value(tasks, "RateLimit-Policy") == "\"create\";q=60;w=60");
    CHECK(value(tasks, "Retry-After") == "1");
    CHECK(rate_headers(RateClass::exempt, {}, {}).empty());
}

TEST_CASE("rate: the classes have the rates that are promised")
{
    CHECK(default_rate(RateClass::read) == Rate{40, 2s});     // 20 a second, 40 at once
    CHECK(default_rate(RateClass::create) == Rate{60, 60s});  // 60 a minute
    CHECK(default_rate(RateClass::sign_in) == Rate{10, 60s});
    CHECK(default_rate(RateClass::heavy).window / default_rate(RateClass::heavy).quota == 1s);
    CHECK(default_rate(RateClass::stream).window / default_rate(RateClass::stream).quota == 200ms);
    CHECK(default_rate(RateClass::admin).window / default_rate(RateClass::admin).quota == 200ms);
}

TEST_CASE("rate: everybody has a bucket for each class, and looking takes nothing")
{
    SeededRandom random(7);
    RateBuckets buckets(random);
    const Rate one{.quota = 1, .window = 10s};
    CHECK(buckets.look(RateClass::read, "ann", one, kStart).allowed);
    CHECK(buckets.take(RateClass::read, "ann", one, kStart).allowed);
    CHECK(!buckets.look(RateClass::read, "ann", one, kStart).allowed);
    CHECK(!buckets.take(RateClass::read, "ann", one, kStart).allowed);
    CHECK(buckets.take(RateClass::write, "ann", one, kStart).allowed);
    CHECK(buckets.take(RateClass::read, "bob", one, kStart).allowed);
    CHECK(buckets.take(RateClass::read, "ann", one, kStart + 10s).allowed);
    for (int i = 0; i < 1'000; ++i) CHECK(buckets.take(RateClass::exempt, "ann", one, kStart).allowed);
}

TEST_CASE("rate: a flood of strangers forgets the buckets that are full soonest, and grows nothing")
{
    SeededRandom random(7);
    RateBuckets buckets(random, 8);  // all in one place
    const Rate slow{.quota = 1, .window = 1h}, quick{.quota = 1, .window = 1s};
    CHECK(buckets.take(RateClass::read, "ann", slow, kStart).allowed);
    for (int i = 0; i < 10'000; ++i) CHECK(buckets.take(RateClass::read, std::to_string(i), quick, kStart).allowed);
    CHECK(!buckets.take(RateClass::read, "ann", slow, kStart).allowed);
}
