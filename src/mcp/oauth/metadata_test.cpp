#include "mcp/oauth/metadata.hpp"

#include "base/error.hpp"
#include "mcp/test_has.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::mcp::oauth;
using cadre::mcp::test::Has;

namespace {

template <class F>
std::string error_of(F what)
{
    try {
        what();
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("metadata are looked for where the protocol says, in its order")
{
    using Places = std::vector<std::string>;
    CHECK(resource_metadata_places("https://s.example/a/mcp?key=1") ==
          Places{"https://s.example/.well-known/oauth-protected-resource/a/mcp",
                 "https://s.example/.well-known/oauth-protected-resource"});
    CHECK(resource_metadata_places("https://s.example/") ==
          Places{"https://s.example/.well-known/oauth-protected-resource"});
    CHECK(server_metadata_places("https://as.example") ==
          Places{"https://as.example/.well-known/oauth-authorization-server",
                 "https://as.example/.well-known/openid-configuration"});
    CHECK(server_metadata_places("https://as.example/tenant/1") ==
          Places{"https://as.example/.well-known/oauth-authorization-server/tenant/1",
                 "https://as.example/.well-known/openid-configuration/tenant/1",
                 "https://as.example/tenant/1/.well-known/openid-configuration"});
    CHECK(resource_of("https://S.example:443/mcp/?key=1") == "https://s.example/mcp");
}

TEST_CASE("metadata about another server are refused")
{
    const auto read = [](std::string_view text) {
        return error_of([&] { read_resource_metadata(text, "https://s.example/a/mcp"); });
    };
    for (const char* resource : {"https://s.example/a/mcp", "https://s.example/a/", "https://s.example"}) {
        CAPTURE(resource);
        CHECK(read(std::string(R"({"resource":")") + resource + "\"}") == "none");
    }
    for (const char* resource : {"https://evil.example/a/mcp", "http://s.example/a/mcp", "https://s.example/a/mc",
                                 "https://s.example/a/mcp/more", "", "nonsense", "https://s.example:8443"}) {
        CAPTURE(resource);
        CHECK(read(std::string(R"({"resource":")") + resource + "\"}") == Has("its metadata is about another server"));
    }
    CHECK(read("[]") == Has("is no JSON object"));
    CHECK(read("{") == Has("cannot be read"));
    CHECK(read(R"({"a":")" + std::string(kLargestDocument, 'a') + "\"}") == Has("cannot be read"));
    CHECK(read(std::string(10'000, '[')) == Has("cannot be read"));
    const auto odd = read_resource_metadata(
        R"({"resource":"https://s.example","authorization_servers":[1,"https://as.example"],"scopes_supported":["a","b c",{}]})",
        "https://s.example/mcp");
    CHECK(odd.authorization_servers == std::vector<std::string>{"https://as.example"});
    CHECK(odd.scope == "a b c");
}

TEST_CASE("an authorization server must be who it was asked for, and grant tokens in a safe place")
{
    const auto read = [](std::string_view text, bool exactly = true) {
        return error_of([&] { read_server_metadata(text, "https://as.example", exactly); });
    };
    CHECK(read(R"({"issuer":"https://as.example","token_endpoint":"https://t.example/token"})") == "none");
    CHECK(read(R"({"issuer":"https://as.example","token_endpoint":"http://127.0.0.1:8/token"})") == "none");
    for (const char* issuer :
         {"https://as.example/", "https://AS.example", "http://as.example", "https://evil.example", ""}) {
        CAPTURE(issuer);
        const std::string text =
            std::string(R"({"issuer":")") + issuer + R"(","token_endpoint":"https://as.example/token"})";
        CHECK(read(text) == Has("calls itself"));
    }
    CHECK(read(R"({"issuer":"https://as.example/","token_endpoint":"https://as.example/token"})", false) == "none");
    CHECK(read(R"({"issuer":"https://as.example"})") == Has("names no token endpoint"));
    CHECK(read(R"({"issuer":"https://as.example","token_endpoint":"http://t.example/token"})") ==
          Has("the token endpoint is at http://t.example, where others could read along"));
    CHECK(read(R"({"issuer":"https://as.example","token_endpoint":"file:///etc/passwd"})") == Has("cannot be used"));
}

TEST_CASE("what others name is foreign, unless it is the server's own or both are on this machine")
{
    CHECK_FALSE(is_foreign("https://s.example/token", "https://s.example/mcp"));
    CHECK(is_foreign("https://as.example/token", "https://s.example/mcp"));
    CHECK(is_foreign("http://127.0.0.1:8/token", "https://s.example/mcp"));
    CHECK_FALSE(is_foreign("http://localhost:8/token", "http://127.0.0.1:9/mcp"));
    CHECK(is_foreign("https://as.example/token", "http://127.0.0.1:9/mcp"));
}
