// Where a server's metadata and those of its authorization server lie, and what they say (RFC 9728, RFC 8414, OpenID Connect Discovery).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::net {
struct HttpRequest;
struct Url;
}  // namespace cadre::net

namespace cadre::mcp::oauth {

/// Documents may have as many bytes.
inline constexpr std::size_t kLargestDocument = 256 << 10;

/// Of the MCP server.
struct ResourceMetadata {
    std::string resource{};
    std::vector<std::string> authorization_servers{};
    std::string scope{};  // all that it supports
};

/// Of the authorization server.
struct ServerMetadata {
    std::string token_url{};
    std::vector<std::string> methods{};  // token_endpoint_auth_methods_supported; empty: not said
};

/// What a server is called where tokens are granted for it (RFC 8707): its address without query and fragment.
std::string resource_of(const std::string& server_url);

/// In the order in which they are tried.
std::vector<std::string> resource_metadata_places(const std::string& server_url);
std::vector<std::string> server_metadata_places(const std::string& issuer);

/// Throws Error: what it describes must be the server, or a folder above it.
ResourceMetadata read_resource_metadata(std::string_view text, const std::string& server_url);
/// Throws Error: its issuer must be the very one that was asked for, its token endpoint a safe place. `exactly` false: but for a `/` at
/// the end, where we made the issuer up ourselves.
ServerMetadata read_server_metadata(std::string_view text, const std::string& issuer, bool exactly = true);

bool is_loopback(const net::Url& url);
/// Throws Error(forbidden) for what is neither https nor on this machine; `what` is for the reader: "the token endpoint".
void expect_safe(const std::string& url, std::string_view what);
/// A place that others named: the egress policy decides about it, unless it is the server's own origin, or on this machine like the
/// server itself.
bool is_foreign(const std::string& url, const std::string& server_url);

}  // namespace cadre::mcp::oauth
