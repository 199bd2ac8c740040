// Whose tokens are good here, and who they speak for, by the settings.
#pragma once

#include "base/secret.hpp"
#include "config/access_settings.hpp"
#include "engine/principal.hpp"
#include "server/auth/jwt.hpp"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cadre::server {

using config::JwtSettings;

/// A secret in place of keys comes only from here: files are read by others, and end up in repositories.
inline constexpr const char* kJwtSecretVariable = "CADRE_JWT_SECRET";

/// What the variable says; empty: nothing.
Secret jwt_secret(const std::function<std::optional<std::string>(const std::string& name)>& environment);

/// Whether anything is said about tokens.
bool wants_tokens(const JwtSettings& settings, const Secret& secret);
/// Everything that is wrong with them, with the fix. `secret`: what the variable says; empty: nothing.
std::vector<std::string> faults_of(const JwtSettings& settings, const Secret& secret);

/// Who a good token speaks for. A role that the settings do not know is none.
std::variant<engine::Principal, JwtReason> principal_of(const JwtClaims& claims, const JwtSettings& settings);

}  // namespace cadre::server
