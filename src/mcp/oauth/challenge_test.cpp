#include "mcp/oauth/challenge.hpp"

#include <doctest/doctest.h>

using namespace cadre::mcp::oauth;

namespace {

Challenge from(std::string header)
{
    return challenge_in({{"www-authenticate", std::move(header)}});
}

std::string shown(std::string_view header)
{
    std::string text;
    for (const AnyChallenge& one : read_challenges(header)) {
        text += (text.empty() ? "" : " | ") + one.scheme;
        for (const auto& [name, value] : one.parameters) text += " " + name + "=<" + value + ">";
    }
    return text;
}

}  // namespace

TEST_CASE("challenges are read as RFC 9110 writes them, and as servers do")
{
    struct {
        const char* header;
        const char* read;
    } const cases[] = {
        {"Bearer", "bearer"},
        {R"(Bearer realm="a, b", scope="x y")", "bearer realm=<a, b> scope=<x y>"},
        {R"(BEARER Scope=x , error = "e")", "bearer scope=<x> error=<e>"},
        {R"(Bearer realm="a" scope="b")", "bearer realm=<a> scope=<b>"},
        {R"(Basic realm="x\"y\\", Bearer a=b)", R"(basic realm=<x"y\> | bearer a=<b>)"},
        {"Negotiate YII==, Bearer a=b", "negotiate | bearer a=<b>"},
        {"Negotiate, Bearer", "negotiate | bearer"},
        {", ,Bearer a=b,,", "bearer a=<b>"},
        {"", ""},
        {"=x", ""},
        {R"(Bearer a="open)", "bearer"},
        {R"(Bearer a="open\)", "bearer"},
        {"Bearer a=b, c=, d=e", "bearer a=<b>"},
        {"Bearer a=b \x01 c=d", "bearer a=<b>"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.header);
        CHECK(shown(c.header) == c.read);
    }
    CHECK(read_challenges(std::string(1 << 20, 'a')).empty());
    std::string many = "Bearer ";
    for (int i = 0; i < 1000; ++i) many += "a=b, ";
    CHECK(read_challenges(many).at(0).parameters.size() == 32);
}

TEST_CASE("of all challenges the first for a bearer counts, and of its scope what can be one")
{
    const auto read =
        from(R"(Basic realm="x", Bearer error="insufficient_scope", scope="b a b", resource_metadata="https://s/m")");
    CHECK(read.error == "insufficient_scope");
    CHECK(read.scope == "b a");
    CHECK(read.resource_metadata == "https://s/m");
    CHECK(from("Bearer scope=\"a\xc3\xa9\"").scope.empty());
    CHECK(from("Bearer scope=\"" + std::string(5000, 'a') + "\"").scope.empty());
    CHECK(from("Digest scope=a").scope.empty());
    CHECK(united_scope("a b", "b c") == "a b c");
    CHECK(covers("a b", "b"));
    CHECK_FALSE(covers("a b", "b c"));
}
