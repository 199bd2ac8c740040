#include "server/auth/token_sign_in.hpp"

#include "base/async.hpp"

#include <algorithm>
#include <utility>

namespace cadre::server {
namespace {

constexpr Millis kRemembered{60'000};
constexpr std::size_t kMostRemembered = 10'000;

}  // namespace

TokenSignIn::TokenSignIn(JwtSettings settings, std::unique_ptr<KeySource> source, const Clock& clock)
    : settings_(std::move(settings)),
      rules_{.issuer = settings_.issuer, .audience = settings_.audience},
      source_(std::move(source)),
      clock_(clock)
{}

Async<std::variant<TokenHolder, JwtReason>> TokenSignIn::who(std::string token)
{
    if (token.size() > kLargestJwt) co_return JwtReason::too_large;
    const Hash hash = sha256(token);
    if (const TokenHolder* known = find(hash)) co_return *known;
    KeysPtr keys = co_await source_->keys(false);
    auto verdict = verify_jwt(token, *keys, rules_, clock_.now());
    if (const auto* why = std::get_if<JwtReason>(&verdict); why && *why == JwtReason::unknown_key) {
        keys = co_await source_->keys(true);
        verdict = verify_jwt(token, *keys, rules_, clock_.now());
    }
    if (const auto* why = std::get_if<JwtReason>(&verdict)) co_return *why;
    const auto& claims = std::get<JwtClaims>(verdict);
    auto by = principal_of(claims, settings_);
    if (const auto* why = std::get_if<JwtReason>(&by)) co_return *why;
    TokenHolder holder{std::get<engine::Principal>(std::move(by)), claims.expires + rules_.leeway};
    expect_keys(keys);
    remember(hash, holder);
    co_return holder;
}

const TokenHolder* TokenSignIn::find(const Hash& token)
{
    const auto found = known_.find(token);
    return found != known_.end() && clock_.now() < found->second.until ? &found->second.holder : nullptr;
}

void TokenSignIn::remember(const Hash& token, const TokenHolder& holder)
{
    const Known known{holder, std::min(clock_.now() + kRemembered, holder.until)};
    if (const auto [place, is_new] = known_.insert_or_assign(token, known); !is_new) return;
    order_.push_back(token);
    if (order_.size() <= kMostRemembered) return;
    known_.erase(order_.front());
    order_.pop_front();
}

/// What other keys have vouched for is not known any more: maybe they were withdrawn.
void TokenSignIn::expect_keys(const KeysPtr& keys)
{
    if (keys == keys_) return;
    keys_ = keys;
    known_.clear();
    order_.clear();
}

}  // namespace cadre::server
