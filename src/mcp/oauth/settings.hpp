// How a program of ours signs in to a server: OAuth client credentials, as the operator's files say them.
#pragma once

#include "base/secret.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace cadre::mcp::oauth {

/// Of saying at the token endpoint who asks.
enum class Method : std::uint8_t { client_secret_basic, client_secret_post, private_key_jwt };

inline constexpr std::pair<Method, std::string_view> kMethods[] = {
    {Method::client_secret_basic, "client_secret_basic"},
    {Method::client_secret_post, "client_secret_post"},
    {Method::private_key_jwt, "private_key_jwt"},
};

struct Settings {
    std::string client_id{};
    Secret client_secret{};
    Secret private_key{};                      // PEM
    std::filesystem::path private_key_file{};  // instead of it
    std::optional<Method> method{};            // nothing: what fits the secret and the authorization server
    std::string scope{};
    std::string token_url{};  // empty: it is looked for
};

}  // namespace cadre::mcp::oauth
