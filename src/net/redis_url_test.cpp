#include "net/redis_url.hpp"

#include "base/error.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using net::redis_address_from;
using test::error_of;

TEST_CASE("redis: an address says where the server is, who we are there, and which database")
{
    const auto plain = redis_address_from("redis://127.0.0.1");
    CHECK(plain.host == "127.0.0.1");
    CHECK(plain.port == 6379);
    CHECK(plain.database == 0);
    CHECK(!plain.tls);
    const auto full = redis_address_from("rediss://ann:p%40ss%3A@cache.example.com:6380/7");
    CHECK(full.host == "cache.example.com");
    CHECK(full.port == 6380);
    CHECK(full.user == "ann");
    CHECK(full.password.reveal() == "p@ss:");
    CHECK(full.database == 7);
    CHECK(full.tls);
    CHECK(full.origin() == "rediss://cache.example.com:6380");
    CHECK(redis_address_from("redis://:secret@[::1]/2").password.reveal() == "secret");
    CHECK(redis_address_from("redis://[::1]").origin() == "redis://[::1]:6379");
    const auto local = redis_address_from("unix:///run/redis.sock?db=3");
    CHECK(local.file == "/run/redis.sock");
    CHECK(local.database == 3);
    CHECK(local.origin() == "unix:///run/redis.sock");
}

TEST_CASE("redis: an address that is none is refused, and the text shows no password")
{
    struct {
        const char* url;
        const char* says;
    } const cases[] = {
        {"", "must begin with"},
        {"127.0.0.1:6379", "must begin with"},
        {"http://127.0.0.1", "must begin with"},
        {"redis://host/nine", "database"},
        {"redis://host/-1", "database"},
        {"redis://host:0/1", "port"},
        {"redis://ann:p%zz@host", "escape"},
        {"redis://ann@host", "no password"},
        {"unix://run/redis.sock", "absolute"},
        {"unix:///run/redis.sock?x=1", "?db=NUMBER"},
        {"redis://ann:hunter2secret@ho st", "host"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.url);
        const auto text = error_of([&] { redis_address_from(c.url); });
        CHECK(text == doctest::Contains(c.says));
        CHECK(std::string(text.c_str()).find("hunter2secret") == std::string::npos);
    }
}
