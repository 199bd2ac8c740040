// Tokens of an issuer, as who they speak for. What was found good is remembered for a while.
#pragma once

#include "base/async_fwd.hpp"
#include "base/sha256.hpp"
#include "base/time.hpp"
#include "engine/principal.hpp"
#include "server/auth/jwt_settings.hpp"
#include "server/auth/key_source.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <variant>

namespace cadre::server {

/// Who a token speaks for, and until when.
struct TokenHolder {
    engine::Principal by{};
    Time until{};
};

/// Lives on its loop; the clock outlives it.
class TokenSignIn {
public:
    TokenSignIn(JwtSettings settings, std::unique_ptr<KeySource> source, const Clock& clock);

    /// Or why it is not good. Throws Error(unavailable) while there are no keys to check it with.
    Async<std::variant<TokenHolder, JwtReason>> who(std::string token);
    std::string trouble() const { return source_->trouble(); }
    /// How many are remembered.
    std::size_t known() const { return known_.size(); }

private:
    struct Known {
        TokenHolder holder{};
        Time until{};  // that it is remembered
    };

    const TokenHolder* find(const Hash& token);
    void remember(const Hash& token, const TokenHolder& holder);
    void expect_keys(const KeysPtr& keys);

    JwtSettings settings_;
    JwtRules rules_;
    std::unique_ptr<KeySource> source_;
    const Clock& clock_;
    KeysPtr keys_;  // that those which are known were checked with
    std::map<Hash, Known> known_;
    std::deque<Hash> order_;  // as they came
};

}  // namespace cadre::server
