#include "mcp/oauth/discovery.hpp"

#include "base/async.hpp"
#include "mcp/http_transport.hpp"
#include "mcp/oauth/metadata.hpp"
#include "net/url.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::mcp::oauth {

namespace {

/// Nothing when there is no such document. Redirects are not followed: what lies behind them is not the document of this place.
Async<std::optional<std::string>> fetch(net::Http& http, std::string url, std::string server_url)
{
    expect_safe(url, "metadata for signing in");
    net::HttpRequest request{.url = url, .largest = kLargestDocument, .foreign = is_foreign(url, server_url)};
    request.headers.push_back({"Accept", "application/json"});
    const auto reply = co_await http.send(std::move(request));
    std::string body = co_await read_some(*reply, kLargestDocument + 1);
    if (reply->status() >= 500)
        throw Error(Code::upstream, fmt::format("{} answered the question for its metadata with HTTP {}",
                                                net::url_from(url).origin(), reply->status()));
    if (reply->status() != 200) co_return std::nullopt;
    co_return body;
}

Async<std::optional<ResourceMetadata>> about_resource(net::Http& http, std::string server_url, std::string named)
{
    std::vector<std::string> places = named.empty() ? resource_metadata_places(server_url) : std::vector{named};
    for (const std::string& place : places)
        if (const auto text = co_await fetch(http, place, server_url))
            co_return read_resource_metadata(*text, server_url);
    if (!named.empty()) throw Error(Code::upstream, "the metadata that its challenge names are not there");
    co_return std::nullopt;
}

Async<std::optional<ServerMetadata>> about_issuer(net::Http& http, std::string issuer, std::string server_url,
                                                  bool exactly)
{
    for (const std::string& place : server_metadata_places(issuer))
        if (const auto text = co_await fetch(http, place, server_url))
            co_return read_server_metadata(*text, issuer, exactly);
    co_return std::nullopt;
}

}  // namespace

Async<Granter> discover(net::Http& http, std::string server_url, Challenge challenge, std::string known_issuer)
{
    const std::string origin = net::url_from(server_url).origin();
    Granter granter{.issuer = origin, .resource = resource_of(server_url)};
    const auto resource = co_await about_resource(http, server_url, std::move(challenge.resource_metadata));
    bool named = false;
    if (resource) {
        granter.resource = resource->resource;
        granter.scope = resource->scope;
        const auto& servers = resource->authorization_servers;
        named = !servers.empty();
        if (named) granter.issuer = servers.front();
        if (std::ranges::find(servers, known_issuer) != servers.end()) granter.issuer = known_issuer;
    }
    expect_safe(granter.issuer, "the authorization server");
    const auto server = co_await about_issuer(http, granter.issuer, server_url, named);
    if (!server && resource)
        throw Error(Code::upstream,
                    fmt::format("the authorization server {} publishes no metadata; if you know its token endpoint, "
                                "write it into ext.oauth.token_url of the entry",
                                net::url_from(granter.issuer).origin()));
    granter.token_url = server ? server->token_url : origin + "/token";
    if (server) granter.methods = server->methods;
    expect_safe(granter.token_url, "the token endpoint");
    co_return granter;
}

}  // namespace cadre::mcp::oauth
