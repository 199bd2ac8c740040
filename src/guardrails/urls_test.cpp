#include "guardrails/urls.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cadre::guardrails;

TEST_CASE("urls: the host is the one that a program would go to")
{
    struct {
        const char* text;
        const char* host;  // null: there is no address
        const char* url;
    } const cases[] = {
        {"see https://Example.com/a.", "example.com", "https://Example.com/a"},
        {"(https://a.example/x_(y))", "a.example", "https://a.example/x_(y)"},
        {"[x](https://a.example/p)", "a.example", "https://a.example/p"},
        {"https://good.example@evil.example/x", "evil.example", "https://good.example@evil.example/x"},
        {"https://evil.example:8443?x", "evil.example", "https://evil.example:8443?x"},
        {"https:///evil.example", "evil.example", "https:///evil.example"},
        {"https://good.example\\@evil.example", "", "https://good.example\\@evil.example"},
        {"https://good%2eexample/", "", "https://good%2eexample/"},
        {"http://[::1]:80/", "[::1]", "http://[::1]:80/"},
        {"href=\"//evil.example/x\"", "evil.example", "//evil.example/x"},
        {"go to www.evil.example!", "www.evil.example", "www.evil.example"},
        {"ftp://files.example", "files.example", "ftp://files.example"},
        {"https://evil.example./", "evil.example", "https://evil.example./"},
        {"a // comment", nullptr, ""},
        {"and/or 1//2", nullptr, ""},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.text));
        const std::vector<UrlMatch> found = find_urls(c.text);
        REQUIRE(found.size() == (c.host ? 1 : 0));
        if (!c.host) continue;
        CHECK(found[0].host == c.host);
        CHECK(std::string(c.text).substr(found[0].begin, found[0].end - found[0].begin) == c.url);
    }
}

TEST_CASE("urls: what is below an allowed host is allowed, what only ends like it is not")
{
    const std::vector<std::string> hosts{"example.com", "localhost"};
    CHECK(is_allowed("example.com", hosts));
    CHECK(is_allowed("docs.example.com", hosts));
    CHECK(!is_allowed("badexample.com", hosts));
    CHECK(!is_allowed("example.com.evil.example", hosts));
    CHECK(!is_allowed("", hosts));
}
