#include "schema/uri.hpp"

#include <doctest/doctest.h>

using namespace cadre::schema;

TEST_CASE("references are resolved as RFC 3986 says")
{
    struct {
        const char* base;
        const char* reference;
        const char* result;
    } const cases[] = {
        {"http://a/b/c/d?q", "g", "http://a/b/c/g"},
        {"http://a/b/c/d?q", "./g", "http://a/b/c/g"},
        {"http://a/b/c/d?q", "g/", "http://a/b/c/g/"},
        {"http://a/b/c/d?q", "/g", "http://a/g"},
        {"http://a/b/c/d?q", "//g", "http://g"},
        {"http://a/b/c/d?q", "?y", "http://a/b/c/d?y"},
        {"http://a/b/c/d?q", "", "http://a/b/c/d?q"},
        {"http://a/b/c/d?q", "..", "http://a/b/"},
        {"http://a/b/c/d?q", "../../g", "http://a/g"},
        {"http://a/b/c/d?q", "../../../../g", "http://a/g"},
        {"http://a/b/c/d?q", "g;x=1/../y", "http://a/b/c/y"},
        {"http://a/b/c/d?q", "h:g", "h:g"},
        {"http://a", "g", "http://a/g"},
        {"", "x/y.json", "x/y.json"},
        {"urn:uuid:1", "", "urn:uuid:1"},
        {"x/y.json", "z.json", "x/z.json"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.reference);
        CHECK(resolve_uri(c.base, c.reference) == c.result);
    }
}

TEST_CASE("fragments and pointers are taken apart and put together")
{
    CHECK(split_fragment("a#b%25c%") == std::pair<std::string, std::string>("a", "b%c%"));
    CHECK(split_fragment("a") == std::pair<std::string, std::string>("a", ""));
    CHECK(pointer_tokens("/a~1b/~01//") == std::vector<std::string>{"a/b", "~1", "", ""});
    std::string pointer;
    append_token(pointer, "a/b~c");
    CHECK(pointer == "/a~1b~0c");
}
