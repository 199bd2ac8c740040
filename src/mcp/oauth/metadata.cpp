#include "mcp/oauth/metadata.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "mcp/members.hpp"
#include "mcp/oauth/challenge.hpp"
#include "net/url.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::mcp::oauth {

namespace {

constexpr std::size_t kMaxItems = 64;
constexpr JsonLimits kMetadataLimits{.bytes = kLargestDocument, .depth = 16, .nodes = 10'000};

/// Without query, and without the `/` at its end; empty for the root.
std::string path_of(const net::Url& url)
{
    std::string path = url.target.substr(0, url.target.find('?'));
    while (path.ends_with('/')) path.pop_back();
    return path;
}

json::object read_object(std::string_view text, std::string_view what)
{
    json::value value;
    try {
        value = parse_json(text, kMetadataLimits);
    } catch (const Error& error) {
        throw Error(Code::upstream, fmt::format("{} cannot be read: {}", what, error.what()));
    }
    if (!value.is_object()) throw Error(Code::upstream, fmt::format("{} is no JSON object", what));
    return std::move(value.get_object());
}

std::vector<std::string> texts_in(const json::object& object, std::string_view name)
{
    std::vector<std::string> texts;
    const json::value* value = object.if_contains(name);
    if (!value || !value->is_array()) return texts;
    for (const json::value& one : value->get_array())
        if (one.is_string() && texts.size() < kMaxItems) texts.emplace_back(one.get_string());
    return texts;
}

/// What others name is read as a URL before it is shown: then it is short and printable.
std::string shown(const std::string& url)
{
    try {
        const net::Url read = net::url_from(url);
        return in_quotes((read.origin() + read.target).substr(0, 200));
    } catch (const Error&) {
        return "what is no URL";
    }
}

bool holds(const std::string& resource, const std::string& server_url)
{
    const net::Url outer = net::url_from(resource), server = net::url_from(server_url);
    if (outer.origin() != server.origin()) return false;
    const std::string above = path_of(outer), path = path_of(server);
    return path == above || path.starts_with(above + "/");
}

}  // namespace

std::string resource_of(const std::string& server_url)
{
    const net::Url url = net::url_from(server_url);
    return url.origin() + path_of(url);
}

std::vector<std::string> resource_metadata_places(const std::string& server_url)
{
    const net::Url url = net::url_from(server_url);
    const std::string root = url.origin() + "/.well-known/oauth-protected-resource";
    const std::string path = path_of(url);
    return path.empty() ? std::vector{root} : std::vector{root + path, root};
}

std::vector<std::string> server_metadata_places(const std::string& issuer)
{
    const net::Url url = net::url_from(issuer);
    const std::string origin = url.origin(), path = path_of(url);
    std::vector<std::string> places = {origin + "/.well-known/oauth-authorization-server" + path,
                                       origin + "/.well-known/openid-configuration" + path};
    if (!path.empty()) places.push_back(origin + path + "/.well-known/openid-configuration");
    return places;
}

ResourceMetadata read_resource_metadata(std::string_view text, const std::string& server_url)
{
    const json::object object = read_object(text, "the metadata of the server");
    ResourceMetadata read{.resource = std::string(text_in(object, "resource")),
                          .authorization_servers = texts_in(object, "authorization_servers")};
    bool right = false;
    try {
        right = holds(read.resource, server_url);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): no URL, so not ours
    }
    if (!right)
        throw Error(Code::forbidden, fmt::format("its metadata is about another server, {}; nothing was sent there",
                                                 shown(read.resource)));
    std::string all;
    for (const std::string& word : texts_in(object, "scopes_supported")) all += word + " ";
    read.scope = canonical_scope(all);
    return read;
}

ServerMetadata read_server_metadata(std::string_view text, const std::string& issuer, bool exactly)
{
    const json::object object = read_object(text, "the metadata of the authorization server");
    std::string said(text_in(object, "issuer"));
    if (!exactly && said.ends_with('/') && said.size() == issuer.size() + 1) said.pop_back();
    if (said != issuer)
        throw Error(Code::forbidden, fmt::format("the authorization server {} calls itself {}; nothing was sent there",
                                                 shown(issuer), shown(said)));
    ServerMetadata read{.token_url = std::string(text_in(object, "token_endpoint")),
                        .methods = texts_in(object, "token_endpoint_auth_methods_supported")};
    if (read.token_url.empty())
        throw Error(Code::upstream, fmt::format("the authorization server {} names no token endpoint", shown(issuer)));
    expect_safe(read.token_url, "the token endpoint");
    return read;
}

bool is_loopback(const net::Url& url)
{
    if (!url.ip) return url.host == "localhost" || url.host.ends_with(".localhost");
    return url.ip->v6 ? net::address_text(*url.ip) == "::1" : url.ip->bytes[0] == 127;
}

void expect_safe(const std::string& url, std::string_view what)
{
    net::Url read;
    try {
        read = net::url_from(url);
    } catch (const Error& error) {
        throw Error(Code::forbidden, fmt::format("{} cannot be used: {}", what, error.what()));
    }
    if (!read.tls && !is_loopback(read))
        throw Error(Code::forbidden, fmt::format("{} is at {}, where others could read along; secrets and tokens go "
                                                 "over https only, or to this machine",
                                                 what, read.origin()));
}

bool is_foreign(const std::string& url, const std::string& server_url)
{
    const net::Url place = net::url_from(url), server = net::url_from(server_url);
    return place.origin() != server.origin() && !(is_loopback(place) && is_loopback(server));
}

}  // namespace cadre::mcp::oauth
